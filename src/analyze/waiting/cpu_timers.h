/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran on each CPU just before a wake-up there, that the wake-up may be owed to: functions of timers, interrupts,
 * and the queues of network devices. For a packet that comes says nothing of who has sent it.
 */
#ifndef LKST_ANALYZE_WAITING_CPU_TIMERS_H
#define LKST_ANALYZE_WAITING_CPU_TIMERS_H

#include "analyze/engine/feed.h"
#include "analyze/engine/lacks.h"
#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "trace/known/symbols.h"

struct lkst_cpu_timers {
	/* The caller's to set before the pass; they must stay. */
	const struct lkst_model *model;
	const struct lkst_lacks *lacks;
	struct lkst_symbols *symbols; /* NULL: functions are not known */

	/* Private. */
	struct lkst_cpu_timer *cpus;
	u32 nr_cpus;
};

/* Subscribes to softirqs that begin. 0 or more, or -errno, as of lkst_feed_event(). */
int lkst_cpu_timers_subscribe(struct lkst_cpu_timers *t, struct lkst_feed *f);

/* An interrupt, a softirq or a timer's function is over. 0 or -ENOMEM. */
int lkst_cpu_timers_frame(struct lkst_cpu_timers *t, const struct lkst_irq_context *f);

/*
 * A thread begins to run at @cpu, or the one that runs begins a system call, in which it may send packets, @sends: the
 * timers before are over. 0 or -ENOMEM.
 */
int lkst_cpu_timers_switch(struct lkst_cpu_timers *t, u32 cpu, u64 ns);
int lkst_cpu_timers_call(struct lkst_cpu_timers *t, u32 cpu, bool sends);

void lkst_cpu_timers_fini(struct lkst_cpu_timers *t);

/*
 * A timer's function that has run just before the wake-up of @w, behind the same interrupt; 0: none has. Where an
 * interrupt that came after it may not be recorded, or the call that @w was in, that is not known.
 */
u64 lkst_cpu_timers_before(const struct lkst_cpu_timers *t, const struct lkst_waker *w);

/*
 * The function of a timer that has sent what the softirq of @w receives. Behind an interrupt they run one after the
 * other; on a busy CPU ksoftirqd receives it later, when others have run. 0: there is none.
 */
u64 lkst_cpu_timers_sending(const struct lkst_cpu_timers *t, const struct lkst_waker *w);

/* The function of an hrtimer behind which the queues of network devices were run, whose packet @w receives; 0: none. */
u64 lkst_cpu_timers_queue(const struct lkst_cpu_timers *t, const struct lkst_waker *w);

/*
 * Whether what the softirq of @w received was sent by the thread that @w interrupted, in a call that sends: over the
 * machine's own network. Since @since_ns, when the call began or the thread was switched to, nothing has come that
 * brings packets, or sends some; where softirqs are not recorded, no interrupt at all.
 */
enum lkst_own_softirq { LKST_OWN_SOFTIRQ_UNKNOWN, LKST_OWN_SOFTIRQ_NO, LKST_OWN_SOFTIRQ_YES };
enum lkst_own_softirq lkst_cpu_timers_own(const struct lkst_cpu_timers *t, const struct lkst_waker *w, u64 since_ns);

/* When who runs on @cpu began to; 0: that is not known. */
u64 lkst_cpu_timers_switch_ns(const struct lkst_cpu_timers *t, u32 cpu);

#endif
