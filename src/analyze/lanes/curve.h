/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers along the time: a level that changes, such as how many requests a disk has, or amounts that come, such as the
 * bytes of packets. Columns of a picture are asked for: what a column costs hardly depends on how much it holds.
 */
#ifndef LKST_ANALYZE_LANES_CURVE_H
#define LKST_ANALYZE_LANES_CURVE_H

#include <stdbool.h>

#include "analyze/lanes/shares.h"

#define LKST_CURVE_UNKNOWN UINT64_MAX /* a level that is not known from here on */

struct lkst_curve_point {
	u64 ns, value; /* the level from here on, or an amount that comes here */
};

/* What some points say together; private. */
struct lkst_curve_sum {
	double min, max;
	double sum;	 /* of a level: it times the ns that it lasts; of amounts: their sum */
	double known_ns; /* of a level */
};

/* All zero is empty. */
struct lkst_curve {
	bool is_rate;		       /* its points are amounts */
	struct lkst_curve_point *list; /* in order of time */
	u32 nr;
	u64 end_ns; /* of the last level */

	/* Private. */
	struct lkst_curve_sum *sums; /* of pairs of points, of pairs of these, and so on */
	u32 *cells, nr_cells;	     /* where the points of stretches of `cell_ns` begin */
	u64 cell_ns;
};

/* A column: the least and the greatest level, and its mean over the time. Of amounts: what came in a second, thrice. */
struct lkst_curve_column {
	double min, max, mean;
	double known; /* how much of its time the level is known, from 0 to 1; if 0, the others are 0, too */
};

/*
 * A level from @ns on, which is not before that of the last point, or else counts as of then. Levels that follow each
 * other and are the same are one point; of several at the same time the last one counts. Amounts at the same time are
 * added up. 0 or -ENOMEM.
 */
int lkst_curve_add(struct lkst_curve *c, u64 ns, u64 value);

/*
 * What the level was in the slices of @gaps, whatever they say, is not known, nor after each until it is set again.
 * To be called when all are added. Amounts stay as they are. 0 or -ENOMEM.
 */
int lkst_curve_forget(struct lkst_curve *c, const struct lkst_slices *gaps);

/* When all are there, once: the last level lasts until @end_ns. 0 or -ENOMEM. */
int lkst_curve_index(struct lkst_curve *c, u64 end_ns);

/* The columns of @nr stretches of equal length between two times, as lkst_slices_shares() has them. */
void lkst_curve_columns(const struct lkst_curve *c, s64 from_ns, s64 to_ns, u32 nr,
			struct lkst_curve_column *ret_columns);

void lkst_curve_fini(struct lkst_curve *c);

#endif
