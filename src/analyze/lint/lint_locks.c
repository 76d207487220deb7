/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules about spin locks and read-write locks, where every take and release is recorded (the events
 * of LKST's LK_ names).
 *
 * Not all of them have an event: a kernel has takes and releases built into their callers. So of a lock, and
 * of code that takes locks, it is counted how often a release follows a take as it should. If that fails
 * more often than the one time that a finding is about, there are releases or takes without an event, and
 * then there is no finding.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lint/lint_locks.h"

static u64 lint_locks_key_of(const struct lkst_record *r)
{
	return lkst_keeper_key(r->tid, r->cpu);
}

/*
 * The place of @key in *@list, an array of *@nr elements of @size bytes that map @m indexes; it grows
 * if the key is new. NONE: no room.
 */
static u32 lint_locks_place_of(struct lkst_map *m, u64 key, void *list, u32 *nr, size_t size)
{
	const u64 *i = lkst_map_find(m, key);

	if (i)
		return (u32)*i;
	if (*nr == m->max || lkst_lint_room(list, *nr, size) || lkst_map_set(m, key, *nr))
		return LKST_LOCKS_NONE;
	return (*nr)++;
}

static struct lkst_keeper *keeper_of(struct lkst_locks *k, u64 key)
{
	u32 i = lint_locks_place_of(&k->by_keeper, key, &k->keepers, &k->nr_keepers, sizeof(*k->keepers));
	struct lkst_keeper *keeper = i == LKST_LOCKS_NONE ? NULL : &k->keepers[i];

	if (keeper && keeper->epoch != k->epoch)
		*keeper =
			(struct lkst_keeper){ .epoch = k->epoch, .twice.rule = LKST_NR_LINT_RULES };
	return keeper;
}

static struct lkst_lock *lock_of(struct lkst_locks *k, u64 address)
{
	u32 was = k->nr_locks;
	u32 i = lint_locks_place_of(&k->by_lock, address, &k->locks, &k->nr_locks, sizeof(*k->locks));
	struct lkst_lock *lock = i == LKST_LOCKS_NONE ? NULL : &k->locks[i];

	if (i == was && lock) {
		const u64 *first = lkst_map_find(&k->by_page, address >> LKST_LOCKS_PAGE_SHIFT);

		lock->address = address;
		lock->next = first ? (u32)*first : LKST_LOCKS_NONE;
		/* Without memory the lock is not found when its page is freed: it is given up. */
		if (lkst_map_set(&k->by_page, address >> LKST_LOCKS_PAGE_SHIFT, i))
			lock->odd = 2;
	}
	if (lock && lock->epoch != k->epoch) {
		lock->epoch = k->epoch;
		lock->nr_asking = 0;
		lock->kept.rule = LKST_NR_LINT_RULES;
	}
	return lock;
}

static struct lkst_lock_site *lint_locks_site_of(struct lkst_locks *k, u64 code)
{
	u32 i = lint_locks_place_of(&k->by_site, code, &k->sites, &k->nr_sites, sizeof(*k->sites));

	return i == LKST_LOCKS_NONE ? NULL : &k->sites[i];
}

static void be_odd(struct lkst_locks *k, struct lkst_lock *lock, u64 caller)
{
	struct lkst_lock_site *site = caller ? lint_locks_site_of(k, caller) : NULL;

	lock->odd++;
	if (site)
		site->odd++;
}

static struct lkst_hold *find_hold(struct lkst_keeper *keeper, u64 address)
{
	u32 i;

	for (i = keeper->nr; i; i--)
		if (keeper->holds[i - 1].lock == address)
			return &keeper->holds[i - 1];
	return NULL;
}

static void remove_hold(struct lkst_locks *k, struct lkst_keeper *keeper, struct lkst_hold *hold)
{
	struct lkst_lock *lock = lock_of(k, hold->lock);

	if (lock && lock->nr_asking)
		lock->nr_asking--;
	memmove(hold, hold + 1, (size_t)(keeper->holds + --keeper->nr - hold) * sizeof(*hold));
}

/* ---- findings ------------------------------------------------------------------------- */

static struct lkst_finding make_finding(enum lkst_lint_rule rule, const struct lkst_hold *hold,
					const struct lkst_sight *second)
{
	return (struct lkst_finding){ .rule = rule,
				      .what = "a lock",
				      .object = hold->lock,
				      .code = hold->caller,
				      .sights = { hold->sight, *second },
				      .nr_sights = 2 };
}

/* Keeps a finding until the end, when more is known of the lock. */
static int lint_locks_remember(struct lkst_locks *k, const struct lkst_finding *f)
{
	if (k->nr_candidates == LKST_LOCKS_CANDIDATES_MAX)
		return 0;
	if (lkst_lint_room(&k->candidates, k->nr_candidates, sizeof(*k->candidates)))
		return -ENOMEM;
	k->candidates[k->nr_candidates++] = *f;
	return 0;
}

/* The lock was released by someone else than its holder. */
static int be_stranger(struct lkst_locks *k, struct lkst_lock *lock, u64 stranger,
		       const struct lkst_record *r)
{
	struct lkst_keeper *owner = lock->nr_asking == 1 ? keeper_of(k, lock->asker) : NULL;
	struct lkst_sight release = lkst_sight_of(r);
	struct lkst_hold *hold = owner ? find_hold(owner, lock->address) : NULL;
	struct lkst_finding f;
	bool is_found;

	if (!hold || lock->asker == stranger)
		return 0;
	f = make_finding(LKST_LINT_LOCK_STRANGER, hold, &release);
	/* The scheduler's own locks pass from thread to thread with the CPU. */
	is_found = !hold->is_try && !hold->is_read && hold->sight.cpu != r->cpu &&
		   r->ns > hold->sight.ns + LKST_LINT_SKEW_NS;
	remove_hold(k, owner, hold);
	owner->robbed = lock->address;
	return is_found ? lint_locks_remember(k, &f) : 0;
}

/* ---- events --------------------------------------------------------------------------- */

static int lint_locks_take(struct lkst_locks *k, const struct lkst_record *r, u64 address, u64 caller,
			   bool is_try, bool is_read)
{
	struct lkst_keeper *keeper = keeper_of(k, lint_locks_key_of(r));
	struct lkst_lock *lock = lock_of(k, address);
	struct lkst_hold *old, now = { .lock = address,
				       .caller = caller,
				       .is_try = is_try,
				       .is_read = is_read,
				       .sight = lkst_sight_of(r) };

	if (!keeper || !lock)
		return 0;
	keeper->last_ns = r->ns;
	keeper->twice.rule = LKST_NR_LINT_RULES;
	old = find_hold(keeper, address);
	if (old && !is_read && !old->is_read) {
		if (!is_try && !old->is_try) {
			be_odd(k, lock, old->caller);
			keeper->twice = make_finding(LKST_LINT_LOCK_TWICE, old, &now.sight);
		}
		remove_hold(k, keeper, old);
	}
	if (keeper->nr == LKST_HOLDS_MAX)
		remove_hold(k, keeper, &keeper->holds[0]);
	if (!is_try)
		lkst_locks_order(k, keeper, lock, &now);
	keeper->holds[keeper->nr++] = now;
	lock->nr_asking++;
	lock->asker = lint_locks_key_of(r);
	return 0;
}

static int lint_locks_release(struct lkst_locks *k, const struct lkst_record *r, u64 address)
{
	struct lkst_keeper *keeper = keeper_of(k, lint_locks_key_of(r));
	struct lkst_lock *lock = lock_of(k, address);
	struct lkst_lock_site *site;
	struct lkst_hold *hold;
	struct lkst_finding f;
	int err;

	if (!keeper || !lock)
		return 0;
	keeper->last_ns = r->ns;
	keeper->twice.rule = LKST_NR_LINT_RULES;
	if (lock->kept.rule != LKST_NR_LINT_RULES) {
		/* It was not kept after all: another thread has it. */
		lock->kept.rule = LKST_NR_LINT_RULES;
		lock->odd++;
	}
	hold = find_hold(keeper, address);
	if (!hold && keeper->robbed == address) {
		keeper->robbed = 0;
		return 0;
	}
	if (!hold) {
		err = be_stranger(k, lock, lint_locks_key_of(r), r);
		be_odd(k, lock, 0);
		return err;
	}
	lock->proper++;
	site = lint_locks_site_of(k, hold->caller);
	if (site)
		site->proper++;
	f = make_finding(LKST_LINT_SLEEP, hold, &hold->slept);
	f.sights[f.nr_sights++] = lkst_sight_of(r);
	err = hold->has_slept && !hold->is_try ? lint_locks_remember(k, &f) : 0;
	lkst_locks_order_release(k, hold);
	remove_hold(k, keeper, hold);
	return err;
}

#define ON_TAKE(event, is_try, is_read)                                                            \
	static int on_##event(void *ctx, const struct lkst_record *r, const void *record)          \
	{                                                                                          \
		const struct lkst_rec_##event *e = record;                                         \
                                                                                                   \
		return lint_locks_take(ctx, r, e->lock, e->caller, is_try, is_read);                          \
	}
#define ON_RELEASE(event)                                                                          \
	static int on_##event(void *ctx, const struct lkst_record *r, const void *record)          \
	{                                                                                          \
		return lint_locks_release(ctx, r, ((const struct lkst_rec_##event *)record)->lock);           \
	}

ON_TAKE(spin_lock, false, false)
ON_TAKE(spin_trylock, true, false)
ON_RELEASE(spin_unlock)
ON_TAKE(write_lock, false, false)
ON_TAKE(write_trylock, true, false)
ON_RELEASE(write_unlock)
ON_TAKE(read_lock, false, true)
ON_RELEASE(read_unlock)

/* A thread that goes to sleep still holds its locks. */
static int lint_locks_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *s = record;
	struct lkst_locks *k = ctx;
	const u64 *place = lkst_map_find(&k->by_keeper, lint_locks_key_of(r));
	struct lkst_keeper *keeper = place ? keeper_of(k, lint_locks_key_of(r)) : NULL;
	u32 i;

	if (!keeper)
		return 0;
	keeper->last_ns = r->ns;
	keeper->twice.rule = LKST_NR_LINT_RULES;
	for (i = 0; i < keeper->nr; i++) {
		keeper->holds[i].has_switched = true;
		if (!s->prev_state)
			continue;
		keeper->holds[i].slept = lkst_sight_of(r);
		keeper->holds[i].has_slept = true;
	}
	return 0;
}

/* On its way back to the user program a thread holds nothing. */
static int lint_locks_on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *call)
{
	struct lkst_locks *k = ctx;
	const u64 *place = lkst_map_find(&k->by_keeper, lint_locks_key_of(r));
	struct lkst_keeper *keeper = place ? keeper_of(k, lint_locks_key_of(r)) : NULL;
	struct lkst_sight leave = lkst_sight_of(r);

	if (!keeper)
		return 0;
	keeper->last_ns = r->ns;
	keeper->twice.rule = LKST_NR_LINT_RULES;
	while (keeper->nr) {
		struct lkst_hold *hold = &keeper->holds[keeper->nr - 1];
		struct lkst_lock *lock = lock_of(k, hold->lock);
		struct lkst_lock_site *site = lint_locks_site_of(k, hold->caller);

		if (lock && !hold->is_try) {
			lock->kept = make_finding(LKST_LINT_LOCK_KEPT, hold, &leave);
			if (site)
				site->odd++;
		}
		remove_hold(k, keeper, hold);
	}
	return 0;
}

/* ---- the group ------------------------------------------------------------------------ */

static void locks_gap(void *ctx)
{
	((struct lkst_locks *)ctx)->epoch++;
}

/* Whether enough is known of lock and code for a finding; @own_odds: what the finding itself counts. */
static bool lint_locks_is_known(const struct lkst_locks *k, const struct lkst_finding *f, u32 own_odds,
				u32 own_site_odds)
{
	const u64 *lock = lkst_map_find(&k->by_lock, f->object);
	const u64 *site = lkst_map_find(&k->by_site, f->code);

	if (!lock || k->locks[*lock].odd > own_odds)
		return false;
	return site && k->sites[*site].odd <= own_site_odds &&
	       k->sites[*site].proper >= LKST_LOCKS_PROPER_MIN;
}

static int add_known(struct lkst_locks *k, const struct lkst_finding *f, u32 own_odds,
		     u32 own_site_odds)
{
	if (f->rule == LKST_NR_LINT_RULES || !k->pass->wants[f->rule] ||
	    !lint_locks_is_known(k, f, own_odds, own_site_odds))
		return 0;
	return lkst_lint_add(k->pass, f);
}

static int lint_locks_on_end(void *ctx, u64 end_ns)
{
	((struct lkst_locks *)ctx)->end_ns = end_ns;
	return 0;
}

static int locks_end(void *ctx)
{
	struct lkst_locks *k = ctx;
	u32 i;
	int err = 0;

	for (i = 0; i < k->nr_candidates && !err; i++)
		err = add_known(k, &k->candidates[i],
				k->candidates[i].rule == LKST_LINT_LOCK_STRANGER, 0);
	for (i = 0; i < k->nr_locks && !err; i++)
		if (k->locks[i].epoch == k->epoch)
			err = add_known(k, &k->locks[i].kept, 0, 1);
	for (i = 0; i < k->nr_keepers && !err; i++)
		if (k->keepers[i].epoch == k->epoch &&
		    k->end_ns > k->keepers[i].last_ns + LKST_LOCKS_STUCK_NS)
			err = add_known(k, &k->keepers[i].twice, 1, 1);
	return err ? err : lkst_locks_order_end(k);
}

static void locks_free(void *ctx)
{
	struct lkst_locks *k = ctx;

	if (!k)
		return;
	lkst_map_fini(&k->by_keeper);
	lkst_map_fini(&k->by_lock);
	lkst_map_fini(&k->by_page);
	lkst_map_fini(&k->by_site);
	lkst_map_fini(&k->by_pair);
	free(k->keepers);
	free(k->locks);
	free(k->sites);
	free(k->pairs);
	free(k->candidates);
	free(k);
}

static int locks_begin(struct lkst_lint_pass *p, void **ret_ctx)
{
	static const struct {
		u16 index;
		lkst_feed_call *call;
	} wishes[] = {
		{ LKST_EV_spin_lock, on_spin_lock },
		{ LKST_EV_spin_trylock, on_spin_trylock },
		{ LKST_EV_spin_unlock, on_spin_unlock },
		{ LKST_EV_write_lock, on_write_lock },
		{ LKST_EV_write_trylock, on_write_trylock },
		{ LKST_EV_write_unlock, on_write_unlock },
		{ LKST_EV_read_lock, on_read_lock },
		{ LKST_EV_read_unlock, on_read_unlock },
		{ LKST_EV_sched_switch, lint_locks_on_switch },
	};
	struct lkst_locks *k;
	size_t i;
	int r = 0;

	if (!p->wants[LKST_LINT_SLEEP] && !p->wants[LKST_LINT_LOCK_KEPT] &&
	    !p->wants[LKST_LINT_LOCK_STRANGER] && !p->wants[LKST_LINT_LOCK_TWICE] &&
	    !p->wants[LKST_LINT_LOCK_ORDER])
		return 0;
	if (!lkst_feed_has(p->feed, LKST_EV_spin_lock) ||
	    !lkst_feed_has(p->feed, LKST_EV_spin_unlock)) {
		lkst_notes_add(&p->lint->notes,
			       "rules about locks are not applied: their takes and "
			       "releases were not recorded (--event 'lock:*')");
		return 0;
	}
	k = *ret_ctx = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->pass = p;
	k->by_keeper.max = LKST_LOCKS_KEEPERS_MAX;
	k->by_lock.max = k->by_page.max = LKST_LOCKS_MAX;
	k->by_site.max = LKST_LOCKS_SITES_MAX;
	k->by_pair.max = LKST_LOCKS_PAIRS_MAX;
	/* An entry with epoch 0 has not been made yet. */
	k->epoch = 1;
	for (i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && r >= 0; i++)
		r = lkst_feed_event(p->feed, wishes[i].index, wishes[i].call, k);
	if (r >= 0)
		r = lkst_feed_syscalls(p->feed, NULL, lint_locks_on_return, k);
	if (r >= 0)
		r = lkst_feed_end(p->feed, lint_locks_on_end, k);
	return r < 0 ? r : lkst_locks_order_begin(k);
}

const struct lkst_lint_group lkst_lint_locks = {
	.begin = locks_begin,
	.gap = locks_gap,
	.end = locks_end,
	.free = locks_free,
};
