// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process management: switches, wake-ups and the lives of threads.
 */
#include "bpf/names.h"
#include "bpf/record.h"
#include "bpf/string.h"

SEC("tp_btf/sched_switch")
int BPF_PROG(tp_btf__sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	if (!lkst_wants(prev) && !lkst_wants(next))
		return LKST_UNWANTED(sched_switch);
	/* `prev` is the thread that still runs. */
	LKST_RECORD_BY(sched_switch, r, prev->pid);
	if (!r)
		return 0;
	r->next_tid = next->pid;
	r->prev_state = preempt ? 0 : prev_state;
	r->prev_prio = prev->prio;
	r->next_prio = next->prio;
	if (lkst_cfg.has_names) /* constant: in programs of DEFAULT this is no instruction */
		lkst_leave_name(next);
	LKST_COMMIT(sched_switch);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(tp_btf__sched_waking, struct task_struct *task)
{
	if (!lkst_wants_current() && !lkst_wants(task))
		return LKST_UNWANTED(sched_waking);
	LKST_RECORD(sched_waking, r);
	if (!r)
		return 0;
	r->target_tid = task->pid;
	r->target_prio = task->prio;
	r->target_cpu = task->thread_info.cpu;
	LKST_COMMIT(sched_waking);
	return 0;
}

/*
 * The length of the run queue that @task is on; its lock is held where a thread is put on it. The
 * way there exists where the kernel can schedule groups, and for threads of any class
 * (set_task_rq(), kernel/sched/sched.h). The variable `runqueues` would be another, but without
 * CONFIG_KALLSYMS_ALL it is out of reach.
 */
static __always_inline u32 nr_running(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->se.cfs_rq->rq))
		return 0;
	return task->se.cfs_rq->rq->nr_running;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(tp_btf__sched_wakeup, struct task_struct *task)
{
	if (!lkst_wants_current() && !lkst_wants(task))
		return LKST_UNWANTED(sched_wakeup);
	LKST_RECORD(sched_wakeup, r);
	if (!r)
		return 0;
	r->target_tid = task->pid;
	r->target_prio = task->prio;
	r->target_cpu = task->thread_info.cpu;
	r->nr_running = nr_running(task);
	LKST_COMMIT(sched_wakeup);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(tp_btf__sched_wakeup_new, struct task_struct *task)
{
	if (!lkst_wants_current() && !lkst_wants(task))
		return LKST_UNWANTED(sched_wakeup_new);
	LKST_RECORD(sched_wakeup_new, r);
	if (!r)
		return 0;
	r->target_tid = task->pid;
	r->target_prio = task->prio;
	r->target_cpu = task->thread_info.cpu;
	r->nr_running = nr_running(task);
	LKST_COMMIT(sched_wakeup_new);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(tp_btf__sched_migrate_task, struct task_struct *task, int dest_cpu)
{
	if (!lkst_wants(task))
		return LKST_UNWANTED(sched_migrate_task);
	LKST_RECORD(sched_migrate_task, r);
	if (!r)
		return 0;
	r->target_tid = task->pid;
	r->orig_cpu = task->thread_info.cpu;
	r->dest_cpu = dest_cpu;
	LKST_COMMIT(sched_migrate_task);
	return 0;
}

/* A recording of a process and its children: a new process is one more. */
static __always_inline void follow(struct task_struct *child)
{
	u32 pid = child->tgid;

	if (lkst_cfg.filter == LKST_FILTER_TREE &&
	    bpf_map_update_elem(&lkst_filter, &pid, &pid, BPF_ANY))
		lkst_count_loss(LKST_LOSS_UNFOLLOWED);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(tp_btf__sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	if (!lkst_wants(parent))
		return LKST_UNWANTED(sched_process_fork);
	follow(child);
	LKST_RECORD(sched_process_fork, r);
	if (!r)
		return 0;
	r->child_tid = child->pid;
	r->child_pid = child->tgid;
	r->parent_pid = parent->tgid;
	LKST_PUT64(r->child_task, child);
	lkst_copy_comm(r->child_comm, child);
	LKST_COMMIT(sched_process_fork);
	return 0;
}

LKST_STRING_SCRATCH(exec_filename);

SEC("tp_btf/sched_process_exec")
int BPF_PROG(tp_btf__sched_process_exec, struct task_struct *task, int old_tid,
	     struct linux_binprm *bprm)
{
	struct lkst_string filename;
	struct lkst_rec_sched_process_exec *r;
	struct lkst_slot slot;

	if (!lkst_wants_current() ||
	    !lkst_string_read(&filename, &exec_filename, bprm->filename, LKST_STRING_MAX))
		return LKST_UNWANTED(sched_process_exec);
	r = LKST_BEGIN_STRING(sched_process_exec, &slot, &filename);
	if (!r)
		return 0;
	r->old_tid = old_tid;
	lkst_string_put(r->filename.bytes, &slot, &filename);
	lkst_commit(&slot, lkst_cfg.id[LKST_EV_sched_process_exec]);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(tp_btf__sched_process_exit, struct task_struct *task)
{
	if (!lkst_wants(task))
		return LKST_UNWANTED(sched_process_exit);
	LKST_RECORD(sched_process_exit, r);
	if (!r)
		return 0;
	r->exit_pid = task->tgid;
	r->exit_code = task->exit_code;
	lkst_copy_comm(r->comm, task);
	LKST_PUT64(r->task, task);
	LKST_COMMIT(sched_process_exit);
	return 0;
}

/*
 * The last that is heard of a thread. A process leaves a restricted recording here and not when it
 * exits, for its threads exit in any order and go on running for a while. Its first thread is the
 * last to be released (release_task() in kernel/exit.c). Numbers are given out in turn, so that no
 * new process has this one's yet.
 */
static __always_inline void unfollow(struct task_struct *task)
{
	u32 pid = task->tgid;

	if (lkst_cfg.filter == LKST_FILTER_TREE && task->pid == task->tgid)
		bpf_map_delete_elem(&lkst_filter, &pid);
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(tp_btf__sched_process_free, struct task_struct *task)
{
	if (!lkst_wants(task))
		return LKST_UNWANTED(sched_process_free);
	unfollow(task);
	LKST_RECORD(sched_process_free, r);
	if (!r)
		return 0;
	r->freed_tid = task->pid;
	LKST_COMMIT(sched_process_free);
	return 0;
}

SEC("tp_btf/sched_process_wait")
int BPF_PROG(tp_btf__sched_process_wait, struct pid *pid)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(sched_process_wait);
	LKST_RECORD(sched_process_wait, r);
	if (!r)
		return 0;
	r->wait_pid = pid ? pid->numbers[0].nr : 0;
	LKST_COMMIT(sched_process_wait);
	return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(tp_btf__task_newtask, struct task_struct *task, u64 clone_flags)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(task_newtask);
	LKST_RECORD(task_newtask, r);
	if (!r)
		return 0;
	r->child_tid = task->pid;
	LKST_PUT64(r->clone_flags, clone_flags);
	LKST_PUT64(r->child_task, task);
	lkst_copy_comm(r->child_comm, task);
	LKST_COMMIT(task_newtask);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(tp_btf__task_rename, struct task_struct *task, const char *comm)
{
	comm16 newcomm = {};

	if (!lkst_wants(task))
		return LKST_UNWANTED(task_rename);
	bpf_probe_read_kernel_str(newcomm, sizeof(newcomm), comm);
	LKST_RECORD(task_rename, r);
	if (!r)
		return 0;
	r->target_tid = task->pid;
	__builtin_memcpy(r->newcomm, newcomm, sizeof(newcomm));
	lkst_copy_comm(r->oldcomm, task);
	LKST_COMMIT(task_rename);
	return 0;
}
