// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * result/hist.h: quantiles held against sorting.
 */
#include "result/hist.h"

#include <stdbool.h>

#include "lib/unit.h"

enum { NR_VALUES = 20000 };

static uint64_t seed = 88172645463325252ULL;

/* Marsaglia's xorshift: the same numbers every time. */
static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The value at or below which a share of @q of the sorted @values is, by its rank. */
static uint64_t sorted_quantile(const uint64_t *values, unsigned int nr, double q)
{
	unsigned int rank = (unsigned int)(q * nr);

	rank += rank < q * nr;
	return values[rank ? rank - 1 : 0];
}

static bool quantiles_agree(uint64_t *values, unsigned int nr)
{
	static const double shares[] = { 0, 0.01, 0.25, 0.5, 0.95, 0.99, 0.999, 1 };
	struct lkst_hist h = { 0 };
	bool agree = true;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (lkst_hist_add(&h, values[i], 1))
			abort();
	qsort(values, nr, sizeof(*values), compare);
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		double want = (double)sorted_quantile(values, nr, shares[i]);
		double got = (double)lkst_hist_quantile(&h, shares[i]);

		/* Half a bucket is 1/64 of its floor. */
		if (got < want - want / 62 || got > want + want / 62) {
			printf("quantile %g of %u: %.0f, not %.0f\n", shares[i], nr, got, want);
			agree = false;
		}
	}
	agree &= h.min == values[0] && h.max == values[nr - 1] && h.count == nr;
	lkst_hist_fini(&h);
	return agree;
}

TEST(histogram_quantiles_agree_with_sorting)
{
	static uint64_t values[NR_VALUES];
	unsigned int i;

	for (i = 0; i < NR_VALUES; i++)
		values[i] = next() % 1000000;
	CHECK(quantiles_agree(values, NR_VALUES));
	/* As many in each power of two, from 1 to 2^63. */
	for (i = 0; i < NR_VALUES; i++)
		values[i] = next() >> (next() % 64);
	CHECK(quantiles_agree(values, NR_VALUES));
	for (i = 0; i < NR_VALUES; i++)
		values[i] = i % 100 ? 1000 : 5000000;
	CHECK(quantiles_agree(values, NR_VALUES));
	for (i = 0; i < 7; i++)
		values[i] = i * 100;
	CHECK(quantiles_agree(values, 7));
	values[0] = UINT64_MAX;
	CHECK(quantiles_agree(values, 1));
}

TEST(histogram_buckets_follow_each_other)
{
	uint32_t i, last = LKST_HISTOGRAM_ROW * LKST_HISTOGRAM_ROWS - 1;

	for (i = 0; i <= last; i++) {
		CHECK_EQ(lkst_hist_bucket(lkst_hist_floor(i)), i);
		if (i < last)
			CHECK_EQ(lkst_hist_bucket(lkst_hist_floor(i + 1) - 1), i);
	}
	CHECK_EQ(lkst_hist_bucket(UINT64_MAX), last);
}

TEST(histogram_counts_are_exact)
{
	struct lkst_hist h = { 0 };

	CHECK_EQ(lkst_hist_quantile(&h, 0.5), 0);
	CHECK(lkst_hist_mean(&h) == 0);
	CHECK_EQ(lkst_hist_add(&h, 10, 3), 0);
	CHECK_EQ(lkst_hist_add(&h, 1000001, 1), 0);
	CHECK_EQ(lkst_hist_add(&h, 0, 1), 0);
	CHECK_EQ(h.count, 5);
	CHECK_EQ(h.min, 0);
	CHECK_EQ(h.max, 1000001);
	CHECK_EQ(lkst_hist_sum(&h), 1000031);
	CHECK(lkst_hist_mean(&h) == 1000031 / 5.0);
	CHECK_EQ(lkst_hist_rounded_mean(&h), 200006); /* of 200006.2 */
	CHECK_EQ(lkst_hist_add(&h, 1, 1), 0);
	CHECK_EQ(lkst_hist_rounded_mean(&h), 166672); /* of 166672 */
	CHECK_EQ(lkst_hist_add(&h, 166675, 1), 0);
	CHECK_EQ(lkst_hist_rounded_mean(&h), 166672); /* of 166672.43 */
	CHECK_EQ(lkst_hist_add(&h, 166677, 1), 0);
	CHECK_EQ(lkst_hist_rounded_mean(&h), 166673); /* of 166673 */
	CHECK_EQ(lkst_hist_quantile(&h, 0.5), 10);
	CHECK_EQ(lkst_hist_quantile(&h, 1), 1000001);
	lkst_hist_fini(&h);

	CHECK_EQ(lkst_hist_add(&h, UINT64_MAX, 3), 0);
	CHECK(lkst_hist_sum(&h) == UINT64_MAX);
	CHECK(lkst_hist_mean(&h) == (double)UINT64_MAX);
	CHECK(lkst_hist_rounded_mean(&h) == UINT64_MAX);
	lkst_hist_fini(&h);
}

