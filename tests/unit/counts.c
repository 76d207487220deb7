/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Columns of a curve are what its points say, at every scale, and what gaps cover is not known; counts are those of the
 * records, counted one by one.
 */
#include "analyze/lanes/counts.h"

#include "analyze/lanes/lanes.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

enum { COLUMNS = 50, POINTS = 20000 };

static struct lkst_err err;

/* Levels at random times, some unknown. */
static struct lkst_curve random_curve(bool is_rate, unsigned int seed)
{
	struct lkst_curve c = { .is_rate = is_rate };
	u64 ns = 5000;

	srand(seed);
	while (c.nr < POINTS) {
		ns += 1 + (u64)rand() % (rand() % 100 ? 50 : 50000);
		if (lkst_curve_add(&c, ns,
				   is_rate || rand() % 20 ? (u64)rand() % 30 : LKST_CURVE_UNKNOWN))
			abort();
	}
	if (lkst_curve_index(&c, ns + 1000))
		abort();
	return c;
}

/* The column from one time to another, point by point. */
static struct lkst_curve_column count(const struct lkst_curve *c, double from, double to)
{
	struct lkst_curve_column all = { .min = 1e18, .max = -1 };
	double sum = 0, known = 0;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		double begin = (double)c->list[i].ns, value = (double)c->list[i].value;
		double end = (double)(i + 1 < c->nr ? c->list[i + 1].ns : c->end_ns);

		begin = begin > from ? begin : from;
		end = end < to ? end : to;
		if (end <= begin || c->list[i].value == LKST_CURVE_UNKNOWN)
			continue;
		all.min = value < all.min ? value : all.min;
		all.max = value > all.max ? value : all.max;
		sum += value * (end - begin);
		known += end - begin;
	}
	if (known <= 0)
		return (struct lkst_curve_column){};
	all.mean = sum / known;
	all.known = known / (to - from);
	return all;
}

static bool is_near(double a, double b)
{
	return a - b < 1e-6 && b - a < 1e-6;
}

static void expect_columns(const struct lkst_curve *c, u64 from, u64 to)
{
	struct lkst_curve_column columns[COLUMNS];
	double step = (double)(to - from) / COLUMNS;
	unsigned int i;

	lkst_curve_columns(c, from, to, COLUMNS, columns);
	for (i = 0; i < COLUMNS; i++) {
		struct lkst_curve_column want =
			count(c, (double)from + i * step, (double)from + i * step + step);

		CHECK(is_near(columns[i].min, want.min));
		CHECK(is_near(columns[i].max, want.max));
		CHECK(is_near(columns[i].mean, want.mean));
		CHECK(is_near(columns[i].known, want.known));
	}
}

TEST(columns_are_those_of_the_points)
{
	struct lkst_curve c = random_curve(false, 1);
	u64 begin = c.list[0].ns, length = c.end_ns - begin;
	u32 i;

	expect_columns(&c, begin, begin + length);
	expect_columns(&c, 0, begin + 2 * length);
	for (i = 0; i < 40; i++) {
		expect_columns(&c, begin + length / 40 * i, begin + length / 40 * i + length / 500);
		expect_columns(&c, begin + length / 40 * i, begin + length / 40 * i + 30);
	}
	lkst_curve_fini(&c);
}

TEST(amounts_are_counted_once)
{
	struct lkst_curve c = random_curve(true, 2);
	u64 begin = c.list[0].ns, length = c.end_ns - begin, pieces[] = { 1, 7, 1000 }, i, k;
	double all = 0;

	for (i = 0; i < c.nr; i++)
		all += (double)c.list[i].value;
	for (k = 0; k < 3; k++) {
		struct lkst_curve_column columns[COLUMNS];
		double sum = 0;

		for (i = 0; i < pieces[k]; i++) {
			u64 from = begin + length * i / pieces[k],
			    to = begin + length * (i + 1) / pieces[k];
			unsigned int m;

			lkst_curve_columns(&c, from, to, COLUMNS, columns);
			for (m = 0; m < COLUMNS; m++)
				sum += columns[m].mean * (double)(to - from) / COLUMNS / 1e9;
		}
		CHECK(sum - all < 1 && all - sum < 1);
	}
	lkst_curve_fini(&c);
}

TEST(levels_in_gaps_are_not_known)
{
	struct lkst_curve c = {};
	struct lkst_slices gaps = {};
	struct lkst_curve_column columns[10];
	static const double known[10] = { 0, 1, 0.5, 0, 0, 1, 1, 0, 0, 0 };
	unsigned int i;

	CHECK_EQ(lkst_curve_add(&c, 100, 3), 0);
	CHECK_EQ(lkst_curve_add(&c, 350, 4), 0); /* in a gap */
	CHECK_EQ(lkst_curve_add(&c, 500, 5), 0);
	CHECK_EQ(lkst_slices_add(&gaps, (struct lkst_slice){ .from_ns = 0, .to_ns = 50 }), 0);
	CHECK_EQ(lkst_slices_add(&gaps, (struct lkst_slice){ .from_ns = 250, .to_ns = 400 }), 0);
	CHECK_EQ(lkst_slices_add(&gaps, (struct lkst_slice){ .from_ns = 700, .to_ns = 750 }), 0);
	CHECK_EQ(lkst_curve_forget(&c, &gaps), 0);
	CHECK_EQ(lkst_curve_index(&c, 1000), 0);
	lkst_curve_columns(&c, 0, 1000, 10, columns);
	for (i = 0; i < 10; i++)
		CHECK(is_near(columns[i].known, known[i]));
	CHECK(is_near(columns[2].mean, 3) && is_near(columns[6].max, 5) &&
	      is_near(columns[8].max, 0));
	lkst_slices_fini(&gaps);
	lkst_curve_fini(&c);
}

