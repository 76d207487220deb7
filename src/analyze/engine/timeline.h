/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of the time something was so, along the time of a trace: a line of block characters, each
 * as high as the share of its slice. Private to the analyses.
 */
#ifndef LKST_ANALYZE_ENGINE_TIMELINE_H
#define LKST_ANALYZE_ENGINE_TIMELINE_H

#include "abi/types.h"

enum {
	LKST_TIMELINE_SLICES = 40,
	LKST_TIMELINE_TEXT = LKST_TIMELINE_SLICES * 3 + 1, /* of a line, with its NUL */
};

struct lkst_timeline {
	u64 ns[LKST_TIMELINE_SLICES];
};

/* What all lines of a chart share. */
struct lkst_timeline_scale {
	u64 begin_ns, slice_ns;
};

/* A scale from @begin_ns to @end_ns. */
struct lkst_timeline_scale lkst_timeline_scale(u64 begin_ns, u64 end_ns);

/* It was so from @from_ns to @to_ns. */
void lkst_timeline_add(struct lkst_timeline *t, const struct lkst_timeline_scale *s, u64 from_ns,
		       u64 to_ns);

/* The line; @full_ns: what makes a slice full. UTF-8. */
void lkst_timeline_put(const struct lkst_timeline *t, u64 full_ns, char text[LKST_TIMELINE_TEXT]);

#endif
