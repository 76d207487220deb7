// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose shares of the CPU time are known: alpha() takes three times as much as beta(), and then alpha() is
 * called by deep(), which has called itself DEPTH times. In between the program sleeps NAPS times.
 *
 *	sampled SECONDS
 *
 * Prints "NAME ADDRESS" for each function, and "pid PID", then "cpu NS", the CPU time that it took as the
 * kernel accounts it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The kernel finds who called by frame pointers. */
#ifndef __clang__
#pragma GCC optimize("no-omit-frame-pointer,no-optimize-sibling-calls,no-inline")
#endif

enum { DEPTH = 30, NAPS = 3, NAP_US = 20000, TURNS = 20000 };

static volatile uint64_t sum;

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void __attribute__((noinline)) alpha(double seconds)
{
	double end = cpu_seconds() + seconds;
	int i;

	while (cpu_seconds() < end)
		for (i = 0; i < TURNS; i++)
			sum += (uint64_t)i * (uint64_t)i;
}

static void __attribute__((noinline)) beta(double seconds)
{
	double end = cpu_seconds() + seconds;
	int i;

	while (cpu_seconds() < end)
		for (i = 0; i < TURNS; i++)
			sum += (uint64_t)i ^ sum;
}

static void __attribute__((noinline)) deep(int more, double seconds)
{
	if (more)
		deep(more - 1, seconds);
	else
		alpha(seconds);
	sum++;
}

static long long accounted_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	int i;

	for (i = 0; i < NAPS; i++) {
		alpha(seconds * 0.6 / NAPS);
		beta(seconds * 0.2 / NAPS);
		usleep(NAP_US);
	}
	deep(DEPTH, seconds * 0.2);
	printf("alpha %lld\nbeta %lld\ndeep %lld\nmain %lld\npid %lld\ncpu %lld\n",
	       (long long)(uintptr_t)alpha, (long long)(uintptr_t)beta, (long long)(uintptr_t)deep,
	       (long long)(uintptr_t)main, (long long)getpid(), accounted_ns());
	return 0;
}
