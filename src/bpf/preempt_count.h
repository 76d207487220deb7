/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The preemption count of this CPU, whose bits say whether an interrupt or a softirq is going on
 * (include/linux/preempt.h). On arm64 the running thread has it. On x86 it is a variable of the CPU, which no
 * program may name where the kernel was built without CONFIG_KALLSYMS_ALL; but it lies at a known distance from the
 * CPU's run queue, to which each thread has a pointer.
 */
#ifndef LKST_BPF_PREEMPT_COUNT_H
#define LKST_BPF_PREEMPT_COUNT_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "abi/types.h"
/* The helpers want the integer names first. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/compat.h"
#include "bpf/kernel.h"

enum { NEED_RESCHED_BIT = 1U << 31 }; /* arch/x86/include/asm/preempt.h: it belongs to no count */

/* The kinds of softirqs on a kernel for real time are counted by thread, and not in the preemption count. */
static __always_inline bool lkst_has_softirq_count(struct task_struct *task)
{
	return bpf_core_field_exists(task->softirq_disable_cnt);
}

/*
 * The count while @task runs here. @from_rq: on x86, bytes from the run queue to the count. A function of its own,
 * so that a program that never calls it, by its configuration, is allowed where kernel memory may not be copied
 * (lockdown=confidentiality).
 */
static __noinline u32 lkst_preempt_count(struct task_struct *task, s64 from_rq)
{
#ifdef __TARGET_ARCH_arm64
	return LKST_READ((struct thread_info___arm64 *)&task->thread_info, preempt_count);
#else
	u32 count = 0;

	if (bpf_probe_read_kernel(&count, sizeof(count), (void *)LKST_READ(task, se.cfs_rq, rq) + from_rq))
		return 0;
	return count & ~NEED_RESCHED_BIT;
#endif
}

#endif