TEST(histogram_merge_is_as_if_all_were_added)
{
	struct lkst_hist a = { 0 }, b = { 0 }, all = { 0 };
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		uint64_t value = next() >> (i % 50 + 10);

		CHECK_EQ(lkst_hist_add(i % 3 ? &a : &b, value, 1), 0);
		CHECK_EQ(lkst_hist_add(&all, value, 1), 0);
	}
	CHECK_EQ(lkst_hist_merge(&a, &b), 0);
	CHECK_EQ(a.count, all.count);
	CHECK_EQ(a.min, all.min);
	CHECK_EQ(a.max, all.max);
	CHECK(a.sum == all.sum);
	for (i = 0; i <= 100; i++)
		CHECK_EQ(lkst_hist_quantile(&a, i / 100.0), lkst_hist_quantile(&all, i / 100.0));
	lkst_hist_fini(&b);
	CHECK_EQ(lkst_hist_merge(&a, &b), 0);
	CHECK_EQ(lkst_hist_merge(&b, &a), 0);
	CHECK_EQ(b.count, all.count);
	CHECK_EQ(b.min, all.min);
	lkst_hist_fini(&a);
	lkst_hist_fini(&b);
	lkst_hist_fini(&all);
}

TEST(histogram_table_has_a_row_per_power_of_two)
{
	static const uint64_t values[] = { 0, 1, 3, 4, 7, 32, 63 };
	static const uint64_t want[][3] = {
		{ 0, 1, 1 },  { 1, 2, 1 },   { 2, 4, 1 },   { 4, 8, 2 },
		{ 8, 16, 0 }, { 16, 32, 0 }, { 32, 64, 2 },
	};
	struct lkst_tables set = { 0 };
	struct lkst_hist h = { 0 };
	unsigned int i, j;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		CHECK_EQ(lkst_hist_add(&h, values[i], 1), 0);
	CHECK_EQ(lkst_hist_table(&h, &set, "sizes", "Sizes", LKST_COLUMN_BYTES), 0);
	CHECK_EQ(set.items[0]->kind, LKST_TABLE_HISTOGRAM);
	CHECK_EQ(set.items[0]->nr_rows, 7);
	for (i = 0; i < 7; i++)
		for (j = 0; j < 3; j++)
			CHECK_EQ(lkst_table_cell(set.items[0], i, j)->u64, want[i][j]);
	lkst_hist_fini(&h);
	CHECK_EQ(lkst_hist_table(&h, &set, "none", NULL, LKST_COLUMN_DURATION), 0);
	CHECK_EQ(set.items[1]->nr_rows, 0);
	CHECK_EQ(lkst_hist_add(&h, UINT64_MAX, 1), 0);
	CHECK_EQ(lkst_hist_table(&h, &set, "most", NULL, LKST_COLUMN_COUNT), 0);
	CHECK(lkst_table_cell(set.items[2], 0, 0)->u64 == 1ULL << 63);
	CHECK(lkst_table_cell(set.items[2], 0, 1)->u64 == UINT64_MAX);
	lkst_hist_fini(&h);
	lkst_tables_fini(&set);
}

static const struct unit_test tests[] = {
	{ "histogram_quantiles_agree_with_sorting", test_histogram_quantiles_agree_with_sorting },
	{ "histogram_buckets_follow_each_other", test_histogram_buckets_follow_each_other },
	{ "histogram_counts_are_exact", test_histogram_counts_are_exact },
	{ "histogram_merge_is_as_if_all_were_added", test_histogram_merge_is_as_if_all_were_added },
	{ "histogram_table_has_a_row_per_power_of_two",
	  test_histogram_table_has_a_row_per_power_of_two },
};
UNIT_MAIN(tests)
