/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding a place in what is sorted. */
#ifndef LKST_BASE_BSEARCH_H
#define LKST_BASE_BSEARCH_H

#include <stddef.h>

/*
 * The first of the numbers below @nr for which @is_before, an expression in @i, is false; @nr if it is true for all.
 * It must be true for all numbers below that one and false for all others. @i is the name of a size_t that the
 * macro declares.
 *
 *	first = lkst_lower_bound(i, nr, list[i].ns < ns);	the first that is not before @ns
 */
#define lkst_lower_bound(i, nr, is_before)                                                         \
	({                                                                                         \
		size_t lkst_low = 0, lkst_high = (nr), i;                                          \
		while (lkst_low < lkst_high) {                                                     \
			i = lkst_low + (lkst_high - lkst_low) / 2;                                 \
			if (is_before)                                                             \
				lkst_low = i + 1;                                                  \
			else                                                                       \
				lkst_high = i;                                                     \
		}                                                                                  \
		lkst_low;                                                                          \
	})

#endif
