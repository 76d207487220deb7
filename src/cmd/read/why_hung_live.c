/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has not ended on this machine: a snapshot of the recording, and who holds what now, which the kernel and the
 * memory of programs show while they wait. What a program's memory says is believed only if all of it fits, as a
 * program may keep anything there.
 */
#include "cmd/read/why_hung.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/vec.h"
#include "trace/read/reader.h"

extern char **environ;

enum {
	FUTEX_COMMAND = 0x7f, /* FUTEX_*, include/uapi/linux/futex.h */
	FUTEX_LOCK_PI_OP = 6,
	FUTEX_LOCK_PI2_OP = 13,
	FUTEX_TID = 0x3fffffff,
	FUTEX_CONTENDED = 2, /* the value of a lock that others wait for, in glibc */
	KIND_MASK = 0x3ff,   /* of a mutex of glibc: its types, and what it is besides */
	LOCKS_MAX = 1 << 16, /* lines of /proc/locks that are looked at */
};

/* A line of /proc/locks. */
struct file_lock {
	u32 number; /* those that wait have that of the lock that they wait for */
	s32 pid;
	bool waits;
};

struct live {
	struct file_lock *locks;
	u32 nr_locks;
};

/* ---- locks of files ---------------------------------------------------------------- */

static int read_locks(struct live *l)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/locks", "re");
	char line[256];

	while (f && l->nr_locks < LOCKS_MAX && fgets(line, sizeof(line), f)) {
		struct file_lock *lock, read = {};
		char *at;

		/* "1: -> FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF" */
		read.number = (u32)strtoul(line, &at, 10);
		if (*at != ':')
			continue;
		at += 1 + strspn(at + 1, " ");
		read.waits = !strncmp(at, "-> ", 3);
		at += read.waits ? 3 : 0;
		if (sscanf(at, "%*s %*s %*s %d", &read.pid) != 1 || read.pid <= 0)
			continue;
		lock = lkst_vec_add(l->locks, l->nr_locks);
		if (!lock)
			return -ENOMEM;
		*lock = read;
	}
	return 0;
}

/* Whether process @pid has one thread: then what the process has, that has. */
static bool has_one_thread(s32 pid)
{
	const struct dirent *entry;
	unsigned int nr = 0;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && nr < 2 && (entry = readdir(d)))
		nr += entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return nr == 1;
}

/* The process that has what process @pid waits for, if both are certain: each has one thread, and that is one lock. */
static s32 file_holder(const struct live *l, s32 pid)
{
	const struct file_lock *waiter = NULL, *holder = NULL;
	u32 i;

	for (i = 0; i < l->nr_locks; i++) {
		if (!l->locks[i].waits || l->locks[i].pid != pid)
			continue;
		if (waiter)
			return 0;
		waiter = &l->locks[i];
	}
	for (i = 0; waiter && i < l->nr_locks; i++) {
		if (l->locks[i].waits || l->locks[i].number != waiter->number)
			continue;
		if (holder)
			return 0;
		holder = &l->locks[i];
	}
	return holder && has_one_thread(pid) && has_one_thread(holder->pid) ? holder->pid : 0;
}

/* ---- locks of programs ------------------------------------------------------------- */

static bool is_thread_of(s32 tid, s32 pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return !access(path, F_OK);
}

/* Reads @nr words at @address of process @pid, all or none. */
static bool why_hung_live_read_words(s32 pid, u64 address, u32 *words, size_t nr)
{
	const struct iovec to = { words, nr * sizeof(*words) };
	const struct iovec from = { (void *)(uintptr_t)address, nr * sizeof(*words) };

	return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)(nr * sizeof(*words));
}

/* The owner of a futex that lends priority, which the kernel keeps in its word; or of a mutex of glibc. */
static s32 futex_holder(s32 pid, const struct lkst_wait *wait, const char **ret_how)
{
	const u64 command = wait->call.args[1] & FUTEX_COMMAND;
	u32 words[5]; /* __lock, __count, __owner, __nusers, __kind */

	if (command == FUTEX_LOCK_PI_OP || command == FUTEX_LOCK_PI2_OP) {
		*ret_how = "by the futex's word";
		return why_hung_live_read_words(pid, wait->call.args[0], words, 1) ? (s32)(words[0] & FUTEX_TID) : 0;
	}
	*ret_how = "by glibc's mutex";
	if (!why_hung_live_read_words(pid, wait->call.args[0], words, 5) || words[0] != FUTEX_CONTENDED || !words[3] ||
	    words[4] & ~(u32)KIND_MASK || words[2] > INT32_MAX)
		return 0;
	return words[2] && is_thread_of((s32)words[2], pid) ? (s32)words[2] : 0;
}

