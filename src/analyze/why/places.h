/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of places in an array, one for each of some numbers: the records of each thread, for one. All
 * places are counted, then room is made, then they are put into their lists, in order.
 */
#ifndef LKST_ANALYZE_WHY_PLACES_H
#define LKST_ANALYZE_WHY_PLACES_H

#include "abi/types.h"
#include "base/map.h"

struct lkst_places {
	struct lkst_map index; /* from the number to the place in lists[] */
	struct lkst_places_range *lists;
	u32 nr;
	u32 *at;
};

/* One list. */
struct lkst_places_list {
	const u32 *at;
	u32 nr;
};

void lkst_places_fini(struct lkst_places *p);

/* Counts one for @key, below UINT32_MAX. All zero is where it begins. 0 or -ENOMEM. */
int lkst_places_count(struct lkst_places *p, u32 key);

/* After all have been counted: gives each list its room. 0 or -ENOMEM. */
int lkst_places_lay_out(struct lkst_places *p);

/* Puts @place into the list of @key: as often as was counted. */
void lkst_places_put(struct lkst_places *p, u32 key, u32 place);

/* The list of @key; an empty one if there is none. */
struct lkst_places_list lkst_places_of(const struct lkst_places *p, u32 key);

/* How many of @list are below @place. */
u32 lkst_places_before(struct lkst_places_list list, u32 place);

#endif
