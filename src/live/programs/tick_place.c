/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel keeps the time of its ticks, and what they interrupt: by its types. */
#include "live/programs/tick_place.h"

#include <errno.h>

int lkst_tick_place_find(struct lkst_err *e, const struct lkst_kernel *k, struct lkst_program_config *cfg)
{
	u32 rq, interrupted, sched, ticked, stalled;

	cfg->has_ticks = 0;
	if (lkst_kernel_find_percpu(k, "runqueues", &rq) || lkst_kernel_find_percpu(k, "__irq_regs", &interrupted) ||
	    lkst_kernel_find_percpu(k, "tick_cpu_sched", &sched))
		return lkst_err_set(e, -ENOENT, "this kernel's type information does not have its ticks");
	if (lkst_kernel_find_member(k, "tick_sched", "last_tick_jiffies", &ticked) ||
	    lkst_kernel_find_member(k, "tick_sched", "stalled_jiffies", &stalled))
		return lkst_err_set(e, -ENOENT, "this kernel does not keep when a CPU had its last tick");
	cfg->interrupted_from_rq = (s64)interrupted - rq;
	cfg->ticked_from_rq = (s64)sched + ticked - rq;
	cfg->stalled_from_rq = (s64)sched + stalled - rq;
	cfg->has_ticks = 1;
	return 0;
}
