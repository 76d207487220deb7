/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table from numbers to numbers: addresses, threads and the like to places in an array.
 */
#ifndef LKST_BASE_MAP_H
#define LKST_BASE_MAP_H

#include "base/hash.h"

/* All zero but for `max` is an empty map. */
struct lkst_map {
	struct lkst_hash hash;
	uint32_t max; /* entries; beyond, none is added */
};

void lkst_map_fini(struct lkst_map *m);

/* The value of @key, which may be changed, or NULL. Valid until an entry is set or removed. */
uint64_t *lkst_map_find(const struct lkst_map *m, uint64_t key);

/*
 * Gives @key, which is not LKST_HASH_NONE, a value, new or not. 0, -ENOMEM, or -ENOSPC: the map has its most
 * entries.
 */
int lkst_map_set(struct lkst_map *m, uint64_t key, uint64_t value);

/* Removes @key, if it is there. */
void lkst_map_remove(struct lkst_map *m, uint64_t key);

/* Removes all entries; the memory stays. */
void lkst_map_clear(struct lkst_map *m);

#endif
