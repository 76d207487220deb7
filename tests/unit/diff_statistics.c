/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The statistics of comparisons: known results, and how often samples of one distribution are taken for two.
 *
 * The numbers of small samples are those of all ways to divide the pooled values, which this program in Python counts:
 *
 *	from itertools import combinations
 *	def p(a, b):
 *	    u = lambda x, y: sum((j > i) + .5 * (j == i) for i in x for j in y)
 *	    pooled, n = a + b, len(a)
 *	    every = [u([pooled[i] for i in c], [pooled[i] for i in range(len(pooled)) if i not in c])
 *	             for c in combinations(range(len(pooled)), n)]
 *	    at = u(a, b)
 *	    return 2 * min(sum(x <= at for x in every), sum(x >= at for x in every)) / len(every)
 */
#include "analyze/diff/statistics.h"
#include "lib/unit.h"

#include <math.h>

static bool is_near(double is, double wanted)
{
	return fabs(is - wanted) < 1e-9;
}

static u64 random_state;

static u64 next_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Of a long tail, as times are: the product of four numbers. */
static u64 next_time(void)
{
	u64 product = 1;
	int i;

	for (i = 0; i < 4; i++)
		product *= 1 + next_number() % 100;
	return product;
}

static void fill(struct lkst_hist *h, unsigned int nr, u64 times)
{
	*h = (struct lkst_hist){};
	while (nr--)
		if (lkst_hist_add(h, times * next_time(), 1))
			abort();
}

TEST(rank_test_of_small_samples_is_exact)
{
	double a[] = { 1, 2, 3, 4, 5 }, b[] = { 10, 9, 8, 7, 6 };
	double c[] = { 1, 3, 5, 7 }, d[] = { 2, 4, 6, 8, 9 };
	double one[] = { 1 }, two[] = { 2 };
	/* Two of the groups of the example in Conover's "Practical Nonparametric Statistics", without their ties. */
	double e[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	double f[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06001, 3.14, 1.29001 };
	struct lkst_rank_test t;

	CHECK_EQ(lkst_rank_test_values(a, 5, b, 5, 1, &t), 1);
	CHECK(is_near(t.p, 2.0 / 252));
	CHECK(is_near(t.greater, 1));
	CHECK_EQ(lkst_rank_test_values(b, 5, a, 5, 1, &t), 1);
	CHECK(is_near(t.p, 2.0 / 252) && is_near(t.greater, 0));
	CHECK_EQ(lkst_rank_test_values(c, 4, d, 5, 1, &t), 1);
	CHECK(is_near(t.p, 0.4126984126984127) && is_near(t.greater, 14.0 / 20));
	CHECK_EQ(lkst_rank_test_values(e, 9, f, 9, 1, &t), 1);
	CHECK(is_near(t.p, 0.13591114767585355) && is_near(t.greater, 23.0 / 81));
	CHECK_EQ(lkst_rank_test_values(one, 1, two, 1, 1, &t), 1);
	CHECK(is_near(t.p, 1));
	CHECK_EQ(lkst_rank_test_values(one, 1, two, 0, 1, &t), 0);
}

/* Wikipedia's table of critical values at 5 %: 20 and 20 values are significant up to U = 127, and not from 128 on. */
TEST(rank_test_agrees_with_the_tables)
{
	struct lkst_rank_class classes[40];
	unsigned int wanted, i, k, u;
	struct lkst_rank_test t;

	for (wanted = 127; wanted <= 128; wanted++) {
		/* All of the first come first, then each that moves past one of the second adds a pair. */
		unsigned int first_at[20], left = wanted;

		for (i = 0; i < 20; i++) {
			u = left < 20 ? left : 20;
			first_at[19 - i] = 19 - i + u;
			left -= u;
		}
		memset(classes, 0, sizeof(classes));
		for (i = 0; i < 20; i++)
			classes[first_at[i]].nr[0] = 1;
		for (k = 0; k < 40; k++)
			classes[k].nr[1] = !classes[k].nr[0];
		CHECK(lkst_rank_test(classes, 40, &t));
		CHECK(is_near(t.greater, 1 - wanted / 400.0));
		CHECK((t.p <= 0.05) == (wanted == 127));
	}
}

/* U is 120; its variance, with ties of 2, 3, 5, 2, 4, 3, 2, 2 and 2 values, gives erfc(41.5 / sqrt(2 * 332.2)). */
TEST(rank_test_corrects_for_ties)
{
	double a[] = { 1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 7 };
	double b[] = { 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9, 9 };
	double same[] = { 4, 4, 4 }, too[] = { 4, 4 };
	struct lkst_rank_test t;

	CHECK_EQ(lkst_rank_test_values(a, 12, b, 13, 1, &t), 1);
	CHECK(is_near(t.p, 0.022833842025376));
	CHECK(is_near(t.greater, 120.0 / 156));
	CHECK_EQ(lkst_rank_test_values(same, 3, too, 2, 1, &t), 1);
	CHECK(is_near(t.p, 1) && is_near(t.greater, 0.5));
}

/* Holm's example: 0.01, 0.04, 0.03 and 0.005 become 0.03, 0.06, 0.06 and 0.02. */
TEST(many_tests_are_corrected)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, one[] = { 0.7 }, large[] = { 0.9, 0.8 };

	CHECK_EQ(lkst_rank_adjust(p, 4), 0);
	CHECK(is_near(p[0], 0.03) && is_near(p[1], 0.06));
	CHECK(is_near(p[2], 0.06) && is_near(p[3], 0.02));
	CHECK_EQ(lkst_rank_adjust(one, 1), 0);
	CHECK(is_near(one[0], 0.7));
	CHECK_EQ(lkst_rank_adjust(large, 2), 0);
	CHECK(is_near(large[0], 1) && is_near(large[1], 1));
	CHECK_EQ(lkst_rank_adjust(NULL, 0), 0);
}

