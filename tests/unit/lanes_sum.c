/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What several lanes did together is the sum of what each of them did; a thread ran where its slices are.
 */
#include "analyze/lanes/sum.h"

#include <stdlib.h>

#include "lib/unit.h"

enum { LANES = 3, COLUMNS = 4, WHOLE = 65535 };

/*
 * Of 400 ns each, in columns of 100: runs all the time; runs from 200 on; is ready from 300 on, and not there before.
 */
static struct lkst_lane list[LANES + 1];

static void add(struct lkst_lane *lane, u64 from_ns, u64 to_ns, u8 state)
{
	struct lkst_slice slice = { .from_ns = from_ns, .to_ns = to_ns, .state = state };

	if (lkst_slices_add(&lane->slices, slice))
		abort();
}

static void make(void)
{
	u32 i;

	add(&list[0], 1000, 1400, LKST_LANE_RUNNING);
	add(&list[1], 1000, 1200, LKST_LANE_BLOCKED);
	add(&list[1], 1200, 1400, LKST_LANE_RUNNING);
	add(&list[2], 1300, 1400, LKST_LANE_READY);
	for (i = 0; i < LANES; i++)
		if (lkst_slices_index(&list[i].slices))
			abort();
}

static void release(void)
{
	u32 i;

	for (i = 0; i < LANES + 1; i++)
		lkst_slices_fini(&list[i].slices);
}

/* The finest stretches of so few slices are a nanosecond longer than these. */
static bool is_near(u16 share, double part)
{
	return share >= part * WHOLE - WHOLE / 100.0 && share <= part * WHOLE + 2;
}

TEST(lanes_are_added)
{
	static const struct lkst_lane_at lanes[] = { { &list[0], 1000 }, { &list[1], 1000 }, { &list[2], 1000 } };
	struct lkst_shares shares[COLUMNS];

	make();
	CHECK_EQ(lkst_lanes_sum(lanes, LANES, 400, COLUMNS, shares), 0);
	CHECK(is_near(shares[0].of[LKST_LANE_RUNNING], 1 / 2.0));
	CHECK(is_near(shares[0].of[LKST_LANE_BLOCKED], 1 / 2.0));
	CHECK(is_near(shares[2].of[LKST_LANE_RUNNING], 1));
	CHECK(is_near(shares[3].of[LKST_LANE_RUNNING], 2 / 3.0));
	CHECK(is_near(shares[3].of[LKST_LANE_READY], 1 / 3.0));
	release();
}

/* Where only one of them is there, it does not take the whole. */
TEST(what_is_not_there_takes_nothing)
{
	static const struct lkst_lane_at lanes[] = { { &list[2], 1000 } };
	struct lkst_shares shares[1];

	make();
	CHECK_EQ(lkst_lanes_sum(lanes, 1, 400, 1, shares), 0);
	CHECK(is_near(shares[0].of[LKST_LANE_READY], 1 / 4.0));
	CHECK_EQ(lkst_lanes_sum(lanes, 1, 300, 1, shares), 0);
	CHECK_EQ(shares[0].of[LKST_LANE_READY], 0);
	CHECK_EQ(lkst_lanes_sum(NULL, 0, 300, 1, shares), 0);
	CHECK_EQ(shares[0].of[LKST_LANE_RUNNING], 0);
	release();
}

/* As on the time line of two hosts, one of which was started later: its time 0 is in the third column. */
TEST(lanes_of_other_clocks_are_added)
{
	static const struct lkst_lane_at lanes[] = { { &list[0], 1000 }, { &list[3], -200 } };
	struct lkst_shares shares[COLUMNS];
	unsigned int i;

	make();
	add(&list[3], 0, 100, LKST_LANE_READY);
	CHECK_EQ(lkst_slices_index(&list[3].slices), 0);
	CHECK_EQ(lkst_lanes_sum(lanes, 2, 400, COLUMNS, shares), 0);
	for (i = 0; i < COLUMNS; i++) {
		CHECK(is_near(shares[i].of[LKST_LANE_READY], i == 2 ? 1 / 2.0 : 0));
		CHECK(is_near(shares[i].of[LKST_LANE_RUNNING], i == 2 ? 1 / 2.0 : 1));
	}
	CHECK_EQ(lkst_lane_shares(&list[3], -200, 200, COLUMNS, shares), 0);
	for (i = 0; i < COLUMNS; i++)
		CHECK(is_near(shares[i].of[LKST_LANE_READY], i == 2));
	release();
}

