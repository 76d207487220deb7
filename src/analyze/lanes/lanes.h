/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU and each thread did along the time of a trace, for pictures: the state model's intervals, kept. */
#ifndef LKST_ANALYZE_LANES_LANES_H
#define LKST_ANALYZE_LANES_LANES_H

#include "analyze/lanes/counts.h"
#include "analyze/lanes/shares.h"
#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "trace/gaps.h"

enum { LKST_LANES_GAPS_MAX = 4096 }; /* that are distinguished; a power of two */

enum lkst_lane_kind {
	LKST_LANE_OF_CPU,
	LKST_LANE_OF_THREAD,
};

struct lkst_lane {
	u8 kind;    /* enum lkst_lane_kind */
	u32 number; /* the CPU, or the life of the thread */
	struct lkst_slices slices;
	struct lkst_slices
		irqs; /* of a CPU, on top of the slices: `state` is what they interrupted */
};

/* A life of a thread, which slices name by its place. */
struct lkst_lane_thread {
	s32 tid, pid;
	bool is_kernel;
	char comm[16]; /* its last name, "": not known */
	u64 running_ns;
};

struct lkst_lanes {
	u64 begin_ns, end_ns;
	struct lkst_lane *
		list; /* CPUs by number, then threads by life; those of which nothing is known are missing */
	u32 nr;
	struct lkst_lane_thread *threads;
	u32 nr_threads;
	struct lkst_gaps
		gaps; /* where records of a CPU are missing, state aside, as the pass reports them */
	struct lkst_counts counts;
};

/*
 * One pass over @t. Costs 24 bytes for each interval, and 48 for each change of a count. A CPU's slices cover all of the time: what is not known of it is
 * LKST_LANE_UNKNOWN. -ENOMEM.
 */
int lkst_lanes_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_lanes **ret_lanes);
void lkst_lanes_free(struct lkst_lanes *lanes);
LKST_GUARD(lkst_lanes_free, struct lkst_lanes)

/* As lkst_slices_shares(), interrupts included, which take their time from what they interrupted. 0 or -ENOMEM. */
int lkst_lane_shares(const struct lkst_lane *lane, u64 from_ns, u64 to_ns, u32 nr,
		     struct lkst_shares *ret_shares);

#endif
