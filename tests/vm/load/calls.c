// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes many system calls between two marks, with arguments that have no effect, and prints the name and
 * the result of each: "NAME RESULT". The first line is "tid N". It is also built as a 32-bit program
 * (calls32.c).
 */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../live/load/mark.h"

#define CALL(name)                                                                                 \
	{                                                                                          \
#name, SYS_##name                                                                  \
	}

static const struct {
	const char *name;
	long nr;
} calls[] = {
#ifdef SYS_access
	/* Younger architectures have these only in their later forms. */
	CALL(access),
	CALL(dup2),
	CALL(rename),
	CALL(mkdir),
	CALL(rmdir),
	CALL(link),
	CALL(unlink),
	CALL(readlink),
	CALL(chmod),
#endif
	CALL(getpid),
	CALL(gettid),
	CALL(getuid),
	CALL(getppid),
	CALL(read),
	CALL(write),
	CALL(close),
	CALL(lseek),
	CALL(ioctl),
	CALL(readv),
	CALL(writev),
	CALL(dup),
	CALL(fcntl),
	CALL(fdatasync),
	CALL(fsync),
	CALL(ftruncate),
	CALL(getdents64),
	CALL(fchdir),
	CALL(chdir),
	CALL(fchmod),
	CALL(getpgid),
	CALL(getsid),
	CALL(sched_getparam),
	CALL(sched_yield),
	CALL(mincore),
	CALL(munmap),
	CALL(epoll_ctl),
	CALL(openat),
	CALL(mkdirat),
	CALL(unlinkat),
	CALL(renameat2),
	CALL(dup3),
	CALL(pipe2),
	CALL(inotify_init1),
	CALL(inotify_add_watch),
	CALL(timerfd_gettime),
	CALL(signalfd4),
	CALL(eventfd2),
	CALL(epoll_create1),
	CALL(getrandom),
	CALL(memfd_create),
	CALL(execveat),
	CALL(copy_file_range),
	CALL(statx),
	CALL(pidfd_open),
	CALL(clone3),
	CALL(close_range),
	CALL(openat2),
	CALL(pidfd_getfd),
	CALL(faccessat2),
	CALL(landlock_create_ruleset),
};

enum { NR = sizeof(calls) / sizeof(calls[0]) };

int main(void)
{
	long results[NR];
	unsigned int i;

	mark(1, 0);
	for (i = 0; i < NR; i++) {
		results[i] = syscall(calls[i].nr, -1L, -1L, -1L, -1L, -1L, -1L);
		if (results[i] == -1)
			results[i] = -errno;
	}
	mark(2, 0);
	printf("tid %d\n", getpid());
	for (i = 0; i < NR; i++)
		printf("%s %ld\n", calls[i].name, results[i]);
	return 0;
}
