/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A name that is not in a record: that of the thread that a switch goes to. The program of sched_switch
 * stores it here for its handler's functions, if the handler asks for it (lkst_cfg.has_names). A CPU is in
 * one switch at a time.
 */
#ifndef LKST_BPF_NAMES_H
#define LKST_BPF_NAMES_H

#include "bpf/record.h"

struct lkst_name {
	comm16 comm;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_name);
} lkst_next_name SEC(".maps") __weak;

static __always_inline void lkst_leave_name(struct task_struct *next)
{
	u32 zero = 0;
	struct lkst_name *name = bpf_map_lookup_elem(&lkst_next_name, &zero);

	if (name)
		lkst_copy_comm(name->comm, next);
}

#endif
