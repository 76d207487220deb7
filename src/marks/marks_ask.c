// SPDX-License-Identifier: GPL-2.0-only
/* Asks programs to mark. */
#include "marks/marks_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/create.h"
#include "base/io.h"
#include "marks/marks_budget.h"

enum {
	FIND_ROUNDS = 32, /* a million names */
	WAIT_MS = 10000,  /* it takes a few, where the machine is not busy */
	STUCK_MS = 250,	  /* and who waits for a lock as long does not get it */
	STUCK_MAX = 8,
	ASK_TRIES = 4,
};

/* What the file for programs that begin later says now; 0: nothing. */
static u64 read_wish(int dir_fd)
{
	_cleanup_close_ int fd = openat(dir_fd, LKST_MARK_WANTED_FILE,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	u64 ns = 0;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    pread(fd, &ns, sizeof(ns), 0) != sizeof(ns))
		return 0;
	return ns;
}

/* A new file each time: whatever has the name now, be it a directory, a user may have made it. */
static int write_wish(struct lkst_err *e, int dir_fd, u64 ns)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	int err = lkst_new_file_open(e, NULL, dir_fd, LKST_MARK_WANTED_FILE, &file);

	if (err)
		return err;
	err = lkst_write_all(file.fd, &ns, sizeof(ns));
	if (!err && fchmod(file.fd, 0644))
		err = -errno;
	return err ? lkst_err_sys(e, err, "asking programs for their marks")
		   : lkst_new_file_place_over(e, &file);
}

/* Whatever has the name now, its user may be one whose files do not answer. */
static bool may_replace_wish(const struct lkst_marks_programs *p, int dir_fd)
{
	struct stat st;

	return !p->may_change || fstatat(dir_fd, LKST_MARK_WANTED_FILE, &st, AT_SYMLINK_NOFOLLOW) ||
	       st.st_uid == geteuid() || p->may_change(p->ctx, st.st_uid);
}

int lkst_marks_want(struct lkst_err *e, struct lkst_marks_programs *p, u64 ns, bool is_over)
{
	_cleanup_close_ int dir_fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	u64 now;
	u32 i;
	int err = 0;

	/* Where there is no such directory no program has, or can make, memory for marks. */
	if (dir_fd < 0 && errno == ENOENT)
		return 0;
	if (dir_fd < 0)
		return lkst_err_sys(e, -errno, "asking programs for their marks in %s", p->dir);
	now = read_wish(dir_fd);
	/* First those that begin now: a program looks there after its memory can be found. */
	if ((is_over ? now > ns : now < ns) && may_replace_wish(p, dir_fd))
		err = write_wish(e, dir_fd, ns);
	p->changes = true;
	for (i = 0; i < FIND_ROUNDS && (!i || p->is_behind); i++)
		lkst_marks_find(p, true);
	p->changes = false;
	for (i = 0; i < p->nr; i++)
		if (!p->may_change || p->may_change(p->ctx, p->list[i].uid))
			lkst_marks_file_want(p->list[i].file, ns, is_over);
	return err;
}

/* ---- in a process apart ----------------------------------------------------------------------- */

struct lkst_marks_asker {
	/* Shared with the process; NULL: nobody is asking. */
	struct marks_ask_progress {
		s32 pid;
		u32 account; /* whose file is being changed */
		s32 error;   /* of telling those that begin later */
		u32 is_done;
	} *progress;
	int pid_fd; /* the process; -1: there is none */
	u32 stuck[STUCK_MAX]; /* accounts whose files were being changed when that did not end */
	u32 nr_stuck;
};

static bool may_change(void *ctx, u32 uid)
{
	const struct lkst_marks_asker *a = ctx;
	u32 i;

	for (i = 0; i < a->nr_stuck; i++)
		if (a->stuck[i] == lkst_marks_account(uid))
			return false;
	__atomic_store_n(&a->progress->account, lkst_marks_account(uid), __ATOMIC_RELAXED);
	return true;
}

/* It has nothing of the recording, which would not end while this does not, and is the child of process 1. */
static void ask_apart(const struct lkst_marks_asker *a, u64 ns, bool is_over)
{
	struct lkst_marks_programs programs = { .dir = LKST_MARK_DIR,
						.may_change = may_change,
						.ctx = (void *)(uintptr_t)a };
	pid_t child;

	setsid();
	close_range(0, ~0U, 0);
	/* No file that is opened now is taken for an output. */
	child = open("/dev/null", O_RDWR) || dup(0) != 1 || dup(0) != 2 ? -1 : fork();
	if (child > 0)
		a->progress->pid = child;
	if (child)
		_exit(0);
	a->progress->error = lkst_marks_want(NULL, &programs, ns, is_over);
	__atomic_store_n(&a->progress->is_done, 1, __ATOMIC_RELEASE);
	_exit(0);
}

