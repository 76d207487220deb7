/* SPDX-License-Identifier: GPL-2.0-only */
/* Several lanes as one: what the threads of a process did together. */
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

#endif
