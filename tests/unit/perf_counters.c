// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/kernel/perf_counters.h: which counters a text names. That they count, tests/live/perf_counters.sh looks at.
 */
#include "live/kernel/perf_counters.h"

#include <errno.h>
#include <string.h>

#include "lib/unit.h"

TEST(perf_counters_are_read_in_order)
{
	u8 got[LKST_PERF_AT_ONCE];
	struct lkst_err e = {};

	CHECK_EQ(lkst_perf_counters_parse(&e, "instructions,cycles,page-faults", got), 0);
	CHECK_EQ(got[0], LKST_PERF_instructions);
	CHECK_EQ(got[1], LKST_PERF_cycles);
	CHECK_EQ(got[2], LKST_PERF_page_faults);
	CHECK_EQ(got[3], LKST_PERF_NOTHING);
}

TEST(perf_counters_refuses_other_texts)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "\"\" is not a counter; there are cycles, instructions" },
		{ "cycles,", "\"\" is not a counter" },
		{ "cycle", "\"cycle\" is not a counter" },
		{ "nothing", "\"nothing\" is not a counter" },
		{ "cycles,cycles", "counter cycles is there twice" },
		{ "cycles,instructions,branches,cpu-clock,page-faults", "at most 4 counters" },
	};
	u8 got[LKST_PERF_AT_ONCE] = { 77 };
	struct lkst_err e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e.text[0] = 0;
		CHECK_EQ(lkst_perf_counters_parse(&e, rows[i].text, got), -EINVAL);
		CHECK(strstr(e.text, rows[i].why));
		CHECK_EQ(lkst_perf_counters_parse(NULL, rows[i].text, got), -EINVAL);
	}
	CHECK_EQ(got[0], 77);
}

static const struct unit_test tests[] = {
	{ "perf_counters_are_read_in_order", test_perf_counters_are_read_in_order },
	{ "perf_counters_refuses_other_texts", test_perf_counters_refuses_other_texts },
};
UNIT_MAIN(tests)
