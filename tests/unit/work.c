// SPDX-License-Identifier: GPL-2.0-only
/* What recording costs by comparing: the counters, and what is said of them. */
#include "live/recording/work.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "lib/unit.h"

enum { READS = 20000 };

/* The counters against what this process does itself. */
TEST(work_counts_what_is_done)
{
	struct lkst_work begin, end;
	char page[16];
	int fds[2], i;

	CHECK(!pipe(fds));
	CHECK_EQ(lkst_work_read(NULL, &begin), 0);
	for (i = 0; i < READS; i++) {
		CHECK_EQ(write(fds[1], "x", 1), 1);
		CHECK_EQ(read(fds[0], page, sizeof(page)), 1);
	}
	CHECK_EQ(lkst_work_read(NULL, &end), 0);
	/* Others may have done more. A kernel without CONFIG_TASK_IO_ACCOUNTING has no such counter. */
	if (end.done[LKST_WORK_CALLS])
		CHECK(end.done[LKST_WORK_CALLS] - begin.done[LKST_WORK_CALLS] >= 2 * READS);
	CHECK(end.done[LKST_WORK_SWITCHES] > 0);
	CHECK(end.done[LKST_WORK_FAULTS] > 0);
	close(fds[0]);
	close(fds[1]);
}

/* 20 pairs, in which work costs 1.25 as much when recorded; @noise: of single windows. */
static void make_pairs(struct lkst_work_pair *pairs, u32 nr, enum lkst_work_unit unit, double noise)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		/* The machine's speed changes from pair to pair, which must not matter. */
		const double speed = 1 + 0.5 * (i % 3), off = 1 + noise * ((int)(i * 7 % 11) - 5) / 5;

		pairs[i].unrecorded.busy_us = pairs[i].recorded.busy_us = 400000;
		pairs[i].unrecorded.done[unit] = 100000 * speed * off;
		pairs[i].recorded.done[unit] = 100000 * speed / 1.25;
	}
}

TEST(work_compare_finds_the_slowdown)
{
	struct lkst_work_pair pairs[20] = {};
	struct lkst_work_slowdown s;

	make_pairs(pairs, 20, LKST_WORK_CALLS, 0.004);
	make_pairs(pairs, 20, LKST_WORK_FAULTS, 0.3);
	CHECK_EQ(lkst_work_compare(NULL, pairs, 20, &s), 0);
	CHECK_EQ(s.unit, LKST_WORK_CALLS);
	CHECK_EQ(s.nr_pairs, 20);
	CHECK(fabs(s.median - 0.25) < 0.01);
	CHECK(s.least <= s.median && s.median <= s.most);
	CHECK(s.most - s.least < 0.06);
}

/* A CPU that is idle half of the time, and does the same work: what counts is the time that it is busy. */
TEST(work_compare_counts_busy_time)
{
	struct lkst_work_pair pairs[8] = {};
	struct lkst_work_slowdown s;
	u32 i;

	for (i = 0; i < 8; i++) {
		pairs[i].unrecorded = (struct lkst_work){ .busy_us = 100000, .done = { 5000 } };
		pairs[i].recorded = (struct lkst_work){ .busy_us = 110000, .done = { 5000 } };
	}
	CHECK_EQ(lkst_work_compare(NULL, pairs, 8, &s), 0);
	CHECK(fabs(s.median - 0.1) < 1e-9);
	CHECK(fabs(s.least - 0.1) < 1e-9 && fabs(s.most - 0.1) < 1e-9);
}

/* The range that has the median with 95 %: of 6 all, of 9 without one at each end, of 20 without five. */
TEST(work_compare_range)
{
	static const struct {
		u32 nr, left_out;
	} rows[] = { { 6, 0 }, { 8, 0 }, { 9, 1 }, { 20, 5 }, { 100, 39 } };
	struct lkst_work_pair pairs[100];
	struct lkst_work_slowdown s;
	u32 i, row;

	for (row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		memset(pairs, 0, sizeof(pairs));
		for (i = 0; i < rows[row].nr; i++) {
			pairs[i].unrecorded = (struct lkst_work){ 100000, { 5000 } };
			pairs[i].recorded = (struct lkst_work){ 100000 + 1000 * i, { 5000 } };
		}
		CHECK_EQ(lkst_work_compare(NULL, pairs, rows[row].nr, &s), 0);
		CHECK(fabs(s.least - 0.01 * rows[row].left_out) < 1e-9);
		CHECK(fabs(s.most - 0.01 * (rows[row].nr - 1 - rows[row].left_out)) < 1e-9);
	}
}

TEST(work_compare_refuses_too_little)
{
	struct lkst_work_pair pairs[20] = {};
	struct lkst_work_slowdown s;
	struct lkst_err e = {};

	make_pairs(pairs, 5, LKST_WORK_CALLS, 0);
	CHECK_EQ(lkst_work_compare(&e, pairs, 5, &s), -ENODATA);
	memset(pairs, 0, sizeof(pairs));
	CHECK_EQ(lkst_work_compare(&e, pairs, 20, &s), -ENODATA);
	CHECK_EQ(lkst_work_compare(&e, pairs, 0, &s), -ENODATA);
	/* Work in fewer than half of the pairs is no measure. */
	make_pairs(pairs, 8, LKST_WORK_CALLS, 0);
	CHECK_EQ(lkst_work_compare(&e, pairs, 20, &s), -ENODATA);
}

static const struct unit_test tests[] = {
	{ "work_counts_what_is_done", test_work_counts_what_is_done },
	{ "work_compare_finds_the_slowdown", test_work_compare_finds_the_slowdown },
	{ "work_compare_counts_busy_time", test_work_compare_counts_busy_time },
	{ "work_compare_range", test_work_compare_range },
	{ "work_compare_refuses_too_little", test_work_compare_refuses_too_little },
};

UNIT_MAIN(tests)
