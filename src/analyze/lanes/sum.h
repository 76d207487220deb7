/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over lanes: several as one, as the threads of a process; and the CPUs of one. */
#ifndef LKST_ANALYZE_LANES_SUM_H
#define LKST_ANALYZE_LANES_SUM_H

#include "analyze/lanes/lanes.h"

/* A lane from a time of its own on, which may be before time 0. */
struct lkst_lane_at {
	const struct lkst_lane *lane;
	s64 from_ns;
};

/*
 * As lkst_lane_shares(), of @nr_lanes lanes together, which may be of several hosts: of each, @length_ns from its time
 * on. The shares of each stretch are added. Where they are more than the whole, as of two threads
 * that run on two CPUs, all of them are made smaller by the same factor, so that they are the whole. 0 or -ENOMEM.
 */
int lkst_lanes_sum(const struct lkst_lane_at *lanes, u32 nr_lanes, u64 length_ns, u32 nr,
		   struct lkst_shares *ret_shares);

/* On which CPU a thread ran, and how long. */
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
