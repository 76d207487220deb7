/* SPDX-License-Identifier: GPL-2.0-only */
/* Intervals that have begun and not ended. */
#include "analyze/engine/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SLOTS_MIN = 256,
	MAX_STANDARD = 65536,
	HUGE_PAGE = 2 << 20,
};

void lkst_open_fini(struct lkst_open *o)
{
	free(o->slots);
	*o = (struct lkst_open){ 0 };
}

/* The slot that holds @key, or the empty one where it would go. */
static struct lkst_open_entry *slot_of(const struct lkst_open *o, u64 key)
{
	u32 mask = o->nr_slots - 1, i = lkst_open_hash(key) & mask;

	while (o->slots[i].key != LKST_OPEN_NONE && o->slots[i].key != key)
		i = (i + 1) & mask;
	return &o->slots[i];
}

/* A large table is read at random, which costs half on large pages. Without them it still works. */
static void *new_slots(size_t bytes)
{
	void *slots = bytes < HUGE_PAGE ? malloc(bytes) : aligned_alloc(HUGE_PAGE, bytes);

	if (slots && bytes >= HUGE_PAGE)
		madvise(slots, bytes, MADV_HUGEPAGE);
	return slots;
}

static int grow(struct lkst_open *o)
{
	struct lkst_open_entry *old = o->slots;
	u32 nr_old = o->nr_slots, i;
	u32 nr = nr_old ? nr_old * 2 : SLOTS_MIN;
	struct lkst_open_entry *slots = new_slots(nr * sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	/* All ones: LKST_OPEN_NONE is every slot's key. */
	memset(slots, 0xff, nr * sizeof(*slots));
	o->slots = slots;
	o->nr_slots = nr;
	for (i = 0; i < nr_old; i++)
		if (old[i].key != LKST_OPEN_NONE)
			*slot_of(o, old[i].key) = old[i];
	free(old);
	return 0;
}

int lkst_open_put(struct lkst_open *o, u64 key, struct lkst_open_entry **ret_entry)
{
	struct lkst_open_entry *entry;

	/* At most half full: then nearly all are found at the first look. */
	if ((o->nr + 1) * 2ULL > o->nr_slots && grow(o))
		return -ENOMEM;
	entry = slot_of(o, key);
	if (entry->key == LKST_OPEN_NONE) {
		if (o->nr >= (o->max ? o->max : MAX_STANDARD) || key == LKST_OPEN_NONE) {
			o->nr_refused++;
			return 0;
		}
		o->nr++;
		*entry = (struct lkst_open_entry){ .key = key };
	}
	*ret_entry = entry;
	return 1;
}

void lkst_open_remove(struct lkst_open *o, struct lkst_open_entry *entry)
{
	u32 mask = o->nr_slots - 1, hole = (u32)(entry - o->slots), i = hole;

	/*
	 * No entry may be separated by a hole from the place that its key hashes to: each of those that
	 * follow moves up if the hole lies between.
	 */
	for (i = (i + 1) & mask; o->slots[i].key != LKST_OPEN_NONE; i = (i + 1) & mask) {
		u32 home = lkst_open_hash(o->slots[i].key) & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			o->slots[hole] = o->slots[i];
			hole = i;
		}
	}
	o->slots[hole].key = LKST_OPEN_NONE;
	o->nr--;
}
