// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/cost/pace.h: measuring ends in time, whatever its parts and rounds take, but for a few rounds.
 */
#include "live/cost/pace.h"

#include "lib/unit.h"

enum { MS = 1000000 };

static u64 now; /* the clock */

/* Rounds of @round_ns each, as long as there are any. Returns how many. */
static unsigned int go_round(struct lkst_pace *p, u64 round_ns)
{
	unsigned int nr = 0;

	while (lkst_pace_has_round(p, now)) {
		now += round_ns;
		nr++;
	}
	return nr;
}

TEST(pace_parts_have_their_shares)
{
	struct lkst_pace p;

	now = 5 * MS;
	lkst_pace_begin(&p, now, 20 * MS, 4);
	lkst_pace_part(&p, now, 1);
	CHECK_EQ(go_round(&p, MS / 10), 49);
	lkst_pace_part(&p, now, 3);
	CHECK_EQ(go_round(&p, MS / 10), 150);
	CHECK(now < 25 * MS);
}

/* What comes before the rounds of a part, as attaching hooks, takes from those and the later ones. */
TEST(pace_end_stays_when_hooks_take_long)
{
	struct lkst_pace p;
	unsigned int part;

	now = 0;
	lkst_pace_begin(&p, now, 20 * MS, 4);
	for (part = 0; part < 4; part++) {
		lkst_pace_part(&p, now, 1);
		now += 2 * MS;
		CHECK(go_round(&p, MS / 10) > 5);
	}
	CHECK(now <= 20 * MS);
	lkst_pace_part(&p, now, 1);
	now += 4 * MS;
	CHECK_EQ(go_round(&p, MS / 10), LKST_PACE_ROUNDS);
}

/* No round begins that would end too late if it took what the longest of its part did. */
TEST(pace_end_stays_when_rounds_are_long)
{
	struct lkst_pace p;

	now = 0;
	lkst_pace_begin(&p, now, 80 * MS, 2);
	lkst_pace_part(&p, now, 1);
	CHECK_EQ(go_round(&p, 3 * MS), 13);
	CHECK_EQ(now, 39 * MS);
	lkst_pace_part(&p, now, 1);
	CHECK(lkst_pace_has_round(&p, now));
	now += 11 * MS; /* disturbed */
	CHECK_EQ(go_round(&p, MS), 19);
	CHECK_EQ(now, 69 * MS);
}

/* A machine that is far too slow: each part has as few rounds as make a figure. */
TEST(pace_has_few_rounds_however_late)
{
	struct lkst_pace p;
	unsigned int part, nr = 0;

	now = 0;
	lkst_pace_begin(&p, now, 20 * MS, 8);
	for (part = 0; part < 8; part++) {
		lkst_pace_part(&p, now, 1);
		nr += go_round(&p, 1000 * MS);
	}
	CHECK_EQ(nr, 8 * LKST_PACE_ROUNDS);
}

static const struct unit_test tests[] = {
	{ "pace_parts_have_their_shares", test_pace_parts_have_their_shares },
	{ "pace_end_stays_when_hooks_take_long", test_pace_end_stays_when_hooks_take_long },
	{ "pace_end_stays_when_rounds_are_long", test_pace_end_stays_when_rounds_are_long },
	{ "pace_has_few_rounds_however_late", test_pace_has_few_rounds_however_late },
};

UNIT_MAIN(tests)
