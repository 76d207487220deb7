/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders for qsort(3) and bsearch(3). */
#ifndef LKST_BASE_COMPARE_H
#define LKST_BASE_COMPARE_H

/* Of two doubles, none of which is NaN: the smaller one first. */
static inline int lkst_compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif
