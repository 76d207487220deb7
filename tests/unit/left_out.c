/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Where the cost limit has left kinds of events out, the state model says less than of the whole trace, and never
 * something else: over random machines, and random kinds that are left out at random moments. And it does say
 * something: with the scheduler's records and the list of threads alone, nearly every wait still has its call.
 */
#include "lib/less.h"
#include "lib/machine.h"
#include "lib/unit.h"

enum {
	STEPS = 1200,
};

/* Compares the part of a random machine's trace with the whole; what is left out is @all that may be, or some. */
static int judge(u64 seed, u8 is, bool all, struct less *ret_less)
{
	struct source in = { .rng = seed * 7919 + 1 };
	struct made_machine *m = machine_run(&in, is, STEPS);
	struct told *whole, *part;
	char dir[64];

	if (all)
		machine_leave_out_all(m);
	else
		machine_leave_out_some(m);
	make_scratch(dir);
	machine_write(m, dir, true);
	whole = told_new(dir);
	make_scratch_remove(dir);
	make_scratch(dir);
	machine_write(m, dir, false);
	part = told_new(dir);
	less_compare(whole, part, ret_less);
	if (ret_less->wrong)
		printf("seed %llu, machine %u: %llu wrong, the first: %s\n",
		       (unsigned long long)seed, is, (unsigned long long)ret_less->wrong,
		       ret_less->text);
	told_free(whole);
	told_free(part);
	make_scratch_remove(dir);
	machine_free(m);
	return ret_less->wrong != 0;
}

TEST(a_part_says_less_and_nothing_else)
{
	int wrong = 0;
	struct less l;
	u64 seed;

	for (seed = 0; seed < 320; seed += UNIT_STEP)
		wrong += judge(seed, (u8)seed & MACHINE_KINDS_OF, false, &l);
	CHECK_EQ(wrong, 0);
}

TEST(the_core_alone_knows_the_calls)
{
	u64 seed, known_ns = 0, all_ns = 0;
	struct less l;

	for (seed = 1000; seed < 1032; seed++) {
		CHECK(!judge(seed, ((u8)seed & MACHINE_KINDS_OF) | MACHINE_HAS_WHERE, true, &l));
		CHECK(2 * l.in_call_ns > l.blocked_ns);
		known_ns += l.part_in_call_ns;
		all_ns += l.in_call_ns;
	}
	CHECK(known_ns >= all_ns / 100 * 95);
}

static const struct unit_test tests[] = {
	{ "a_part_says_less_and_nothing_else", test_a_part_says_less_and_nothing_else },
	{ "the_core_alone_knows_the_calls", test_the_core_alone_knows_the_calls },
};

UNIT_MAIN(tests)