static bool marks_ask_is_done(const struct lkst_marks_asker *a)
{
	return !a->progress || __atomic_load_n(&a->progress->is_done, __ATOMIC_ACQUIRE);
}

/* Somebody may have killed it. */
static bool is_running(const struct lkst_marks_asker *a)
{
	struct pollfd ended = { .fd = a->pid_fd, .events = POLLIN };

	return a->progress && a->pid_fd >= 0 && !poll(&ended, 1, 0);
}

/* Whether the process waits where no signal reaches it: for a lock, since all is in memory. A slow one is ready. */
static bool marks_ask_is_stuck(const struct lkst_marks_asker *a)
{
	char path[32], stat[256];
	const char *state;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", a->progress->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, stat, sizeof(stat) - 1);
	if (fd >= 0)
		close(fd);
	stat[length > 0 ? length : 0] = 0;
	state = strrchr(stat, ')');
	return state && !strncmp(state, ") D", 3) && is_running(a) && !marks_ask_is_done(a);
}

static void forget_progress(struct lkst_marks_asker *a)
{
	if (a->progress)
		munmap(a->progress, sizeof(*a->progress));
	a->progress = NULL;
	if (a->pid_fd >= 0)
		close(a->pid_fd);
	a->pid_fd = -1;
}

/* Whether the process asks no more. One that is stuck is left alone; the next one leaves out whose file it is at. */
static bool marks_ask_has_ended(struct lkst_marks_asker *a)
{
	const bool stuck = a->progress && marks_ask_is_stuck(a);

	if (!stuck && is_running(a) && !marks_ask_is_done(a))
		return false;
	if (stuck && a->nr_stuck < STUCK_MAX)
		a->stuck[a->nr_stuck++] = __atomic_load_n(&a->progress->account, __ATOMIC_RELAXED);
	forget_progress(a);
	return true;
}

void lkst_marks_asker_ask(struct lkst_marks_asker *a, u64 ns, bool is_over)
{
	pid_t pid;

	if (!marks_ask_has_ended(a) || a->nr_stuck == STUCK_MAX)
		return;
	a->progress = mmap(NULL, sizeof(*a->progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->progress == MAP_FAILED) {
		a->progress = NULL;
		return;
	}
	a->progress->account = LKST_MARKS_NO_UID;
	pid = fork();
	if (!pid)
		ask_apart(a, ns, is_over);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (a->progress->pid)
		a->pid_fd = pidfd_open(a->progress->pid, 0);
}

bool lkst_marks_asker_wait(struct lkst_marks_asker *a)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	u32 i;

	for (i = 0; i < WAIT_MS && !marks_ask_is_done(a) && is_running(a); i++) {
		/* It may have to wait for a moment. */
		if (i > STUCK_MS && i % STUCK_MS == 0 && marks_ask_is_stuck(a))
			break;
		nanosleep(&ms, NULL);
	}
	return marks_ask_is_done(a);
}

int lkst_marks_asker_new(struct lkst_marks_asker **ret_asker)
{
	*ret_asker = calloc(1, sizeof(**ret_asker));
	if (!*ret_asker)
		return -ENOMEM;
	(*ret_asker)->pid_fd = -1;
	return 0;
}

void lkst_marks_asker_free(struct lkst_marks_asker *a)
{
	if (!a)
		return;
	forget_progress(a);
	free(a);
}

int lkst_marks_ask(u64 ns, bool is_over)
{
	_cleanup_(lkst_marks_asker_freep) struct lkst_marks_asker *a = NULL;
	int err = lkst_marks_asker_new(&a);
	bool is_all = false;
	u32 tries;

	for (tries = 0; !err && !is_all && tries < ASK_TRIES; tries++) {
		lkst_marks_asker_ask(a, ns, is_over);
		is_all = lkst_marks_asker_wait(a);
	}
	if (err)
		return err;
	if (!is_all || a->nr_stuck)
		return a->nr_stuck ? -ETIMEDOUT : -EAGAIN;
	return a->progress ? a->progress->error : 0;
}
