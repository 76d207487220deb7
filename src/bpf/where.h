/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a thread is, by the registers with which it entered the kernel, and what else it says of what it waits for. A
 * call that does not wait costs nothing, and no hook of system calls is needed.
 */
#ifndef LKST_BPF_WHERE_H
#define LKST_BPF_WHERE_H

#include "bpf/preempt_count.h"
#include "bpf/user_regs.h"

/*
 * include/linux/sched.h. Before Linux 6.4 no bit 0x4000 is set but while a module is loaded (PF_USED_ASYNC, until
 * 5.17).
 */
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

enum {
	X32_BIT = 0x40000000,	/* arch/x86/include/uapi/asm/unistd.h */
	NO_RESULT_YET = -38,	/* -ENOSYS: a call's result until it has one (arch/x86/entry/entry_64.S) */
	FIRST_USUAL_PRIO = 100, /* below, a thread is of a real-time class, which no quota of CFS throttles */
	MAX_CLOCKS = 16,	/* include/uapi/linux/time.h: an address is no clock */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct restart_block___lkst {
	void *fn;
	struct {
		u32 *uaddr;
	} futex;
};
struct task_struct___restarted {
	struct restart_block___lkst restart_block;
};
#pragma clang attribute pop

struct lkst_at {
	struct pt_regs___lkst *regs;
	s16 call;
	u8 where; /* enum lkst_where */
	u8 flags;
	u8 nr_args;
	bool is_compat;
};

/*
 * Whether @task never returns to a program: its registers are 0, or a copy of its creator's, and say nothing. Its flags
 * do (Linux 6.4, 54e6842d0775: PF_USER_WORKER).
 */
static __always_inline bool lkst_is_of_kernel(struct task_struct *task)
{
	return LKST_READ(task, flags) & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER);
}

/* Whether the call may be over. Where the result takes the place of an argument, nothing tells. */
static __always_inline bool lkst_may_be_behind(struct pt_regs___lkst *regs)
{
#ifdef __TARGET_ARCH_arm64
	return true;
#else
	return (s64)LKST_READ(regs, ax) != NO_RESULT_YET;
#endif
}

/*
 * Whether @task could run but for its quota. Linux 6.18 throttles threads (e1fad12dcb66), and before whole queues; then
 * the count has all groups above as well.
 */
static __always_inline bool lkst_is_throttled(struct task_struct *task)
{
	if (bpf_core_field_exists(((struct task_struct___throttled *)0)->throttled))
		return ((struct task_struct___throttled *)task)->throttled;
	if (!bpf_core_field_exists(struct cfs_rq___throttled, throttle_count) ||
	    !bpf_core_field_exists(task->se.cfs_rq))
		return false;
	return task->prio >= FIRST_USUAL_PRIO &&
	       ((struct cfs_rq___throttled *)task->se.cfs_rq)->throttle_count > 0;
}

/*
 * The call that a signal interrupted in @task, and that restart_syscall goes on with. Its registers are still those of
 * that call, but for its number.
 */
static __noinline s32 lkst_restarted_call(struct task_struct *task)
{
	struct restart_block___lkst *block = &((struct task_struct___restarted *)task)->restart_block;
	const u64 first = lkst_arg(LKST_TASK_REGS(task), false, 0);
	const u64 function = (u64)LKST_READ(block, fn), word = (u64)LKST_READ(block, futex.uaddr);
	u32 i;

	for (i = 0; i < LKST_RESTARTS && i < lkst_cfg.nr_restarts; i++)
		if (lkst_cfg.restarts[i].function == function && (!lkst_cfg.restarts[i].is_by_word || word == first))
			return first < MAX_CLOCKS ? lkst_cfg.restarts[i].call_by_clock : lkst_cfg.restarts[i].call;
	return (s32)lkst_cfg.restart_call;
}

/* The call that @task is in, by its registers. A signal's return and a call that a tracer cancelled leave -1, too. */
static __always_inline void lkst_find_call(struct task_struct *task, struct lkst_at *ret_at)
{
	s32 nr;

	*ret_at = (struct lkst_at){ .call = -1 }; /* the verifier wants each member to have a value */
	ret_at->where = LKST_WHERE_KERNEL;
	if (lkst_is_of_kernel(task))
		return;
	ret_at->where = LKST_WHERE_NONE;
	ret_at->regs = LKST_TASK_REGS(task);
	if (!LKST_ARE_OF_PROGRAM(ret_at->regs)) {
		ret_at->where = LKST_WHERE_UNKNOWN;
		return;
	}
	ret_at->is_compat = lkst_is_compat(task);
	nr = lkst_syscall_nr(ret_at->regs);
	if (!ret_at->is_compat)
		nr &= ~X32_BIT;
	if (lkst_cfg.restart_call && !ret_at->is_compat && (u32)nr == lkst_cfg.restart_call)
		nr = lkst_restarted_call(task);
	if ((u32)nr >= LKST_SYSCALL_MAX)
		return;
	ret_at->where = LKST_WHERE_CALL;
	ret_at->call = ret_at->is_compat ? nr | LKST_CALL_COMPAT : nr;
	if (lkst_may_be_behind(ret_at->regs))
		ret_at->flags = LKST_WHERE_BEHIND;
}

/* How many arguments of the call there are to be recorded. */
static __always_inline void lkst_find_args(struct lkst_at *at)
{
	u64 nr = LKST_BOUNDED((u64)at->call & ~LKST_CALL_COMPAT);

	if (at->where == LKST_WHERE_CALL && nr < LKST_SYSCALL_MAX)
		at->nr_args = lkst_cfg.call_args[at->is_compat][nr];
}

/* Bits of @task for what it waits. */
static __always_inline u8 lkst_waits_for(struct task_struct *task)
{
	u8 flags = 0;

	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		flags = LKST_WHERE_IO;
	if (bpf_core_field_exists(task->in_memstall) && BPF_CORE_READ_BITFIELD(task, in_memstall))
		flags |= LKST_WHERE_MEMORY;
	return flags;
}

/* What is going on on this CPU, where @task runs or is interrupted. */
static __always_inline u8 lkst_context_of(struct task_struct *task)
{
	u32 count, soft;

	if (!lkst_cfg.interrupt_bits)
		return LKST_WAKER_UNKNOWN;
	soft = count = lkst_preempt_count(task, lkst_cfg.count_from_rq);
	if (lkst_has_softirq_count(task))
		soft = LKST_READ(task, softirq_disable_cnt);
	return count & lkst_cfg.interrupt_bits ? LKST_WAKER_INTERRUPT
	       : soft & lkst_cfg.softirq_bit   ? LKST_WAKER_SOFTIRQ
					       : LKST_WAKER_THREAD;
}

static __always_inline bool lkst_put_call_arg(u64_list *to, const struct lkst_at *at, u32 i)
{
	if (i >= at->nr_args)
		return false;
	LKST_PUT64(to->item[i], lkst_arg(at->regs, at->is_compat, i));
	return true;
}

/* Writes the arguments, for which there is room. */
static __always_inline void lkst_put_call_args(u64_list *to, const struct lkst_at *at)
{
	(void)(lkst_put_call_arg(to, at, 0) && lkst_put_call_arg(to, at, 1) &&
	       lkst_put_call_arg(to, at, 2) && lkst_put_call_arg(to, at, 3) &&
	       lkst_put_call_arg(to, at, 4) && lkst_put_call_arg(to, at, 5));
}

#endif
