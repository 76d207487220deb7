/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What workloads with known waits share: the clock of the trace, spinning, sleeping, threads that
 * begin one by one, and the line that tells the truth:
 *
 *	truth CASE tid=N from=NS to=NS call=NAME [NAME=VALUE]...
 *
 * The thread waited from `from` to `to`, CLOCK_MONOTONIC, in that system call; the rest is the case's.
 */
#ifndef LKST_TESTS_WAITS_H
#define LKST_TESTS_WAITS_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long ns_t;

#define MS 1000000ULL

static inline ns_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (ns_t)ts.tv_sec * 1000000000 + (ns_t)ts.tv_nsec;
}

static inline int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

static inline void spin_ns(ns_t ns)
{
	ns_t until = now_ns() + ns;

	while (now_ns() < until)
		;
}

static inline void sleep_ns(ns_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

/* Ends the program if @code, an errno or -1 for errno, is not 0. */
static inline void must(int code, const char *what)
{
	if (!code)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(code < 0 ? errno : code));
	exit(1);
}

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	must(sched_setaffinity(0, sizeof(set), &set), "pinning a thread to a CPU");
}

/* The last CPU that this process may use. */
static inline int last_cpu(void)
{
	cpu_set_t set;
	int cpu, last = 0;

	must(sched_getaffinity(0, sizeof(set), &set), "asking for the CPUs");
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			last = cpu;
	return last;
}

static inline void be_realtime(int priority)
{
	struct sched_param p = { .sched_priority = priority };

	must(sched_setscheduler(0, SCHED_FIFO, &p), "taking a real-time priority");
}

static inline pthread_t begin(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, run, arg), "creating a thread");
	return thread;
}

#endif
