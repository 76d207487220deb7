// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has calls that wait for a time be stopped and go on, each in a process of its own, and prints "PID CALL" once the
 * kernel says that it is in restart_syscall. Then it waits to be ended, and they end with it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct timespec long_time = { .tv_sec = 1000 };
static int word;

struct call {
	const char *name;
	long number, args[6];
};

static const struct call calls[] = {
	{ "clock_nanosleep", SYS_clock_nanosleep, { CLOCK_MONOTONIC, 0, (long)&long_time } },
	{ "clock_nanosleep", SYS_clock_nanosleep, { CLOCK_PROCESS_CPUTIME_ID, 0, (long)&long_time } },
	{ "nanosleep", SYS_nanosleep, { (long)&long_time } },
	{ "futex", SYS_futex, { (long)&word, FUTEX_WAIT_PRIVATE, 0, (long)&long_time } },
#ifdef SYS_poll
	{ "poll", SYS_poll, { 0, 0, 1000000 } },
#endif
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Waits until process @pid sleeps in call @number. */
static void wait_for_call(pid_t pid, long number)
{
	char path[64], text[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	for (;;) {
		f = fopen(path, "r");
		if (!f || !fgets(text, sizeof(text), f))
			fail(path);
		fclose(f);
		if (text[0] != 'r' && atol(text) == number)
			return;
		usleep(10000);
	}
}

static void begin(const struct call *call)
{
	const pid_t pid = fork();
	const long *a = call->args;
	int status;

	if (pid < 0)
		fail("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
		fail(call->name);
	}
	wait_for_call(pid, call->number);
	if (kill(pid, SIGSTOP) || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) || kill(pid, SIGCONT))
		fail("stopping a process");
	wait_for_call(pid, SYS_restart_syscall);
	printf("%d %s\n", (int)pid, call->name);
	fflush(stdout);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		begin(&calls[i]);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
