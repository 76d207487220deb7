/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rank test of Mann and Whitney: whether one of two samples tends to be greater than the other, whatever their
 * distributions are. ("On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other",
 * Annals of Mathematical Statistics 18, 1947.)
 */
#ifndef LKST_ANALYZE_DIFF_RANK_H
#define LKST_ANALYZE_DIFF_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "result/hist.h"

/* How many of each sample have one value, or a value of one range. */
struct lkst_rank_class {
	u64 nr[2];
};

struct lkst_rank_test {
	/*
	 * How likely samples of one distribution differ as much, in either direction: 0 to 1. Exact for samples of at
	 * most LKST_RANK_EXACT values without ties; else by the normal approximation, with the corrections for ties and
	 * for continuity.
	 */
	double p;
	double greater; /* of all pairs, the share in which the second is greater; equal ones count half */
};

enum { LKST_RANK_EXACT = 20 };

/* @classes in ascending order of their values. False: a sample is empty, and nothing is returned. */
bool lkst_rank_test(const struct lkst_rank_class *classes, size_t nr,
		    struct lkst_rank_test *ret_test);

/*
 * The same of values that depend on each other, so that the difference of two such samples varies as if they had fewer
 * values: its variance is @inflation times, 1 or more, that of independent ones.
 */
bool lkst_rank_test_inflated(const struct lkst_rank_class *classes, size_t nr, double inflation,
			     struct lkst_rank_test *ret_test);

/*
 * The same of two histograms: values of one bucket, which are at most 3 % apart, are equal. 1, 0: one is empty, or
 * -ENOMEM.
 */
int lkst_rank_test_hists(const struct lkst_hist *a, const struct lkst_hist *b, double inflation,
			 struct lkst_rank_test *ret_test);

/* The same of two arrays, which are sorted for it. 1, 0: one is empty, or -ENOMEM. */
int lkst_rank_test_values(double *a, u32 nr_a, double *b, u32 nr_b, double inflation,
			  struct lkst_rank_test *ret_test);

/*
 * The inflation of @values, in the order of their times, each of which is like the one before it, as by their
 * autocorrelation in a process of first order: 1, where there is none, to 19.
 */
double lkst_serial_inflation(const double *values, u32 nr);

/*
 * Makes each of @p, @nr results of tests, as large as it has to be for the least of them to be compared with a level:
 * then the chance that any of those below the level is there by accident is at most that level, however many there are.
 * (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979.)
 * 0 or -ENOMEM.
 */
int lkst_rank_adjust(double *p, u32 nr);

#endif
