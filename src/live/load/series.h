/* SPDX-License-Identifier: GPL-2.0-only */
/* What the rounds of a measurement took. */
#ifndef LKST_LIVE_LOAD_SERIES_H
#define LKST_LIVE_LOAD_SERIES_H

#include <stdbool.h>

enum { LKST_SERIES_MAX = 128 };

/* All zero is empty. */
struct lkst_series {
	double value[LKST_SERIES_MAX];
	unsigned int nr;
};

/* Adds a round, if there is room. */
void lkst_series_add(struct lkst_series *s, double value);

/* The median: a load has slow rounds, too, but not those that something else disturbs for long. 0: there are none. */
double lkst_series_median(const struct lkst_series *s);

/* What a quarter of the rounds were faster than: of a loop that takes the same each time, when nothing disturbs it. */
double lkst_series_quarter(const struct lkst_series *s);

/*
 * True if @ns, a difference between what two series take, is no more than what comes and goes with the rounds: the
 * middle half of them is so wide that medians of as many rounds differ by that.
 */
bool lkst_series_is_chance(double ns, const struct lkst_series *s);

#endif
