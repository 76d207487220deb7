/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers by numbers. */
#include "base/map.h"

#include <errno.h>

struct map_entry {
	uint64_t key, value;
};

void lkst_map_fini(struct lkst_map *m)
{
	lkst_hash_fini(&m->hash);
}

uint64_t *lkst_map_find(const struct lkst_map *m, uint64_t key)
{
	struct map_entry *entry = lkst_hash_find(&m->hash, key, sizeof(*entry));

	return entry ? &entry->value : NULL;
}

int lkst_map_set(struct lkst_map *m, uint64_t key, uint64_t value)
{
	struct map_entry *entry = lkst_hash_find(&m->hash, key, sizeof(*entry));
	int err;

	if (!entry) {
		if (m->hash.nr >= m->max || key == LKST_HASH_NONE)
			return -ENOSPC;
		err = lkst_hash_reserve(&m->hash, sizeof(*entry));
		if (err)
			return err;
		entry = lkst_hash_add(&m->hash, key, sizeof(*entry));
	}
	entry->value = value;
	return 0;
}

void lkst_map_remove(struct lkst_map *m, uint64_t key)
{
	struct map_entry *entry = lkst_hash_find(&m->hash, key, sizeof(*entry));

	if (entry)
		lkst_hash_remove(&m->hash, entry, sizeof(*entry));
}

void lkst_map_clear(struct lkst_map *m)
{
	lkst_hash_clear(&m->hash, sizeof(struct map_entry));
}
