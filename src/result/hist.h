/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts values so that quantiles can be found later, in bounded memory: buckets as wide as 1/32
 * (3 %) of what they hold, as in HdrHistogram (hdrhistogram.org). Values below 32 are exact.
 * Count, sum, least and greatest are always exact.
 */
#ifndef LKST_RESULT_HIST_H
#define LKST_RESULT_HIST_H

#include <stdint.h>

#include "result/table.h"

enum {
	LKST_HISTOGRAM_BITS = 5,		       /* log2 of the buckets per power of two */
	LKST_HISTOGRAM_ROW = 1 << LKST_HISTOGRAM_BITS, /* buckets are allocated so many at once */
	/* Below 32, a bucket per value; then a row for each of the powers of two from 2^5 to 2^63. */
	LKST_HISTOGRAM_ROWS = 64 - LKST_HISTOGRAM_BITS + 1,
};

/* All zero is an empty histogram. At most 15 KiB; less if the values are not far apart. */
struct lkst_hist {
	uint64_t *buckets;
	uint32_t first, nr_buckets; /* the allocated ones: whole rows */
	uint64_t count, min, max;
	unsigned __int128 sum;
};

void lkst_hist_fini(struct lkst_hist *h);

/* Forgets what was counted; the memory stays. */
void lkst_hist_clear(struct lkst_hist *h);

/* The bucket of @value. */
static inline uint32_t lkst_hist_bucket(uint64_t value)
{
	uint32_t shift;

	if (value < LKST_HISTOGRAM_ROW)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - LKST_HISTOGRAM_BITS;
	return shift * LKST_HISTOGRAM_ROW + (uint32_t)(value >> shift);
}

/* The least value of bucket @i. */
static inline uint64_t lkst_hist_floor(uint32_t i)
{
	uint32_t row = i / LKST_HISTOGRAM_ROW;

	return row ? (uint64_t)(i % LKST_HISTOGRAM_ROW + LKST_HISTOGRAM_ROW) << (row - 1) : i;
}

/* Makes room for bucket @i. 0 or -ENOMEM. */
int lkst_hist_grow(struct lkst_hist *h, uint32_t i);

/* Counts @value @times times. 0 or -ENOMEM, then nothing is counted. */
static inline int lkst_hist_add(struct lkst_hist *h, uint64_t value, uint64_t times)
{
	uint32_t i = lkst_hist_bucket(value);

	if (__builtin_expect(i - h->first >= h->nr_buckets, 0) && lkst_hist_grow(h, i))
		return -12; /* -ENOMEM */
	h->buckets[i - h->first] += times;
	h->min = !h->count || value < h->min ? value : h->min;
	h->max = value > h->max ? value : h->max;
	h->count += times;
	h->sum += (unsigned __int128)value * times;
	return 0;
}

/* Adds what @other has counted. 0 or -ENOMEM, then nothing is added. */
int lkst_hist_merge(struct lkst_hist *h, const struct lkst_hist *other);

/*
 * The value that a share of @q (0 to 1) of all is at or below: the middle of its bucket, but never
 * below the least or above the greatest. 0 if nothing was counted.
 */
uint64_t lkst_hist_quantile(const struct lkst_hist *h, double q);

/* 0 if nothing was counted. */
double lkst_hist_mean(const struct lkst_hist *h);

/* The mean to the nearest whole number, exactly. */
uint64_t lkst_hist_rounded_mean(const struct lkst_hist *h);

/* The sum, or UINT64_MAX if that is too small for it. */
uint64_t lkst_hist_sum(const struct lkst_hist *h);

/*
 * Adds to @set a table of kind LKST_TABLE_HISTOGRAM, a row for each power of two from the first to
 * the last one with values, whose values are of @type (COUNT, DURATION or BYTES). 0 or -ENOMEM.
 */
int lkst_hist_table(const struct lkst_hist *h, struct lkst_tables *set, const char *name,
		    const char *title, enum lkst_column_type type);

#endif
