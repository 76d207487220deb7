// SPDX-License-Identifier: GPL-2.0-only
/* The cost limit: the timer that keeps it, and what a record costs (budget_cost.h). */
#include "bpf/budget_try.h"

enum {
	TRY_PERIOD_MS = 25,  /* between looks while hooks are tried */
	CLOCK_MONOTONIC = 1, /* include/uapi/linux/time.h */
};

/* ---- the timer -------------------------------------------------------------------------- */

static long begin_kind(void *map, const u32 *key, struct lkst_kind *kind, struct look *look)
{
	kind->ns = 0;
	return 0;
}

static __noinline void measure(struct look *look)
{
	bpf_for_each_map_elem(&lkst_kinds, begin_kind, look, 0);
	bpf_for_each_map_elem(&lkst_hook_groups, clear_group, look, 0);
	bpf_for_each_map_elem(&lkst_budget_cpus, look_at_cpu, look, 0);
	bpf_for_each_map_elem(&lkst_hook_groups, end_group, look, 0);
	bpf_for_each_map_elem(&lkst_kinds, add_recorded, look, 0);
	look->budget->idle_ppm = look->idle_ppm;
	look->budget->busiest_ppm = look->busiest_ppm;
	look->allowed_ppm = allowed(look->budget, look->idle_ppm);
}

static __noinline void change(struct look *look)
{
	u32 nr_shed = look->budget->nr_shed;

	if (look->busiest_ppm > look->allowed_ppm) {
		keep_to_limit(look);
		if (look->budget->nr_shed != nr_shed)
			bpf_for_each_map_elem(&lkst_budget_cpus, forget_mean, look, 0);
	}
	if (nr_shed && !look->is_settling && !look->budget->tried)
		try_one(look);
	if (has_helper(look->budget) && !look->is_settling)
		detach_idle(look);
}

static int on_timer(void *map, int *key, struct budget_timer *t)
{
	const u64 period = LKST_BUDGET_PERIOD_MS * 1000000ULL;
	struct look look = {};
	u32 zero = 0;
	u64 next;

	look.budget = bpf_map_lookup_elem(&lkst_budget, &zero);
	if (!look.budget)
		return 0;
	look.now = bpf_ktime_get_ns();
	look.period = look.now - look.budget->tick_ns;
	bpf_for_each_map_elem(&lkst_hook_groups, begin_group, &look, 0);
	if (look.budget->tried)
		judge(&look);
	if (look.period >= period - period / 8) {
		measure(&look);
		change(&look);
		look.budget->tick_ns = look.now;
	}
	if (look.is_asking)
		wake_helper(look.now);
	next = look.budget->tried ? TRY_PERIOD_MS * 1000000ULL
				  : period - (look.now - look.budget->tick_ns) % period;
	bpf_timer_start(&t->timer, next, 0);
	return 0;
}

/* User space runs this once. The timer lives as long as the map that it is in. */
SEC("syscall")
int syscall__budget_start(void *ctx)
{
	u32 zero = 0;
	struct budget_timer *t = bpf_map_lookup_elem(&lkst_budget_timer, &zero);
	int err;

	if (!t)
		return 1;
	err = bpf_timer_init(&t->timer, &lkst_budget_timer, CLOCK_MONOTONIC);
	if (!err)
		err = bpf_timer_set_callback(&t->timer, on_timer);
	if (!err)
		err = bpf_timer_start(&t->timer, LKST_BUDGET_PERIOD_MS * 1000000ULL, 0);
	return err ? 1 : 0;
}
