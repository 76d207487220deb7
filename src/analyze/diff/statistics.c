/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How sure a difference of two samples is: the rank test, exact for small samples, with Holm's correction for many
 * tests; the bootstrap of histograms and of rates, and the test of maxima.
 */
#include "analyze/diff/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/compare.h"

/* ---- ranks ----------------------------------------------------------------------------------- */

enum { PAIRS_MAX = LKST_RANK_EXACT * LKST_RANK_EXACT };

/*
 * How many of the ways to mix @n and @m values have exactly u pairs in order, for each u: the coefficients of the
 * Gaussian binomial, the product of (1 - q^(m+i)) / (1 - q^i) for i from 1 to n. All are whole numbers below 2^53.
 */
static void count_ways(unsigned int n, unsigned int m, double ways[PAIRS_MAX + 1])
{
	unsigned int pairs = n * m, i, u;

	for (u = 0; u <= pairs; u++)
		ways[u] = !u;
	for (i = 1; i <= n; i++) {
		for (u = pairs; u >= m + i && u <= pairs; u--)
			ways[u] -= ways[u - m - i];
		for (u = i; u <= pairs; u++)
			ways[u] += ways[u - i];
	}
}

/* Without ties, @u pairs are in order. */
static double exact_p(unsigned int n, unsigned int m, unsigned int u)
{
	double ways[PAIRS_MAX + 1], all = 0, tail = 0;
	unsigned int i, least = u < n * m - u ? u : n * m - u;

	count_ways(n, m, ways);
	for (i = 0; i <= n * m; i++) {
		all += ways[i];
		tail += i <= least ? ways[i] : 0;
	}
	return fmin(1, 2 * tail / all);
}

/* @ties: the sum of t^3 - t over classes of t values. */
static double normal_p(double n, double m, double u, double ties, double inflation)
{
	double all = n + m;
	double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double distance = fabs(u - n * m / 2) - 0.5;

	if (!(variance > 0) || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance * inflation));
}

bool lkst_rank_test_inflated(const struct lkst_rank_class *classes, size_t nr, double inflation,
			     struct lkst_rank_test *ret_test)
{
	double n = 0, m = 0, u = 0, ties = 0;
	bool is_exact = true;
	size_t i;

	for (i = 0; i < nr; i++) {
		double a = (double)classes[i].nr[0], b = (double)classes[i].nr[1], t = a + b;

		u += b * (n + a / 2);
		n += a;
		m += b;
		ties += t * t * t - t;
		is_exact &= t <= 1;
	}
	if (!(n > 0) || !(m > 0))
		return false;
	is_exact &= n <= LKST_RANK_EXACT && m <= LKST_RANK_EXACT && inflation <= 1;
	ret_test->greater = u / (n * m);
	ret_test->p = is_exact ? exact_p((unsigned int)n, (unsigned int)m, (unsigned int)u)
			       : normal_p(n, m, u, ties, inflation);
	return true;
}

bool lkst_rank_test(const struct lkst_rank_class *classes, size_t nr,
		    struct lkst_rank_test *ret_test)
{
	return lkst_rank_test_inflated(classes, nr, 1, ret_test);
}

static u64 rank_count_of(const struct lkst_hist *h, u32 bucket)
{
	return h->count && bucket - h->first < h->nr_buckets ? h->buckets[bucket - h->first] : 0;
}

int lkst_rank_test_hists(const struct lkst_hist *a, const struct lkst_hist *b, double inflation,
			 struct lkst_rank_test *ret_test)
{
	_cleanup_free_ struct lkst_rank_class *classes = NULL;
	u32 first, last, i;

	if (!a->count || !b->count)
		return 0;
	first = lkst_hist_bucket(a->min < b->min ? a->min : b->min);
	last = lkst_hist_bucket(a->max > b->max ? a->max : b->max);
	classes = calloc(last - first + 1, sizeof(*classes));
	if (!classes)
		return -ENOMEM;
	for (i = first; i <= last; i++) {
		classes[i - first].nr[0] = rank_count_of(a, i);
		classes[i - first].nr[1] = rank_count_of(b, i);
	}
	return lkst_rank_test_inflated(classes, last - first + 1, inflation, ret_test);
}

int lkst_rank_test_values(double *a, u32 nr_a, double *b, u32 nr_b, double inflation,
			  struct lkst_rank_test *ret_test)
{
	_cleanup_free_ struct lkst_rank_class *classes = NULL;
	u32 i = 0, k = 0;
	size_t nr = 0;

	if (!nr_a || !nr_b)
		return 0;
	classes = calloc((size_t)nr_a + nr_b, sizeof(*classes));
	if (!classes)
		return -ENOMEM;
	qsort(a, nr_a, sizeof(*a), lkst_compare_doubles);
	qsort(b, nr_b, sizeof(*b), lkst_compare_doubles);
	while (i < nr_a || k < nr_b) {
		double value = k >= nr_b || (i < nr_a && a[i] < b[k]) ? a[i] : b[k];

		for (; i < nr_a && a[i] <= value; i++)
			classes[nr].nr[0]++;
		for (; k < nr_b && b[k] <= value; k++)
			classes[nr].nr[1]++;
		nr++;
	}
	return lkst_rank_test_inflated(classes, nr, inflation, ret_test);
}

double lkst_serial_inflation(const double *values, u32 nr)
{
	double mean = 0, products = 0, squares = 0, correlation;
	u32 i;

	for (i = 0; i < nr; i++)
		mean += values[i] / nr;
	for (i = 0; i < nr; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
		products += i ? (values[i] - mean) * (values[i - 1] - mean) : 0;
	}
	correlation = squares > 0 ? products / squares : 0;
	correlation = fmin(0.9, fmax(0, correlation));
	return (1 + correlation) / (1 - correlation);
}

double lkst_chi_squared_low(u32 freedom)
{
	double part = 2.0 / (9.0 * freedom);

	return freedom * pow(1 - part - 1.281552 * sqrt(part), 3);
}

double lkst_student_p(double t, double freedom)
{
	double z = sqrt(freedom * log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3);

	return erfc(z / sqrt(2));
}

/* ---- many tests ------------------------------------------------------------------------------ */

static int compare_results(const void *a, const void *b)
{
	return lkst_compare_doubles(*(double *const *)a, *(double *const *)b);
}

int lkst_rank_adjust(double *p, u32 nr)
{
	_cleanup_free_ double **order = calloc((size_t)nr + 1, sizeof(*order));
	double least = 0;
	u32 i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		order[i] = &p[i];
	qsort(order, nr, sizeof(double *), compare_results);
	for (i = 0; i < nr; i++) {
		least = fmax(least, fmin(1, *order[i] * (nr - i)));
		*order[i] = least;
	}
	return 0;
}

/* ---- resampling ------------------------------------------------------------------------------ */

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
