/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shares of several lanes, added. Of a lane with few slices in a picture these are added one by one, so that ten
 * thousand threads that do little cost little; a lane with many has a pyramid, and its shares are added.
 */
#include "analyze/lanes/sum.h"

#include <errno.h>
#include <stdlib.h>

enum { WHOLE = 65535 };

/*
 * What is added up of a column: time of slices that cover it in part, and by how much the number that cover it whole
 * changes.
 */
struct sum_column {
	double part_ns[LKST_NR_LANE_STATES];
	s32 whole[LKST_NR_LANE_STATES];
};

struct lanes_sum {
	double from_ns; /* of the lane that is added */
	double step_ns;
	u32 nr;
	struct sum_column *columns;	    /* and one more, after the last */
	struct lkst_shares *shares; /* of one lane */
};

static void add_slice(struct lanes_sum *sum, const struct lkst_slice *slice)
{
	double begin = ((double)slice->from_ns - sum->from_ns) / sum->step_ns;
	double end = ((double)slice->to_ns - sum->from_ns) / sum->step_ns;
	u32 first, last;

	begin = begin > 0 ? begin : 0;
	end = end < sum->nr ? end : sum->nr;
	if (begin >= end)
		return;
	first = (u32)begin;
	last = (u32)end;
	if (first == last) {
		sum->columns[first].part_ns[slice->state] += (end - begin) * sum->step_ns;
		return;
	}
	sum->columns[first].part_ns[slice->state] += (first + 1 - begin) * sum->step_ns;
	sum->columns[last].part_ns[slice->state] += (end - last) * sum->step_ns;
	sum->columns[first + 1].whole[slice->state]++;
	sum->columns[last].whole[slice->state]--;
}

/* The number of the first slice that ends after a time, which may be before time 0. */
static u32 slice_at(const struct lkst_slices *s, s64 ns)
{
	return lkst_slices_at(s, ns > 0 ? (u64)ns : 0);
}

static int sum_add_lane(struct lanes_sum *sum, const struct lkst_lane *lane, s64 from_ns, s64 to_ns)
{
	const struct lkst_slices *s = &lane->slices;
	u32 first = slice_at(s, from_ns), nr = slice_at(s, to_ns) - first + 1, i, k;
	int err;

	sum->from_ns = (double)from_ns;
	if (!lane->irqs.nr && nr < sum->nr) {
		for (i = first; i < s->nr && i < first + nr; i++)
			add_slice(sum, &s->list[i]);
		return 0;
	}
	err = lkst_lane_shares(lane, from_ns, to_ns, sum->nr, sum->shares);
	for (i = 0; i < sum->nr && !err; i++)
		for (k = 0; k < LKST_NR_LANE_STATES; k++)
			sum->columns[i].part_ns[k] += sum->shares[i].of[k] * sum->step_ns / WHOLE;
	return err;
}

static void put_shares(const struct lanes_sum *sum, struct lkst_shares *ret_shares)
{
	s32 whole[LKST_NR_LANE_STATES] = {};
	u32 i, k;

	for (i = 0; i < sum->nr; i++) {
		double ns[LKST_NR_LANE_STATES], all = 0;

		for (k = 0; k < LKST_NR_LANE_STATES; k++) {
			whole[k] += sum->columns[i].whole[k];
			ns[k] = sum->columns[i].part_ns[k] + whole[k] * sum->step_ns;
			all += ns[k];
		}
		if (all < sum->step_ns)
			all = sum->step_ns;
		for (k = 0; k < LKST_NR_LANE_STATES; k++)
			ret_shares[i].of[k] = (u16)(ns[k] * WHOLE / all);
	}
}

int lkst_lanes_sum(const struct lkst_lane_at *lanes, u32 nr_lanes, u64 length_ns, u32 nr,
		   struct lkst_shares *ret_shares)
{
	_cleanup_free_ struct sum_column *columns = calloc((size_t)nr + 1, sizeof(*columns));
	struct lanes_sum sum = { .step_ns = (double)length_ns / (nr ?: 1),
			   .nr = nr,
			   .columns = columns,
			   .shares = ret_shares };
	u32 i;
	int err = columns ? 0 : -ENOMEM;

	for (i = 0; i < nr_lanes && !err; i++)
		err = sum_add_lane(&sum, lanes[i].lane, lanes[i].from_ns, lanes[i].from_ns + (s64)length_ns);
	if (err)
		return err;
	put_shares(&sum, ret_shares);
	return 0;
}

/* ---- the CPUs of a lane ---------------------------------------------------------------------- */

/* The place of @cpu in @times, which is added if it is not there; NULL: there is no room. */
static struct lkst_cpu_time *cpu_times_find(struct lkst_cpu_time *times, u32 *nr, u32 max, u32 cpu)
{
	u32 i;

	for (i = 0; i < *nr; i++)
		if (times[i].cpu == cpu)
			return &times[i];
	if (*nr == max)
		return NULL;
	times[*nr] = (struct lkst_cpu_time){ .cpu = cpu };
	return &times[(*nr)++];
}

u32 lkst_slices_cpu_times(const struct lkst_slices *s, u64 from_ns, u64 to_ns, u32 max,
			  struct lkst_cpu_time *ret_times)
{
	u32 i, nr = 0;

	for (i = lkst_slices_at(s, from_ns); i < s->nr && s->list[i].from_ns < to_ns; i++) {
		const struct lkst_slice *x = &s->list[i];
		u64 first = x->from_ns > from_ns ? x->from_ns : from_ns;
		u64 last = x->to_ns < to_ns ? x->to_ns : to_ns;
		struct lkst_cpu_time *time;

		if (x->state != LKST_LANE_RUNNING || x->cpu < 0)
			continue;
		time = cpu_times_find(ret_times, &nr, max, (u32)x->cpu);
		if (time)
			time->ns += last - first;
	}
	return nr;
}
