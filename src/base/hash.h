/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table of entries of any one size, each of which begins with its key, a u64. The size is given to every
 * function, as sizeof() the entry, and most are inline, so that they cost no more than those of a table made for that
 * entry.
 * base/map.h is one from numbers to numbers.
 */
#ifndef LKST_BASE_HASH_H
#define LKST_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LKST_HASH_NONE UINT64_MAX /* is no key */

/* All zero is an empty one. */
struct lkst_hash {
	uint8_t *slots;	       /* an empty one has the key LKST_HASH_NONE */
	uint32_t nr, nr_slots; /* nr_slots: 0 or a power of two */
};

void lkst_hash_fini(struct lkst_hash *h);

static inline uint32_t lkst_hash_number(uint64_t key)
{
	/* Fibonacci hashing (Knuth, volume 3, section 6.4): the upper bits of the product are the good ones. */
	return (uint32_t)(key * 0x9e3779b97f4a7c15ULL >> 32);
}

/* The key of slot @i, which is there. */
static inline uint64_t lkst_hash_key(const struct lkst_hash *h, uint32_t i, size_t size)
{
	uint64_t key;

	memcpy(&key, h->slots + i * size, sizeof(key));
	return key;
}

/*
 * The slot that holds @key, or the empty one where it would go, whose key is LKST_HASH_NONE. Whoever fills that counts
 * it in `nr`. There must be slots.
 */
static inline void *lkst_hash_slot(const struct lkst_hash *h, uint64_t key, size_t size)
{
	uint32_t mask = h->nr_slots - 1, i = lkst_hash_number(key) & mask;
	uint64_t there;

	for (;; i = (i + 1) & mask) {
		there = lkst_hash_key(h, i, size);
		if (there == LKST_HASH_NONE || there == key)
			return h->slots + i * size;
	}
}

/* The entry of @key, or NULL. Valid until an entry is added or removed. */
static inline void *lkst_hash_find(const struct lkst_hash *h, uint64_t key, size_t size)
{
	uint32_t mask = h->nr_slots - 1, i = lkst_hash_number(key) & mask;
	uint64_t there;

	if (!h->nr)
		return NULL;
	for (; (there = lkst_hash_key(h, i, size)) != LKST_HASH_NONE; i = (i + 1) & mask)
		if (there == key)
			return h->slots + i * size;
	return NULL;
}

/* Makes room for one more entry. 0 or -ENOMEM. */
int lkst_hash_reserve(struct lkst_hash *h, size_t size);

/* Adds an entry for @key, which is not LKST_HASH_NONE and has none, where there is room: all zero but for the key. */
static inline void *lkst_hash_add(struct lkst_hash *h, uint64_t key, size_t size)
{
	void *slot = lkst_hash_slot(h, key, size);

	memset(slot, 0, size);
	memcpy(slot, &key, sizeof(key));
	h->nr++;
	return slot;
}

/* The entry at @*i, 0 at first, or after it; NULL: there is none. @*i is then the number to go on with. */
void *lkst_hash_next(const struct lkst_hash *h, uint32_t *i, size_t size);

/* Removes @entry. Others may move. */
static inline void lkst_hash_remove(struct lkst_hash *h, void *entry, size_t size)
{
	uint32_t mask = h->nr_slots - 1,
		 hole = (uint32_t)((size_t)((uint8_t *)entry - h->slots) / size), i = hole;
	uint64_t key;

	/*
	 * No entry may be separated by a hole from the place that its key hashes to: each of those that
	 * follow moves up if the hole lies between. So there are no tombstones.
	 */
	for (i = (i + 1) & mask; (key = lkst_hash_key(h, i, size)) != LKST_HASH_NONE;
	     i = (i + 1) & mask) {
		uint32_t home = lkst_hash_number(key) & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			memcpy(h->slots + hole * size, h->slots + i * size, size);
			hole = i;
		}
	}
	memset(h->slots + hole * size, 0xff, sizeof(key));
	h->nr--;
}

/* Removes all entries; the memory stays. */
void lkst_hash_clear(struct lkst_hash *h, size_t size);

#endif
