// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/cost/first_kinds.h: what a recording with a limit begins without.
 */
#include "live/cost/first_kinds.h"

#include <string.h>

#include "lib/unit.h"

/* Kinds of the test, by event id; the last one is asked for by nobody. */
enum { CORE = 1, DEAR, LOCK, CALL, CHEAP, UNWANTED, NR = UNWANTED };
enum { UNIT_NS = 100, IDLE_NS = 40, CPUS = 2, SECOND = 1000000000, LIMIT = 50000 };

static struct lkst_kind kinds[NR];
static struct lkst_idle runs[CPUS];
static bool is_wanted[LKST_EVENT_SPACE];

static void init(void)
{
	static const u8 values[NR] = { LKST_KIND_PRECIOUS, 50, 10, 20, 10, 5 };
	u32 i;

	memset(kinds, 0, sizeof(kinds));
	memset(runs, 0, sizeof(runs));
	for (i = 0; i < NR; i++) {
		kinds[i] = (struct lkst_kind){
			.id = { (u16)(i + 1) }, .unit_ns = UNIT_NS, .idle_ns = IDLE_NS, .value = values[i] };
		is_wanted[i + 1] = i + 1 != UNWANTED;
	}
}

/* Makes @kind's records cost @ppm of a CPU's time, where nothing else would. */
static void cost(u32 cpu, u32 kind, u32 ppm)
{
	runs[cpu].runs[kind] = (u64)ppm * 1000 / UNIT_NS;
}

static void choose(void)
{
	lkst_first_kinds_choose(kinds, NR, is_wanted, runs, CPUS, SECOND, LIMIT);
}

/* A bit for each kind that is left out. */
static u32 left_out(void)
{
	u32 bits = 0, i;

	for (i = 0; i < NR; i++)
		bits |= (u32)kinds[i].begins_out << (i + 1);
	return bits;
}

TEST(first_kinds_are_all_where_they_have_room)
{
	init();
	cost(0, CORE, 10000);
	cost(0, DEAR, 30000);
	cost(1, CALL, 45000);
	choose();
	CHECK_EQ(left_out(), 0);
}

TEST(first_kinds_leave_out_what_explains_least)
{
	init();
	cost(1, CORE, 10000);
	cost(1, DEAR, 20000);
	cost(1, LOCK, 15000);
	cost(1, CALL, 10000);
	choose();
	/* Without the locks it is exactly four fifths, less for what the records take from what makes them. */
	CHECK_EQ(left_out(), 1U << LOCK);
	CHECK(kinds[LOCK - 1].ppm > 14000 && kinds[LOCK - 1].ppm <= 15000);
	init();
	cost(1, CORE, 10000);
	cost(1, DEAR, 35000);
	cost(1, LOCK, 15000);
	cost(1, CALL, 10000);
	choose();
	CHECK_EQ(left_out(), 1U << LOCK | 1U << CALL | 1U << DEAR);
}

/* It is each CPU's time that has a limit, and what is left out is so on all. */
TEST(first_kinds_are_found_on_each_cpu)
{
	init();
	cost(0, LOCK, 60000);
	cost(1, CALL, 60000);
	cost(1, LOCK, 100);
	choose();
	CHECK_EQ(left_out(), 1U << LOCK | 1U << CALL);
}

TEST(first_kinds_keep_what_is_precious_or_cheap)
{
	init();
	cost(0, CORE, 400000);
	cost(0, CHEAP, LIMIT / 64 - 100);
	cost(0, CALL, 10000);
	choose();
	CHECK_EQ(left_out(), 1U << CALL);
	CHECK_EQ(kinds[CORE - 1].begins_out, 0);
}

/* What nobody asked for is not there to be left out, and only its hook costs. */
TEST(first_kinds_do_not_have_what_is_not_wanted)
{
	init();
	cost(0, UNWANTED, 100000); /* its hook takes 40 % of that */
	choose();
	CHECK_EQ(left_out(), 0);
	cost(0, LOCK, 20000);
	choose();
	CHECK_EQ(left_out(), 1U << LOCK);
}

TEST(first_kinds_without_a_moment_are_all)
{
	init();
	cost(0, CALL, 900000);
	lkst_first_kinds_choose(kinds, NR, is_wanted, runs, CPUS, 0, LIMIT);
	CHECK_EQ(left_out(), 0);
}

static const struct unit_test tests[] = {
	{ "first_kinds_are_all_where_they_have_room", test_first_kinds_are_all_where_they_have_room },
	{ "first_kinds_leave_out_what_explains_least", test_first_kinds_leave_out_what_explains_least },
	{ "first_kinds_are_found_on_each_cpu", test_first_kinds_are_found_on_each_cpu },
	{ "first_kinds_keep_what_is_precious_or_cheap", test_first_kinds_keep_what_is_precious_or_cheap },
	{ "first_kinds_do_not_have_what_is_not_wanted", test_first_kinds_do_not_have_what_is_not_wanted },
	{ "first_kinds_without_a_moment_are_all", test_first_kinds_without_a_moment_are_all },
};

UNIT_MAIN(tests)
