/* SPDX-License-Identifier: GPL-2.0-only */
/* Several lanes as one: what the threads of a process did together. */
#ifndef LKST_ANALYZE_LANES_SUM_H
#define LKST_ANALYZE_LANES_SUM_H

#include "analyze/lanes/lanes.h"

/*
 * As lkst_lane_shares(), of @nr_places lanes together, which are at @places of the list of @lanes; those at no place
 * of it count nothing. The shares of each stretch are added. Where they are more than the whole, as of two threads
 * that run on two CPUs, all of them are made smaller by the same factor, so that they are the whole. 0 or -ENOMEM.
 */
int lkst_lanes_sum(const struct lkst_lanes *lanes, const u32 *places, u32 nr_places, u64 from_ns,
		   u64 to_ns, u32 nr, struct lkst_shares *ret_shares);

#endif
