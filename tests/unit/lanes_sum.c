/* SPDX-License-Identifier: GPL-2.0-only */
/* What several lanes did together is the sum of what each of them did. */
#include "analyze/lanes/sum.h"

#include <stdlib.h>

#include "lib/unit.h"

enum { LANES = 3, COLUMNS = 4, WHOLE = 65535 };

/* Of 400 ns each, in columns of 100: runs all the time; runs from 200 on; is ready from 300 on, and not there before. */
static struct lkst_lane list[LANES];
static const struct lkst_lanes lanes = { .list = list, .nr = LANES };

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

	for (i = 0; i < LANES; i++)
		lkst_slices_fini(&list[i].slices);
}

/* The finest stretches of so few slices are a nanosecond longer than these. */
static bool is_near(u16 share, double part)
{
	return share >= part * WHOLE - WHOLE / 100.0 && share <= part * WHOLE + 2;
}

TEST(lanes_are_added)
{
	static const u32 places[] = { 0, 1, 2, 7 };
	struct lkst_shares shares[COLUMNS];

	make();
	CHECK_EQ(lkst_lanes_sum(&lanes, places, 4, 1000, 1400, COLUMNS, shares), 0);
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
	static const u32 places[] = { 2 };
	struct lkst_shares shares[1];

	make();
	CHECK_EQ(lkst_lanes_sum(&lanes, places, 1, 1000, 1400, 1, shares), 0);
	CHECK(is_near(shares[0].of[LKST_LANE_READY], 1 / 4.0));
	CHECK_EQ(lkst_lanes_sum(&lanes, places, 1, 1000, 1300, 1, shares), 0);
	CHECK_EQ(shares[0].of[LKST_LANE_READY], 0);
	CHECK_EQ(lkst_lanes_sum(&lanes, NULL, 0, 1000, 1300, 1, shares), 0);
	CHECK_EQ(shares[0].of[LKST_LANE_RUNNING], 0);
	release();
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(lanes_are_added),
	ROW(what_is_not_there_takes_nothing),
};
UNIT_MAIN(tests)
