/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The hash table, held against an array that every operation is done to as well.
 */
#include "base/map.h"

#include <errno.h>
#include <stdbool.h>

#include "lib/unit.h"

enum { KEYS = 512 };

TEST(map_finds_what_was_set)
{
	struct lkst_map m = { .max = 10 };

	CHECK(!lkst_map_find(&m, 5));
	CHECK_EQ(lkst_map_set(&m, 5, 50), 0);
	CHECK_EQ(lkst_map_set(&m, 0, 1), 0);
	CHECK_EQ(*lkst_map_find(&m, 5), 50);
	CHECK_EQ(*lkst_map_find(&m, 0), 1);
	CHECK_EQ(lkst_map_set(&m, 5, 51), 0);
	CHECK_EQ(*lkst_map_find(&m, 5), 51);
	CHECK_EQ(m.hash.nr, 2);
	lkst_map_clear(&m);
	CHECK(!lkst_map_find(&m, 5));
	lkst_map_fini(&m);
}

TEST(map_takes_no_more_than_its_most)
{
	struct lkst_map m = { .max = 3 };

	CHECK_EQ(lkst_map_set(&m, 1, 1), 0);
	CHECK_EQ(lkst_map_set(&m, 2, 2), 0);
	CHECK_EQ(lkst_map_set(&m, 3, 3), 0);
	CHECK_EQ(lkst_map_set(&m, 4, 4), -ENOSPC);
	CHECK_EQ(lkst_map_set(&m, 3, 33), 0);
	lkst_map_remove(&m, 1);
	CHECK_EQ(lkst_map_set(&m, 4, 4), 0);
	lkst_map_fini(&m);
}

/* Keys that fall onto the same places, set and removed in a random order. */
TEST(map_agrees_with_an_array)
{
	static uint64_t values[KEYS];
	static bool is_set[KEYS];
	struct lkst_map m = { .max = KEYS };
	unsigned int seed = 4711, i, nr = 0;

	for (i = 0; i < 200000; i++) {
		unsigned int k = (unsigned int)rand_r(&seed) % KEYS;
		uint64_t key = (uint64_t)(k % 8) << 40 | (uint64_t)k << 12, *found;

		if (rand_r(&seed) % 2) {
			nr += !is_set[k];
			is_set[k] = true;
			values[k] = i;
			CHECK_EQ(lkst_map_set(&m, key, i), 0);
		} else {
			nr -= is_set[k];
			is_set[k] = false;
			lkst_map_remove(&m, key);
		}
		CHECK_EQ(m.hash.nr, nr);
		k = (unsigned int)rand_r(&seed) % KEYS;
		found = lkst_map_find(&m, (uint64_t)(k % 8) << 40 | (uint64_t)k << 12);
		CHECK_EQ(found != NULL, is_set[k]);
		CHECK(!found || *found == values[k]);
	}
	lkst_map_fini(&m);
}

static const struct unit_test tests[] = {
	{ "map_finds_what_was_set", test_map_finds_what_was_set },
	{ "map_takes_no_more_than_its_most", test_map_takes_no_more_than_its_most },
	{ "map_agrees_with_an_array", test_map_agrees_with_an_array },
};
UNIT_MAIN(tests)
