/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The hash table of entries of any size. tests/unit/map.c holds it against an array.
 */
#include "base/hash.h"

#include <errno.h>

#include "lib/unit.h"

struct entry {
	uint64_t key;
	uint32_t value[5];
};

static struct entry *add(struct lkst_hash *h, uint64_t key, uint32_t value)
{
	struct entry *entry;

	if (lkst_hash_reserve(h, sizeof(*entry)))
		return NULL;
	entry = lkst_hash_add(h, key, sizeof(*entry));
	entry->value[4] = value;
	return entry;
}

TEST(hash_grows_and_finds_what_was_added)
{
	struct lkst_hash h = {};
	struct entry *entry;
	uint64_t i;

	CHECK(!lkst_hash_find(&h, 0, sizeof(*entry)));
	for (i = 0; i < 5000; i++)
		CHECK(add(&h, i << 12, (uint32_t)i));
	CHECK_EQ(h.nr, 5000);
	for (i = 0; i < 5000; i++) {
		entry = lkst_hash_find(&h, i << 12, sizeof(*entry));
		CHECK(entry && entry->key == i << 12);
		CHECK(entry->value[4] == i && !entry->value[0]);
		CHECK(!lkst_hash_find(&h, (i << 12) + 1, sizeof(*entry)));
	}
	CHECK(!lkst_hash_find(&h, LKST_HASH_NONE, sizeof(*entry)));
	lkst_hash_fini(&h);
}

TEST(hash_gives_out_all_entries)
{
	struct lkst_hash h = {};
	struct entry *entry;
	uint64_t sum = 0;
	uint32_t i;

	i = 0;
	CHECK(!lkst_hash_next(&h, &i, sizeof(*entry)));
	for (i = 1; i <= 100; i++)
		CHECK(add(&h, i * 1000, i));
	for (i = 1; i <= 100; i += 2)
		lkst_hash_remove(&h, lkst_hash_find(&h, i * 1000, sizeof(*entry)), sizeof(*entry));
	CHECK_EQ(h.nr, 50);
	i = 0;
	while ((entry = lkst_hash_next(&h, &i, sizeof(*entry))))
		sum += entry->value[4];
	CHECK_EQ(sum, 50 * 51);
	lkst_hash_clear(&h, sizeof(*entry));
	i = 0;
	CHECK(!h.nr && !lkst_hash_next(&h, &i, sizeof(*entry)));
	lkst_hash_fini(&h);
}

TEST(hash_without_memory_stays_as_it_was)
{
	struct lkst_hash h = {};
	size_t huge = SIZE_MAX / 8;

	CHECK_EQ(lkst_hash_reserve(&h, huge), -ENOMEM);
	CHECK(!h.slots && !h.nr_slots);
	CHECK(add(&h, 7, 70));
	h.nr = h.nr_slots / 2;
	CHECK_EQ(lkst_hash_reserve(&h, huge), -ENOMEM);
	CHECK_EQ(((struct entry *)lkst_hash_find(&h, 7, sizeof(struct entry)))->value[4], 70);
	lkst_hash_fini(&h);
}

static const struct unit_test tests[] = {
	{ "hash_grows_and_finds_what_was_added", test_hash_grows_and_finds_what_was_added },
	{ "hash_gives_out_all_entries", test_hash_gives_out_all_entries },
	{ "hash_without_memory_stays_as_it_was", test_hash_without_memory_stays_as_it_was },
};

UNIT_MAIN(tests)
