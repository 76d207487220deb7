/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks that are detached to keep to the cost limit.
 *
 * Events that are left out still cost something while their hooks are attached. A process detaches the hooks
 * (src/live/recording/limit.c), and attaches them again to try them: their runs are counted, while what they
 * serve stays left out. If there is no such process, or it has been killed, hooks stay as they are.
 */
#ifndef LKST_BPF_BUDGET_BUDGET_HOOKS_H
#define LKST_BPF_BUDGET_BUDGET_HOOKS_H

#include "bpf/budget/budget_cost.h"
#include "bpf/budget/budget_kinds.h"

enum {
	/* Hooks that cost less than this part of the limit stay attached, if nothing that they serve is recorded ... */
	TOO_CHEAP_IDLE = 32,
	TOO_CHEAP_MANY = 256, /* ... and that together costs more than this part: */
	MANY = 8,
	TOO_CHEAP_USED = 8, /* ... and if something is */
};

static __always_inline bool has_helper(void)
{
	u32 helper = LKST_LOAD(lkst_budget.helper);

	return helper && helper != lkst_budget.lost;
}

/* The process finds in the groups what it is to do. */
static __always_inline void wake_helper(u64 now)
{
	if (!bpf_ringbuf_query(&lkst_asks, BPF_RB_AVAIL_DATA))
		bpf_ringbuf_output(&lkst_asks, &now, sizeof(now), 0);
}

/* True if the process has done what it was asked to. */
static __always_inline bool is_done(const struct lkst_hook_group *group)
{
	return LKST_LOAD(group->is_off) == group->is_asked &&
	       LKST_LOAD(group->done_ns) > group->since_ns;
}

static __always_inline struct lkst_kind *whole_of(const struct lkst_hook_group *group)
{
	return kind_at(group->whole);
}

static __noinline void detach(struct lkst_hook_group *group, u32 ppm)
{
	struct lkst_kind *whole = whole_of(group);

	if (!whole)
		return;
	if (!whole->is_shed)
		lkst_budget_shed(group->whole, ppm);
	group->since_ns = look.now;
	group->times++;
	group->is_fresh = !group->is_tried;
	group->is_tried = 0;
	group->is_asked = 1;
	look.is_asking = 1;
}

/*
 * The group stays attached, because no process detaches it. Events that were left out for the group are recorded
 * again; a kind that was left out by itself comes back in its own time.
 */
static __noinline void release(struct lkst_hook_group *group)
{
	struct lkst_kind *whole = whole_of(group);

	group->is_asked = group->is_tried = 0;
	group->since_ns = look.now;
	if (whole && whole->is_shed && !whole->id[0])
		lkst_budget_take_back(group->whole);
}

/* Part of each look: what the group cost since the last one, and what became of what was asked. */
static long begin_group(void *map, const u32 *key, struct lkst_hook_group *group)
{
	u64 waited = look.now - group->since_ns;

	if (!group->is_asked && !group->is_tried)
		return 0;
	/* A look during which expensive hooks were detached measures neither state. */
	look.is_settling |= group->is_fresh && waited < 2 * LKST_BUDGET_PERIOD_MS * 1000000ULL;
	if (is_done(group))
		return 0;
	look.is_settling |= group->is_fresh;
	if (has_helper() && waited > LKST_BUDGET_ANSWER_S * 1000000000ULL)
		lkst_budget.lost = lkst_budget.helper;
	if (has_helper()) {
		look.is_asking = 1;
	} else if (!group->is_off) {
		release(group);
	} else {
		group->is_tried = 0;
		group->is_asked = 1;
	}
	return 0;
}

/* The time of a group's runs that recorded nothing, on all CPUs: the difference to the last look. */
static long end_group(void *map, const u32 *key, struct lkst_hook_group *group)
{
	u64 ran_ns = group->idle_ns;

	group->idle_ns = since(ran_ns, group->ran_ns);
	group->ran_ns = ran_ns;
	if (!group->is_asked && !group->is_tried)
		look.idle_ns += group->idle_ns;
	return 0;
}

static long clear_group(void *map, const u32 *key, struct lkst_hook_group *group)
{
	group->idle_ns = 0;
	return 0;
}

/* Its part of the cost of runs that record nothing, on the CPU where that cost is highest. */
static __always_inline u32 idle_part(const struct lkst_hook_group *group)
{
	return look.idle_ns ? look.idle_ppm * group->idle_ns / look.idle_ns : 0;
}

/*
 * A search for the most expensive hooks to detach. Hooks that serve nothing that is recorded are detached at
 * once; other hooks only while it is the hooks that keep the cost above the limit.
 */
static long find_idle(void *map, const u32 *key, struct lkst_hook_group *group)
{
	const u32 limit = lkst_budget.limit_ppm;
	const u32 cheap = limit / (look.idle_ppm > limit / MANY ? TOO_CHEAP_MANY : TOO_CHEAP_IDLE);
	struct lkst_kind *whole = whole_of(group);
	u32 ppm = idle_part(group);

	if (!whole || group->is_kept || group->is_asked || group->is_tried ||
	    group->idle_ns <= look.best_ns || lkst_budget.tried == group->whole + 1U)
		return 0;
	if (whole->is_shed ? ppm < cheap
			   : ppm < limit / TOO_CHEAP_USED || look.left_ppm <= look.aim_ppm)
		return 0;
	look.best = *key;
	look.best_ns = group->idle_ns;
	return 0;
}

static long detach_one(u32 i)
{
	struct lkst_hook_group *group;
	u32 ppm;

	look.best = LKST_GROUP_NONE;
	look.best_ns = 0;
	bpf_for_each_map_elem(&lkst_hook_groups, find_idle, NULL, 0);
	group = bpf_map_lookup_elem(&lkst_hook_groups, &look.best);
	if (!group)
		return 1;
	ppm = idle_part(group);
	detach(group, ppm);
	look.left_ppm -= ppm < look.left_ppm ? ppm : look.left_ppm;
	return 0;
}

/* Has hooks that cost too much by themselves detached. */
static __noinline void detach_idle(void)
{
	/* Half the limit is for recording; what is recorded is given up for hooks only when necessary. */
	look.aim_ppm = lkst_budget.limit_ppm / 2;
	look.left_ppm =
		look.busiest_ppm + look.idle_ppm > lkst_budget.limit_ppm ? look.idle_ppm : 0;
	bpf_loop(CHANGES, detach_one, NULL, 0);
}

#endif
