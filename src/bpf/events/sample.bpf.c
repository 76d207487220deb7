// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: what runs, every so often, and what long waits waited for. Both refer to stacks (stack.h).
 */
#include "bpf/stack.h"

/*
 * Runs in the interrupt of a timer, or in an NMI where cycles are counted, on the level of nesting that this CPU's
 * writers are at. The kernel runs no program of this kind within another one (bpf_prog_active).
 */
SEC("perf_event")
int perf_event__cpu_clock(void *ctx)
{
	const u32 id = lkst_cfg.id[LKST_EV_sample];
	u64 stack;

	/* Cycles are counted in the idle thread, too. */
	if (!LKST_TID() || !lkst_wants_current() || !lkst_is_wanted(id))
		return lkst_count_idle(id);
	stack = LKST_STACK(LKST_STACK_OF_SAMPLE, bpf_get_stack(ctx, frames, sizeof(*frames), flags));
	lkst_recording(sample, r) {
		LKST_PUT64(r->stack, stack);
		r->period_ns = LKST_LOAD(lkst_control.sample_ns);
	}
	return 0;
}

enum { TASK_DEAD = 0x80 }; /* include/linux/sched.h */

/* When a thread that waits left its CPU, and with which stack. */
struct lkst_left {
	u64 ns;
	u64 stack;
	u64 switches; /* of the thread until then: with more of them, it ran while nobody looked */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, s32);
	__type(value, struct lkst_left);
} lkst_left SEC(".maps") __weak;

/* How often @task has left a CPU: it is counted before the tracepoint (__schedule(), kernel/sched/core.c). */
static __always_inline u64 switches_of(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* @task, which still runs, begins to wait. */
static __always_inline void leave(struct task_struct *task)
{
	struct lkst_left left = { .ns = LKST_CLOCK(), .switches = switches_of(task) };
	s32 tid = task->pid;

	left.stack = LKST_STACK(LKST_STACK_OF_SWITCH,
				bpf_get_task_stack(task, frames, sizeof(*frames), flags));
	if (bpf_map_update_elem(&lkst_left, &tid, &left, BPF_ANY))
		lkst_count_loss(LKST_LOSS_STACK);
}

/* @task runs again; @prev still does. */
static __always_inline void come_back(struct task_struct *task, struct task_struct *prev)
{
	s32 tid = task->pid;
	struct lkst_left *left = bpf_map_lookup_elem(&lkst_left, &tid), was;

	if (!left)
		return;
	was = *left;
	bpf_map_delete_elem(&lkst_left, &tid);
	if (was.switches != switches_of(task)) {
		lkst_count_idle(lkst_cfg.id[LKST_EV_off_cpu]);
		return;
	}
	was.ns = LKST_CLOCK() - was.ns;
	if ((s64)was.ns < (s64)LKST_LOAD(lkst_control.off_cpu_ns)) {
		lkst_count_idle(lkst_cfg.id[LKST_EV_off_cpu]);
		return;
	}
	lkst_recording_by(off_cpu, r, prev->pid) {
		LKST_PUT64(r->stack, was.stack);
		LKST_PUT64(r->duration_ns, was.ns);
		r->target_tid = tid;
	}
}

/* A thread that is only displaced does not wait, and one that ends never comes back. */
SEC("tp_btf/sched_switch")
int BPF_PROG(tp_too__sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next
	     LKST_PREV_STATE_ARG)
{
	const u32 id = lkst_cfg.id[LKST_EV_off_cpu], state = LKST_PREV_STATE(preempt, prev);

	if (!lkst_is_wanted(id))
		return lkst_count_idle(id);
	if (next->pid)
		come_back(next, prev);
	if (state && !(state & TASK_DEAD) && prev->pid && lkst_wants(prev))
		leave(prev);
	return 0;
}
