/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass that finds what happened in one side of a comparison. Private to src/analyze/diff. */
#ifndef LKST_ANALYZE_DIFF_COLLECT_H
#define LKST_ANALYZE_DIFF_COLLECT_H

#include "analyze/diff/side.h"

/*
 * Fills @s, whose window and stretches are set, out of @t: keys in the order in which they were met. 0 or a negative
 * errno.
 */
int lkst_diff_collect(struct lkst_err *e, struct lkst_trace *t,
		      const struct lkst_diff_side_options *options, struct lkst_diff_side *s);

/* Range of lengths that an example stands for: four in each power of two. */
static inline u32 lkst_diff_example_range(u64 ns)
{
	return lkst_hist_bucket(ns) >> (LKST_HISTOGRAM_BITS - 2);
}

/* Room for an example of range @range; @ret_example is one that may have `nr` 0. 0 or -ENOMEM. */
int lkst_diff_example_reach(struct lkst_diff_key *key, u32 range,
			    struct lkst_diff_example **ret_example);

#endif
