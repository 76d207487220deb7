/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How sure a difference of two samples is: by a test of ranks, and by drawing the samples again from themselves.
 */
#ifndef LKST_ANALYZE_DIFF_STATISTICS_H
#define LKST_ANALYZE_DIFF_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "result/hist.h"

/* ---- ranks ----------------------------------------------------------------------------------- */

/*
 * The rank test of Mann and Whitney: whether one of two samples tends to be greater than the other, whatever their
 * distributions are. ("On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other",
 * Annals of Mathematical Statistics 18, 1947.)
 */

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
 * What one in ten variables of the chi-squared distribution with @freedom degrees is less than. (Wilson and Hilferty,
 * "The Distribution of Chi-Square", Proceedings of the National Academy of Sciences 17, 1931.)
 */
double lkst_chi_squared_low(u32 freedom);

/*
 * How likely a variable of Student's distribution with @freedom degrees, 1 or more, is as far from 0 as @t, in either
 * direction. (Wallace, "Bounds on Normal Approximations to Student's and the Chi-Square Distributions", Annals of
 * Mathematical Statistics 30, 1959.)
 */
double lkst_student_p(double t, double freedom);

/*
 * Makes each of @p, @nr results of tests, as large as it has to be for the least of them to be compared with a level:
 * then the chance that any of those below the level is there by accident is at most that level, however many there are.
 * (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979.)
 * 0 or -ENOMEM.
 */
int lkst_rank_adjust(double *p, u32 nr);

/* ---- resampling ------------------------------------------------------------------------------ */

/*
 * The bootstrap (Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7, 1979): how sure a
 * difference of two samples' quantiles, means or rates is, from how much it varies when the samples are drawn again
 * from themselves. The random numbers begin with the same seed each time, so an answer can be repeated.
 */

enum { LKST_RESAMPLES = 1999 }; /* so the least `p` is 1 in 2000 */

struct lkst_resampled {
	double low, high; /* 95 % of the differences, second less first, are between */
	double more;	  /* how likely the second is not more than the first, 0 to 1 */
	double less;	  /* how likely it is not less */
};

/*
 * Of quantile @q (0 to 1), or where that is negative, of the mean of @a and @b, neither of which is empty. 0 or
 * -ENOMEM. @inflation is that of lkst_rank_test_inflated().
 *
 * A histogram is drawn again bucket by bucket, each by the law of Poisson, which is the bootstrap of a sample as large
 * as chance makes it (Chamandy and others, "Estimating Uncertainty for Massive Data Streams", Google, 2012). That takes
 * time by the number of buckets, and not by that of the values.
 */
int lkst_resample_hists(const struct lkst_hist *a, const struct lkst_hist *b, double q,
			double inflation, struct lkst_resampled *ret_result);

/* Parts of the time: what was counted in each, and how long it was. */
struct lkst_resample_parts {
	const double *values, *weights;
	u32 nr;
};

/*
 * Of the sum of values by the sum of weights: parts are drawn, so what is close together in time, and likely depends on
 * each other, stays together. Neither may be empty. 0 or -ENOMEM.
 */
int lkst_resample_parts(const struct lkst_resample_parts *a, const struct lkst_resample_parts *b,
			double inflation, struct lkst_resampled *ret_result);

/*
 * How likely the greatest values of @b would be as many as there are above all of @a, if both were of one distribution:
 * values of one bucket are equal. (Rosenbaum, "On Some Two-Sample Non-Parametric Tests", Journal of the American
 * Statistical Association 60, 1965.) Resampling says nothing of a maximum.
 * Values that depend on each other count as fewer, by @inflation.
 */
double lkst_beyond_p(const struct lkst_hist *a, const struct lkst_hist *b, double inflation);

#endif
