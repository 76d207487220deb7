/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slices of time, and shares of stretches. For short stretches the slices themselves are walked; for long ones there is
 * a pyramid: the shares of stretches of equal length, of pairs of these, and so on.
 */
#include "analyze/lanes/shares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/vec.h"

enum {
	SLICES_PER_STRETCH = 8, /* of the finest level, on average */
	WHOLE = 65535,
};

const char *const lkst_lane_state_names[LKST_NR_LANE_STATES] = {
	[LKST_LANE_UNKNOWN] = "unknown", [LKST_LANE_IDLE] = "idle",
	[LKST_LANE_RUNNING] = "running", [LKST_LANE_READY] = "ready",
	[LKST_LANE_DISK] = "disk",	 [LKST_LANE_LOCK] = "lock",
	[LKST_LANE_BLOCKED] = "blocked", [LKST_LANE_STOPPED] = "stopped",
	[LKST_LANE_IRQ] = "interrupt",
};

/* Time in each state, of a stretch that is being added up. */
struct shares_sums {
	double ns[LKST_NR_LANE_STATES];
};

int lkst_slices_add(struct lkst_slices *s, struct lkst_slice slice)
{
	struct lkst_slice *last = s->nr ? &s->list[s->nr - 1] : NULL, *added;

	if (last && slice.from_ns < last->to_ns)
		slice.from_ns = last->to_ns;
	if (slice.to_ns <= slice.from_ns)
		return 0;
	/* What goes on is one slice. */
	if (last && last->to_ns == slice.from_ns && last->life == slice.life &&
	    last->state == slice.state && last->detail == slice.detail && last->cpu == slice.cpu) {
		last->to_ns = slice.to_ns;
		return 0;
	}
	added = lkst_vec_add(s->list, s->nr);
	if (!added)
		return -ENOMEM;
	*added = slice;
	return 0;
}

void lkst_slices_fini(struct lkst_slices *s)
{
	free(s->list);
	free(s->levels);
	*s = (struct lkst_slices){};
}

u32 lkst_slices_at(const struct lkst_slices *s, u64 ns)
{
	return (u32)lkst_lower_bound(i, s->nr, s->list[i].to_ns <= ns);
}

static struct lkst_shares to_shares(const struct shares_sums *sums, double stretch_ns)
{
	double factor = WHOLE / stretch_ns;
	struct lkst_shares shares;
	unsigned int i;

	for (i = 0; i < LKST_NR_LANE_STATES; i++) {
		double share = sums->ns[i] * factor + 0.5;

		shares.of[i] = (u16)(share < WHOLE ? share : WHOLE);
	}
	return shares;
}

/* Walks the slices once: stretch @i is from @from_ns + i * @step_ns to the next one's beginning. */
static void shares_walk(const struct lkst_slices *s, double from_ns, double step_ns, u32 nr,
			struct lkst_shares *ret_shares)
{
	u32 slice = lkst_slices_at(s, from_ns > 0 ? (u64)from_ns : 0), i;

	for (i = 0; i < nr; i++) {
		double begin = from_ns + i * step_ns, end = begin + step_ns;
		struct shares_sums sums = {};

		for (; slice < s->nr && (double)s->list[slice].from_ns < end; slice++) {
			const struct lkst_slice *x = &s->list[slice];
			double first = (double)x->from_ns > begin ? (double)x->from_ns : begin;
			double last = (double)x->to_ns < end ? (double)x->to_ns : end;

			if (last > first)
				sums.ns[x->state] += last - first;
			/* The rest of it is of the next stretch. */
			if ((double)x->to_ns > end)
				break;
		}
		ret_shares[i] = to_shares(&sums, step_ns);
	}
}

/* ---- the pyramid -------------------------------------------------------------------------------- */

static struct lkst_shares shares_mean(const struct lkst_shares *a, const struct lkst_shares *b)
{
	struct lkst_shares m;
	unsigned int i;

	for (i = 0; i < LKST_NR_LANE_STATES; i++)
		m.of[i] = (u16)(((u32)a->of[i] + b->of[i] + 1) / 2);
	return m;
}

int lkst_slices_index(struct lkst_slices *s)
{
	struct lkst_shares *level;
	u64 end_ns;
	u32 nr, i;

	if (!s->nr)
		return 0;
	for (s->nr_finest = 1; s->nr_finest < s->nr / SLICES_PER_STRETCH;)
		s->nr_finest *= 2;
	s->begin_ns = s->list[0].from_ns;
	end_ns = s->list[s->nr - 1].to_ns;
	s->stretch_ns = (end_ns - s->begin_ns) / s->nr_finest + 1;
	s->levels = calloc(2 * (size_t)s->nr_finest, sizeof(*s->levels));
	if (!s->levels)
		return -ENOMEM;
	shares_walk(s, (double)s->begin_ns, (double)s->stretch_ns, s->nr_finest, s->levels);
	for (level = s->levels, nr = s->nr_finest; nr > 1; level += nr, nr /= 2)
		for (i = 0; i < nr / 2; i++)
			level[nr + i] = shares_mean(&level[2 * i], &level[2 * i + 1]);
	return 0;
}

/* Adds up what @level, of @nr stretches of @step_ns, has between two times. */
static struct lkst_shares shares_gather(const struct lkst_slices *s, const struct lkst_shares *level,
					u32 nr, double step_ns, double begin, double end)
{
	double at = (begin - (double)s->begin_ns) / step_ns;
	u32 i = at >= nr ? nr : at > 0 ? (u32)at : 0, k;
	struct shares_sums sums = {};

	for (; i < nr; i++) {
		double from = (double)s->begin_ns + i * step_ns, to = from + step_ns, overlap;

		if (from >= end)
			break;
		overlap = ((to < end ? to : end) - (from > begin ? from : begin)) / WHOLE;
		if (overlap > 0)
			for (k = 0; k < LKST_NR_LANE_STATES; k++)
				sums.ns[k] += overlap * level[i].of[k];
	}
	return to_shares(&sums, end - begin);
}

void lkst_slices_shares(const struct lkst_slices *s, s64 from_ns, s64 to_ns, u32 nr,
			struct lkst_shares *ret_shares)
{
	double step_ns = (double)(to_ns - from_ns) / nr, stretch_ns = (double)s->stretch_ns;
	const struct lkst_shares *level = s->levels;
	u32 nr_level = s->nr_finest, i;

	if (!s->nr || step_ns < 2 * stretch_ns) {
		shares_walk(s, (double)from_ns, step_ns, nr, ret_shares);
		return;
	}
	/* The longest stretches of which at least two make a column. */
	while (nr_level > 1 && 4 * stretch_ns <= step_ns) {
		level += nr_level;
		nr_level /= 2;
		stretch_ns *= 2;
	}
	for (i = 0; i < nr; i++)
		ret_shares[i] =
			shares_gather(s, level, nr_level, stretch_ns, (double)from_ns + i * step_ns,
				      (double)from_ns + (i + 1) * step_ns);
}
