/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * live/state/readings.h: which readings of the kernel's counters are kept when there is no room for all.
 */
#include "live/state/readings.h"

#include "lib/unit.h"

enum { ROOM = LKST_READINGS_MAX };

/* Those that are kept, when a reading is made each @step_ns for @total_ns and records reach back @history_ns. */
static u32 simulate(u64 step_ns, u64 total_ns, u64 history_ns, u64 ret_ns[ROOM])
{
	bool needed[ROOM];
	u32 nr = 0, i, out;
	u64 now;

	for (now = step_ns; now <= total_ns; now += step_ns) {
		if (nr == ROOM) {
			for (i = 0; i < nr; i++)
				needed[i] = ret_ns[i] + history_ns >= now;
			out = lkst_readings_choose(ret_ns, needed, nr, now);
			for (i = out; i + 1 < nr; i++)
				ret_ns[i] = ret_ns[i + 1];
			nr--;
		}
		ret_ns[nr++] = now;
	}
	return nr;
}

TEST(readings_reach_back_as_far_as_records_do)
{
	static const u64 histories[] = { 20, 60, 100, 1000, 50000 };
	u64 ns[ROOM] = {};
	unsigned int h;
	u32 nr, i;

	/* Each 5 s, for a day: the oldest that can be compared is at least half as old as the records. */
	for (h = 0; h < sizeof(histories) / sizeof(histories[0]); h++) {
		nr = simulate(5, 86400, histories[h], ns);
		CHECK_EQ(nr, ROOM);
		CHECK_EQ(ns[nr - 1], 86400);
		for (i = 0; i < nr && ns[i] + histories[h] < 86400; i++)
			;
		CHECK(i + 1 < nr);
		CHECK((86400 - ns[i]) * 2 >= histories[h]);
	}
}

TEST(readings_of_now_are_as_close_as_they_were_made)
{
	u64 ns[ROOM] = {};
	u32 nr = simulate(5, 86400, 3600, ns);

	CHECK_EQ(ns[nr - 2], 86395);
}

TEST(readings_that_nothing_reaches_back_to_go_first)
{
	static const u64 ns[] = { 1, 2, 100, 101, 102 };
	static const bool needed[] = { true, false, true, true, true };

	CHECK_EQ(lkst_readings_choose(ns, needed, 5, 103), 1);
}

static const struct unit_test tests[] = {
	{ "readings_reach_back_as_far_as_records_do", test_readings_reach_back_as_far_as_records_do },
	{ "readings_of_now_are_as_close_as_they_were_made",
	  test_readings_of_now_are_as_close_as_they_were_made },
	{ "readings_that_nothing_reaches_back_to_go_first",
	  test_readings_that_nothing_reaches_back_to_go_first },
};
UNIT_MAIN(tests)