TEST(no_points_have_no_columns)
{
	struct lkst_curve c = {};
	struct lkst_curve_column columns[2];

	CHECK_EQ(lkst_curve_index(&c, 10), 0);
	lkst_curve_columns(&c, 0, 10, 2, columns);
	CHECK(columns[0].known == 0 && columns[1].known == 0);
	lkst_curve_fini(&c);
}

/* Two requests of one disk overlap; packets; a thread is ready for 400 ns. */
static const char text[] =
	"state_disk ns=900 dev=8388608 name=\"vda\"\nstate_netdev ns=900 ifindex=2 name=\"eth0\"\n"
	"sched_switch cpu=0 tid=0 ns=1000 prev_tid=0 next_tid=7 prev_state=0\n"
	"block_rq_issue cpu=0 tid=7 ns=1100 rq=1 dev=8388608 bytes=4096\n"
	"block_rq_issue cpu=0 tid=7 ns=1200 rq=2 dev=8388608 bytes=4096\n"
	"net_dev_queue cpu=0 tid=7 ns=1250 skb=1 ifindex=2 bytes=100\n"
	"sched_wakeup cpu=0 tid=7 ns=1300 target_tid=8 target_cpu=0 nr_running=2\n"
	"block_rq_complete cpu=0 tid=7 ns=1400 rq=1 dev=8388608 bytes=4096\n"
	"sched_switch cpu=0 tid=7 ns=1700 prev_tid=7 next_tid=8 prev_state=1\n"
	"block_rq_complete cpu=0 tid=8 ns=1800 rq=2 dev=8388608 bytes=4096\n"
	"mm_page_free cpu=0 tid=8 ns=1850 pfn=1 order=0\n"
	"mm_page_alloc cpu=0 tid=8 ns=1900 pfn=8 order=3\n"
	"sched_switch cpu=0 tid=8 ns=2000 prev_tid=8 next_tid=0 prev_state=1\n";

/* The columns of 100 ns of the count that is called @name, from 1000 to 2000. */
static void columns_of(const struct lkst_lanes *lanes, const char *name,
		       struct lkst_curve_column ret_columns[10])
{
	u32 i;

	memset(ret_columns, 0, 10 * sizeof(*ret_columns));
	for (i = 0; i < lanes->counts.nr; i++)
		if (!strcmp(lanes->counts.list[i].name, name))
			CHECK_EQ(lkst_count_columns(&lanes->counts, i, 1000, 2000, 10, ret_columns),
				 0);
}

TEST(counts_are_those_of_the_records)
{
	static const double requests[10] = { 0, 1, 2, 2, 1, 1, 1, 1, 0, 0 };
	static const double ready[10] = { 0, 0, 0, 1, 1, 1, 1, 0, 0, 0 };
	struct lkst_curve_column columns[10];
	struct lkst_lanes *lanes = NULL;
	struct lkst_trace *t = NULL;
	char dir[64], path[80];
	unsigned int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, text) || lkst_trace_open(&err, path, &t) ||
	    lkst_lanes_new(&err, t, &lanes))
		abort();
	columns_of(lanes, "vda requests", columns);
	for (i = 0; i < 10; i++)
		CHECK(is_near(columns[i].mean, requests[i]) && is_near(columns[i].known, 1));
	columns_of(lanes, "ready threads", columns);
	for (i = 0; i < 10; i++)
		CHECK(is_near(columns[i].mean, ready[i]));
	columns_of(lanes, "allocated pages", columns);
	CHECK(is_near(columns[0].mean, 1) && is_near(columns[8].min, 0) && is_near(columns[9].mean, 8));
	columns_of(lanes, "eth0 send", columns);
	for (i = 0; i < 10; i++)
		CHECK(is_near(columns[i].mean, i == 2 ? 1e9 : 0));
	columns_of(lanes, "run queue 0", columns);
	CHECK(is_near(columns[2].known, 0) && is_near(columns[4].mean, 2) &&
	      is_near(columns[8].mean, 1));
	lkst_lanes_free(lanes);
	lkst_trace_close(t);
	make_scratch_remove(dir);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(columns_are_those_of_the_points), ROW(amounts_are_counted_once),
	ROW(levels_in_gaps_are_not_known),    ROW(no_points_have_no_columns),
	ROW(counts_are_those_of_the_records),
};
UNIT_MAIN(tests)
