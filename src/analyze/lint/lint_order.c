/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule about the order of locks: two that are taken one inside the other, both ways round, can
 * stop two CPUs for good. Not so if a third lock is always held around them. A lock is known by its
 * address, and another one may lie there later, so that an order ends when the memory is freed. Of locks within the
 * kernel's pages (those of page tables, which a fork takes one inside the other) that is not seen: what the same code
 * takes both ways round is not told. It knows them by what they are to it, as source and destination.
 */
#include <errno.h>

#include "analyze/lint/lint_locks.h"

enum {
	/* kfree() does not say how much it frees: so many bytes after the address are taken to be in it. */
	FREED_BYTES_MAX = 64 << 10,
};

static u64 lint_order_key_of(u64 outer, u64 inner)
{
	/* Not the same both ways round. If two pairs have one key, the second is not tracked. */
	return outer * 0x9e3779b97f4a7c15ULL ^ (inner << 32 | inner >> 32);
}

static struct lkst_lock *lint_order_find_lock(const struct lkst_locks *k, u64 address)
{
	const u64 *i = lkst_map_find(&k->by_lock, address);

	return i ? &k->locks[*i] : NULL;
}

static bool is_current(const struct lkst_locks *k, const struct lkst_lock_pair *p)
{
	const struct lkst_lock *outer = lint_order_find_lock(k, p->outer), *inner = lint_order_find_lock(k, p->inner);

	return outer && inner && p->outer_generation == outer->generation &&
	       p->inner_generation == inner->generation;
}

static struct lkst_lock_pair *find_pair(const struct lkst_locks *k, u64 outer, u64 inner)
{
	const u64 *i = lkst_map_find(&k->by_pair, lint_order_key_of(outer, inner));
	struct lkst_lock_pair *p = i ? &k->pairs[*i] : NULL;

	return p && p->outer == outer && p->inner == inner ? p : NULL;
}

/*
 * What @keeper may hold besides @outer. Not what it was switched away with: that is the lock of the run
 * queue, which is taken before the switch and released after it without an event.
 */
static u8 find_guards(const struct lkst_keeper *keeper, u64 outer, u64 *ret_guards)
{
	u8 nr = 0;
	u32 i;

	for (i = 0; i < keeper->nr && nr < LKST_GUARDS_MAX; i++)
		if (keeper->holds[i].lock != outer && !keeper->holds[i].has_switched)
			ret_guards[nr++] = keeper->holds[i].lock;
	return nr;
}

static bool has_common_guard(const struct lkst_lock_pair *a, const struct lkst_lock_pair *b)
{
	u8 i, n;

	for (i = 0; i < a->nr_guards; i++)
		for (n = 0; n < b->nr_guards; n++)
			if (a->guards[i] == b->guards[n])
				return true;
	return false;
}

/* Whether it was @hold that @p was noted under. */
static bool is_under(const struct lkst_lock_pair *p, const struct lkst_hold *hold)
{
	return p->since_ns == hold->sight.ns && p->sight.tid == hold->sight.tid;
}

static void store_pair(struct lkst_locks *k, struct lkst_hold *outer, u32 place,
		       const struct lkst_lock_pair *pair)
{
	k->pairs[place] = *pair;
	if (outer->nr_inside < LKST_INSIDE_MAX)
		outer->inside[outer->nr_inside++] = place;
}

static void note_pair(struct lkst_locks *k, const struct lkst_keeper *keeper,
		      struct lkst_hold *outer, const struct lkst_hold *inner)
{
	struct lkst_lock *outer_lock = lint_order_find_lock(k, outer->lock);
	struct lkst_lock *inner_lock = lint_order_find_lock(k, inner->lock);
	struct lkst_lock_pair *p = find_pair(k, outer->lock, inner->lock);
	struct lkst_lock_pair now = { .outer = outer->lock,
				      .inner = inner->lock,
				      .caller = inner->caller,
				      .since_ns = outer->sight.ns,
				      .sight = inner->sight };
	const u64 key = lint_order_key_of(outer->lock, inner->lock);

	if (!outer_lock || !inner_lock)
		return;
	now.outer_generation = outer_lock->generation;
	now.inner_generation = inner_lock->generation;
	now.nr_guards = find_guards(keeper, outer->lock, now.guards);
	if (p) {
		if (!is_current(k, p) || now.nr_guards < p->nr_guards ||
		    (!p->is_sure && !is_under(p, outer)))
			store_pair(k, outer, (u32)(p - k->pairs), &now);
		return;
	}
	if (lkst_map_find(&k->by_pair, key) || k->nr_pairs == LKST_LOCKS_PAIRS_MAX ||
	    lkst_lint_room(&k->pairs, k->nr_pairs, sizeof(*k->pairs)) ||
	    lkst_map_set(&k->by_pair, key, k->nr_pairs))
		return;
	store_pair(k, outer, k->nr_pairs++, &now);
}

