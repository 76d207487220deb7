/* SPDX-License-Identifier: GPL-2.0-only */
/* The rank test of two samples, exact for small ones, and Holm's correction for many tests. */
#include "analyze/diff/rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/compare.h"

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