/* ---- asking ------------------------------------------------------------------------ */

/* Whether the thread is still in the call in which it was when the snapshot was taken, with the same arguments. */
static bool is_in_call(s32 pid, s32 tid, const struct lkst_wait *wait)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64];
	unsigned long long args[3];
	int nr;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%d %llx %llx %llx", &nr, &args[0], &args[1], &args[2]) != 4)
		return false;
	return nr == wait->call.nr && (!wait->call.has_args || !wait->call.nr_args || args[0] == wait->call.args[0]);
}

static s32 why_hung_live_find_holder(void *arg, s32 pid, s32 tid, const struct lkst_wait *wait, const char **ret_how)
{
	const struct live *l = arg;
	s32 holder = 0;

	if (pid <= 0 || wait->call.row < 0 || wait->call.is_compat)
		return 0;
	if (wait->cause == LKST_CAUSE_FUTEX && lkst_hung_is_lock_futex(wait)) {
		holder = futex_holder(pid, wait, ret_how);
	} else if (wait->cause == LKST_CAUSE_IPC) {
		*ret_how = "by /proc/locks";
		holder = file_holder(l, pid);
	}
	return holder > 0 && is_in_call(pid, tid, wait) ? holder : 0;
}

/* The functions of the kernel that the thread is in, as /proc shows them to root. */
static bool is_at_server(void *arg, s32 pid, s32 tid)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stack", pid, tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "request_wait_answer") || strstr(line, "fuse_simple_request"))
			return true;
	return false;
}

/* ---- the snapshot ------------------------------------------------------------------ */

/* `lkst snapshot -o DIR`, as its own process: it may be one that asks the service. */
static int take_snapshot(struct lkst_err *e, char *dir)
{
	static char name[] = "lkst", command[] = "snapshot", quiet[] = "--quiet", output[] = "--output";
	char *argv[] = { name, command, quiet, output, dir, NULL }, self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int err, status;
	pid_t pid;

	if (length < 0)
		return lkst_err_sys(e, -errno, "finding the program of `lkst snapshot`");
	self[length] = 0;
	fflush(stdout);
	err = -posix_spawn(&pid, self, NULL, NULL, argv, environ);
	if (err)
		return lkst_err_sys(e, err, "starting `lkst snapshot`");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return lkst_err_sys(e, -errno, "waiting for `lkst snapshot`");
	/* It has said why. */
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return lkst_err_set(e, -EIO, "there is no snapshot of what is recorded");
	return 0;
}

static int open_snapshot(struct lkst_err *e, struct lkst_reading *ret_reading)
{
	_cleanup_close_ int lock = -1;
	const char *place = getenv("TMPDIR");
	char path[PATH_MAX], dir[PATH_MAX];
	struct lkst_trace *t;
	int err;

	if (!place || !*place)
		place = access("/dev/shm", W_OK) ? "/var/tmp" : "/dev/shm";
	if ((size_t)snprintf(path, sizeof(path), "%s/lkst-hung", place) >= sizeof(path))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", place);
	err = lkst_create_dir_beside(e, NULL, path, dir, &lock);
	if (err)
		return err;
	err = take_snapshot(e, dir) ?: lkst_trace_open(e, dir, &t) ?: lkst_reading_take(e, &t, 1, ret_reading);
	/* Its files stay as long as they are mapped. */
	lkst_remove_made_dir(lock, AT_FDCWD, dir);
	return err;
}

int lkst_why_hung_live(struct lkst_err *e, const struct lkst_why_hung_options *o)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	struct lkst_why_hung_options with = *o;
	struct live live = {};
	const struct lkst_hung_ask ask = { .holder = why_hung_live_find_holder,
					   .is_at_server = is_at_server,
					   .arg = &live };
	int err = open_snapshot(e, &reading);

	if (err)
		return err;
	with.ask = &ask;
	err = read_locks(&live);
	err = err ? lkst_err_sys(e, err, "reading /proc/locks") : lkst_why_hung_tell(e, &with, &reading);
	free(live.locks);
	return err;
}
