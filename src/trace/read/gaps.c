/* SPDX-License-Identifier: GPL-2.0-only */
/* A bounded list of gaps. */
#include "trace/read/gaps.h"

#include <errno.h>
#include <stdlib.h>

enum { ROOM_MIN = 64 };

static u64 gaps_sum(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void lkst_gap_include(struct lkst_gap *gap, const struct lkst_gap *other)
{
	gap->why = "several gaps, too many to keep apart";
	gap->is_damage |= other->is_damage;
	if (other->from_ns < gap->from_ns)
		gap->from_ns = other->from_ns;
	if (other->to_ns > gap->to_ns)
		gap->to_ns = other->to_ns;
	gap->events = gaps_sum(gap->events, other->events);
	gap->blocks = gaps_sum(gap->blocks, other->blocks);
}

int lkst_gaps_init(struct lkst_gaps *g, u32 max)
{
	u32 room = max < ROOM_MIN ? max : ROOM_MIN;

	*g = (struct lkst_gaps){ .ring = calloc(room, sizeof(*g->ring)), .room = room, .max = max };
	return g->ring ? 0 : -ENOMEM;
}

void lkst_gaps_fini(struct lkst_gaps *g)
{
	free(g->ring);
	*g = (struct lkst_gaps){};
}

static struct lkst_gap *gaps_at(struct lkst_gaps *g, u32 i)
{
	return &g->ring[(g->first + i) & (g->room - 1)];
}

/* Makes room for one more. False: there is none. */
static bool gaps_grow(struct lkst_gaps *g)
{
	struct lkst_gap *grown;
	u32 i;

	if (g->nr < g->room)
		return true;
	grown = g->room < g->max ? calloc(g->room * 2, sizeof(*grown)) : NULL;
	if (!grown)
		return false;
	for (i = 0; i < g->nr; i++)
		grown[i] = *gaps_at(g, i);
	free(g->ring);
	g->ring = grown;
	g->room *= 2;
	g->first = 0;
	return true;
}

void lkst_gaps_add(struct lkst_gaps *g, const struct lkst_gap *gap)
{
	if (gaps_grow(g))
		*gaps_at(g, g->nr++) = *gap;
	else
		lkst_gap_include(gaps_at(g, g->nr - 1), gap);
}

void lkst_gaps_insert(struct lkst_gaps *g, const struct lkst_gap *gap)
{
	struct lkst_gap *before;
	u32 i;

	if (!gaps_grow(g)) {
		lkst_gap_include(gaps_at(g, g->nr - 1), gap);
		return;
	}
	for (i = g->nr++; i; i--) {
		before = gaps_at(g, i - 1);
		if (before->from_ns <= gap->from_ns)
			break;
		*gaps_at(g, i) = *before;
	}
	*gaps_at(g, i) = *gap;
}

bool lkst_gaps_take(struct lkst_gaps *g, struct lkst_gap *ret_gap)
{
	if (!g->nr)
		return false;
	*ret_gap = *gaps_at(g, 0);
	g->first = (g->first + 1) & (g->room - 1);
	g->nr--;
	return true;
}
