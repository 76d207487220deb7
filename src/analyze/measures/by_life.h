/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An array of anything with an element for each life of the state model, or for each of other things
 * that are numbered from 0: CPUs, a tally's keys. Private to the analyses.
 */
#ifndef LKST_ANALYZE_MEASURES_BY_LIFE_H
#define LKST_ANALYZE_MEASURES_BY_LIFE_H

#include <stdlib.h>
#include <string.h>

#include "abi/types.h"

/* All zero, but for `size`, is an empty one. Free `list` with free(). */
struct lkst_by_life {
	u8 *list;
	u32 room;
	u32 size; /* of an element */
};

/* Element @nr, zero at first; NULL: no memory. Good until the next call for a higher one. */
static inline void *lkst_by_life(struct lkst_by_life *b, u32 nr)
{
	if (__builtin_expect(nr >= b->room, 0)) {
		u32 room = nr < 128 ? 256 : 2 * nr;
		u8 *list = reallocarray(b->list, room, b->size);

		if (!list)
			return NULL;
		memset(list + (size_t)b->room * b->size, 0, (size_t)(room - b->room) * b->size);
		b->list = list;
		b->room = room;
	}
	return b->list + (size_t)nr * b->size;
}

/* Element @nr; NULL: nothing was ever said of it. */
static inline const void *lkst_by_life_find(const struct lkst_by_life *b, u32 nr)
{
	return nr < b->room ? b->list + (size_t)nr * b->size : NULL;
}

#endif
