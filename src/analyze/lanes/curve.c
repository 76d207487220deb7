/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Levels and amounts along the time. The sums of pairs of points, of pairs of pairs and so on are kept, so that any
 * stretch is put together of few of them: twice the logarithm of the number of points at most.
 */
#include "analyze/lanes/curve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NS_PER_S 1e9

static const struct lkst_curve_sum nothing = { .min = -1, .max = -1 };

int lkst_curve_add(struct lkst_curve *c, u64 ns, u64 value)
{
	struct lkst_curve_point *last = c->nr ? &c->list[c->nr - 1] : NULL, *added;

	if (last && ns <= last->ns) {
		last->value = c->is_rate ? last->value + value : value;
		return 0;
	}
	if (last && !c->is_rate && last->value == value)
		return 0;
	added = lkst_vec_add(c->list, c->nr);
	if (!added)
		return -ENOMEM;
	*added = (struct lkst_curve_point){ ns, value };
	return 0;
}

void lkst_curve_fini(struct lkst_curve *c)
{
	free(c->list);
	free(c->sums);
	*c = (struct lkst_curve){};
}

/* The number of the first point after @ns. */
static u32 after(const struct lkst_curve *c, u64 ns)
{
	u32 low = 0, high = c->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (c->list[middle].ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int lkst_curve_forget(struct lkst_curve *c, const struct lkst_slices *gaps)
{
	struct lkst_curve result = {};
	u64 until_ns = 0;
	u32 i, gap = 0;
	int err = 0;

	if (c->is_rate || !c->nr || !gaps->nr)
		return 0;
	for (i = 0; i <= c->nr && !err; i++) {
		u64 ns = i < c->nr ? c->list[i].ns : UINT64_MAX;

		for (; gap < gaps->nr && gaps->list[gap].from_ns <= ns && !err; gap++) {
			until_ns = gaps->list[gap].to_ns;
			if (i)
				err = lkst_curve_add(&result, gaps->list[gap].from_ns,
						     LKST_CURVE_UNKNOWN);
		}
		if (i < c->nr && !err)
			err = lkst_curve_add(&result, ns,
					     ns < until_ns ? LKST_CURVE_UNKNOWN : c->list[i].value);
	}
	free(c->list);
	c->list = result.list;
	c->nr = result.nr;
	return err;
}

/* ---- sums --------------------------------------------------------------------------------------- */

/* Point @i, as far as it is between two times. */
static struct lkst_curve_sum sum_of(const struct lkst_curve *c, u32 i, double from_ns, double to_ns)
{
	const struct lkst_curve_point *point = &c->list[i];
	double begin = (double)point->ns;
	double end = (double)(i + 1 < c->nr ? c->list[i + 1].ns : c->end_ns);
	double value = (double)point->value;

	if (c->is_rate)
		return (struct lkst_curve_sum){ .min = -1, .max = -1, .sum = value };
	begin = begin > from_ns ? begin : from_ns;
	end = end < to_ns ? end : to_ns;
	if (point->value == LKST_CURVE_UNKNOWN || end <= begin)
		return nothing;
	return (struct lkst_curve_sum){ value, value, value * (end - begin), end - begin };
}

static void add(struct lkst_curve_sum *sum, struct lkst_curve_sum other)
{
	if (other.known_ns > 0 && (sum->known_ns <= 0 || other.min < sum->min))
		sum->min = other.min;
	if (other.max > sum->max)
		sum->max = other.max;
	sum->sum += other.sum;
	sum->known_ns += other.known_ns;
}

int lkst_curve_index(struct lkst_curve *c, u64 end_ns)
{
	struct lkst_curve_sum *level;
	u32 nr, i;

	c->end_ns = end_ns;
	free(c->sums);
	c->sums = calloc((size_t)c->nr + 1, sizeof(*c->sums));
	if (!c->sums)
		return -ENOMEM;
	for (i = 0; i < c->nr / 2; i++) {
		c->sums[i] = sum_of(c, 2 * i, 0, 0x1p64);
		add(&c->sums[i], sum_of(c, 2 * i + 1, 0, 0x1p64));
	}
	for (level = c->sums, nr = c->nr / 2; nr > 1; level += nr, nr /= 2)
		for (i = 0; i < nr / 2; i++) {
			level[nr + i] = level[2 * i];
			add(&level[nr + i], level[2 * i + 1]);
		}
	return 0;
}

/* All points from number @i to number @end, which is not included. */
static struct lkst_curve_sum sum_of_points(const struct lkst_curve *c, u32 i, u32 end)
{
	const struct lkst_curve_sum *level = c->sums;
	struct lkst_curve_sum sum = nothing;
	u32 nr = c->nr / 2;

	if (i < end && i & 1)
		add(&sum, sum_of(c, i++, 0, 0x1p64));
	if (i < end && end & 1)
		add(&sum, sum_of(c, --end, 0, 0x1p64));
	for (i /= 2, end /= 2; i < end; level += nr, nr /= 2, i /= 2, end /= 2) {
		if (i & 1)
			add(&sum, level[i++]);
		if (i < end && end & 1)
			add(&sum, level[--end]);
	}
	return sum;
}

static struct lkst_curve_column rate(const struct lkst_curve *c, double from_ns, double to_ns)
{
	struct lkst_curve_sum sum = sum_of_points(c, after(c, from_ns > 1 ? (u64)from_ns - 1 : 0),
						  after(c, to_ns > 1 ? (u64)to_ns - 1 : 0));
	double value = sum.sum / (to_ns - from_ns) * NS_PER_S;

	return (struct lkst_curve_column){ value, value, value, 1 };
}

static struct lkst_curve_column level(const struct lkst_curve *c, double from_ns, double to_ns)
{
	u32 first = after(c, (u64)from_ns), last = after(c, (u64)to_ns);
	struct lkst_curve_sum sum = nothing;

	if (first)
		add(&sum, sum_of(c, first - 1, from_ns, to_ns));
	if (last > first) {
		add(&sum, sum_of_points(c, first, last - 1));
		add(&sum, sum_of(c, last - 1, from_ns, to_ns));
	}
	if (sum.known_ns <= 0)
		return (struct lkst_curve_column){};
	return (struct lkst_curve_column){ sum.min, sum.max, sum.sum / sum.known_ns,
					   sum.known_ns / (to_ns - from_ns) };
}

void lkst_curve_columns(const struct lkst_curve *c, u64 from_ns, u64 to_ns, u32 nr,
			struct lkst_curve_column *ret_columns)
{
	double step_ns = (double)(to_ns - from_ns) / nr;
	u32 i;

	for (i = 0; i < nr; i++) {
		double from = (double)from_ns + i * step_ns;

		ret_columns[i] =
			c->is_rate ? rate(c, from, from + step_ns) : level(c, from, from + step_ns);
	}
}
