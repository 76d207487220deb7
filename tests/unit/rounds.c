// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/cost/rounds.h: other work that disturbs rounds does not change what is taken for their figure.
 */
#include "live/cost/rounds.h"

#include <stdlib.h>

#include "lib/unit.h"

static void add(struct lkst_rounds *r, double value)
{
	r->value[r->nr++] = value;
}

TEST(rounds_none_make_no_figure)
{
	struct lkst_rounds r = {};

	CHECK(lkst_rounds_typical(&r) == 0);
	CHECK(lkst_rounds_width(&r) == 0);
}

TEST(rounds_least_of_the_middle_half)
{
	struct lkst_rounds r = {};
	int i;

	add(&r, 7);
	CHECK(lkst_rounds_typical(&r) == 7);
	for (r.nr = 0, i = 8; i; i--)
		add(&r, i);
	/* 1 and 2 had luck, 7 and 8 were disturbed. */
	CHECK(lkst_rounds_typical(&r) == 3);
	CHECK(lkst_rounds_width(&r) == 4);
	CHECK(r.value[0] == 8);
}

/* Rounds of 1000 to 1019, of which a share takes up to twenty times as long: the difference between two series. */
static double difference(unsigned int disturbed_percent)
{
	struct lkst_rounds bare = {}, added = {};
	unsigned int i;

	srandom(1);
	for (i = 0; i < LKST_ROUNDS_MAX; i++) {
		add(&bare, 1000 + random() % 20);
		add(&added, 1100 + random() % 20);
		if (random() % 100 < disturbed_percent)
			bare.value[i] *= 1 + random() % 20;
		if (random() % 100 < disturbed_percent)
			added.value[i] *= 1 + random() % 20;
	}
	return lkst_rounds_typical(&added) - lkst_rounds_typical(&bare);
}

TEST(rounds_difference_is_right_when_half_are_disturbed)
{
	unsigned int percent;

	for (percent = 0; percent <= 50; percent += 10)
		CHECK(difference(percent) > 90 && difference(percent) < 110);
}

static const struct unit_test tests[] = {
	{ "rounds_none_make_no_figure", test_rounds_none_make_no_figure },
	{ "rounds_least_of_the_middle_half", test_rounds_least_of_the_middle_half },
	{ "rounds_difference_is_right_when_half_are_disturbed",
	  test_rounds_difference_is_right_when_half_are_disturbed },
};

UNIT_MAIN(tests)
