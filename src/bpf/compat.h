/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels name or keep differently, one accessor each, with the commit that changed it. Which
 * form applies is asked of the running kernel's BTF when a program is loaded, so the other one
 * costs nothing.
 */
#ifndef LKST_BPF_COMPAT_H
#define LKST_BPF_COMPAT_H

#include "bpf/record.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct___cpu {
	unsigned int cpu;
};

#pragma clang attribute pop

/*
 * The CPU that @task runs or last ran on. Linux 5.16 moved it: commit bcf9033e5449 ("sched: move
 * CPU field back into thread_info if THREAD_INFO_IN_TASK=y").
 */
static __always_inline u32 lkst_task_cpu(struct task_struct *task)
{
	if (bpf_core_field_exists(task->thread_info.cpu))
		return task->thread_info.cpu;
	return ((struct task_struct___cpu *)task)->cpu;
}

#endif
