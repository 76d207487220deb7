// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the preemption count once in an interrupt, in a softirq and in a thread, so that user space knows its bits
 * by what they mean (src/live/programs/waker_context.c): no type information has them. Run while a recording
 * starts, before its own programs are loaded. That is not often, so that one form serves all kernels.
 */
#define LKST_FLOOR

#include "bpf/preempt_count.h"

#include "abi/preempt_count.h"

const volatile s64 lkst_count_from_rq SEC(".rodata.from");
struct lkst_preempt_seen lkst_preempt_seen SEC(".data.seen");

static __always_inline int keep(u32 count, u32 *to)
{
	*to = count | LKST_PREEMPT_SEEN;
	return 0;
}

SEC("perf_event")
int count__interrupt(void *ctx)
{
	return keep(lkst_preempt_count(LKST_CURRENT(), lkst_count_from_rq), &lkst_preempt_seen.interrupt);
}

/* At softirq_entry, where it is being served. */
SEC("raw_tp/softirq_entry")
int count__softirq(void *ctx)
{
	struct task_struct *task = LKST_CURRENT();
	u32 count = lkst_has_softirq_count(task) ? (u32)LKST_READ(task, softirq_disable_cnt)
						 : lkst_preempt_count(task, lkst_count_from_rq);

	return keep(count, &lkst_preempt_seen.softirq);
}

SEC("raw_tp")
int count__thread(void *ctx)
{
	return keep(lkst_preempt_count(LKST_CURRENT(), lkst_count_from_rq), &lkst_preempt_seen.thread);
}

char lkst_license[] SEC("license") = "GPL";
