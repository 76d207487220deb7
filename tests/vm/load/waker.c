// SPDX-License-Identifier: GPL-2.0-only
/*
 * One process on CPU 0 that wakes another on CPU 1, again and again, by a pipe. Nobody else wakes that one between
 * its two calls of getppid. Prints who is who, and how often the kernel says it slept: "WAKER WAKEE TIMES".
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 300, PAUSE_US = 2000 };

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static void take(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		exit(1);
}

static void give(int to)
{
	if (write(to, "", 1) != 1)
		exit(1);
}

/* How often it has given up its CPU by itself. */
static long slept(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static void be_woken(int from, int to)
{
	long before;
	int i;

	stay_on(1);
	/* All of the way is in memory after once. */
	take(from);
	give(to);
	before = slept();
	syscall(SYS_getppid);
	for (i = 0; i < TIMES; i++)
		take(from);
	syscall(SYS_getppid);
	printf("%d %d %ld\n", getppid(), getpid(), slept() - before);
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	int there[2], back[2], status, i;
	pid_t child;

	if (pipe(there) || pipe(back))
		return 1;
	child = fork();
	if (!child)
		be_woken(there[0], back[1]);
	stay_on(0);
	give(there[1]);
	take(back[0]);
	for (i = 0; i < TIMES; i++) {
		/* It has gone to sleep by then, unless others want its CPU. */
		usleep(PAUSE_US);
		give(there[1]);
	}
	return waitpid(child, &status, 0) != child || status;
}
