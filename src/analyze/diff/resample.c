/* SPDX-License-Identifier: GPL-2.0-only */
/* The bootstrap of histograms and of rates, and the test of maxima. */
#include "analyze/diff/resample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/compare.h"

enum { NORMAL_FROM = 32 }; /* a mean from which on Poisson's law is as good as the normal one */
static const u64 seed = 0x6c6b737420646966ULL;

/* ---- random numbers -------------------------------------------------------------------------- */

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled"): not zero. */
static u64 next_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Above 0, and at most 1. */
static double next_share(u64 *state)
{
	return (double)((next_random(state) >> 11) + 1) * 0x1p-53;
}

/* By Box and Muller. */
static double next_normal(u64 *state)
{
	double radius = sqrt(-2 * log(next_share(state)));

	return radius * cos(2 * M_PI * next_share(state));
}

static double next_poisson(u64 *state, u64 mean)
{
	double limit, product = 1;
	u32 nr = 0;

	if (!mean)
		return 0;
	if (mean >= NORMAL_FROM)
		return fmax(0, round((double)mean + sqrt((double)mean) * next_normal(state)));
	limit = exp(-(double)mean);
	for (;;) {
		product *= next_share(state);
		if (product <= limit)
			return nr;
		nr++;
	}
}

/* ---- results --------------------------------------------------------------------------------- */

/* The differences vary by @inflation more than they were drawn. */
static void resample_sum_up(double differences[LKST_RESAMPLES], double inflation,
			    struct lkst_resampled *ret_result)
{
	unsigned int more = 0, less = 0, i;
	double mean = 0;

	for (i = 0; i < LKST_RESAMPLES; i++)
		mean += differences[i] / LKST_RESAMPLES;
	for (i = 0; inflation > 1 && i < LKST_RESAMPLES; i++)
		differences[i] = mean + (differences[i] - mean) * sqrt(inflation);
	qsort(differences, LKST_RESAMPLES, sizeof(*differences), lkst_compare_doubles);
	for (i = 0; i < LKST_RESAMPLES; i++) {
		more += differences[i] <= 0;
		less += differences[i] >= 0;
	}
	*ret_result = (struct lkst_resampled){
		.low = differences[LKST_RESAMPLES / 40],
		.high = differences[LKST_RESAMPLES - 1 - LKST_RESAMPLES / 40],
		.more = (1.0 + more) / (LKST_RESAMPLES + 1.0),
		.less = (1.0 + less) / (LKST_RESAMPLES + 1.0),
	};
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* The buckets that hold something: the value that stands for each, and how many. */
struct buckets {
	double *values, *drawn;
	u64 *counts;
	u32 nr;
};

static void buckets_fini(struct buckets *b)
{
	free(b->values);
	free(b->drawn);
	free(b->counts);
}

static int take_buckets(const struct lkst_hist *h, struct buckets *b)
{
	u32 i;

	b->values = calloc(h->nr_buckets + 1, sizeof(*b->values));
	b->drawn = calloc(h->nr_buckets + 1, sizeof(*b->drawn));
	b->counts = calloc(h->nr_buckets + 1, sizeof(*b->counts));
	if (!b->values || !b->drawn || !b->counts)
		return -ENOMEM;
	for (i = 0; i < h->nr_buckets; i++) {
		if (!h->buckets[i])
			continue;
		b->values[b->nr] = (double)lkst_hist_floor(h->first + i);
		b->counts[b->nr++] = h->buckets[i];
	}
	return 0;
}

/* Draws the sample again and returns its quantile, or its mean. */
static double resample_draw(const struct buckets *b, double q, u64 *state)
{
	double nr = 0, sum = 0, seen = 0, rank;
	u32 i;

	for (i = 0; i < b->nr; i++) {
		b->drawn[i] = next_poisson(state, b->counts[i]);
		nr += b->drawn[i];
		sum += b->drawn[i] * b->values[i];
	}
	if (!(nr > 0))
		return b->nr ? b->values[0] : 0;
	if (q < 0)
		return sum / nr;
	rank = fmax(1, ceil(q * nr));
	for (i = 0; i < b->nr - 1; i++) {
		seen += b->drawn[i];
		if (seen >= rank)
			break;
	}
	return b->values[i];
}

int lkst_resample_hists(const struct lkst_hist *a, const struct lkst_hist *b, double q,
			double inflation, struct lkst_resampled *ret_result)
{
	_cleanup_free_ double *differences = calloc(LKST_RESAMPLES, sizeof(*differences));
	_cleanup_(buckets_fini) struct buckets first = {}, second = {};
	u64 state = seed;
	unsigned int i;

	if (!differences || take_buckets(a, &first) || take_buckets(b, &second))
		return -ENOMEM;
	for (i = 0; i < LKST_RESAMPLES; i++) {
		double was = resample_draw(&first, q, &state);

		differences[i] = resample_draw(&second, q, &state) - was;
	}
	resample_sum_up(differences, inflation, ret_result);
	return 0;
}

/* ---- rates ----------------------------------------------------------------------------------- */

static double draw_rate(const struct lkst_resample_parts *p, u64 *state)
{
	double values = 0, weights = 0;
	u32 i, at;

	for (i = 0; i < p->nr; i++) {
		at = (u32)((next_random(state) >> 32) * p->nr >> 32);
		values += p->values[at];
		weights += p->weights[at];
	}
	return weights > 0 ? values / weights : 0;
}

int lkst_resample_parts(const struct lkst_resample_parts *a, const struct lkst_resample_parts *b,
			double inflation, struct lkst_resampled *ret_result)
{
	_cleanup_free_ double *differences = calloc(LKST_RESAMPLES, sizeof(*differences));
	u64 state = seed;
	unsigned int i;

	if (!differences)
		return -ENOMEM;
	for (i = 0; i < LKST_RESAMPLES; i++) {
		double was = draw_rate(a, &state);

		differences[i] = draw_rate(b, &state) - was;
	}
	resample_sum_up(differences, inflation, ret_result);
	return 0;
}

/* ---- maxima ---------------------------------------------------------------------------------- */

double lkst_beyond_p(const struct lkst_hist *a, const struct lkst_hist *b, double inflation)
{
	double n = (double)a->count, m = (double)b->count, nr = 0;
	u32 k;

	if (!a->count)
		return 1;
	for (k = 0; k < b->nr_buckets; k++)
		if (b->first + k > lkst_hist_bucket(a->max))
			nr += (double)b->buckets[k];
	n /= inflation;
	m /= inflation;
	nr /= inflation;
	/* Of all values, the greatest nr are of the second: m/(n+m) * (m-1)/(n+m-1) and so on, as factorials. */
	return fmin(1, exp(lgamma(m + 1) - lgamma(m - nr + 1) + lgamma(n + m - nr + 1) -
			   lgamma(n + m + 1)));
}