void lkst_locks_order(struct lkst_locks *k, struct lkst_keeper *keeper,
		      const struct lkst_lock *lock, const struct lkst_hold *now)
{
	u32 i;

	if (!k->has_order)
		return;
	for (i = 0; i < keeper->nr; i++)
		if (!keeper->holds[i].is_try && !keeper->holds[i].has_switched &&
		    keeper->holds[i].lock != now->lock)
			note_pair(k, keeper, &keeper->holds[i], now);
}

/*
 * A kernel may have built a release into its callers, so that a lock only seems to be held. One that is
 * released later, without another take between, was held.
 */
void lkst_locks_order_release(struct lkst_locks *k, const struct lkst_hold *hold)
{
	u8 i;

	for (i = 0; i < hold->nr_inside; i++) {
		struct lkst_lock_pair *p = &k->pairs[hold->inside[i]];

		/* Another thread may have put its own there meanwhile. */
		if (is_under(p, hold))
			p->is_sure = true;
	}
}

/* True if the thread asked for the inner lock of @p and has stopped for good: it holds the outer one. */
static bool lint_order_is_stuck(const struct lkst_locks *k, const struct lkst_lock_pair *p)
{
	const u64 *i = lkst_map_find(&k->by_keeper, lkst_keeper_key(p->sight.tid, p->sight.cpu));

	return i && k->keepers[*i].epoch == k->epoch && k->keepers[*i].last_ns == p->sight.ns &&
	       k->end_ns > p->sight.ns + LKST_LOCKS_STUCK_NS;
}

static bool is_certain(const struct lkst_locks *k, const struct lkst_lock_pair *p)
{
	return is_current(k, p) && (p->is_sure || lint_order_is_stuck(k, p));
}

/* A lock whose takes and releases have always been seen. */
static bool lint_order_is_known(const struct lkst_locks *k, u64 address)
{
	const struct lkst_lock *lock = lint_order_find_lock(k, address);

	return lock && !lock->odd && lock->proper;
}

int lkst_locks_order_end(struct lkst_locks *k)
{
	u32 i;

	for (i = 0; i < k->nr_pairs; i++) {
		struct lkst_lock_pair *p = &k->pairs[i];
		struct lkst_lock_pair *q = find_pair(k, p->inner, p->outer);
		struct lkst_finding f = { .rule = LKST_LINT_LOCK_ORDER,
					  .what = "locks",
					  .nr_sights = 2 };

		if (!q || p->is_told || p->caller == q->caller || has_common_guard(p, q) || !is_certain(k, p) ||
		    !is_certain(k, q) || !lint_order_is_known(k, p->outer) || !lint_order_is_known(k, p->inner))
			continue;
		p->is_told = q->is_told = true;
		f.object = p->sight.ns < q->sight.ns ? p->outer : q->outer;
		f.other = p->sight.ns < q->sight.ns ? p->inner : q->inner;
		f.code = p->sight.ns < q->sight.ns ? q->caller : p->caller;
		f.sights[0] = p->sight.ns < q->sight.ns ? p->sight : q->sight;
		f.sights[1] = p->sight.ns < q->sight.ns ? q->sight : p->sight;
		if (lkst_lint_add(k->pass, &f))
			return -ENOMEM;
	}
	return 0;
}

/* ---- memory that is freed ------------------------------------------------------------- */

static void lint_order_free_range(struct lkst_locks *k, u64 address, u64 bytes)
{
	u64 page = address >> LKST_LOCKS_PAGE_SHIFT;
	u64 last = (address + bytes - 1) >> LKST_LOCKS_PAGE_SHIFT;

	for (; page <= last; page++) {
		const u64 *first = lkst_map_find(&k->by_page, page);
		u32 i = first ? (u32)*first : LKST_LOCKS_NONE;

		for (; i != LKST_LOCKS_NONE; i = k->locks[i].next)
			if (k->locks[i].address - address < bytes)
				k->locks[i].generation++;
	}
}

static int lint_order_on_kfree(void *ctx, const struct lkst_record *r, const void *record)
{
	lint_order_free_range(ctx, ((const struct lkst_rec_kfree *)record)->ptr, FREED_BYTES_MAX);
	return 0;
}

static int lint_order_on_cache_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_kmem_cache_free *f = record;

	lint_order_free_range(ctx, f->ptr,
			      f->bytes < FREED_BYTES_MAX && f->bytes ? f->bytes : FREED_BYTES_MAX);
	return 0;
}

int lkst_locks_order_begin(struct lkst_locks *k)
{
	struct lkst_feed *f = k->pass->feed;
	int r;

	if (!k->pass->wants[LKST_LINT_LOCK_ORDER])
		return 0;
	if (!lkst_feed_has(f, LKST_EV_kfree) || !lkst_feed_has(f, LKST_EV_kmem_cache_free)) {
		lkst_notes_add(
			&k->pass->lint->notes,
			"rule lock-order is not applied: it needs to know when memory is freed "
			"(--event kfree --event kmem_cache_free)");
		return 0;
	}
	k->has_order = true;
	r = lkst_feed_event(f, LKST_EV_kfree, lint_order_on_kfree, k);
	return r < 0 ? r : lkst_feed_event(f, LKST_EV_kmem_cache_free, lint_order_on_cache_free, k);
}
