// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the threads that exist, as state_thread records, for the state stream: read by user space
 * once when a trace is begun or ended, and when it reads how often threads were switched away from
 * (src/live/recording/thread_counts.c). It is not a hook, and does not run with any event.
 */
#include "bpf/cgroup.h"
#include "bpf/record.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

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

/* A state_thread record, as it is written to user space; its pointer must be at a multiple of 8 on the stack. */
struct listed {
	u32 pad;
	struct lkst_rec_state_thread r;
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
	out.r.thread_cpu = task->thread_info.cpu;
	LKST_PUT64(out.r.task, task->se.cfs_rq->rq->idle);
	bpf_seq_write(seq, &out.r, sizeof(out.r));
}

SEC("iter/task")
int iter__threads(struct bpf_iter__task *ctx)
{
	struct listed out = {};
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	out.r.thread_tid = task->pid;
	out.r.thread_pid = task->tgid;
	out.r.parent_pid = task->real_parent->tgid;
	out.r.flags = task->flags & PF_KTHREAD ? LKST_THREAD_KERNEL : 0;
	out.r.state = task->__state;
	out.r.prio = task->prio;
	out.r.thread_cpu = task->thread_info.cpu;
	out.r.start_ns = task->start_boottime;
	LKST_PUT64(out.r.task, task);
	/* Not a record yet: the place of its time has how often the thread was switched away from. */
	out.r.head.id_time = task->nvcsw + task->nivcsw;
	lkst_copy_comm(out.r.comm, task);
	LKST_PUT64(out.r.cgroup, lkst_cgroup_of(task));
	bpf_seq_write(ctx->meta->seq, &out.r, sizeof(out.r));
	list_idle(ctx->meta->seq, task);
	return 0;
}