enum { MANY = 40, MANY_SLICES = 30, MANY_COLUMNS = 64, MANY_NS = 100000 };

/* Slices at random, with time between some of them. */
static void add_at_random(struct lkst_lane *lane)
{
	u64 at = (u64)rand() % MANY_NS;
	u32 i;

	for (i = 0; i < MANY_SLICES; i++) {
		u64 to = at + 1 + (u64)rand() % (rand() % 4 ? 100 : 20000);

		add(lane, at, to, (u8)(rand() % LKST_NR_LANE_STATES));
		at = to + (rand() % 2 ? 0 : (u64)rand() % 1000);
	}
	if (lkst_slices_index(&lane->slices))
		abort();
}

/* The time of each state in a column, slice by slice. */
static void count(const struct lkst_lane *lane, double from, double to,
		  double ns[LKST_NR_LANE_STATES])
{
	u32 i;

	for (i = 0; i < lane->slices.nr; i++) {
		const struct lkst_slice *slice = &lane->slices.list[i];
		double begin = (double)slice->from_ns > from ? (double)slice->from_ns : from;
		double end = (double)slice->to_ns < to ? (double)slice->to_ns : to;

		if (end > begin)
			ns[slice->state] += end - begin;
	}
}

TEST(sums_are_those_of_all_slices)
{
	struct lkst_lane many[MANY] = {};
	struct lkst_lane_at all[MANY];
	const double from = 7777, step = (MANY_NS - 7777.0) / MANY_COLUMNS;
	struct lkst_shares shares[MANY_COLUMNS];
	u32 i, k, column;

	srand(5);
	for (i = 0; i < MANY; i++) {
		all[i] = (struct lkst_lane_at){ &many[i], 7777 };
		add_at_random(&many[i]);
	}
	CHECK_EQ(lkst_lanes_sum(all, MANY, MANY_NS - 7777, MANY_COLUMNS, shares), 0);
	for (column = 0; column < MANY_COLUMNS; column++) {
		double ns[LKST_NR_LANE_STATES] = {}, sum = 0;

		for (i = 0; i < MANY; i++)
			count(&many[i], from + column * step, from + (column + 1) * step, ns);
		for (k = 0; k < LKST_NR_LANE_STATES; k++)
			sum += ns[k];
		for (k = 0; k < LKST_NR_LANE_STATES; k++) {
			double share = ns[k] * WHOLE / (sum > step ? sum : step);

			CHECK(shares[column].of[k] > share - 2 && shares[column].of[k] < share + 2);
		}
	}
	for (i = 0; i < MANY; i++)
		lkst_slices_fini(&many[i].slices);
}

TEST(cpus_have_the_time_of_their_slices)
{
	static const struct lkst_slice slices[] = {
		{ .from_ns = 0, .to_ns = 100, .state = LKST_LANE_RUNNING, .cpu = 3 },
		{ .from_ns = 100, .to_ns = 200, .state = LKST_LANE_READY, .cpu = -1 },
		{ .from_ns = 200, .to_ns = 230, .state = LKST_LANE_RUNNING, .cpu = 1 },
		{ .from_ns = 230, .to_ns = 300, .state = LKST_LANE_RUNNING, .cpu = 3 },
	};
	struct lkst_slices s = {};
	struct lkst_cpu_time times[2];
	u32 i;

	for (i = 0; i < sizeof(slices) / sizeof(slices[0]); i++)
		if (lkst_slices_add(&s, slices[i]))
			abort();
	CHECK_EQ(lkst_slices_cpu_times(&s, 50, 250, 2, times), 2);
	CHECK_EQ(times[0].cpu, 3);
	CHECK_EQ(times[0].ns, 50 + 20);
	CHECK_EQ(times[1].cpu, 1);
	CHECK_EQ(times[1].ns, 30);
	CHECK_EQ(lkst_slices_cpu_times(&s, 100, 200, 2, times), 0);
	CHECK_EQ(lkst_slices_cpu_times(&s, 0, 1000, 1, times), 1);
	CHECK_EQ(times[0].ns, 170);
	lkst_slices_fini(&s);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(lanes_are_added),
	ROW(lanes_of_other_clocks_are_added),
	ROW(what_is_not_there_takes_nothing),
	ROW(sums_are_those_of_all_slices),
	ROW(cpus_have_the_time_of_their_slices),
};
UNIT_MAIN(tests)
