/* SPDX-License-Identifier: GPL-2.0-only */
/* Intervals that have begun and not ended. */
#include "analyze/engine/pending.h"

#include <errno.h>

enum { MAX_STANDARD = 65536 };

void lkst_pending_fini(struct lkst_pending *o)
{
	lkst_hash_fini(&o->hash);
	*o = (struct lkst_pending){ 0 };
}

int lkst_pending_put(struct lkst_pending *o, u64 key, struct lkst_pending_entry **ret_entry)
{
	struct lkst_pending_entry *entry;

	if (lkst_hash_reserve(&o->hash, sizeof(*entry)))
		return -ENOMEM;
	entry = lkst_hash_slot(&o->hash, key, sizeof(*entry));
	if (entry->key == LKST_HASH_NONE) {
		if (o->hash.nr >= (o->max ? o->max : MAX_STANDARD) || key == LKST_HASH_NONE) {
			o->nr_refused++;
			return 0;
		}
		o->hash.nr++;
		*entry = (struct lkst_pending_entry){ .key = key };
	}
	*ret_entry = entry;
	return 1;
}

void lkst_pending_remove(struct lkst_pending *o, struct lkst_pending_entry *entry)
{
	lkst_hash_remove(&o->hash, entry, sizeof(*entry));
}
