// SPDX-License-Identifier: GPL-2.0-only
/* The cost limit: the timer that keeps it, and what a record costs (budget_cost.h). */
#include "bpf/budget/budget_try.h"

enum {
	TRY_PERIOD_MS = 25,  /* between looks while hooks are tried */
	FIRST_LOOK_NS = 100000,
	CLOCK_MONOTONIC = 1, /* include/uapi/linux/time.h */
};

/* ---- the timer -------------------------------------------------------------------------- */

static long begin_kind(void *map, const u32 *key, struct lkst_kind *kind)
{
	kind->ns = 0;
	return 0;
}

static __noinline void measure(void)
{
	bpf_for_each_map_elem(&lkst_kinds, begin_kind, NULL, 0);
	bpf_for_each_map_elem(&lkst_hook_groups, clear_group, NULL, 0);
	bpf_for_each_map_elem(&lkst_budget_cpus, look_at_cpu, NULL, 0);
	bpf_for_each_map_elem(&lkst_hook_groups, end_group, NULL, 0);
	bpf_for_each_map_elem(&lkst_kinds, add_recorded, NULL, 0);
	lkst_budget.idle_ppm = look.idle_ppm;
	lkst_budget.busiest_ppm = look.busiest_ppm;
	look.allowed_ppm = allowed(look.idle_ppm);
}

static __noinline void change(void)
{
	u32 nr_shed = lkst_budget.nr_shed;

	if (look.busiest_ppm > look.allowed_ppm) {
		keep_to_limit();
		if (lkst_budget.nr_shed != nr_shed)
			bpf_for_each_map_elem(&lkst_budget_cpus, forget_mean, NULL, 0);
	}
	if (nr_shed && !look.is_settling && !lkst_budget.tried)
		try_one();
	if (has_helper() && !look.is_settling)
		detach_idle();
}

static int on_timer(void *map, int *key, struct budget_timer *t)
{
	const u64 period = LKST_BUDGET_PERIOD_MS * 1000000ULL;
	u64 next;

	__builtin_memset(&look, 0, sizeof(look));
	look.now = bpf_ktime_get_ns();
	look.period = look.now - lkst_budget.tick_ns;
	/* The first look, of a recording that is about to begin. */
	if (!lkst_budget.tick_ns)
		bpf_for_each_map_elem(&lkst_kinds, begin_without, NULL, 0);
	bpf_for_each_map_elem(&lkst_hook_groups, begin_group, NULL, 0);
	if (lkst_budget.tried)
		judge();
	if (look.period >= period - period / 8) {
		measure();
		change();
		lkst_budget.tick_ns = look.now;
	}
	if (look.is_asking)
		wake_helper(look.now);
	next = lkst_budget.tried ? TRY_PERIOD_MS * 1000000ULL
				 : period - (look.now - lkst_budget.tick_ns) % period;
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
		err = bpf_timer_start(&t->timer, FIRST_LOOK_NS, 0);
	return err ? 1 : 0;
}
