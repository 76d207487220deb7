// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process management: switches, wake-ups and the lives of threads.
 */
#include "bpf/blocker.h"
#include "bpf/cgroup.h"
#include "bpf/stretch_counters.h"
#include "bpf/names.h"
#include "bpf/record.h"
#include "bpf/string.h"
#include "bpf/where.h"

enum { SWITCH_WINDOW = sizeof(struct lkst_rec_sched_switch) + LKST_SYSCALL_ARGS * sizeof(u64) };

/* A function of its own: it is rare, and the switch has no register to spare for it. */
static __noinline int record_blocker(s32 tid, u64 lock, u32 flags)
{
	const u64 holder = lkst_holder_of(lock, flags);

	lkst_recording_by(sched_blocker, r, tid) {
		LKST_PUT64(r->lock, lock);
		r->holder_tid = (s32)holder;
		r->holder_is = holder >> 32;
		r->flags = flags;
	}
	return 0;
}

/* The lock of the kernel's that @prev waits for. Most wait for none, which a look at two words of it tells. */
static __always_inline void note_blocker(struct task_struct *prev)
{
	const u32 id = lkst_cfg.id[LKST_EV_sched_blocker];
	u32 flags = 0;
	u64 lock;

	if (!id)
		return;
	lock = lkst_blocker_of(prev, &flags);
	if (LKST_UNLIKELY(lock) && lkst_is_wanted(id))
		record_blocker(prev->pid, lock, flags);
}

LKST_TP(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next LKST_PREV_STATE_ARG)
{
	const u32 id = lkst_cfg.id[LKST_EV_sched_switch], state = LKST_PREV_STATE(preempt, prev);
	struct lkst_at at;

	lkst_count_stretch(prev, next);
	/* `prev` is the thread that still runs. */
	if (!lkst_wants(prev) && !lkst_wants(next))
		return LKST_UNWANTED(sched_switch);
	if (state)
		note_blocker(prev);
	lkst_find_call(prev, &at);
	if (state)
		lkst_find_args(&at);
	lkst_recording_id_by(struct lkst_rec_sched_switch, r, id, sizeof(*r) + at.nr_args * sizeof(u64), SWITCH_WINDOW,
			     prev->pid) {
		r->next_tid = next->pid;
		r->prev_state = state;
		r->prev_prio = prev->prio;
		r->next_prio = next->prio;
		r->prev_call = at.call;
		r->prev_where = at.where;
		r->prev_flags = at.flags | (state			? lkst_waits_for(prev)
					    : lkst_is_throttled(prev) ? LKST_WHERE_THROTTLED
								      : 0);
		r->nr_args = at.nr_args;
		lkst_put_call_args(&r->prev_args, &at);
		if (lkst_cfg.has_names) /* constant: in programs of DEFAULT this is no instruction */
			lkst_leave_name(next);
	}
	return 0;
}

