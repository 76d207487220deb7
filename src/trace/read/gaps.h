/* SPDX-License-Identifier: GPL-2.0-only */
/* Places where records are missing, and a list of them that does not grow without bound. */
#ifndef LKST_TRACE_READ_GAPS_H
#define LKST_TRACE_READ_GAPS_H

#include <stdbool.h>

#include "abi/types.h"

/* A place where records are missing, or where nothing was to be recorded. */
struct lkst_gap {
	u32 cpu, buffer;
	u64 from_ns, to_ns;
	u64 events; /* known to be missing, 0: not known */
	u64 blocks;
	bool is_pause;	 /* nothing was to be recorded meanwhile: none is missing */
	bool is_damage;	 /* they were in a file that cannot be read there, or is cut off */
	const char *why; /* a static sentence */
};

/* Makes @gap include @other, which a full list cannot keep as a gap of its own. */
void lkst_gap_include(struct lkst_gap *gap, const struct lkst_gap *other);

/*
 * At most `max` gaps, in a ring: they are added at its end and taken at its beginning. Adding cannot fail: if there is
 * no room, the last gap includes the new one.
 */
struct lkst_gaps {
	struct lkst_gap *ring;
	u32 room; /* a power of two */
	u32 first, nr;
	u32 max;
};

/* An empty list for at most @max gaps, a power of two. 0 or -ENOMEM. */
int lkst_gaps_init(struct lkst_gaps *g, u32 max);
void lkst_gaps_fini(struct lkst_gaps *g);

/* Adds @gap as the last one. */
void lkst_gaps_add(struct lkst_gaps *g, const struct lkst_gap *gap);

/* Adds @gap after those that do not begin later, to a list that is in that order. */
void lkst_gaps_insert(struct lkst_gaps *g, const struct lkst_gap *gap);

/* Gap @i, counted from the first, of those that there are. Valid until one is added. */
static inline const struct lkst_gap *lkst_gaps_at(const struct lkst_gaps *g, u32 i)
{
	return &g->ring[(g->first + i) & (g->room - 1)];
}

/* Takes the first one out of the list: true, or false: there is none. */
bool lkst_gaps_take(struct lkst_gaps *g, struct lkst_gap *ret_gap);

#endif
