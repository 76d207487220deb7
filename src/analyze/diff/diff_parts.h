/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of diff.h share. Private to them. */
#ifndef LKST_ANALYZE_DIFF_DIFF_PARTS_H
#define LKST_ANALYZE_DIFF_DIFF_PARTS_H

#include "analyze/diff/diff.h"

/*
 * Tests all rows of @d that can be compared, corrects the results for how many they are, and marks those that differ
 * (diff_significance.c). 0 or -ENOMEM.
 */
int lkst_diff_test_all(struct lkst_diff *d);

/* How often @r happened in side @i. */
static inline double lkst_diff_count_of(const struct lkst_diff_row *r, unsigned int i)
{
	return r->of[i] ? (double)r->of[i]->lengths.count : 0;
}

#endif
