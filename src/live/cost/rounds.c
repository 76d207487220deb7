/* SPDX-License-Identifier: GPL-2.0-only */
/* Rounds that are timed. */
#include "live/cost/rounds.h"

#include <stdlib.h>

#include "base/compare.h"

static struct lkst_rounds rounds_sort(const struct lkst_rounds *r)
{
	struct lkst_rounds sorted = *r;

	qsort(sorted.value, sorted.nr, sizeof(sorted.value[0]), lkst_compare_doubles);
	return sorted;
}

/*
 * What disturbs rounds makes them slower, and the more of them the busier the machine is. Those at the end of the
 * lowest quarter are hardly disturbed, and those below them had luck.
 *
 * Who wants a difference takes it of two such figures, and not the figure of differences between neighbours. Rounds
 * differ by chance rather than from one second to the next, and a difference has the chance of two; the least of the
 * differences would be those in which it was the other round that was slow.
 */
double lkst_rounds_typical(const struct lkst_rounds *r)
{
	return r->nr ? rounds_sort(r).value[r->nr / 4] : 0;
}

double lkst_rounds_width(const struct lkst_rounds *r)
{
	struct lkst_rounds sorted = rounds_sort(r);

	return r->nr ? sorted.value[r->nr * 3 / 4] - sorted.value[r->nr / 4] : 0;
}
