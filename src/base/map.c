/* SPDX-License-Identifier: GPL-2.0-only */
/* A hash table with linear probing; removing moves entries back, so that there are no tombstones. */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

/* Fibonacci hashing (Knuth, volume 3, section 6.4): the upper bits of the product are the good ones. */
static size_t home_of(const struct lkst_map *m, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ULL >> 32) & (m->nr_slots - 1);
}

/* The slot of @key or the empty one where it would go. */
static struct lkst_map_slot *slot_of(const struct lkst_map *m, uint64_t key)
{
	size_t i = home_of(m, key);

	while (m->slots[i].is_used && m->slots[i].key != key)
		i = (i + 1) & (m->nr_slots - 1);
	return &m->slots[i];
}

static int grow(struct lkst_map *m)
{
	struct lkst_map old = *m;
	size_t i;

	m->nr_slots = old.nr_slots ? old.nr_slots * 2 : SLOTS_MIN;
	m->slots = calloc(m->nr_slots, sizeof(*m->slots));
	if (!m->slots) {
		*m = old;
		return -ENOMEM;
	}
	for (i = 0; i < old.nr_slots; i++)
		if (old.slots[i].is_used)
			*slot_of(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return 0;
}

void lkst_map_fini(struct lkst_map *m)
{
	free(m->slots);
	*m = (struct lkst_map){ .max = m->max };
}

uint64_t *lkst_map_find(const struct lkst_map *m, uint64_t key)
{
	struct lkst_map_slot *slot = m->nr ? slot_of(m, key) : NULL;

	return slot && slot->is_used ? &slot->value : NULL;
}

int lkst_map_set(struct lkst_map *m, uint64_t key, uint64_t value)
{
	uint64_t *old = lkst_map_find(m, key);
	int err;

	if (old) {
		*old = value;
		return 0;
	}
	if (m->nr == m->max)
		return -ENOSPC;
	if ((m->nr + 1) * 4 > m->nr_slots * 3) {
		err = grow(m);
		if (err)
			return err;
	}
	*slot_of(m, key) = (struct lkst_map_slot){ key, value, true };
	m->nr++;
	return 0;
}

void lkst_map_remove(struct lkst_map *m, uint64_t key)
{
	struct lkst_map_slot *slot = m->nr ? slot_of(m, key) : NULL;
	size_t hole, i;

	if (!slot || !slot->is_used)
		return;
	m->nr--;
	/* A later entry that would be looked for across the hole moves into it. */
	hole = i = (size_t)(slot - m->slots);
	for (;;) {
		size_t home;

		i = (i + 1) & (m->nr_slots - 1);
		if (!m->slots[i].is_used)
			break;
		home = home_of(m, m->slots[i].key);
		if (((i - home) & (m->nr_slots - 1)) < ((i - hole) & (m->nr_slots - 1)))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].is_used = false;
}

void lkst_map_clear(struct lkst_map *m)
{
	if (m->nr)
		memset(m->slots, 0, m->nr_slots * sizeof(*m->slots));
	m->nr = 0;
}
