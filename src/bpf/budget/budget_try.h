/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds that are left out are tried before they are recorded again: for a quarter of a second the runs of their
 * programs are counted, on each CPU, which shows what recording them would cost. If that has no room below the limit,
 * they stay left out, and are tried again later. So nothing is recorded that is known to cost too much.
 *
 * If their hooks are detached, they are attached for that time, and detached as soon as they have cost too much.
 */
#ifndef LKST_BPF_BUDGET_BUDGET_TRY_H
#define LKST_BPF_BUDGET_BUDGET_TRY_H

#include "bpf/budget/budget_hooks.h"

enum {
	TRY_PART = 4,  /* of the limit: what hooks may cost while they are tried ... */
	TRY_REST = 16, /* ... and on average, including the time in which none are tried */
	TRY_HELPER_NS = 1000000, /* the time to attach and detach them, roughly */
};

#define NO_GROUP (~0U) /* which no kind has */

/* What records may cost where runs that record nothing cost @idle_ppm. */
static __always_inline u32 allowed(u32 idle_ppm)
{
	/* Where hooks alone cost too much, leaving out more does not help: some room stays. */
	u32 least = lkst_budget.limit_ppm / 4;

	return idle_ppm < lkst_budget.limit_ppm - least ? lkst_budget.limit_ppm - idle_ppm : least;
}

/* ---- counting --------------------------------------------------------------------------------- */

/* The time of runs for @kind on one CPU that recorded nothing, and what it would be if they had recorded. */
static long add_tried(void *map, const u32 *key, struct lkst_kind *kind)
{
	struct lkst_idle *idle = bpf_map_lookup_elem(&lkst_idle, &look.cpu);
	u64 ns;

	if (!idle || !kind->idle_ns || (*key != look.tried && kind->group != look.tried_group))
		return 0;
	ns = ran_for(idle, kind);
	look.ran_ns += ns;
	/* A kind that is left out by itself stays so when the others of its group come back. */
	look.would_ns +=
		*key != look.tried && kind->is_shed ? ns : ns * kind->unit_ns / kind->idle_ns;
	return 0;
}

/* One CPU. @look.cost, @look.would: the most of all CPUs since the trial began. */
static long look_at_tried(void *map, const u32 *cpu, struct budget_cpu *c)
{
	look.cpu = *cpu;
	look.ran_ns = look.would_ns = 0;
	bpf_for_each_map_elem(&lkst_kinds, add_tried, NULL, 0);
	if (look.is_before) {
		c->tried_ns = c->tried_last_ns = look.ran_ns;
		c->would_ns = look.would_ns;
		return 0;
	}
	if (look.is_apart)
		c->ran_ns += since(look.ran_ns, c->tried_last_ns);
	c->tried_last_ns = look.ran_ns;
	if (since(look.ran_ns, c->tried_ns) > look.cost)
		look.cost = since(look.ran_ns, c->tried_ns);
	if (since(look.would_ns, c->would_ns) > look.would)
		look.would = since(look.would_ns, c->would_ns);
	return 0;
}

static __always_inline struct lkst_hook_group *group_of(const struct lkst_kind *kind)
{
	u32 of = kind->group;

	return bpf_map_lookup_elem(&lkst_hook_groups, &of);
}

/* The same if kind @key stands for all that the group serves; NULL: it is one of several. */
static __always_inline struct lkst_hook_group *whole_group_of(const struct lkst_kind *kind, u32 key)
{
	struct lkst_hook_group *group = group_of(kind);

	return group && group->whole == key ? group : NULL;
}

static __noinline void count_tried(const struct lkst_kind *kind)
{
	look.tried_group = whole_group_of(kind, look.tried) ? kind->group : NO_GROUP;
	look.cost = look.would = 0;
	bpf_for_each_map_elem(&lkst_budget_cpus, look_at_tried, NULL, 0);
}

/* ---- beginning -------------------------------------------------------------------------------- */

/* A search for the kind to try: the most valuable of those whose time has come. */
static long find_due(void *map, const u32 *key, struct lkst_kind *kind)
{
	struct lkst_hook_group *group = group_of(kind);

	if (!kind->is_shed || look.now < kind->due_ns ||
	    (look.best != LKST_KIND_NONE && kind->value <= look.best_value))
		return 0;
	if (!group || (!group->is_asked && !group->is_tried)) {
		if (!kind->id[0])
			return 0;
	} else if (group->whole != *key || !is_done(group) || !has_helper() ||
		   look.now < lkst_budget.rest_ns) {
		return 0;
	}
	look.best = *key;
	look.best_value = kind->value;
	return 0;
}

