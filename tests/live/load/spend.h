/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time that a load spends: on a CPU of its choice, until a moment of CLOCK_MONOTONIC in seconds.
 */
#ifndef LKST_TESTS_SPEND_H
#define LKST_TESTS_SPEND_H

#include <sched.h>
#include <time.h>

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static inline void spin(double until)
{
	while (now() < until)
		;
}

static inline void spin_pinned(double until)
{
	pin(0);
	spin(until);
}

#endif
