// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls getppid(2) as fast as it goes, a thread on each CPU that this process may use. The thread on the first
 * one prints after each 100000 calls what time it is (CLOCK_MONOTONIC, s), what CPU time one of them took, ns, and
 * what a little work without a call took right after them, ns: that is larger, too, where the machine is slow.
 *
 *	calls SECONDS
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spend.h"

enum { BATCH = 100000, STEPS = 16, THREADS_MAX = 1024 };

static double end;

static double own_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double call_batch(void)
{
	double before = own_cpu_ns();
	int i;

	for (i = 0; i < BATCH; i++)
		syscall(SYS_getppid);
	return (own_cpu_ns() - before) / BATCH;
}

static double work_batch(void)
{
	double before = own_cpu_ns();
	static volatile unsigned int last;
	unsigned int x = last;
	int i;

	for (i = 0; i < BATCH * STEPS; i++)
		x = x * 1664525 + 1013904223;
	last = x;
	return (own_cpu_ns() - before) / BATCH;
}

static void *call_on(void *cpu)
{
	pin((int)(long)cpu);
	while (now() < end)
		call_batch();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int nr = 0, first = -1, cpu;
	cpu_set_t set;

	if (argc != 2 || sched_getaffinity(0, sizeof(set), &set))
		return 2;
	end = now() + atof(argv[1]);
	for (cpu = 0; cpu < CPU_SETSIZE && nr < THREADS_MAX; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (first < 0)
			first = cpu;
		else if (!pthread_create(&threads[nr], NULL, call_on, (void *)(long)cpu))
			nr++;
	}
	pin(first);
	while (now() < end) {
		double call_ns = call_batch(), work_ns = work_batch();

		printf("%.3f %.1f %.2f\n", now(), call_ns, work_ns);
		fflush(stdout);
	}
	while (nr)
		pthread_join(threads[--nr], NULL);
	return 0;
}
