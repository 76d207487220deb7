// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the threads that exist, as state_thread records, for the state stream: read by user space
 * once when a trace is begun or ended, and when it reads how often threads were switched away from
 * (src/live/state/thread_counts.c). It is not a hook, and does not run with any event.
 */
#include "bpf/blocker.h"
#include "bpf/cgroup.h"
#include "bpf/record.h"
#include "bpf/where.h"

#include "abi/listed.h"

#define TASK_DEAD 0x80 /* include/linux/sched.h */

struct seq_file;
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
#pragma clang attribute pop

/* What is written to user space; its pointer must be at a multiple of 8 on the stack. */
struct listed {
	u32 pad;
	struct lkst_listed_thread t;
} __attribute__((aligned(8)));

/*
 * The list of threads lacks the idle ones. Each CPU has threads of its own; from those the program gets to the CPU's
 * run queue and its idle thread, which it writes as a record with number 0. User space takes one of each CPU.
 */
static __always_inline void list_idle(struct seq_file *seq, struct task_struct *task)
{
	struct listed out = {};

	if (!(task->flags & PF_KTHREAD) || task->nr_cpus_allowed != 1 ||
	    !bpf_core_field_exists(task->se.cfs_rq->rq))
		return;
	out.t.r.thread_cpu = LKST_TASK_CPU(task);
	LKST_PUT64(out.t.r.task, task->se.cfs_rq->rq->idle);
	bpf_seq_write(seq, &out.t, sizeof(out.t));
}

static __always_inline u64 switches_of(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* The lock of the kernel's that @task waits for, which sleeps. It may wake meanwhile, and the lock be gone. */
static __always_inline void find_lock(struct task_struct *task, struct lkst_listed_thread *t)
{
	u32 flags = 0;
	const u64 lock = lkst_blocker_of(task, &flags), holder = lock ? lkst_holder_of(lock, flags) : 0;

	LKST_PUT64(t->lock, lock);
	t->lock_flags = flags;
	t->holder_tid = (s32)holder;
	t->holder_is = holder >> 32;
}

/* Where @task is, which sleeps: its registers do not change until it runs. It must not have run meanwhile. */
static __always_inline void find_wait(struct task_struct *task, struct lkst_listed_thread *t)
{
	const u64 before = switches_of(task);
	struct lkst_at at;
	u32 i;

	lkst_find_call(task, &at);
	lkst_find_args(&at);
#pragma unroll
	for (i = 0; i < LKST_SYSCALL_ARGS; i++)
		if (i < at.nr_args)
			LKST_PUT64(t->args[i], lkst_arg(at.regs, at.is_compat, i));
	t->call = at.call;
	t->flags = at.flags | lkst_waits_for(task);
	t->nr_args = at.nr_args;
	find_lock(task, t);
	if (LKST_TASK_STATE(task) && switches_of(task) == before)
		t->where = at.where;
}

SEC("iter/task")
int iter__threads(struct bpf_iter__task *ctx)
{
	struct listed out = {};
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	out.t.r.thread_tid = task->pid;
	out.t.r.thread_pid = task->tgid;
	out.t.r.parent_pid = task->real_parent->tgid;
	out.t.r.flags = task->flags & PF_KTHREAD ? LKST_THREAD_KERNEL : 0;
	out.t.r.state = LKST_TASK_STATE(task);
	out.t.r.prio = task->prio;
	out.t.r.thread_cpu = LKST_TASK_CPU(task);
	out.t.r.start_ns = task->start_boottime;
	LKST_PUT64(out.t.r.task, task);
	/* Not a record yet: the place of its time has how often the thread was switched away from. */
	out.t.r.head.id_time = switches_of(task);
	lkst_copy_comm(out.t.r.comm, task);
	LKST_PUT64(out.t.r.cgroup, lkst_cgroup_of(task));
	if (out.t.r.state && !(out.t.r.state & TASK_DEAD))
		find_wait(task, &out.t);
	bpf_seq_write(ctx->meta->seq, &out.t, sizeof(out.t));
	list_idle(ctx->meta->seq, task);
	return 0;
}
