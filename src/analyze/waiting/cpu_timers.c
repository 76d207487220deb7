/* SPDX-License-Identifier: GPL-2.0-only */
/* What ran on each CPU just before a wake-up. */
#include "analyze/waiting/cpu_timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/softirq.h"
#include "analyze/waiting/about.h"
#include "base/vec.h"

enum {
	KSOFTIRQD_MOST_NS = 100 * 1000 * 1000, /* for which ksoftirqd may wait for its CPU */
	SOFTIRQS_MOST_NS = 10 * 1000 * 1000, /* for which one run of softirqs lasts: 2 ms, and the last of them */
	VECTOR_LOCAL_TIMER = 0xec, /* arch/x86/include/asm/irq_vectors.h */
	VECTOR_RESCHEDULE = 0xfd,
};

struct lkst_cpu_timer {
	u64 irq_ns;	/* an interrupt was over */
	u64 packets_ns; /* something was over that may have brought packets, or sent some, other than a thread */
	u64 rx_from_ns, rx_to_ns; /* the last softirq that receives, its begin and its end */
	u64 switch_ns;	/* who runs there began to */
	u64 timer_code; /* a timer's function has run since then, and no thread; 0: none has */
	u64 timer_ns;	/* when it was over */
	u64 hrtimer_code, hrtimer_ns; /* the same of the last hrtimer, and when it was over */
	u64 queue_code; /* hrtimer_code, if the queues of network devices have been run after it */
	u64 sent_code; /* a timer's function that nothing was received after, nor could have been sent by another */
	u64 sent_ns;	/* when that was over */
};

/* That of CPU @cpu, of which nothing may have been seen. */
static struct lkst_cpu_timer seen_on(const struct lkst_cpu_timers *t, u32 cpu)
{
	return cpu < t->nr_cpus ? t->cpus[cpu] : (struct lkst_cpu_timer){};
}

/* Several timers may run one after the other: one that sends is what counts, and not what came behind it. */
static void take_timer(const struct lkst_cpu_timers *t, u64 code, u64 ns, u64 *ret_code, u64 *ret_ns)
{
	if (*ret_code && lkst_about_timer(t->symbols, *ret_code))
		return;
	*ret_code = code;
	*ret_ns = ns;
}

/* Whether packets may come by it. Of interrupts that are no device's, the local timer's and reschedules bring none. */
static bool cpu_timers_brings_packets(const struct lkst_irq_context *f)
{
	return f->context == LKST_CONTEXT_IRQ ||
	       (f->context == LKST_CONTEXT_SOFTIRQ && f->number == LKST_SOFTIRQ_NET_RX) ||
	       (f->context == LKST_CONTEXT_VECTOR && f->number != VECTOR_LOCAL_TIMER && f->number != VECTOR_RESCHEDULE);
}

/* Whether packets may come by it to who did not send them: it brings them, or sends some itself. */
static bool brings_or_sends(const struct lkst_irq_context *f)
{
	return f->context == LKST_CONTEXT_SOFTIRQ ? lkst_softirq_may_send(f->number) : cpu_timers_brings_packets(f);
}

static int cpu_timers_on_softirq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *s = record;
	struct lkst_cpu_timers *t = ctx;
	struct lkst_cpu_timer *cpu = lkst_vec_reach(t->cpus, t->nr_cpus, r->cpu);

	if (cpu && s->vec == LKST_SOFTIRQ_NET_RX)
		cpu->rx_from_ns = r->ns;
	return cpu ? 0 : -ENOMEM;
}

int lkst_cpu_timers_subscribe(struct lkst_cpu_timers *t, struct lkst_feed *f)
{
	return lkst_feed_event(f, LKST_EV_softirq_entry, cpu_timers_on_softirq_entry, t);
}

int lkst_cpu_timers_frame(struct lkst_cpu_timers *t, const struct lkst_irq_context *f)
{
	struct lkst_cpu_timer *cpu = lkst_vec_reach(t->cpus, t->nr_cpus, f->cpu);

	if (!cpu)
		return -ENOMEM;
	if (cpu_timers_brings_packets(f))
		cpu->sent_code = 0;
	if (brings_or_sends(f))
		cpu->packets_ns = f->to_ns;
	else if (f->context == LKST_CONTEXT_SOFTIRQ && f->number == LKST_SOFTIRQ_NET_RX)
		cpu->rx_to_ns = f->to_ns;
	if (f->context == LKST_CONTEXT_TIMER) {
		take_timer(t, f->code, f->to_ns, &cpu->timer_code, &cpu->timer_ns);
		if (f->to_ns - cpu->sent_ns > KSOFTIRQD_MOST_NS)
			cpu->sent_code = 0;
		take_timer(t, f->code, f->to_ns, &cpu->sent_code, &cpu->sent_ns);
	} else if (f->context == LKST_CONTEXT_HRTIMER) {
		cpu->hrtimer_code = f->code;
		cpu->hrtimer_ns = f->to_ns;
	} else if (f->context == LKST_CONTEXT_SOFTIRQ && f->number == LKST_SOFTIRQ_NET_TX) {
		cpu->queue_code = cpu->hrtimer_code;
	} else if (f->context == LKST_CONTEXT_IRQ || f->context == LKST_CONTEXT_VECTOR) {
		cpu->irq_ns = f->to_ns;
		cpu->timer_code = cpu->queue_code = 0;
		/* The interrupt that the timer ran in is over after it. */
		if (f->from_ns > cpu->hrtimer_ns)
			cpu->hrtimer_code = 0;
	}
	return 0;
}

