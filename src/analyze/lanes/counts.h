/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is counted along the time: requests of disks, bytes of network interfaces, threads on run queues, as the
 * analyses report it (measures/analysis.h); threads that wait, as the state model says; and pages of memory.
 */
#ifndef LKST_ANALYZE_LANES_COUNTS_H
#define LKST_ANALYZE_LANES_COUNTS_H

#include "analyze/analyses/analysis.h"
#include "analyze/engine/limited.h"
#include "analyze/lanes/curve.h"
#include "base/map.h"
#include "trace/read/gaps.h"

enum { LKST_COUNTS_MAX = 4096 }; /* more are left out */

enum lkst_count_kind {
	LKST_COUNT_READY,   /* threads that wait for a CPU, as the state model says */
	LKST_COUNT_ON_DISK, /* that wait for a disk */
	LKST_COUNT_ON_LOCK, /* that wait for a lock */
	LKST_COUNT_PAGES, /* pages of memory that are allocated: how many more than when they were fewest */
	LKST_COUNT_DISK,    /* requests that a disk has: bioqueue */
	LKST_COUNT_RECEIVE, /* bytes in a second that an interface receives: netsize */
	LKST_COUNT_SEND,
	LKST_COUNT_QUEUE, /* threads on a CPU's run queue, that which runs included: runqueue */
	LKST_NR_COUNTS,
};

/* What the numbers are: "requests". */
extern const char *const lkst_count_units[LKST_NR_COUNTS];

/* What those of a kind are together, of which there may be many: "run queues"; NULL: there is one. */
extern const char *const lkst_count_groups[LKST_NR_COUNTS];

struct lkst_count {
	u8 kind;		  /* enum lkst_count_kind */
	u32 number;		  /* of the disk, interface or CPU */
	char name[LKST_KEY_TEXT]; /* "vda requests", "eth0 receive" */
	struct lkst_curve curve;
};

/* A thread began to wait or ceased to, or pages were allocated or freed. */
struct lkst_count_step {
	u64 ns;
	s64 by;
};

/* All zero but for places.max, LKST_COUNTS_MAX, is empty. */
struct lkst_counts {
	struct lkst_count *list; /* when the pass is over: by kind, then by number */
	u32 nr;
	/* By kind, when records of any CPU are missing, or what is counted was left out to keep to the cost limit. */
	struct lkst_slices gaps[LKST_NR_COUNTS];

	/* Private, during the pass. */
	struct lkst_map places; /* by kind and key */
	struct lkst_count_step *steps[LKST_COUNT_PAGES + 1];
	u32 nr_steps[LKST_COUNT_PAGES + 1];
};

/* What the analyses report: an lkst_analysis_change; @arg is a struct lkst_counts. */
int lkst_counts_change(void *arg, const struct lkst_analysis *analysis, u64 key, u64 ns, u64 value);

/* Has @f count what the analyses do not: pages. @c must stay. 0 or -ENOMEM. */
int lkst_counts_subscribe(struct lkst_counts *c, struct lkst_feed *f);

/* A thread was in @state (enum lkst_lane_state) between two times. 0 or -ENOMEM. */
int lkst_counts_state(struct lkst_counts *c, u8 state, u64 from_ns, u64 to_ns);

/*
 * The pass, from @begin_ns to @end_ns, is over: names them, and makes unknown what gaps make unknown, or the cost
 * limit. A disk has no request at the beginning that the trace knows of. 0 or -ENOMEM.
 */
int lkst_counts_end(struct lkst_counts *c, const struct lkst_labels *labels,
		    const struct lkst_gaps *gaps, const struct lkst_limited *limited, u64 begin_ns, u64 end_ns);

/* As lkst_curve_columns(); of amounts, too, what is in a gap is not known. 0 or -ENOMEM. */
int lkst_count_columns(const struct lkst_counts *c, u32 i, s64 from_ns, s64 to_ns, u32 nr,
		       struct lkst_curve_column *ret_columns);

void lkst_counts_fini(struct lkst_counts *c);

#endif
