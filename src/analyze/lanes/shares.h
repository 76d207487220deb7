/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slices of time in order, and how much of any stretch of time each state takes: what a picture needs that has a column
 * of pixels for each of many stretches. A stretch costs the same whether it holds one slice or a million.
 */
#ifndef LKST_ANALYZE_LANES_SHARES_H
#define LKST_ANALYZE_LANES_SHARES_H

#include "abi/types.h"

enum lkst_lane_state {
	LKST_LANE_UNKNOWN, /* nothing proves what: never to be taken for idle */
	LKST_LANE_IDLE,	   /* of a CPU */
	LKST_LANE_RUNNING,
	LKST_LANE_READY,
	LKST_LANE_DISK,	   /* waits for a disk */
	LKST_LANE_LOCK,	   /* waits for a lock, of the kernel's or of the program's own */
	LKST_LANE_BLOCKED, /* waits for something else */
	LKST_LANE_STOPPED,
	LKST_LANE_IRQ, /* of a CPU: an interrupt, on top of what it interrupted */
	LKST_NR_LANE_STATES,
};
extern const char *const lkst_lane_state_names[LKST_NR_LANE_STATES];

/* From `from_ns` until `to_ns`, which is not included. */
struct lkst_slice {
	u64 from_ns, to_ns;
	u32 life; /* the thread: number of its life; LKST_LIFE_NONE: none, or not known; or as a list of slices says */
	u8 state; /* enum lkst_lane_state */
	u8 detail; /* BLOCKED, DISK, LOCK: enum lkst_cause; of an interrupt: enum lkst_context */
	s16 cpu;   /* where, -1: not known */
};

/* How much of a stretch each state takes; they sum up to 65535 where the stretch is covered whole. */
struct lkst_shares {
	u16 of[LKST_NR_LANE_STATES];
};

/* All zero is empty. */
struct lkst_slices {
	struct lkst_slice *list; /* in order of time; they do not overlap */
	u32 nr;

	/*
	 * Private: shares of stretches of equal length, `nr_finest` of them, then half as many, and so on down to
	 * one.
	 */
	struct lkst_shares *levels;
	u32 nr_finest;
	u64 begin_ns, stretch_ns;
};

/*
 * Adds a slice that comes after the others. What of it lies before the last one's end is left out: times in a damaged
 * trace may contradict each other. 0 or -ENOMEM.
 */
int lkst_slices_add(struct lkst_slices *s, struct lkst_slice slice);

/* When all are there. 0 or -ENOMEM. */
int lkst_slices_index(struct lkst_slices *s);

/*
 * The shares of each of @nr stretches of equal length between @from_ns and @to_ns, which is greater. They may be before
 * time 0, where there is nothing: on the time line of several hosts that is before the clock of one of them began.
 */
void lkst_slices_shares(const struct lkst_slices *s, s64 from_ns, s64 to_ns, u32 nr,
			struct lkst_shares *ret_shares);

/* The number of the first slice that ends after @ns; `nr`: there is none. */
u32 lkst_slices_at(const struct lkst_slices *s, u64 ns);

void lkst_slices_fini(struct lkst_slices *s);

#endif