/* The CPU, on which what a timer did is over: a thread goes on. NULL: -ENOMEM. */
static struct lkst_cpu_timer *end_timers(struct lkst_cpu_timers *t, u32 cpu)
{
	struct lkst_cpu_timer *c = lkst_vec_reach(t->cpus, t->nr_cpus, cpu);

	if (c)
		c->timer_code = c->hrtimer_code = c->queue_code = 0;
	return c;
}

int lkst_cpu_timers_switch(struct lkst_cpu_timers *t, u32 cpu, u64 ns)
{
	struct lkst_cpu_timer *c = end_timers(t, cpu);

	if (!c)
		return -ENOMEM;
	c->switch_ns = ns;
	return 0;
}

int lkst_cpu_timers_call(struct lkst_cpu_timers *t, u32 cpu, bool sends)
{
	struct lkst_cpu_timer *c = end_timers(t, cpu);

	if (!c)
		return -ENOMEM;
	if (sends)
		c->sent_code = 0;
	return 0;
}

void lkst_cpu_timers_fini(struct lkst_cpu_timers *t)
{
	free(t->cpus);
	*t = (struct lkst_cpu_timers){};
}

u64 lkst_cpu_timers_before(const struct lkst_cpu_timers *t, const struct lkst_waker *w)
{
	const struct lkst_cpu_timer cpu = seen_on(t, w->cpu);

	return cpu.timer_code && w->ns - cpu.timer_ns <= SOFTIRQS_MOST_NS &&
			       !lkst_lacks(t->lacks, LKST_LACK_INTERRUPTS, cpu.timer_ns, w->ns) &&
			       (w->call.row < 0 || !lkst_lacks(t->lacks, LKST_LACK_CALLS, cpu.timer_ns, w->ns))
		       ? cpu.timer_code
		       : 0;
}

static bool is_receiving(const struct lkst_waker *w)
{
	return w->context == LKST_CONTEXT_SOFTIRQ && w->number == LKST_SOFTIRQ_NET_RX;
}

u64 lkst_cpu_timers_sending(const struct lkst_cpu_timers *t, const struct lkst_waker *w)
{
	const struct lkst_cpu_timer cpu = seen_on(t, w->cpu);
	const struct lkst_thread_life *by;
	u64 code;

	if (!is_receiving(w))
		return 0;
	code = lkst_cpu_timers_before(t, w);
	if (code || !cpu.sent_code || w->life == LKST_LIFE_NONE || w->ns - cpu.sent_ns > KSOFTIRQD_MOST_NS ||
	    lkst_lacks(t->lacks, LKST_LACK_INTERRUPTS, cpu.sent_ns, w->ns) ||
	    lkst_lacks(t->lacks, LKST_LACK_CALLS, cpu.sent_ns, w->ns))
		return code;
	by = lkst_model_life(t->model, w->life);
	return by && by->is_kernel && !strncmp(by->comm, "ksoftirqd/", strlen("ksoftirqd/")) &&
			       lkst_about_timer(t->symbols, cpu.sent_code)
		       ? cpu.sent_code
		       : 0;
}

u64 lkst_cpu_timers_queue(const struct lkst_cpu_timers *t, const struct lkst_waker *w)
{
	const struct lkst_cpu_timer cpu = seen_on(t, w->cpu);

	if (!is_receiving(w) || lkst_lacks(t->lacks, LKST_LACK_INTERRUPTS, cpu.hrtimer_ns, w->ns))
		return 0;
	return cpu.queue_code;
}

/*
 * Whether another CPU has received packets since shortly before @since_ns, or still does: it may pass them on to this
 * one (RPS), which it has run a function for that (net_rps_send_ipi() of net/core/dev.c, at the end of the softirq).
 */
static bool cpu_timers_may_be_passed_on(const struct lkst_cpu_timers *t, const struct lkst_waker *w, u64 since_ns)
{
	u32 i;

	if (!lkst_lacks(t->lacks, LKST_LACK_CALLS_OF_CPUS, since_ns, w->ns))
		return false;
	for (i = 0; i < t->nr_cpus; i++) {
		const struct lkst_cpu_timer *cpu = &t->cpus[i];
		const bool is_receiving = cpu->rx_from_ns > cpu->rx_to_ns &&
					  cpu->rx_from_ns + LKST_RECEIVING_MOST_NS >= since_ns;

		if (i != w->cpu &&
		    (is_receiving || (cpu->rx_to_ns && cpu->rx_to_ns + LKST_PASSING_ON_MOST_NS >= since_ns)))
			return true;
	}
	return false;
}

enum lkst_own_softirq lkst_cpu_timers_own(const struct lkst_cpu_timers *t, const struct lkst_waker *w, u64 since_ns)
{
	const struct lkst_cpu_timer cpu = seen_on(t, w->cpu);
	const bool has_softirqs = w->context == LKST_CONTEXT_SOFTIRQ &&
				  !lkst_lacks(t->lacks, LKST_LACK_SOFTIRQS, since_ns, w->ns);

	if (!lkst_lacks(t->lacks, LKST_LACK_INTERRUPTS, since_ns, w->ns))
		return (has_softirqs ? cpu.packets_ns : cpu.irq_ns) < since_ns ? LKST_OWN_SOFTIRQ_YES
									       : LKST_OWN_SOFTIRQ_NO;
	return has_softirqs && cpu.packets_ns < since_ns &&
			       !lkst_lacks(t->lacks, LKST_LACK_DEVICES, since_ns, w->ns) &&
			       !cpu_timers_may_be_passed_on(t, w, since_ns)
		       ? LKST_OWN_SOFTIRQ_YES
		       : LKST_OWN_SOFTIRQ_UNKNOWN;
}

u64 lkst_cpu_timers_switch_ns(const struct lkst_cpu_timers *t, u32 cpu)
{
	return seen_on(t, cpu).switch_ns;
}
