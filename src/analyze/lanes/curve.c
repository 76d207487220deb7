/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Levels and amounts along the time. The sums of pairs of points, of pairs of pairs and so on are kept, so that any
 * stretch is put together of few of them: twice the logarithm of the number of points at most.
 */
#include "analyze/lanes/curve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/vec.h"
#include "trace/format/block.h"

enum { POINTS_PER_CELL = 8 }; /* on average */

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
	free(c->cells);
	*c = (struct lkst_curve){};
}

/* The cell that holds @ns, which is not before the first point. */
static u32 curve_cell_of(const struct lkst_curve *c, u64 ns)
{
	u64 cell = (ns - c->list[0].ns) / c->cell_ns;

	return cell < c->nr_cells ? (u32)cell : c->nr_cells - 1;
}

/* The number of the first point after @ns. */
static u32 curve_after(const struct lkst_curve *c, u64 ns)
{
	u32 first, cell;

	if (!c->nr || ns < c->list[0].ns)
		return 0;
	cell = curve_cell_of(c, ns);
	first = c->cells[cell];
	return first + (u32)lkst_lower_bound(i, c->cells[cell + 1] - first, c->list[first + i].ns <= ns);
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
static struct lkst_curve_sum curve_sum_of(const struct lkst_curve *c, u32 i, double from_ns, double to_ns)
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

static void curve_add(struct lkst_curve_sum *sum, struct lkst_curve_sum other)
{
	if (other.known_ns > 0 && (sum->known_ns <= 0 || other.min < sum->min))
		sum->min = other.min;
	if (other.max > sum->max)
		sum->max = other.max;
	sum->sum += other.sum;
	sum->known_ns += other.known_ns;
}

/* Where the points of each of many stretches of equal length begin; the last cell ends with the last point. */
static int index_cells(struct lkst_curve *c)
{
	u32 i, cell = 0;

	c->nr_cells = c->nr / POINTS_PER_CELL + 1;
	c->cells = calloc((size_t)c->nr_cells + 1, sizeof(*c->cells));
	if (!c->cells)
		return -ENOMEM;
	if (!c->nr)
		return 0;
	c->cell_ns = (c->list[c->nr - 1].ns - c->list[0].ns) / c->nr_cells + 1;
	for (i = 0; i < c->nr; i++)
		while (cell < curve_cell_of(c, c->list[i].ns))
			c->cells[++cell] = i;
	while (cell < c->nr_cells)
		c->cells[++cell] = c->nr;
	return 0;
}

int lkst_curve_index(struct lkst_curve *c, u64 end_ns)
{
	struct lkst_curve_sum *level;
	u32 nr, i;

	c->end_ns = end_ns;
	c->sums = calloc((size_t)c->nr + 1, sizeof(*c->sums));
	if (!c->sums || index_cells(c))
		return -ENOMEM;
	for (i = 0; i < c->nr / 2; i++) {
		c->sums[i] = curve_sum_of(c, 2 * i, 0, 0x1p64);
		curve_add(&c->sums[i], curve_sum_of(c, 2 * i + 1, 0, 0x1p64));
	}
	for (level = c->sums, nr = c->nr / 2; nr > 1; level += nr, nr /= 2)
		for (i = 0; i < nr / 2; i++) {
			level[nr + i] = level[2 * i];
			curve_add(&level[nr + i], level[2 * i + 1]);
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
		curve_add(&sum, curve_sum_of(c, i++, 0, 0x1p64));
	if (i < end && end & 1)
		curve_add(&sum, curve_sum_of(c, --end, 0, 0x1p64));
	for (i /= 2, end /= 2; i < end; level += nr, nr /= 2, i /= 2, end /= 2) {
		if (i & 1)
			curve_add(&sum, level[i++]);
		if (i < end && end & 1)
			curve_add(&sum, level[--end]);
	}
	return sum;
}

/* What comes from point @first to point @last, which is not included. */
static struct lkst_curve_column curve_rate(const struct lkst_curve *c, u32 first, u32 last,
					   double step_ns)
{
	double value = sum_of_points(c, first, last).sum / step_ns * NS_PER_S;

	return (struct lkst_curve_column){ value, value, value, 1 };
}

/* The level from one time to another; @first and @last are the first points after them. */
static struct lkst_curve_column level(const struct lkst_curve *c, u32 first, u32 last,
				      double from_ns, double to_ns)
{
	struct lkst_curve_sum sum = nothing;

	if (first)
		curve_add(&sum, curve_sum_of(c, first - 1, from_ns, to_ns));
	if (last > first) {
		curve_add(&sum, sum_of_points(c, first, last - 1));
		curve_add(&sum, curve_sum_of(c, last - 1, from_ns, to_ns));
	}
	if (sum.known_ns <= 0)
		return (struct lkst_curve_column){};
	return (struct lkst_curve_column){ sum.min, sum.max, sum.sum / sum.known_ns,
					   sum.known_ns / (to_ns - from_ns) };
}

/*
 * The number of the first point that is in a later column than what ends at @ns: amounts at a border are the next
 * column's.
 */
static u32 border(const struct lkst_curve *c, double ns)
{
	u64 whole = ns <= 0 ? 0 : ns < (double)LKST_TIME_MAX ? (u64)ns : LKST_TIME_MAX;

	if (c->is_rate)
		return curve_after(c, whole ? whole - 1 : 0);
	return curve_after(c, whole);
}

void lkst_curve_columns(const struct lkst_curve *c, s64 from_ns, s64 to_ns, u32 nr,
			struct lkst_curve_column *ret_columns)
{
	double step_ns = (double)(to_ns - from_ns) / nr;
	u32 i, first = border(c, (double)from_ns), last;

	for (i = 0; i < nr; i++, first = last) {
		double from = (double)from_ns + i * step_ns;

		last = border(c, (double)from_ns + (i + 1) * step_ns);
		ret_columns[i] = c->is_rate ? curve_rate(c, first, last, step_ns)
					    : level(c, first, last, from, from + step_ns);
	}
}
