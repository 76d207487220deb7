/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bootstrap (Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7, 1979): how sure a
 * difference of two samples' quantiles, means or rates is, from how much it varies when the samples are drawn again
 * from themselves. The random numbers begin with the same seed each time, so an answer can be repeated.
 */
#ifndef LKST_ANALYZE_DIFF_RESAMPLE_H
#define LKST_ANALYZE_DIFF_RESAMPLE_H

#include "abi/types.h"
#include "result/hist.h"

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
