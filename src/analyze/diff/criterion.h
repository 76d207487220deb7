/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A change that is not to be, in words: "p99 of syscall:fsync +20%". Parsed, and judged by a comparison of two traces.
 *
 *	criterion:	statistic "of" key change
 *	statistic:	count, total, mean, p50, p95, p99, p99.9 or max
 *	key:		a row, as it is named: KIND:KEY, without blanks
 *	change:		+N% or -N%, of what it was; +DURATION or -DURATION, as "+200us"
 *
 * + is met where the second is more by so much, - where it is less. Counts and totals are by second, or by operation.
 */
#ifndef LKST_ANALYZE_DIFF_CRITERION_H
#define LKST_ANALYZE_DIFF_CRITERION_H

#include "analyze/diff/diff.h"

enum lkst_criterion_of {
	LKST_CRITERION_COUNT,
	LKST_CRITERION_TOTAL,
	LKST_CRITERION_MEAN,
	LKST_CRITERION_QUANTILE,
	LKST_CRITERION_MAX,
};

struct lkst_criterion {
	enum lkst_criterion_of of;
	double q; /* QUANTILE: 0 to 1 */
	char key[LKST_DIFF_NAME];
	bool is_less;	 /* -: it is met if the second is less */
	bool is_percent; /* the change is a share of the first */
	double share;
	u64 ns;
};

/* -EINVAL: @text is none; @e says what is wrong, and where. */
int lkst_criterion_parse(struct lkst_err *e, const char *text,
			 struct lkst_criterion *ret_criterion);

enum {
	LKST_CRITERION_LEAST = 20
}; /* occurrences, or 8 stretches of time, that both must have to be judged */

struct lkst_verdict {
	bool has_values;
	double values[2]; /* ns, or of a count, how many */
	double p;	  /* how likely the change is an accident, if nothing really changed */
	bool is_met;	  /* by the values */
	bool is_sure;	  /* `p` is at most the level, divided by the number of criteria */
	bool is_unknown;  /* neither side has such a row: its name may be a typing error */
	const char *why;  /* why it could not be judged, static or of @d; NULL: it was */
};

/* Judges by @d. @nr: criteria that are judged in all. 0 or -ENOMEM. */
int lkst_criterion_judge(const struct lkst_diff *d, const struct lkst_criterion *c, unsigned int nr,
			 struct lkst_verdict *ret_verdict);

#endif