LKST_TP(sched_waking, struct task_struct *task)
{
	struct task_struct *current = LKST_CURRENT();
	struct lkst_at at;

	lkst_recording_if(sched_waking, r, lkst_wants_current() || lkst_wants(task)) {
		lkst_find_call(current, &at);
		r->target_tid = task->pid;
		r->target_prio = task->prio;
		r->target_cpu = LKST_TASK_CPU(task);
		r->call = at.call;
		r->context = lkst_context_of(current);
		r->flags = at.flags | (lkst_is_throttled(task) ? LKST_WHERE_THROTTLED : 0);
	}
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

LKST_TP(sched_wakeup, struct task_struct *task)
{
	lkst_recording_if(sched_wakeup, r, lkst_wants_current() || lkst_wants(task)) {
		r->target_tid = task->pid;
		r->target_prio = task->prio;
		r->target_cpu = LKST_TASK_CPU(task);
		r->nr_running = nr_running(task);
	}
	return 0;
}

LKST_TP(sched_wakeup_new, struct task_struct *task)
{
	lkst_recording_if(sched_wakeup_new, r, lkst_wants_current() || lkst_wants(task)) {
		r->target_tid = task->pid;
		r->target_prio = task->prio;
		r->target_cpu = LKST_TASK_CPU(task);
		r->nr_running = nr_running(task);
	}
	return 0;
}

LKST_TP(sched_migrate_task, struct task_struct *task, int dest_cpu)
{
	lkst_recording_if(sched_migrate_task, r, lkst_wants(task)) {
		r->target_tid = task->pid;
		r->orig_cpu = LKST_TASK_CPU(task);
		r->dest_cpu = dest_cpu;
	}
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

LKST_TP(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	if (!lkst_wants(parent))
		return LKST_UNWANTED(sched_process_fork);
	follow(child);
	lkst_recording(sched_process_fork, r) {
		r->child_tid = child->pid;
		r->child_pid = child->tgid;
		r->parent_pid = parent->tgid;
		LKST_PUT64(r->child_task, child);
		lkst_copy_comm(r->child_comm, child);
		LKST_PUT64(r->cgroup, lkst_cgroup_of(child));
	}
	return 0;
}

LKST_STRING_SCRATCH(exec_filename);

/* The arguments of a new program, read before their place in a record is reserved: their length must be known. */
struct args {
	u64 words[LKST_COMMAND_LINE_MAX / 8];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct args);
} exec_args_scratch SEC(".maps");

/* Bytes of @word that are 0 become blanks. No sum of 7 bits has a carry into the next byte. */
static __always_inline u64 with_blanks(u64 word)
{
	const u64 low = 0x7f7f7f7f7f7f7f7f;

	return word | ~(((word & low) + low) | word | low) >> 2;
}

/*
 * Reads the arguments at user address @start, of which there are @bytes, each with a NUL after it. Returns the length
 * of the text, with its NUL. The kernel has just written them, so they are in memory, but for a page that is already
 * on disk: then the text is empty.
 */
static __always_inline u32 read_args(struct args *args, u64 start, u64 bytes)
{
	u64 length = LKST_BOUNDED(bytes);
	u32 i;

	if (length > LKST_COMMAND_LINE_MAX)
		length = LKST_COMMAND_LINE_MAX;
	if (!length || bpf_probe_read_user(args, length, (void *)start)) {
		*(char *)args = 0;
		return 1;
	}
#pragma clang loop unroll(disable)
	for (i = 0; i < LKST_COMMAND_LINE_MAX / 8; i++)
		args->words[i] = with_blanks(args->words[i]);
	length = LKST_BOUNDED(length - 1);
	if (length >= LKST_COMMAND_LINE_MAX)
		return 1; /* cannot be */
	((char *)args)[length] = 0;
	return length + 1;
}

static __always_inline void record_args(struct task_struct *task)
{
	const u32 id = lkst_cfg.id[LKST_EV_exec_args];
	const struct cred *cred = task->cred;
	u64 start = task->mm->arg_start, bytes = task->mm->arg_end - start;
	u32 zero = 0, length;
	struct args *args;

	if (!lkst_is_wanted(id))
		return;
	args = bpf_map_lookup_elem(&exec_args_scratch, &zero);
	if (!args)
		return;
	length = read_args(args, start, bytes);
	lkst_recording_id(struct lkst_rec_exec_args, r, id, sizeof(*r) + length, sizeof(*r) + LKST_COMMAND_LINE_MAX) {
		r->uid = cred->uid.val;
		r->euid = cred->euid.val;
		r->gid = cred->gid.val;
		r->args_bytes = bytes;
		length = LKST_BOUNDED(length);
		if (length <= LKST_COMMAND_LINE_MAX)
			bpf_probe_read_kernel(r->args.bytes, length, args);
	}
}

LKST_TP(sched_process_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	struct lkst_string filename;

	if (!lkst_wants_current() ||
	    !lkst_string_read(&filename, &exec_filename, bprm->filename, LKST_STRING_MAX))
		return LKST_UNWANTED(sched_process_exec);
	lkst_recording_string(sched_process_exec, r, &filename) {
		r->old_tid = old_tid;
		LKST_PUT_STRING(r->filename, &filename);
	}
	record_args(task);
	return 0;
}

LKST_TP(sched_process_exit, struct task_struct *task)
{
	lkst_recording_if(sched_process_exit, r, lkst_wants(task)) {
		r->exit_pid = task->tgid;
		r->exit_code = task->exit_code;
		lkst_copy_comm(r->comm, task);
		LKST_PUT64(r->task, task);
		LKST_PUT64(r->cgroup, lkst_cgroup_of(task));
	}
	return 0;
}

/*
 * The last event of a thread. A process leaves a restricted recording here and not when it
 * exits, because its threads exit in any order and go on running for a while. Its first thread is the
 * last to be released (release_task() in kernel/exit.c). Numbers are given out in turn, so that no
 * new process has this one's yet.
 */
static __always_inline void unfollow(struct task_struct *task)
{
	u32 pid = task->tgid;

	if (lkst_cfg.filter == LKST_FILTER_TREE && task->pid == task->tgid)
		bpf_map_delete_elem(&lkst_filter, &pid);
}

LKST_TP(sched_process_free, struct task_struct *task)
{
	if (!lkst_wants(task))
		return LKST_UNWANTED(sched_process_free);
	unfollow(task);
	lkst_recording(sched_process_free, r)
		r->freed_tid = task->pid;
	return 0;
}

LKST_TP(sched_process_wait, struct pid *pid)
{
	lkst_recording_if(sched_process_wait, r, lkst_wants_current())
		r->wait_pid = pid ? pid->numbers[0].nr : 0;
	return 0;
}

LKST_TP(sched_process_hang, struct task_struct *task)
{
	struct lkst_at at;
	u64 lock, holder;
	u32 flags = 0;

	if (!lkst_wants(task))
		return LKST_UNWANTED(sched_process_hang);
	lock = lkst_blocker_of(task, &flags);
	holder = lock ? lkst_holder_of(lock, flags) : 0;
	lkst_find_call(task, &at);
	lkst_recording(sched_process_hang, r) {
		r->target_tid = task->pid;
		r->target_pid = task->tgid;
		lkst_copy_comm(r->comm, task);
		r->call = at.call;
		r->where = at.where;
		r->flags = at.flags | lkst_waits_for(task);
		LKST_PUT64(r->lock, lock);
		r->holder_tid = (s32)holder;
		r->holder_is = holder >> 32;
		r->lock_flags = flags;
	}
	return 0;
}

LKST_TP(task_newtask, struct task_struct *task, u64 clone_flags)
{
	lkst_recording_if(task_newtask, r, lkst_wants_current()) {
		r->child_tid = task->pid;
		LKST_PUT64(r->clone_flags, clone_flags);
		LKST_PUT64(r->child_task, task);
		lkst_copy_comm(r->child_comm, task);
	}
	return 0;
}

LKST_TP(task_rename, struct task_struct *task, const char *comm)
{
	comm16 newcomm = {};

	if (!lkst_wants(task))
		return LKST_UNWANTED(task_rename);
	bpf_probe_read_kernel_str(newcomm, sizeof(newcomm), comm);
	lkst_recording(task_rename, r) {
		r->target_tid = task->pid;
		__builtin_memcpy(r->newcomm, newcomm, sizeof(newcomm));
		lkst_copy_comm(r->oldcomm, task);
	}
	return 0;
}

LKST_STRING_SCRATCH(cgroup_mkdir_path);

/* A cgroup belongs to no thread, so that a restricted recording has it, too. */
LKST_TP(cgroup_mkdir, struct cgroup *cgroup, const char *name)
{
	struct lkst_string path;

	if (!lkst_cgroup_is_known(cgroup) ||
	    !lkst_string_read(&path, &cgroup_mkdir_path, name, LKST_STRING_MAX))
		return LKST_UNWANTED(cgroup_mkdir);
	lkst_recording_string(cgroup_mkdir, r, &path) {
		LKST_PUT64(r->cgroup, cgroup->kn->id);
		LKST_PUT_STRING(r->path, &path);
	}
	return 0;
}

LKST_STRING_SCRATCH(cgroup_attach_path);

LKST_TP(cgroup_attach_task, struct cgroup *cgroup, const char *name, struct task_struct *task, bool is_process)
{
	struct lkst_string path;

	if (!lkst_cgroup_is_known(cgroup) || !lkst_wants(task) ||
	    !lkst_string_read(&path, &cgroup_attach_path, name, LKST_STRING_MAX))
		return LKST_UNWANTED(cgroup_attach_task);
	lkst_recording_string(cgroup_attach_task, r, &path) {
		r->target_tid = task->pid;
		r->is_process = is_process;
		LKST_PUT64(r->cgroup, cgroup->kn->id);
		LKST_PUT_STRING(r->path, &path);
	}
	return 0;
}
