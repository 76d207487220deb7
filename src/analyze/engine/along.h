/* SPDX-License-Identifier: GPL-2.0-only */
/* What an analysis measures, along the time: of each of equal stretches how many values, their sum and the greatest. */
#ifndef LKST_ANALYZE_ENGINE_ALONG_H
#define LKST_ANALYZE_ENGINE_ALONG_H

#include "abi/types.h"
#include "result/table.h"

struct lkst_along_stretch {
	u64 nr;
	double sum;
	u64 max;
};

/*
 * The caller sets the first three, and the memory of the stretches, all zero. A value is of the stretch in which it
 * began, if that is one of them.
 */
struct lkst_along {
	u64 begin_ns,
		step_ns; /* stretch i: from begin_ns + i * step_ns until the next one begins */
	u32 nr;
	struct lkst_along_stretch *stretches;
	enum lkst_column_type type; /* of the values, which the analysis sets */
	char title[64];		    /* the same; empty: it has no values */
};

static inline void lkst_along_add(struct lkst_along *a, u64 start_ns, u64 value)
{
	u64 i = start_ns >= a->begin_ns ? (start_ns - a->begin_ns) / a->step_ns : a->nr;
	struct lkst_along_stretch *s;

	if (i >= a->nr)
		return;
	s = &a->stretches[i];
	s->nr++;
	s->sum += (double)value;
	s->max = value > s->max ? value : s->max;
}

#endif
