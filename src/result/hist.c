/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts values so that quantiles can be found later, in bounded memory. */
#include "result/hist.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(ENOMEM == 12, "lkst_hist_add() has the number");

void lkst_hist_fini(struct lkst_hist *h)
{
	free(h->buckets);
	*h = (struct lkst_hist){ 0 };
}

void lkst_hist_clear(struct lkst_hist *h)
{
	if (h->nr_buckets)
		memset(h->buckets, 0, h->nr_buckets * sizeof(*h->buckets));
	h->count = h->min = h->max = 0;
	h->sum = 0;
}

int lkst_hist_grow(struct lkst_hist *h, uint32_t i)
{
	uint32_t first = i & ~(uint32_t)(LKST_HISTOGRAM_ROW - 1);
	uint32_t end = first + LKST_HISTOGRAM_ROW;
	uint64_t *buckets;

	assert(end <= LKST_HISTOGRAM_ROW * LKST_HISTOGRAM_ROWS);
	if (h->nr_buckets) {
		first = first < h->first ? first : h->first;
		end = end > h->first + h->nr_buckets ? end : h->first + h->nr_buckets;
	}
	buckets = calloc(end - first, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	if (h->nr_buckets)
		memcpy(buckets + (h->first - first), h->buckets, h->nr_buckets * sizeof(*buckets));
	free(h->buckets);
	h->buckets = buckets;
	h->first = first;
	h->nr_buckets = end - first;
	return 0;
}

int lkst_hist_merge(struct lkst_hist *h, const struct lkst_hist *other)
{
	uint32_t i;

	if (!other->count)
		return 0;
	if (lkst_hist_bucket(other->min) - h->first >= h->nr_buckets &&
	    lkst_hist_grow(h, lkst_hist_bucket(other->min)))
		return -ENOMEM;
	if (lkst_hist_bucket(other->max) - h->first >= h->nr_buckets &&
	    lkst_hist_grow(h, lkst_hist_bucket(other->max)))
		return -ENOMEM;
	for (i = 0; i < other->nr_buckets; i++)
		if (other->buckets[i])
			h->buckets[other->first + i - h->first] += other->buckets[i];
	h->min = !h->count || other->min < h->min ? other->min : h->min;
	h->max = other->max > h->max ? other->max : h->max;
	h->count += other->count;
	h->sum += other->sum;
	return 0;
}

uint64_t lkst_hist_quantile(const struct lkst_hist *h, double q)
{
	uint64_t seen = 0, rank, low, middle;
	double exact = q * (double)h->count;
	uint32_t i;

	if (!h->count)
		return 0;
	/* The rank is the next whole number, counted from 1. */
	rank = exact < 1 ? 1 : (uint64_t)exact;
	rank += (double)rank < exact;
	rank = rank > h->count ? h->count : rank;
	for (i = 0; i < h->nr_buckets - 1; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			break;
	}
	i += h->first;
	low = lkst_hist_floor(i);
	middle = i < 2 * LKST_HISTOGRAM_ROW ? low : low + (1ULL << (i / LKST_HISTOGRAM_ROW - 2));
	return middle < h->min ? h->min : middle > h->max ? h->max : middle;
}

double lkst_hist_mean(const struct lkst_hist *h)
{
	return h->count ? (double)h->sum / (double)h->count : 0;
}

uint64_t lkst_hist_rounded_mean(const struct lkst_hist *h)
{
	/* Not by way of a double, in which UINT64_MAX and its neighbours are 2^64. */
	return h->count ? (uint64_t)((h->sum + h->count / 2) / h->count) : 0;
}

uint64_t lkst_hist_sum(const struct lkst_hist *h)
{
	return h->sum > UINT64_MAX ? UINT64_MAX : (uint64_t)h->sum;
}

/* ---- as a table ------------------------------------------------------------------------------ */

static const struct lkst_column duration_columns[] = {
	{ "from", "from", LKST_COLUMN_DURATION, "least of the range" },
	{ "to", "below", LKST_COLUMN_DURATION, "end of the range, not in it" },
	{ "count", "count", LKST_COLUMN_COUNT, "how many were in the range" },
};
static const struct lkst_column size_columns[] = {
	{ "from", "from", LKST_COLUMN_BYTES, "least of the range" },
	{ "to", "below", LKST_COLUMN_BYTES, "end of the range, not in it" },
	{ "count", "count", LKST_COLUMN_COUNT, "how many were in the range" },
};
static const struct lkst_column count_columns[] = {
	{ "from", "from", LKST_COLUMN_COUNT, "least of the range" },
	{ "to", "below", LKST_COLUMN_COUNT, "end of the range, not in it" },
	{ "count", "count", LKST_COLUMN_COUNT, "how many were in the range" },
};

/* The power of two that @value is in: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7 and so on. */
static unsigned int power_of(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

int lkst_hist_table(const struct lkst_hist *h, struct lkst_tables *set, const char *name,
		    const char *title, enum lkst_column_type type)
{
	const struct lkst_column *columns = type == LKST_COLUMN_DURATION ? duration_columns
					    : type == LKST_COLUMN_BYTES	 ? size_columns
									 : count_columns;
	struct lkst_table *t = lkst_tables_add(set, name, title, columns, 3);
	uint64_t counts[65] = { 0 };
	unsigned int power;
	uint32_t i;

	if (!t)
		return -ENOMEM;
	t->kind = LKST_TABLE_HISTOGRAM;
	for (i = 0; i < h->nr_buckets; i++)
		counts[power_of(lkst_hist_floor(h->first + i))] += h->buckets[i];
	for (power = power_of(h->min); h->count && power <= power_of(h->max); power++) {
		lkst_table_row(t);
		lkst_table_u64(t, power ? 1ULL << (power - 1) : 0);
		lkst_table_u64(t, power < 64 ? 1ULL << power : UINT64_MAX);
		lkst_table_u64(t, counts[power]);
	}
	return lkst_table_end(t);
}
