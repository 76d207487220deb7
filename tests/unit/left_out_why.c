/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * As left_out.c, for what `lkst why` says of an interval of a thread.
 */
#include "lib/less_why.h"
#include "lib/machine.h"
#include "lib/unit.h"

enum {
	STEPS = 800,
	THREADS = 6, /* of each machine that are explained */
};

/* Explains some of the machine's threads, by the whole trace and by the part. */
static void explain(const struct made_machine *m, const char *whole_dir, const char *part_dir,
		    struct less_why *l)
{
	const u64 begin_ns = m->records[0].ns, length_ns = (m->now - begin_ns) / THREADS;
	struct lkst_account *whole, *part;
	s32 i;

	for (i = 0; i < THREADS; i++) {
		const s32 tid = MACHINE_FIRST_TID + 3 * i;
		const u64 from_ns = begin_ns + (u64)i * length_ns, to_ns = from_ns + length_ns;

		whole = less_why_explain(whole_dir, tid, from_ns, to_ns);
		part = less_why_explain(part_dir, tid, from_ns, to_ns);
		if (whole && part)
			less_why_compare(whole, part, l);
		lkst_account_free(whole);
		lkst_account_free(part);
	}
}

static int judge(u64 seed, u8 is, bool all, struct less_why *l)
{
	struct source in = { .rng = seed * 7919 + 1 };
	struct made_machine *m = machine_run(&in, is, STEPS);
	char whole_dir[64], part_dir[64];
	const u64 wrong = l->wrong;

	if (all)
		machine_leave_out_all(m);
	else
		machine_leave_out_some(m);
	make_scratch(whole_dir);
	make_scratch(part_dir);
	machine_write(m, whole_dir, true);
	machine_write(m, part_dir, false);
	explain(m, whole_dir, part_dir, l);
	if (l->wrong != wrong)
		printf("seed %llu, machine %u: %llu wrong, the first: %s\n",
		       (unsigned long long)seed, is, (unsigned long long)l->wrong, l->text);
	make_scratch_remove(whole_dir);
	make_scratch_remove(part_dir);
	machine_free(m);
	return l->wrong != wrong;
}

TEST(why_says_less_and_nothing_else)
{
	struct less_why l;
	int wrong = 0;
	u64 seed;

	for (seed = 0; seed < 160; seed += UNIT_STEP) {
		l = (struct less_why){};
		wrong += judge(seed, (u8)seed & MACHINE_KINDS_OF, false, &l);
	}
	CHECK_EQ(wrong, 0);
}

/* Of a wait's call, what woke, and who, the core alone knows most. */
TEST(why_says_enough_with_the_core_alone)
{
	struct less_why l = {};
	u64 seed;

	for (seed = 1000; seed < 1032; seed++)
		CHECK(!judge(seed, ((u8)seed & MACHINE_KINDS_OF) | MACHINE_HAS_WHERE, true, &l));
	CHECK(l.facts > 100);
	CHECK(l.part_facts >= l.facts / 100 * 95);
}

static const struct unit_test tests[] = {
	{ "why_says_less_and_nothing_else", test_why_says_less_and_nothing_else },
	{ "why_says_enough_with_the_core_alone", test_why_says_enough_with_the_core_alone },
};

UNIT_MAIN(tests)
