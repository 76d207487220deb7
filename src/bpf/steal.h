/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stolen time: what a hypervisor took of this CPU's time to run others. The kernel adds it to its counter at the tick
 * (steal_account_process_time(), kernel/sched/cputime.c), so looking there, after it has done so, misses nothing; at a
 * switch there would be nothing new.
 */
#ifndef LKST_BPF_STEAL_H
#define LKST_BPF_STEAL_H

#include "bpf/record.h"

enum {
	LKST_STEAL_MIN_NS = 100000, /* less waits for the next record */
};

/* What this CPU's counter was: at the last record, and when it was last looked at. `at_ns` 0: not looked at yet. */
struct lkst_steal_seen {
	u64 stolen_ns;
	u64 at_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_steal_seen);
} lkst_steal SEC(".maps") __weak;

/*
 * The kernel's counter is a variable of each CPU, which without CONFIG_KALLSYMS_ALL is out of reach; what of it was
 * accounted is in the run queue as well, where the kernel knows of hypervisors (CONFIG_PARAVIRT). The way there is
 * that of nr_running() in sched.bpf.c.
 */
static __always_inline bool lkst_knows_steal(void)
{
	return bpf_core_field_exists(struct rq, prev_steal_time) &&
	       bpf_core_field_exists(struct cfs_rq, rq);
}

static __always_inline u64 lkst_stolen_ns(void)
{
	struct task_struct *task = LKST_CURRENT();

	return LKST_READ(task, se.cfs_rq, rq, prev_steal_time);
}

/* To be called where this CPU's tick ends, whatever is recorded. */
static __always_inline void lkst_look_at_steal(void)
{
	u32 zero = 0;
	struct lkst_steal_seen *seen = bpf_map_lookup_elem(&lkst_steal, &zero);
	u64 now_ns, before_ns, stolen_ns;

	if (!seen || !lkst_knows_steal())
		return;
	if (!lkst_is_wanted(lkst_cfg.id[LKST_EV_steal])) {
		seen->at_ns = 0; /* what is taken from now on belongs to no record */
		return;
	}
	stolen_ns = lkst_stolen_ns();
	now_ns = LKST_CLOCK();
	before_ns = seen->at_ns;
	seen->at_ns = now_ns;
	if (!before_ns)
		seen->stolen_ns = stolen_ns;
	if (stolen_ns - seen->stolen_ns < LKST_STEAL_MIN_NS)
		return;
	lkst_recording(steal, r) {
		LKST_PUT64(r->stolen_ns, stolen_ns - seen->stolen_ns);
		LKST_PUT64(r->window_ns, now_ns - before_ns);
		seen->stolen_ns = stolen_ns;
	}
}

#endif
