// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the threads that exist, as state_thread records, for the state stream: read by user space
 * once when a trace is begun or ended. Not a hook; nothing of it runs while recording.
 */
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

SEC("iter/task")
int iter__threads(struct bpf_iter__task *ctx)
{
	/* The pointer among its fields must stand at a multiple of 8 on the stack. */
	struct {
		u32 pad;
		struct lkst_rec_state_thread r;
	} __attribute__((aligned(8))) out = {};
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
	lkst_copy_comm(out.r.comm, task);
	bpf_seq_write(ctx->meta->seq, &out.r, sizeof(out.r));
	return 0;
}
