/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the cost limit left out events whose absence makes what is known of threads and CPUs uncertain: in groups of
 * events that prove the same. By event: limited.h.
 */
#ifndef LKST_ANALYZE_ENGINE_LACKS_H
#define LKST_ANALYZE_ENGINE_LACKS_H

#include "analyze/engine/limited.h"

enum lkst_lack {
	LKST_LACK_CALLS,      /* any system call */
	LKST_LACK_FAULTS,     /* a page fault's begin */
	LKST_LACK_FAULT_ENDS, /* its end */
	LKST_LACK_LOCKS,
	LKST_LACK_WORK,
	LKST_LACK_INTERRUPTS, /* of devices and CPUs */
	LKST_LACK_DEVICES,    /* of devices alone */
	LKST_LACK_CALLS_OF_CPUS, /* of one CPU that has another run a function */
	LKST_LACK_SOFTIRQS,
	LKST_LACK_WAKEUPS, /* sched_wakeup */
	LKST_LACK_MIGRATIONS,
	LKST_LACK_REQUESTS, /* of disks */
	LKST_NR_LACKS,
};

/* All zero: nothing was left out. */
struct lkst_lacks {
	struct lkst_limited_times times[LKST_NR_LACKS];
};

/* By @l, of a trace with catalogue @c. 0 or -ENOMEM; then, too, it is to be freed. */
int lkst_lacks_init(const struct lkst_limited *l, const struct lkst_catalog *c, struct lkst_lacks *x);
void lkst_lacks_fini(struct lkst_lacks *x);

/* Whether records of @lack may be missing in some of the time from @from_ns to @to_ns, both included. */
static inline bool lkst_lacks(const struct lkst_lacks *x, enum lkst_lack lack, u64 from_ns, u64 to_ns)
{
	return x->times[lack].nr && lkst_limited_times_since(&x->times[lack], from_ns, to_ns) != UINT64_MAX;
}

#endif