/* Four of five values of each are above all of the other five: 5/10 * 4/9 * 3/8 * 2/7. */
TEST(values_beyond_all_others_are_counted)
{
	struct lkst_hist a = {}, b = {}, none = {};
	int i;

	for (i = 0; i < 5; i++) {
		CHECK_EQ(lkst_hist_add(&a, 100 + 10 * i, 1), 0);
		CHECK_EQ(lkst_hist_add(&b, 140 + 10 * i, 1), 0);
	}
	CHECK(is_near(lkst_beyond_p(&a, &b, 1), 1.0 / 42));
	CHECK(is_near(lkst_beyond_p(&b, &a, 1), 1));
	CHECK(is_near(lkst_beyond_p(&none, &a, 1), 1));
	lkst_hist_fini(&a);
	lkst_hist_fini(&b);
}

/*
 * At a level of 5 %, 1000 pairs of one distribution: 50 are expected to differ, with a standard deviation of 6.9. The
 * bootstrap of p99 errs on the one side or on the other, since few values are beyond it.
 */
TEST(samples_of_one_distribution_seldom_differ)
{
	unsigned int i, nr_rank = 0, nr_mean = 0, nr_p99 = 0;
	struct lkst_resampled mean, p99;
	struct lkst_rank_test t;
	struct lkst_hist a, b;

	random_state = 88172645463325252ULL;
	for (i = 0; i < 1000; i++) {
		fill(&a, 150, 1);
		fill(&b, 100, 1);
		CHECK_EQ(lkst_rank_test_hists(&a, &b, 1, &t), 1);
		nr_rank += t.p <= 0.05;
		if (i < 60) {
			CHECK_EQ(lkst_resample_hists(&a, &b, -1, 1, &mean), 0);
			CHECK_EQ(lkst_resample_hists(&a, &b, 0.99, 1, &p99), 0);
			nr_mean += mean.more <= 0.05;
			nr_p99 += p99.more <= 0.05;
		}
		lkst_hist_fini(&a);
		lkst_hist_fini(&b);
	}
	CHECK(nr_rank >= 30 && nr_rank <= 70);
	/* Of 60, 3 are expected. */
	CHECK(nr_mean <= 8);
	CHECK(nr_p99 <= 8);
}

/* Each value four times: as sure as a quarter of the values, if the variance is said to be four times as large. */
TEST(values_that_depend_on_each_other_count_less)
{
	struct lkst_rank_class once[40] = {}, often[40];
	struct lkst_rank_test t, wanted;
	unsigned int i;

	random_state = 88172645463325252ULL;
	for (i = 0; i < 120; i++)
		once[next_number() % 25 + (i % 2 ? 0 : 3)].nr[i % 2]++;
	for (i = 0; i < 40; i++)
		often[i] = (struct lkst_rank_class){ { 4 * once[i].nr[0], 4 * once[i].nr[1] } };
	CHECK(lkst_rank_test(once, 40, &wanted));
	CHECK(wanted.p > 0.0001 && wanted.p < 0.3);
	CHECK(lkst_rank_test(often, 40, &t));
	CHECK(t.p < wanted.p / 10);
	CHECK(lkst_rank_test_inflated(often, 40, 4, &t));
	CHECK(fabs(t.p - wanted.p) < 0.05 * wanted.p);
	CHECK(is_near(t.greater, wanted.greater));
}

/* 1, 2, 3, 4: products of neighbours 0.75 - 0.25 + 0.75, squares 5, so a correlation of 1/4, and 1.25 / 0.75. */
TEST(values_like_those_before_them_count_less)
{
	const double rising[] = { 1, 2, 3, 4 }, changing[] = { 1, 4, 1, 4 }, same[] = { 2, 2, 2 };

	CHECK(is_near(lkst_serial_inflation(rising, 4), 5.0 / 3));
	CHECK(is_near(lkst_serial_inflation(changing, 4), 1));
	CHECK(is_near(lkst_serial_inflation(same, 3), 1));
	CHECK(is_near(lkst_serial_inflation(same, 0), 1));
}

