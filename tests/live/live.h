/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What those tests on the live kernel share that are programs: the result lines, running lkst,
 * and ending what they started however they end.
 */
#ifndef LKST_TESTS_LIVE_H
#define LKST_TESTS_LIVE_H

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int live_failed;
static char live_dir[256]; /* a directory of the test's own */

/* Prints the result of test @name; a failure is printed only once for each test. */
__attribute__((format(printf, 2, 3))) static inline void live_fail(const char *name,
								  const char *why, ...)
{
	va_list args;

	va_start(args, why);
	printf("FAIL %s: ", name);
	vprintf(why, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	live_failed = 1;
}

static inline void live_ok(const char *name)
{
	printf("ok %s\n", name);
	fflush(stdout);
}

/* Starts a program and returns its process; the list of arguments ends with NULL. */
static inline pid_t live_spawn(const char *const *args)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	execv(args[0], (char *const *)args);
	fprintf(stderr, "running %s: %s\n", args[0], strerror(errno));
	_exit(127);
}

/* Waits for it. Its exit status, or 128 + the signal. */
static inline int live_wait(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline const char *live_lkst(void)
{
	const char *lkst = getenv("LKST");

	return lkst ? lkst : "build/gcc/lkst";
}

#define LIVE_RUN(...) live_wait(live_spawn((const char *const[]){ __VA_ARGS__, NULL }))
#define LIVE_LKST(...) LIVE_RUN(live_lkst(), __VA_ARGS__)

/* Where the build is; a workload's path in it. */
static inline void live_load(const char *name, char *path, size_t size)
{
	const char *build = getenv("BUILD");

	snprintf(path, size, "%s/tests/live/load/%s", build ? build : "build/gcc", name);
}

/* Removes a directory of this test's. */
static inline void live_remove(const char *dir)
{
	LIVE_RUN("/bin/rm", "-rf", "--one-file-system", dir);
}

static inline void live_begin(void)
{
	const char *scratch = getenv("SCRATCH");
	char made[] = "/tmp/lkst-live-XXXXXX";

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(live_dir, sizeof(live_dir), "%s", scratch ? scratch : mkdtemp(made));
}

static inline int live_end(void)
{
	if (!getenv("SCRATCH"))
		live_remove(live_dir);
	return live_failed;
}

static inline unsigned long long live_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