/* Tries what was left out for long enough, one kind at a time. */
static __noinline void try_one(void)
{
	struct lkst_hook_group *group;
	struct lkst_kind *kind;

	look.best = LKST_KIND_NONE;
	bpf_for_each_map_elem(&lkst_kinds, find_due, NULL, 0);
	kind = kind_at(look.best);
	if (!kind)
		return;
	look.tried = look.best;
	look.is_before = 1;
	count_tried(kind);
	lkst_budget.tried = look.best + 1;
	lkst_budget.tried_ns = look.now;
	group = whole_group_of(kind, look.tried);
	if (!group || !group->is_asked)
		return;
	group->since_ns = look.now;
	group->is_tried = 1;
	group->is_asked = group->is_fresh = 0;
	look.is_asking = 1;
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* Whether recording @kind, at @would_ppm, has room below the limit, if need be in place of kinds of less value. */
static __always_inline bool has_room(const struct lkst_kind *kind, u32 would_ppm, u32 idle_ppm)
{
	u32 idle = lkst_budget.idle_ppm > idle_ppm ? lkst_budget.idle_ppm - idle_ppm : 0;

	if (would_ppm < lkst_budget.limit_ppm / TOO_CHEAP)
		return true;
	look.busiest_ppm = lkst_budget.busiest_ppm;
	look.recorded_ns = look.lesser_ns = 0;
	look.value = kind->value;
	bpf_for_each_map_elem(&lkst_kinds, add_recorded, NULL, 0);
	return would_ppm + lkst_budget.busiest_ppm <=
	       aim(allowed(idle)) + recorded_part(look.lesser_ns);
}

/* @kind stays left out, and its hooks, if they were attached to be tried, are detached again. */
static __noinline void refuse(struct lkst_kind *kind, struct lkst_hook_group *group)
{
	put_off(kind, true);
	if (look.is_apart && group)
		detach(group, kind->ppm);
	else
		lkst_budget.tried = 0;
}

static __noinline void accept(struct lkst_kind *kind, struct lkst_hook_group *group)
{
	lkst_budget.tried = 0;
	if (look.is_apart && group)
		group->is_tried = 0;
	lkst_budget_take_back(look.tried);
}

/* After hooks were tried, others have to wait, so that trying costs little in all. */
static __always_inline void rest(void)
{
	lkst_budget.rest_ns = look.now + (look.cost + TRY_HELPER_NS) * TRY_REST * (u64)PPM /
						 lkst_budget.limit_ppm;
}

/*
 * The share of a busy CPU's time that records take of which as many as are not recorded now would take @would_ppm of
 * it: recording takes its time from what makes them, so that there are fewer.
 */
static __always_inline u32 part_of(u32 would_ppm)
{
	return (u64)would_ppm * PPM / (PPM + (u64)would_ppm);
}

/* A look at what has been tried for @for_ns, with hooks of its own if @is_apart. */
static __always_inline void decide(struct lkst_kind *kind, struct lkst_hook_group *group,
				   u64 for_ns)
{
	const u64 period = LKST_BUDGET_PERIOD_MS * 1000000ULL;
	const u64 most_ns = period / TRY_PART * lkst_budget.limit_ppm / PPM;
	bool is_too_much = look.is_apart && look.cost > most_ns;
	u32 idle_ppm = 0, would_ppm;

	if (!is_too_much && for_ns < period)
		return;
	kind->tries++;
	would_ppm = look.would * PPM / (for_ns | 1);
	kind->ppm = part_of(would_ppm);
	if (!look.is_apart)
		idle_ppm = look.cost * PPM / (for_ns | 1);
	else
		rest();
	if (!is_too_much && has_room(kind, would_ppm, idle_ppm))
		accept(kind, group);
	else
		refuse(kind, group);
}

/* True as soon as the hooks of @group are attached that are attached only to be tried. */
static __always_inline bool is_begun(struct lkst_kind *kind, const struct lkst_hook_group *group)
{
	if (is_done(group) && !group->is_asked)
		return true;
	/* They are detached again, or there is no process that does it. */
	if (is_done(group) || !has_helper())
		lkst_budget.tried = 0;
	if (look.now >= kind->due_ns && !lkst_budget.tried)
		put_off(kind, true);
	return false;
}

/* Goes on with what is tried. */
static __noinline void judge(void)
{
	struct lkst_hook_group *group;
	struct lkst_kind *kind;
	u64 since_ns = lkst_budget.tried_ns;
	bool is_detached;

	look.tried = lkst_budget.tried - 1;
	kind = kind_at(look.tried);
	group = kind ? group_of(kind) : NULL;
	is_detached = group && (group->is_tried || group->is_asked);
	/* It is one of several kinds, and all of their hooks are being detached: it comes back with them. */
	if (!kind || !kind->is_shed || (is_detached && group->whole != look.tried)) {
		lkst_budget.tried = 0;
		return;
	}
	look.is_apart = is_detached;
	count_tried(kind);
	if (is_detached) {
		if (!is_begun(kind, group))
			return;
		since_ns = group->done_ns;
	}
	decide(kind, group, look.now - since_ns);
}

#endif
