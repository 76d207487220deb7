/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intervals that have begun and not ended: a hash table by a number that their begin and end share
 * (a thread, an address), in bounded memory.
 */
#ifndef LKST_ANALYZE_ENGINE_PENDING_H
#define LKST_ANALYZE_ENGINE_PENDING_H

#include "abi/types.h"
#include "base/hash.h"

struct lkst_pending_entry {
	u64 key; /* not LKST_HASH_NONE */
	u64 start_ns;
	u64 value; /* the analysis's own */
	s32 tid;
	u16 cpu, buffer; /* of the record that began it */
};

/* Set `max` before the first entry (0: 65536); all else zero. */
struct lkst_pending {
	struct lkst_hash hash;
	u32 max;	/* entries */
	u64 nr_refused; /* entries for which there was no room */
};

void lkst_pending_fini(struct lkst_pending *o);

/* The entry of @key, or NULL. Valid until the next lkst_pending_put() or lkst_pending_remove(). */
static inline struct lkst_pending_entry *lkst_pending_find(const struct lkst_pending *o, u64 key)
{
	return lkst_hash_find(&o->hash, key, sizeof(struct lkst_pending_entry));
}

/* The entry at @*i, 0 at first, or after it; NULL: there is none. @*i is then the number to go on with. */
static inline struct lkst_pending_entry *lkst_pending_next(const struct lkst_pending *o, u32 *i)
{
	return lkst_hash_next(&o->hash, i, sizeof(struct lkst_pending_entry));
}

/*
 * The entry of @key, made with `start_ns` 0 if it was not there. 1, 0 if there is no room for more
 * (counted), or -ENOMEM.
 */
int lkst_pending_put(struct lkst_pending *o, u64 key, struct lkst_pending_entry **ret_entry);

void lkst_pending_remove(struct lkst_pending *o, struct lkst_pending_entry *entry);

#endif
