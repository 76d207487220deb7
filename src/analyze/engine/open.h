/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intervals that have begun and not ended: a hash table by a number that their begin and end share
 * (a thread, an address), in bounded memory.
 */
#ifndef LKST_ANALYZE_ENGINE_OPEN_H
#define LKST_ANALYZE_ENGINE_OPEN_H

#include "abi/types.h"

#define LKST_OPEN_NONE UINT64_MAX /* is no key */

struct lkst_open_entry {
	u64 key;
	u64 start_ns;
	u64 value; /* the analysis's own */
	s32 tid;
	u16 cpu, buffer; /* of the record that began it */
};

/* Set `max` before the first entry (0: 65536); all else zero. */
struct lkst_open {
	struct lkst_open_entry *slots;
	u32 nr, nr_slots; /* nr_slots: 0 or a power of two */
	u32 max;	  /* entries */
	u64 nr_refused;	  /* entries for which there was no room */
};

void lkst_open_fini(struct lkst_open *o);

static inline u32 lkst_open_hash(u64 key)
{
	/* Fibonacci hashing; the high bits are the good ones. */
	return (u32)(key * 0x9e3779b97f4a7c15ULL >> 32);
}

/* The entry of @key, or NULL. Valid until the next lkst_open_put() or lkst_open_remove(). */
static inline struct lkst_open_entry *lkst_open_find(const struct lkst_open *o, u64 key)
{
	u32 i, mask = o->nr_slots - 1;

	if (!o->nr)
		return NULL;
	for (i = lkst_open_hash(key) & mask; o->slots[i].key != LKST_OPEN_NONE; i = (i + 1) & mask)
		if (o->slots[i].key == key)
			return &o->slots[i];
	return NULL;
}

/*
 * The entry of @key, made with `start_ns` 0 if it was not there. 1, 0 if there is no room for more
 * (counted), or -ENOMEM.
 */
int lkst_open_put(struct lkst_open *o, u64 key, struct lkst_open_entry **ret_entry);

void lkst_open_remove(struct lkst_open *o, struct lkst_open_entry *entry);

#endif