TEST(samples_that_differ_are_told_so)
{
	struct lkst_resampled mean, p50;
	struct lkst_rank_test t;
	struct lkst_hist a, b;

	random_state = 88172645463325252ULL;
	fill(&a, 300, 2);
	fill(&b, 300, 6);
	CHECK_EQ(lkst_rank_test_hists(&a, &b, 1, &t), 1);
	CHECK(t.p < 0.01 && t.greater > 0.5);
	CHECK_EQ(lkst_resample_hists(&a, &b, -1, 1, &mean), 0);
	CHECK_EQ(lkst_resample_hists(&a, &b, 0.5, 1, &p50), 0);
	CHECK(mean.more < 0.01 && mean.less > 0.99);
	CHECK(p50.more < 0.01 && p50.low > 0 && p50.high > p50.low);
	lkst_hist_fini(&a);
	lkst_hist_fini(&b);
}

/* 1000 times at each of 1 to 100: the mean of 50.5 varies by 28.9 / sqrt(100000), so a difference by 0.129. */
TEST(resampling_varies_as_samples_do)
{
	struct lkst_hist a = {}, b = {};
	struct lkst_resampled r;
	double width;
	int i;

	for (i = 1; i <= 31; i++) {
		CHECK_EQ(lkst_hist_add(&a, (u64)i, 1000), 0);
		CHECK_EQ(lkst_hist_add(&b, (u64)i, 1000), 0);
	}
	CHECK_EQ(lkst_resample_hists(&a, &b, -1, 1, &r), 0);
	/* Of 1 to 31, each 1000 times: a deviation of 8.944 over sqrt(31000), times sqrt(2), from -1.96 to 1.96. */
	width = 2 * 1.96 * 8.944 / sqrt(31000) * sqrt(2);
	CHECK(r.high - r.low > 0.85 * width && r.high - r.low < 1.15 * width);
	CHECK(r.more > 0.3 && r.more < 0.7);
	lkst_hist_fini(&a);
	lkst_hist_fini(&b);
}

TEST(resampling_keeps_parts_together)
{
	double often[16], rare[16], ones[16];
	struct lkst_resample_parts a = { rare, ones, 16 }, b = { often, ones, 16 };
	struct lkst_resampled r;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		ones[i] = 1;
		rare[i] = 10 + i % 3;
		often[i] = 20 + i % 5;
	}
	CHECK_EQ(lkst_resample_parts(&a, &b, 1, &r), 0);
	CHECK(r.low > 9 && r.high < 13 && r.more < 0.001);
	/* All in one of sixteen parts: as much, but it may be an accident. */
	for (i = 0; i < 16; i++)
		often[i] = i ? 10 : 16 * 12;
	CHECK_EQ(lkst_resample_parts(&a, &b, 1, &r), 0);
	CHECK(r.more > 0.1);
}

/* Of tables: 0.05 and 0.001 in both tails; a tenth below. */
TEST(distributions_are_those_of_tables)
{
	CHECK(fabs(lkst_student_p(2.447, 6) - 0.05) < 0.001);
	CHECK(fabs(lkst_student_p(5.959, 6) - 0.001) < 0.0001);
	CHECK(fabs(lkst_student_p(2.042, 30) - 0.05) < 0.0005);
	CHECK(is_near(lkst_student_p(0, 6), 1));
	CHECK(fabs(lkst_chi_squared_low(10) - 4.865) < 0.02);
	CHECK(fabs(lkst_chi_squared_low(31) - 21.434) < 0.02);
	CHECK(lkst_chi_squared_low(1) > 0 && lkst_chi_squared_low(1) < 0.0158);
}

static const struct unit_test tests[] = {
	{ "rank_test_of_small_samples_is_exact", test_rank_test_of_small_samples_is_exact },
	{ "rank_test_agrees_with_the_tables", test_rank_test_agrees_with_the_tables },
	{ "rank_test_corrects_for_ties", test_rank_test_corrects_for_ties },
	{ "many_tests_are_corrected", test_many_tests_are_corrected },
	{ "values_beyond_all_others_are_counted", test_values_beyond_all_others_are_counted },
	{ "samples_of_one_distribution_seldom_differ",
	  test_samples_of_one_distribution_seldom_differ },
	{ "values_that_depend_on_each_other_count_less",
	  test_values_that_depend_on_each_other_count_less },
	{ "values_like_those_before_them_count_less",
	  test_values_like_those_before_them_count_less },
	{ "samples_that_differ_are_told_so", test_samples_that_differ_are_told_so },
	{ "resampling_varies_as_samples_do", test_resampling_varies_as_samples_do },
	{ "resampling_keeps_parts_together", test_resampling_keeps_parts_together },
	{ "distributions_are_those_of_tables", test_distributions_are_those_of_tables },
};
UNIT_MAIN(tests)
