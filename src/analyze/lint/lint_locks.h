/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two files of the rules about locks share: lint_locks.c tracks which thread holds which
 * lock, lint_order.c in which order. Private to them.
 */
#ifndef LKST_ANALYZE_LINT_LINT_LOCKS_H
#define LKST_ANALYZE_LINT_LINT_LOCKS_H

#include "analyze/lint/lint_pass.h"

enum {
	LKST_LOCKS_NONE = UINT32_MAX,
	LKST_LOCKS_MAX = 1 << 20, /* beyond these, new ones are not tracked */
	LKST_LOCKS_KEEPERS_MAX = 1 << 16,
	LKST_LOCKS_SITES_MAX = 1 << 16,
	LKST_LOCKS_PAIRS_MAX = 1 << 18,
	LKST_LOCKS_CANDIDATES_MAX = 1 << 12,
	LKST_LOCKS_PAGE_SHIFT = 12,
	LKST_LOCKS_PROPER_MIN = 3,	/* releases that make the code that took a lock known */
	LKST_LOCKS_STUCK_NS = 10000000, /* of silence until a thread counts as stopped */
	LKST_HOLDS_MAX = 16,		/* locks held by one thread */
	LKST_GUARDS_MAX = 4,
	LKST_INSIDE_MAX = 8,
};

/* A lock that a thread has asked for and not released: it holds it, or waits for it. */
struct lkst_hold {
	u64 lock, caller;
	bool is_try; /* whether it has got it is not recorded */
	bool is_read, has_slept;
	bool has_switched; /* and so was released, without an event: or has_slept is a finding */
	struct lkst_sight sight, slept;
	u32 inside
		[LKST_INSIDE_MAX]; /* pairs that are sure when it is released: locks asked for meanwhile */
	u8 nr_inside;
};

/* A thread, or the idle thread of a CPU. */
struct lkst_keeper {
	u32 epoch; /* of another one: void */
	u32 nr;
	struct lkst_hold holds[LKST_HOLDS_MAX]; /* in the order in which they were asked for */
	u64 last_ns;				/* of its last event */
	u64 robbed;				/* a lock of its that another has released */
	struct lkst_finding twice;		/* rule LKST_NR_LINT_RULES: none */
};

struct lkst_lock {
	u64 address;
	u32 epoch;
	u32 next;	/* of the same page */
	u32 generation; /* counts how often the memory around it was freed */
	u32 proper, odd;
	u32 nr_asking;
	u64 asker; /* the last */
	struct lkst_finding kept;
};

/* Code that takes locks. */
struct lkst_lock_site {
	u32 proper, odd;
};

/* Lock `inner` was asked for while `outer` was held. */
struct lkst_lock_pair {
	u64 outer, inner;
	u32 outer_generation, inner_generation;
	u64 guards[LKST_GUARDS_MAX]; /* the other locks that were held: the smallest set that was ever seen */
	u8 nr_guards;
	bool is_told;
	bool is_sure; /* `outer` was released later, so that it really was held */
	u64 caller;
	u64 since_ns; /* when `outer` was asked for */
	struct lkst_sight sight;
};

struct lkst_locks {
	struct lkst_lint_pass *pass;
	u32 epoch; /* a gap begins another one */
	u64 end_ns;
	struct lkst_keeper *keepers;
	u32 nr_keepers;
	struct lkst_map by_keeper;
	struct lkst_lock *locks;
	u32 nr_locks;
	struct lkst_map by_lock, by_page;
	struct lkst_lock_site *sites;
	u32 nr_sites;
	struct lkst_map by_site;
	struct lkst_lock_pair *pairs;
	u32 nr_pairs;
	struct lkst_map by_pair;
	bool has_order; /* the rule about order is applied */
	struct lkst_finding *candidates;
	u32 nr_candidates;
};

static inline u64 lkst_keeper_key(s32 tid, u32 cpu)
{
	/* Each CPU has an idle thread of its own, all of number 0. */
	return tid > 0 ? (u64)tid : (1ULL << 32) + cpu;
}

/* ---- lint_order.c --------------------------------------------------------------------- */

int lkst_locks_order_begin(struct lkst_locks *k);

/* @keeper asks for @lock, with what it holds. */
void lkst_locks_order(struct lkst_locks *k, struct lkst_keeper *keeper,
		      const struct lkst_lock *lock, const struct lkst_hold *now);

/* The thread that has @hold releases it. */
void lkst_locks_order_release(struct lkst_locks *k, const struct lkst_hold *hold);

int lkst_locks_order_end(struct lkst_locks *k);

#endif
