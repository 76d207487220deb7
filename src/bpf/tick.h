/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a thread is that runs, asked at each tick of its CPU. That a tick has come, and not another timer, is seen from
 * what the kernel's own handler writes each time, in struct tick_sched: the jiffies of its last tick, or, where those
 * stand still, for how many ticks they do (tick_sched_do_timer(), kernel/time/tick-sched.c; since Linux 5.18). So who
 * sets many timers is not looked at more often than others.
 *
 * These variables, and the registers of what was interrupted, are of the CPU; no program may name them where the kernel
 * was built without CONFIG_KALLSYMS_ALL, but they lie at a known distance from the CPU's run queue
 * (live/programs/tick_place.h).
 */
#ifndef LKST_BPF_TICK_H
#define LKST_BPF_TICK_H

#include "bpf/record.h"
#include "bpf/where.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___interrupted {
#ifdef __TARGET_ARCH_arm64
	u64 pc, pstate;
#else
	unsigned long ip;
	u16 cs;
#endif
};
#pragma clang attribute pop

/* The tick that this CPU has seen last. `jiffies` 0: none yet. */
struct lkst_tick_seen {
	u64 jiffies;
	u64 stalled;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_tick_seen);
} lkst_tick_seen SEC(".maps") __weak;

/* What the tick interrupted. `ip` 0: not known. */
struct lkst_interrupted {
	u64 ip;
	bool is_user;
};

/*
 * Whether a tick has come on this CPU since the last call, as far as that is known; @task runs here. This and the next
 * are functions of their own, as lkst_preempt_count() is.
 */
static __noinline bool lkst_has_ticked(struct task_struct *task, struct lkst_tick_seen *seen)
{
	void *rq = LKST_READ(task, se.cfs_rq, rq);
	u64 before = seen->jiffies, stalled_before = seen->stalled, jiffies;
	u32 stalled;

	if (bpf_probe_read_kernel(&jiffies, sizeof(jiffies), rq + lkst_cfg.ticked_from_rq) ||
	    bpf_probe_read_kernel(&stalled, sizeof(stalled), rq + lkst_cfg.stalled_from_rq))
		return false;
	seen->jiffies = jiffies;
	seen->stalled = stalled;
	return before && (jiffies != before || stalled != stalled_before);
}

/* The registers that this CPU had when its interrupt came. */
static __noinline void lkst_find_interrupted(struct task_struct *task, struct lkst_interrupted *ret)
{
	void *rq = LKST_READ(task, se.cfs_rq, rq);
	struct pt_regs___interrupted *regs = NULL;

	*ret = (struct lkst_interrupted){};
	if (bpf_probe_read_kernel(&regs, sizeof(regs), rq + lkst_cfg.interrupted_from_rq) || !regs)
		return;
#ifdef __TARGET_ARCH_arm64
	ret->ip = BPF_CORE_READ(regs, pc);
	ret->is_user = !(BPF_CORE_READ(regs, pstate) & 0xf); /* PSR_MODE_MASK, arch/arm64/include/uapi/asm/ptrace.h */
#else
	ret->ip = BPF_CORE_READ(regs, ip);
	ret->is_user = BPF_CORE_READ(regs, cs) & 3; /* user_mode(), arch/x86/include/asm/ptrace.h */
#endif
}

/* What @task was doing. In the interrupt the preemption count still says whether a softirq was being served. */
static __always_inline void lkst_find_doing(struct task_struct *task, bool is_user, struct lkst_at *ret_at)
{
	u32 soft;

	if (is_user) {
		*ret_at = (struct lkst_at){ .call = -1, .where = LKST_WHERE_USER };
		return;
	}
	lkst_find_call(task, ret_at);
	if (!lkst_cfg.interrupt_bits) {
		ret_at->where = LKST_WHERE_UNKNOWN;
		return;
	}
	soft = lkst_has_softirq_count(task) ? LKST_READ(task, softirq_disable_cnt)
					    : lkst_preempt_count(task, lkst_cfg.count_from_rq);
	if (soft & lkst_cfg.softirq_bit)
		ret_at->where = LKST_WHERE_SOFTIRQ;
}

/* To be called where this CPU's tick ends, whatever is recorded. */
static __always_inline void lkst_look_at_tick(void)
{
	struct task_struct *task = LKST_CURRENT();
	struct lkst_interrupted interrupted;
	struct lkst_tick_seen *seen;
	struct lkst_at at;
	u32 zero = 0;

	if (!lkst_cfg.has_ticks)
		return;
	seen = bpf_map_lookup_elem(&lkst_tick_seen, &zero);
	if (!seen)
		return;
	if (!lkst_is_wanted(lkst_cfg.id[LKST_EV_tick])) {
		seen->jiffies = 0; /* the next one may have come long before it is looked at */
		return;
	}
	if (!lkst_has_ticked(task, seen) || !LKST_READ(task, pid) || !lkst_wants_current())
		return;
	lkst_find_interrupted(task, &interrupted);
	if (!interrupted.ip)
		return;
	lkst_find_doing(task, interrupted.is_user, &at);
	lkst_recording(tick, r) {
		LKST_PUT64(r->ip, interrupted.ip);
		r->call = at.call;
		r->where = at.where;
		r->flags = at.flags;
	}
}

#endif
