/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hash table does seldom. */
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SLOTS_MIN = 64,
	HUGE_PAGE = 2 << 20,
};

void lkst_hash_fini(struct lkst_hash *h)
{
	free(h->slots);
	*h = (struct lkst_hash){};
}

/* A large table is read at random, which costs half on large pages. Without them it still works. */
static void *new_slots(uint32_t nr, size_t size)
{
	size_t bytes;
	void *slots;

	if (!nr || __builtin_mul_overflow(nr, size, &bytes))
		return NULL;
	slots = bytes < HUGE_PAGE ? malloc(bytes) : aligned_alloc(HUGE_PAGE, bytes);
	if (slots && bytes >= HUGE_PAGE)
		madvise(slots, bytes, MADV_HUGEPAGE);
	/* All ones: LKST_HASH_NONE is every slot's key. */
	return slots ? memset(slots, 0xff, bytes) : NULL;
}

int lkst_hash_reserve(struct lkst_hash *h, size_t size)
{
	struct lkst_hash old = *h;
	uint32_t i;

	/* At most half full: then nearly all are found at the first look. */
	if ((h->nr + 1) * 2ULL <= h->nr_slots)
		return 0;
	h->nr_slots = old.nr_slots ? old.nr_slots * 2 : SLOTS_MIN;
	h->slots = new_slots(h->nr_slots, size);
	if (!h->slots) {
		*h = old;
		return -ENOMEM;
	}
	for (i = 0; i < old.nr_slots; i++)
		if (lkst_hash_key(&old, i, size) != LKST_HASH_NONE)
			memcpy(lkst_hash_slot(h, lkst_hash_key(&old, i, size), size),
			       old.slots + i * size, size);
	free(old.slots);
	return 0;
}

void *lkst_hash_next(const struct lkst_hash *h, uint32_t *i, size_t size)
{
	while (*i < h->nr_slots && lkst_hash_key(h, *i, size) == LKST_HASH_NONE)
		++*i;
	return *i < h->nr_slots ? h->slots + (*i)++ * size : NULL;
}

void lkst_hash_clear(struct lkst_hash *h, size_t size)
{
	if (h->nr)
		memset(h->slots, 0xff, h->nr_slots * size);
	h->nr = 0;
}
