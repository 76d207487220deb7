/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroup of a thread, by its number, in the hierarchy that user space has chosen. Only typed reads, which are
 * allowed where copying kernel memory by address is not (lockdown=confidentiality).
 */
#ifndef LKST_BPF_CGROUP_H
#define LKST_BPF_CGROUP_H

#include "bpf/record.h"

/* The place of the chosen controller in css_set.subsys; negative: the kernel does not have it. */
static __always_inline int lkst_cgroup_subsys(void)
{
	if (lkst_cfg.cgroup_of == LKST_CGROUP_MEMORY &&
	    bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		return bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
	if (lkst_cfg.cgroup_of == LKST_CGROUP_PIDS &&
	    bpf_core_enum_value_exists(enum cgroup_subsys_id, pids_cgrp_id))
		return bpf_core_enum_value(enum cgroup_subsys_id, pids_cgrp_id);
	if (lkst_cfg.cgroup_of == LKST_CGROUP_CPU &&
	    bpf_core_enum_value_exists(enum cgroup_subsys_id, cpu_cgrp_id))
		return bpf_core_enum_value(enum cgroup_subsys_id, cpu_cgrp_id);
	return -1;
}

/* 0: not known. */
static __always_inline u64 lkst_cgroup_of(struct task_struct *task)
{
	struct cgroup_subsys_state **subsys;
	struct css_set *set = NULL;
	int i;

	if (!lkst_cfg.cgroup_of || !bpf_core_field_exists(task->cgroups) ||
	    !bpf_core_field_exists(set->dfl_cgrp))
		return 0;
	set = task->cgroups;
	if (lkst_cfg.cgroup_of == LKST_CGROUP_UNIFIED)
		return set->dfl_cgrp->kn->id;
	i = lkst_cgroup_subsys();
	if (i < 0)
		return 0;
	/* The place is a constant when this is verified. */
	subsys = (void *)set->subsys;
	return subsys[i]->cgroup->kn->id;
}

/* Whether @cgroup is of the chosen hierarchy. */
static __always_inline bool lkst_cgroup_is_known(struct cgroup *cgroup)
{
	return lkst_cfg.cgroup_of && cgroup->root->hierarchy_id == lkst_cfg.cgroup_hierarchy;
}

#endif
