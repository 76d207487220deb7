/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU and each thread did along the time of a trace, for pictures: the state model's intervals, kept. */
#ifndef LKST_ANALYZE_LANES_LANES_H
#define LKST_ANALYZE_LANES_LANES_H

#include "analyze/lanes/counts.h"
#include "analyze/lanes/lane_names.h"
#include "analyze/lanes/lane_spans.h"
#include "analyze/lanes/shares.h"
#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "trace/read/gaps.h"

enum { LKST_LANES_GAPS_MAX = 4096 }; /* that are distinguished; a power of two */

enum lkst_lane_kind {
	LKST_LANE_OF_CPU,
	LKST_LANE_OF_THREAD,
};

/* A thread was woken. */
struct lkst_waking {
	u64 ns; /* when the wake-up began */
	u32 life; /* of the thread that woke it, LKST_LIFE_NONE: an interrupt did, or it is not known */
	u32 name; /* of what interrupted, by its place in `names`; UINT32_MAX: a thread did it */
	u32 cpu;  /* where it happened */
};

struct lkst_lane {
	u8 kind;    /* enum lkst_lane_kind */
	u32 number; /* the CPU, or the life of the thread */
	struct lkst_slices slices;
	/* Of a CPU, on top of the slices: `state` is what they interrupted, `life` their place in `names`. */
	struct lkst_slices irqs;
	/* Of a thread: the system calls that it was in, and its page faults, where their ends are recorded. */
	struct lkst_slices calls; /* `life` is their place in `names` */
	struct lkst_slices faults;
	struct lkst_waking *wakings; /* of a thread, in order of time */
	u32 nr_wakings;
};

/*
 * A moment that concerns all lanes: an incident, a trigger that fired, a switch of the maskset, a kind of events that
 * the cost limit left out or took in again, the end of a part of a recording.
 */
struct lkst_lane_mark {
	u64 ns;
	u16 event;	  /* enum lkst_event_index: of the record that says more */
	const char *text; /* what it says, if the record has it in numbers only; else NULL */
};

struct lkst_lane_marks {
	struct lkst_lane_mark *list; /* in order of time */
	u32 nr;
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
	struct lkst_lane_marks marks;
	struct lkst_lane_spans spans;
	struct lkst_lane_names names; /* of system calls, and of what interrupts */
	/* What the cost limit left out: "softirq not recorded since +1.200 s"; "": nothing. */
	char limited[LKST_LIMITED_TEXT];
};

/*
 * One pass over @t. Costs 24 bytes for each interval, call, interrupt and wake-up, 48 for each change of a count, and
 * 144 for each span. A CPU's slices cover all of the time: what is not known of it is LKST_LANE_UNKNOWN. -ENOMEM.
 */
int lkst_lanes_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_lanes **ret_lanes);
void lkst_lanes_free(struct lkst_lanes *lanes);
LKST_GUARD(lkst_lanes_free, struct lkst_lanes)

/* As lkst_slices_shares(), interrupts included, which take their time from what they interrupted. 0 or -ENOMEM. */
int lkst_lane_shares(const struct lkst_lane *lane, s64 from_ns, s64 to_ns, u32 nr,
		     struct lkst_shares *ret_shares);

/* The number of the first of its wake-ups that is not before @ns; `nr_wakings`: there is none. */
u32 lkst_lane_waking_at(const struct lkst_lane *lane, u64 ns);

#endif
