/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of events that are left out to keep to the cost limit, and taken back. */
#ifndef LKST_BPF_BUDGET_BUDGET_KINDS_H
#define LKST_BPF_BUDGET_BUDGET_KINDS_H

#include "bpf/budget/budget_shared.h"

enum { TOO_CHEAP = 64 }; /* a kind that costs less than this part of the limit stays */

static __always_inline struct lkst_kind *kind_at(u32 key)
{
	return bpf_map_lookup_elem(&lkst_kinds, &key);
}

/*
 * Sets or clears the bit that leaves out event @id (0: none), in all masksets. Entries are changed two
 * at a time, as one word, so that what user space writes meanwhile is not lost. Global, so that it is verified
 * once; and without branches on @shed and the place in the word, which would double its paths.
 */
__weak __noinline int lkst_budget_mark(u32 id, u32 shed)
{
	const u32 shift = (id & 1) * 16;
	const u32 bit = LKST_HANDLER_SHED << shift, nothing = LKST_HANDLER_NOTHING << shift;
	const u32 on = bit * (shed & 1);
	u32 set, try;

	for (set = 0; id && set < LKST_MASKSETS; set++) {
		u32 *pair = (u32 *)&lkst_control.route[set][id & LKST_ID_MAX & ~1U];

		for (try = 0; try < 4; try++) {
			u32 old = LKST_LOAD(*pair), new = (old & ~bit) | on;

			if ((old & nothing) == nothing ||
			    __sync_val_compare_and_swap(pair, old, new) == old)
				break;
		}
	}
	return 0;
}

/* Marks the events of a kind that belongs to the group of hooks look.marks. */
static long mark_kind(void *map, const u32 *key, struct lkst_kind *kind)
{
	if (kind->group != look.marks || (kind->is_shed && !look.marks_shed))
		return 0;
	lkst_budget_mark(kind->id[0], look.marks_shed);
	lkst_budget_mark(kind->id[1], look.marks_shed);
	return 0;
}

/* Marks the events of @kind, which may be one that stands for all of a group's. */
static __always_inline void mark(const struct lkst_kind *kind, u32 shed)
{
	if (kind->id[0]) {
		lkst_budget_mark(kind->id[0], shed);
		lkst_budget_mark(kind->id[1], shed);
	} else {
		look.marks = kind->group;
		look.marks_shed = shed;
		bpf_for_each_map_elem(&lkst_kinds, mark_kind, NULL, 0);
	}
	lkst_maskset_changed();
}

/* All of it, whatever its length is: @to has room. */
static __always_inline void put_name(char *to, const struct lkst_kind *kind)
{
	__builtin_memcpy(to, kind->name, LKST_KIND_NAME);
}

/* What records that took @ns on busy CPUs cost the busiest one. */
static __always_inline u32 recorded_part(u64 ns)
{
	return look.recorded_ns ? look.busiest_ppm * ns / look.recorded_ns : 0;
}

/*
 * Says when a kind that is left out is to be tried: the later the more expensive it was, and later still if it was
 * tried or recorded not long ago (@is_again).
 */
static __always_inline void put_off(struct lkst_kind *kind, bool is_again)
{
	if (kind->hold_s && is_again)
		kind->hold_s *= 2;
	else
		kind->hold_s = LKST_BUDGET_HOLD_S * (1 + kind->ppm / lkst_budget.limit_ppm);
	if (kind->hold_s > lkst_budget.retry_s)
		kind->hold_s = lkst_budget.retry_s;
	kind->due_ns = look.now + kind->hold_s * 1000000000ULL;
}

/* Leaves out kind @key, which costs @ppm. Global as above. */
__weak __noinline int lkst_budget_shed(u32 key, u32 ppm)
{
	struct lkst_kind *kind = kind_at(key);

	if (!kind)
		return 0;
	kind->ppm = ppm;
	put_off(kind, look.now - kind->since_ns < 8ULL * kind->hold_s * 1000000000);
	kind->since_ns = look.now;
	kind->times++;
	kind->is_shed = 1;
	lkst_budget.nr_shed++;
	mark(kind, true);

	lkst_recording_own(shed_begin, r, lkst_begin_own, sizeof(*r) + kind->name_length + 1,
			   sizeof(*r) + LKST_KIND_NAME) {
		r->cost = kind->ppm;
		put_name(r->kind.bytes, kind);
	}
	return 0;
}

/* Leaves out what user space wants to be left out from the beginning. */
static long begin_without(void *map, const u32 *key, struct lkst_kind *kind)
{
	if (kind->begins_out) {
		kind->begins_out = 0;
		lkst_budget_shed(*key, kind->ppm);
	}
	return 0;
}

/* Records kind @key again. Global as above. */
__weak __noinline int lkst_budget_take_back(u32 key)
{
	struct lkst_kind *kind = kind_at(key);
	u64 left_out;

	if (!kind)
		return 0;
	left_out = look.now - kind->since_ns;
	kind->shed_ns += left_out;
	kind->since_ns = look.now;
	kind->is_shed = 0;
	lkst_budget.nr_shed--;

	lkst_recording_own(shed_end, r, lkst_begin_own, sizeof(*r) + kind->name_length + 1,
			   sizeof(*r) + LKST_KIND_NAME) {
		LKST_PUT64(r->left_out, left_out);
		put_name(r->kind.bytes, kind);
	}
	mark(kind, false);
	return 0;
}

/* A search for the kind to leave out: of the least valuable ones that cost enough, the most expensive. */
static long find_most_expensive(void *map, const u32 *key, struct lkst_kind *kind)
{
	if (kind->value == LKST_KIND_PRECIOUS || kind->is_shed ||
	    recorded_part(kind->ns) < lkst_budget.limit_ppm / TOO_CHEAP ||
	    kind->value > look.best_value ||
	    (kind->value == look.best_value && kind->ns <= look.best_ns))
		return 0;
	look.best = *key;
	look.best_value = kind->value;
	look.best_ns = kind->ns;
	return 0;
}

/* Leaves out one more kind, unless the cost is down to the aim. */
static long shed_one(u32 i)
{
	struct lkst_kind *kind;

	if (look.left_ppm <= look.aim_ppm)
		return 1;
	look.best = LKST_KIND_NONE;
	look.best_value = LKST_KIND_PRECIOUS;
	look.best_ns = 0;
	bpf_for_each_map_elem(&lkst_kinds, find_most_expensive, NULL, 0);
	kind = kind_at(look.best);
	if (!kind)
		return 1;
	lkst_budget_shed(look.best, recorded_part(kind->ns));
	look.left_ppm -= kind->ppm < look.left_ppm ? kind->ppm : look.left_ppm;
	return 0;
}

/* Adds up what was recorded, and what of that is of less value than look.value. */
static long add_recorded(void *map, const u32 *key, struct lkst_kind *kind)
{
	look.recorded_ns += kind->ns;
	if (!kind->is_shed && kind->value < look.value)
		look.lesser_ns += kind->ns;
	return 0;
}

/* Down to four fifths, so that small changes do not toggle anything. */
static __always_inline u32 aim(u32 ppm)
{
	return ppm - ppm / 5;
}

static __noinline void keep_to_limit(void)
{
	look.aim_ppm = aim(look.allowed_ppm);
	look.left_ppm = look.busiest_ppm;
	bpf_loop(CHANGES, shed_one, NULL, 0);
}

/* What was measured before must not count against what is recorded now. */
static long forget_mean(void *map, const u32 *cpu, struct budget_cpu *c)
{
	u32 most = look.allowed_ppm / 2;

	if (c->ppm > most)
		c->ppm = most;
	return 0;
}

#endif
