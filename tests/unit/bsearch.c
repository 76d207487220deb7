/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Finding a place in what is sorted.
 */
#include "base/bsearch.h"

#include <stdint.h>

#include "lib/unit.h"

static size_t bound(const int *list, size_t nr, int value)
{
	return lkst_lower_bound(i, nr, list[i] < value);
}

TEST(bsearch_finds_the_first_that_is_not_before)
{
	static const int list[] = { 2, 4, 4, 4, 7 };

	CHECK_EQ(bound(list, 5, 1), 0);
	CHECK_EQ(bound(list, 5, 2), 0);
	CHECK_EQ(bound(list, 5, 3), 1);
	CHECK_EQ(bound(list, 5, 4), 1);
	CHECK_EQ(bound(list, 5, 5), 4);
	CHECK_EQ(bound(list, 5, 7), 4);
	CHECK_EQ(bound(list, 5, 8), 5);
}

TEST(bsearch_of_nothing_is_nothing)
{
	CHECK_EQ(bound(NULL, 0, 3), 0);
}

TEST(bsearch_agrees_with_a_walk)
{
	int list[40], value;
	size_t nr, i, expected;

	for (nr = 1; nr <= 40; nr++) {
		for (i = 0; i < nr; i++)
			list[i] = (int)(i * i / 7);
		for (value = -1; value < 230; value++) {
			for (expected = 0; expected < nr && list[expected] < value; expected++)
				;
			CHECK_EQ(bound(list, nr, value), expected);
		}
	}
}

TEST(bsearch_does_not_overflow)
{
	CHECK_EQ(lkst_lower_bound(i, SIZE_MAX, i < SIZE_MAX - 3), SIZE_MAX - 3);
}

static const struct unit_test tests[] = {
	{ "bsearch_finds_the_first_that_is_not_before",
	  test_bsearch_finds_the_first_that_is_not_before },
	{ "bsearch_of_nothing_is_nothing", test_bsearch_of_nothing_is_nothing },
	{ "bsearch_agrees_with_a_walk", test_bsearch_agrees_with_a_walk },
	{ "bsearch_does_not_overflow", test_bsearch_does_not_overflow },
};

UNIT_MAIN(tests)
