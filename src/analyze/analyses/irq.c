/* SPDX-License-Identifier: GPL-2.0-only */
/* How long interrupts of every kind take: devices', CPUs', softirqs, tasklets, timers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"

enum {
	SHIFT = 32, /* of the context in a key */
};

static void irq_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_analysis_state *w = ctx;
	u32 number = (u32)key;

	switch (key >> SHIFT) {
	case LKST_CONTEXT_IRQ:
		lkst_name_irq(w->labels, (s32)number, text);
		break;
	case LKST_CONTEXT_VECTOR:
		lkst_name_vector(number, text);
		break;
	case LKST_CONTEXT_SOFTIRQ:
		lkst_name_softirq(number, text);
		break;
	default:
		snprintf(text, LKST_KEY_TEXT, "%s",
			 key >> SHIFT < LKST_NR_CONTEXTS ? lkst_context_names[key >> SHIFT] : "?");
	}
}

static s64 irq_key_number(void *ctx, u64 key)
{
	return (u32)key;
}

static int irq_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_analysis_state *w = ctx;
	u32 number = f->context == LKST_CONTEXT_VECTOR ? (u32)f->code : (u32)f->number;
	u64 key = (u64)f->context << SHIFT | number, ns = f->to_ns - f->from_ns;

	if (f->has_no_begin)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, key, f->tid,
					    f->cpu);
	/*
	 * A context whose end was not seen may have ended at any time. The time of those that
	 * interrupted it is not its own.
	 */
	if (f->is_cut)
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_END, key, f->tid,
					    f->cpu);
	if (lkst_analysis_may_contain_more(w, f))
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_LIMIT, key, f->tid, f->cpu);
	ns = ns > f->inner_ns ? ns - f->inner_ns : 0;
	return lkst_tally_add(&w->tallies[0], key, ns, f->from_ns, f->tid, f->cpu);
}

static const struct lkst_model_calls calls = { .frame = irq_on_frame };

static int irq_begin(struct lkst_analysis_state *w)
{
	int err;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "irq",
							   .title = "Interrupts",
							   .unit = "interrupts",
							   .type = LKST_COLUMN_DURATION,
							   .is_late = true,
							   .put_key = irq_put_key,
							   .key_number = irq_key_number });
	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err
		       : lkst_feed_has(w->feed, LKST_EV_irq_handler_entry) ||
				 lkst_feed_has(w->feed, LKST_EV_softirq_entry) ||
				 lkst_feed_has(w->feed, LKST_EV_local_timer_entry);
}

const struct lkst_analysis lkst_analysis_irq = {
	.name = "irq",
	.title = "Interrupts",
	.help = "how long interrupts, softirqs, tasklets and timers take",
	.measures = "from each one's entry to its exit, less what interrupted it",
	.events = "irq_handler_* softirq_* tasklet_* timer_expire_* hrtimer_expire_* local_timer_* "
		  "reschedule_* call_function_* nmi_handler",
	.needs_state = true,
	.size = sizeof(struct lkst_analysis_state),
	.begin = irq_begin,
};
