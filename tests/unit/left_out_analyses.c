/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * As left_out.c, for what the analyses say: each number of each table is that of the whole trace, or a bound that is
 * marked as one, or is not said.
 */
#include "lib/less_tables.h"
#include "lib/machine.h"
#include "lib/unit.h"

enum {
	STEPS = 800,
	FEW_STEPS = 150, /* where one record more or less shows */
};

static int judge(u64 seed, u8 is, u32 steps, bool all, struct less_tables *l)
{
	struct source in = { .rng = seed * 7919 + 1 };
	struct made_machine *m = machine_run(&in, is, steps);
	struct less_answers *whole, *part;
	char dir[64];

	if (all)
		machine_leave_out_all(m);
	else
		machine_leave_out_some(m);
	make_scratch(dir);
	machine_write(m, dir, true);
	whole = less_answers_new(dir);
	make_scratch_remove(dir);
	make_scratch(dir);
	machine_write(m, dir, false);
	part = less_answers_new(dir);
	less_tables_compare(whole, part, l);
	if (l->wrong)
		printf("seed %llu, machine %u: %llu wrong, the first: %s\n", (unsigned long long)seed, is,
		       (unsigned long long)l->wrong, l->text);
	less_answers_free(whole);
	less_answers_free(part);
	make_scratch_remove(dir);
	machine_free(m);
	return l->wrong != 0;
}

TEST(analyses_say_less_and_nothing_else)
{
	struct less_tables l;
	int wrong = 0;
	u64 seed;

	for (seed = 0; seed < 96; seed += UNIT_STEP) {
		l = (struct less_tables){};
		wrong += judge(seed, (u8)seed & MACHINE_KINDS_OF, STEPS, false, &l);
	}
	for (seed = 6000; seed < 6240; seed += UNIT_STEP) {
		l = (struct less_tables){};
		wrong += judge(seed, (u8)seed & MACHINE_KINDS_OF, FEW_STEPS, false, &l);
	}
	CHECK_EQ(wrong, 0);
}

/* They do say something: most numbers of what needs no more than the core are as they were. */
TEST(analyses_say_enough_with_the_core_alone)
{
	struct less_tables l = {};
	u64 seed;

	for (seed = 1000; seed < 1016; seed++)
		CHECK(!judge(seed, ((u8)seed & MACHINE_KINDS_OF) | MACHINE_HAS_WHERE, STEPS, true, &l));
	CHECK(l.same > 1000);
}

static const struct unit_test tests[] = {
	{ "analyses_say_less_and_nothing_else", test_analyses_say_less_and_nothing_else },
	{ "analyses_say_enough_with_the_core_alone", test_analyses_say_enough_with_the_core_alone },
};

UNIT_MAIN(tests)
