/* SPDX-License-Identifier: GPL-2.0-only */
/* For how long CPUs have interrupts or preemption off, and where they were turned off. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

enum off_tally {
	TALLY_IRQ,
	TALLY_PREEMPT,
	NR_OFF_TALLIES,
};

/* Since when it is off on a CPU, and where it was turned off. */
struct off_since {
	bool is_off;
	bool has_switched, has_idled; /* the CPU, to another thread; to none */
	u16 buffer;
	s32 tid;
	u64 ns, ip;
};

struct off_cpu {
	struct off_since since[NR_OFF_TALLIES];
};

struct irqsoff {
	struct lkst_analysis_state work;
	struct off_cpu *cpus;
	u32 nr_cpus;
};

static void irqsoff_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_analysis_state *w = ctx;

	lkst_name_address(w->symbols, "", key, text);
}

static int begin_off(struct irqsoff *o, enum off_tally what, const struct lkst_record *r, u64 ip)
{
	struct off_cpu *cpu = lkst_vec_reach(o->cpus, o->nr_cpus, r->cpu);

	if (!cpu)
		return -ENOMEM;
	cpu->since[what] = (struct off_since){ .is_off = true,
					       .buffer = (u16)r->buffer,
					       .tid = r->tid,
					       .ns = r->ns,
					       .ip = ip };
	return 0;
}

/*
 * The thread that the kernel runs where there is none has preemption off all the time, so that what a thread turns off
 * before the CPU idles is turned on by the one that comes after.
 */
static bool may_have_idled(const struct off_since *since, const struct lkst_record *r)
{
	return since->has_idled || (r->tid != since->tid && !since->has_switched);
}

static int irqsoff_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	struct irqsoff *o = ctx;
	struct off_cpu *cpu = lkst_vec_reach(o->cpus, o->nr_cpus, r->cpu);
	unsigned int i;

	if (!cpu)
		return -ENOMEM;
	for (i = 0; i < NR_OFF_TALLIES; i++) {
		cpu->since[i].has_switched = true;
		cpu->since[i].has_idled |= !((const struct lkst_rec_sched_switch *)record)->next_tid || !r->tid;
	}
	return 0;
}

static int end_off(struct irqsoff *o, enum off_tally what, const struct lkst_record *r)
{
	struct off_cpu *cpu = lkst_vec_reach(o->cpus, o->nr_cpus, r->cpu);
	struct lkst_tally *tally = &o->work.tallies[what];
	struct off_since since;

	if (!cpu)
		return -ENOMEM;
	since = cpu->since[what];
	cpu->since[what].is_off = false;
	if (!since.is_off) {
		lkst_tally_leave_out_any(tally, LKST_LEFT_OUT_NO_BEGIN, r->tid, r->cpu);
		return 0;
	}
	if (lkst_gap_test_crosses(o->work.gap_test, r->cpu, since.buffer, since.ns, r->ns))
		return lkst_tally_leave_out(tally, LKST_LEFT_OUT_GAP, since.ip, since.tid, r->cpu);
	if (what == TALLY_PREEMPT && may_have_idled(&since, r))
		return lkst_tally_leave_out(tally, LKST_LEFT_OUT_IDLE, since.ip, since.tid, r->cpu);
	return lkst_tally_add(tally, since.ip, r->ns - since.ns, since.ns, since.tid, r->cpu);
}

static int on_irq_disable(void *ctx, const struct lkst_record *r, const void *record)
{
	return begin_off(ctx, TALLY_IRQ, r, ((const struct lkst_rec_irq_disable *)record)->ip);
}

static int on_irq_enable(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_off(ctx, TALLY_IRQ, r);
}

static int on_preempt_disable(void *ctx, const struct lkst_record *r, const void *record)
{
	return begin_off(ctx, TALLY_PREEMPT, r,
			 ((const struct lkst_rec_preempt_disable *)record)->ip);
}

static int on_preempt_enable(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_off(ctx, TALLY_PREEMPT, r);
}

static int irqsoff_begin(struct lkst_analysis_state *w)
{
	int err = 0;
	bool has;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "irqsoff",
							   .title = "Interrupts off",
							   .unit = "times",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = irqsoff_put_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "preemptoff",
							   .title = "Preemption off",
							   .unit = "times",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = irqsoff_put_key });
	has = lkst_analysis_want(w, LKST_EV_irq_disable, on_irq_disable, &err);
	lkst_analysis_want(w, LKST_EV_irq_enable, on_irq_enable, &err);
	has |= lkst_analysis_want(w, LKST_EV_preempt_disable, on_preempt_disable, &err);
	lkst_analysis_want(w, LKST_EV_preempt_enable, on_preempt_enable, &err);
	if (has)
		lkst_analysis_want(w, LKST_EV_sched_switch, irqsoff_on_switch, &err);
	return err < 0 ? err : has;
}

static void irqsoff_fini(struct lkst_analysis_state *w)
{
	free(((struct irqsoff *)w)->cpus);
}

const struct lkst_analysis lkst_analysis_irqsoff = {
	.name = "irqsoff",
	.title = "Interrupts and preemption off",
	.help = "how long interrupts or preemption are off at a time, and where they were turned off",
	.measures = "irq_disable to irq_enable, preempt_disable to preempt_enable of the same CPU; not "
		    "what was off while the CPU idled, which sched_switch shows",
	.events = "irq_disable irq_enable preempt_disable preempt_enable sched_switch",
	.size = sizeof(struct irqsoff),
	.begin = irqsoff_begin,
	.fini = irqsoff_fini,
};
