// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What programs that have ended leave. */
#include "liblkst/mark_tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "liblkst/mark_format.h"

enum {
	NAME_BYTES = 64,
	LIST_BYTES = 4096,
	ROUNDS_MAX =
		256, /* getdents64(2) of LIST_BYTES: what others put into the directory must not keep us long */
};

/* A decimal number of at most nine digits from *@at on, which is moved; -1: there is none. */
static s32 take_number(const char **at)
{
	const char *begin = *at;
	s32 value = 0;

	for (; **at >= '0' && **at <= '9' && *at - begin < 10; (*at)++)
		value = value > INT32_MAX / 10 - 1 ? -1 : value * 10 + (**at - '0');
	return *at == begin ? -1 : value;
}

bool lkst_mark_name_parse(const char *name, struct lkst_mark_name *ret_name)
{
	static const char prefix[] = LKST_MARK_PREFIX ".";
	const char *at = name + sizeof(prefix) - 1;
	u64 uid = 0;
	s32 pid;

	if (strncmp(name, prefix, sizeof(prefix) - 1) || strlen(name) >= NAME_BYTES || *at < '0' ||
	    *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9' && uid <= UINT32_MAX; at++)
		uid = uid * 10 + (u64)(*at - '0');
	if (uid > UINT32_MAX || *at++ != '.')
		return false;
	pid = take_number(&at);
	if (pid <= 0 || *at++ != '.' || strlen(at) != 16 || strspn(at, "0123456789abcdef") != 16)
		return false;
	*ret_name = (struct lkst_mark_name){ (u32)uid, pid };
	return true;
}

bool lkst_mark_note_ended(int dir_fd, const char *name)
{
	struct timespec now;
	struct stat st;
	int fd;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return errno == ENOENT;
	clock_gettime(CLOCK_REALTIME, &now);
	if (st.st_mode & 0200) {
		/* The name may mean another file by now, or a link to one: only what is open is changed. */
		fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
		    !fchmod(fd, 0400))
			futimens(fd, NULL);
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (now.tv_sec - st.st_mtim.tv_sec < LKST_MARK_KEPT_S && st.st_mtim.tv_sec <= now.tv_sec)
		return false;
	return !unlinkat(dir_fd, name, 0);
}

/* The file that has been kept longest, of how many. */
struct kept {
	u32 nr;
	s64 oldest_ns; /* when it was noticed that its program has ended */
	char oldest[NAME_BYTES];
};

static void look_at(int dir_fd, const char *name, struct kept *kept)
{
	struct lkst_mark_name who;
	struct stat st;
	s64 ns;

	if (!lkst_mark_name_parse(name, &who) || who.uid != geteuid())
		return;
	/* A process has one: what else has its number is of the program that it was before exec(2). */
	if (who.pid != getpid() && (!kill(who.pid, 0) || errno != ESRCH))
		return;
	if (lkst_mark_note_ended(dir_fd, name) || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    st.st_uid != geteuid())
		return;
	ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
	if (!kept->nr++ || ns < kept->oldest_ns) {
		kept->oldest_ns = ns;
		strcpy(kept->oldest, name);
	}
}

/* As getdents64(2) has it. */
struct entry {
	u64 inode;
	s64 offset;
	u16 length;
	u8 type;
	char name[];
};

static void look_at_all(int dir_fd, struct kept *kept)
{
	u8 list[LIST_BYTES] __attribute__((aligned(8)));
	unsigned int round;
	long at, length;

	kept->nr = 0;
	if (lseek(dir_fd, 0, SEEK_SET))
		return;
	for (round = 0; round < ROUNDS_MAX; round++) {
		length = syscall(SYS_getdents64, dir_fd, list, sizeof(list));
		if (length <= 0)
			return;
		for (at = 0; at < length; at += ((struct entry *)(list + at))->length)
			look_at(dir_fd, ((struct entry *)(list + at))->name, kept);
	}
}

void lkst_mark_tidy(const char *dir)
{
	int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int i;
	struct kept kept;

	if (dir_fd < 0)
		return;
	for (i = 0; i < LKST_MARK_KEPT_MAX; i++) {
		look_at_all(dir_fd, &kept);
		if (kept.nr < LKST_MARK_KEPT_MAX || unlinkat(dir_fd, kept.oldest, 0))
			break;
	}
	close(dir_fd);
}
