/* SPDX-License-Identifier: GPL-2.0-only */
/* On which CPUs a thread ran, and how long on each. */
#ifndef LKST_ANALYZE_LANES_CPU_TIMES_H
#define LKST_ANALYZE_LANES_CPU_TIMES_H

#include "analyze/lanes/shares.h"

struct lkst_cpu_time {
	u32 cpu;
	u64 ns;
};

/*
 * Of the slices between two times, those that run. Fills at most @max of @ret_times, in the order in which the CPUs
 * come first, and returns how many; more than those are left out.
 */
u32 lkst_slices_cpu_times(const struct lkst_slices *s, u64 from_ns, u64 to_ns, u32 max,
			  struct lkst_cpu_time *ret_times);

#endif
