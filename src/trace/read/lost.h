/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the records were made that a ring has overwritten, as far as its state page says: a CPU that
 * switches from buffer to buffer writes to each of them only at times.
 */
#ifndef LKST_TRACE_READ_LOST_H
#define LKST_TRACE_READ_LOST_H

#include <stdbool.h>

#include "abi/events.h"
#include "abi/state.h"

/* A stretch of time of which records are missing. */
struct lkst_lost {
	u64 from_ns, to_ns;
	u64 blocks; /* that were opened then */
};

enum { LKST_LOST_MAX = LKST_MARKS + 1 };

/* A ring, and what is left of it. */
struct lkst_lost_ring {
	const struct lkst_marks *marks; /* of its state page */
	u32 level, shift;		/* log2 of the block size */
	u64 first;			/* number of the first block that counts */
	u64 oldest;			/* of the first that is left */
	u64 begin_ns;			/* when that one begins */
};

/*
 * The stretches of which @r has lost records, in order of time; returns how many. The marks may make no
 * sense: then neither do the times, but the blocks are still counted, and no time is below the one before it.
 */
unsigned int lkst_lost_find(const struct lkst_lost_ring *r, struct lkst_lost ret_lost[LKST_LOST_MAX]);

/* The line of the ledger that says so of stream @instance, little-endian, but for its head. */
struct lkst_rec_state_overwritten lkst_lost_record(u64 instance, const struct lkst_lost *lost);

/*
 * Whether the events of stream @instance are the CPU's history. The streams for names, and those of writers
 * that interrupted another, may reach back to times of which all else is overwritten, by design.
 */
bool lkst_lost_from_history(u64 instance);

#endif
