/* SPDX-License-Identifier: GPL-2.0-only */
/* Rounds that are timed, some of which other work disturbs. */
#ifndef LKST_LIVE_COST_ROUNDS_H
#define LKST_LIVE_COST_ROUNDS_H

enum { LKST_ROUNDS_MAX = 128 };

/* What they took, or what was counted in them. */
struct lkst_rounds {
	double value[LKST_ROUNDS_MAX];
	unsigned int nr;
};

/* The least of the middle half of them; 0: there are none. */
double lkst_rounds_typical(const struct lkst_rounds *r);

/* How wide that half is: from its least to its greatest. */
double lkst_rounds_width(const struct lkst_rounds *r);

#endif
