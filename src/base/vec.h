/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow: a pointer to the items, NULL at first, and their number, as any two variables or members of a
 * struct. How much room there is follows from the number, so nothing else needs to be kept; the items may be sorted
 * and the number may be lowered. An array that has grown here may not be allocated by other means, but free() frees it.
 *
 *	struct part *list = NULL;
 *	u32 nr = 0;
 *	struct part *part = lkst_vec_add(list, nr);
 *
 *	if (!part)
 *		return -ENOMEM;
 *	part->order = order;
 */
#ifndef LKST_BASE_VEC_H
#define LKST_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LKST_VEC_MIN = 8 }; /* items that there is room for once there is one; a power of two */

/* Room for more than @nr items, in doubled steps; 0: that is too many. For functions that get arrays of any type. */
size_t lkst_vec_room(size_t nr);

/* Gives the array @list, which is full with @nr items of @size bytes, room for more. NULL: no memory. */
void *lkst_vec_grow(void *list, size_t nr, size_t size);

/* Gives it room for @room items, those from number @nr on all zero. */
void *lkst_vec_extend(void *list, size_t nr, size_t room, size_t size);

/* Whether an array of @nr items is full. */
static inline bool lkst_vec_is_full(size_t nr)
{
	return !nr || (nr >= LKST_VEC_MIN && !(nr & (nr - 1)));
}

/*
 * Adds an item to @list, of which there are @nr; both are changed. Returns a pointer to the item, which is all zero, or
 * NULL: there is no memory, or @nr cannot count as many. Pointers to items before are good no longer.
 */
#define lkst_vec_add(list, nr)                                                                     \
	({                                                                                         \
		__typeof__(list) *lkst_list = &(list), lkst_item = NULL;                           \
		__typeof__(nr) *lkst_nr = &(nr), lkst_more = *lkst_nr + 1;                         \
		void *lkst_grown = lkst_more > *lkst_nr ? (void *)*lkst_list : NULL;               \
                                                                                                   \
		if (lkst_more > *lkst_nr && lkst_vec_is_full(*lkst_nr))                            \
			lkst_grown = lkst_vec_grow(*lkst_list, *lkst_nr, sizeof(**lkst_list));     \
		if (lkst_grown) {                                                                  \
			*lkst_list = lkst_grown;                                                   \
			lkst_item = &(*lkst_list)[*lkst_nr];                                       \
			memset(lkst_item, 0, sizeof(*lkst_item));                                  \
			*lkst_nr = lkst_more;                                                      \
		}                                                                                  \
		lkst_item;                                                                         \
	})

/*
 * Item @i of @list, of which there are @nr: an array for numbers that come in any order. If there is no item @i, there
 * are more from then on, which are all zero; both are changed. NULL: as of lkst_vec_add().
 */
#define lkst_vec_reach(list, nr, i)                                                                \
	({                                                                                         \
		__typeof__(list) *lkst_list = &(list);                                             \
		__typeof__(nr) *lkst_nr = &(nr);                                                   \
		size_t lkst_i = (i);                                                               \
                                                                                                   \
		if (__builtin_expect(lkst_i >= *lkst_nr, 0)) {                                     \
			size_t lkst_room = lkst_vec_room(lkst_i);                                  \
			void *lkst_grown = NULL;                                                   \
                                                                                                   \
			if (lkst_room > lkst_i && (__typeof__(nr))lkst_room == lkst_room)          \
				lkst_grown = lkst_vec_extend(*lkst_list, *lkst_nr, lkst_room,      \
							     sizeof(**lkst_list));                 \
			if (lkst_grown) {                                                          \
				*lkst_list = lkst_grown;                                           \
				*lkst_nr = (__typeof__(nr))lkst_room;                              \
			}                                                                          \
		}                                                                                  \
		lkst_i < *lkst_nr ? &(*lkst_list)[lkst_i] : NULL;                                  \
	})

#endif
