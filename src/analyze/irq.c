/* SPDX-License-Identifier: GPL-2.0-only */
/* How long interrupts of every kind take: devices', CPUs', soft ones, tasklets, timers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analysis.h"

enum {
	NAMES_MAX = 1024, /* of devices' interrupts; further ones go by number */
	NAME_LENGTH = 24, /* with its NUL */
	SHIFT = 32,	  /* of the context in a key */
};

/* A device's interrupt. */
struct name {
	s32 irq;
	char text[NAME_LENGTH];
};

struct irq {
	struct lkst_work work;
	struct name *names;
	u32 nr_names;
};

/* By number, enum in include/linux/interrupt.h. */
static const char *const softirqs[] = { "HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU" };

static int on_name(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_irq *e = record;
	struct irq *q = ctx;
	struct name *names;

	if (q->nr_names == NAMES_MAX)
		return 0;
	names = reallocarray(q->names, q->nr_names + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	q->names = names;
	names[q->nr_names].irq = e->irq;
	snprintf(names[q->nr_names++].text, NAME_LENGTH, "%.*s", NAME_LENGTH - 1, e->name.bytes);
	return 0;
}

static const char *name_of(const struct irq *q, s32 irq)
{
	u32 i;

	for (i = 0; i < q->nr_names; i++)
		if (q->names[i].irq == irq)
			return q->names[i].text;
	return NULL;
}

/* The event that begins a vector's interrupt is called <name>_entry. */
static void put_vector(char text[LKST_KEY_TEXT], u32 index)
{
	const char *name = index < LKST_NR_EVENTS ? lkst_events[index].name : "vector_entry";

	snprintf(text, LKST_KEY_TEXT, "%.*s", (int)(strlen(name) - strlen("_entry")), name);
}

static void put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	u32 number = (u32)key;
	const char *name;
	char full[LKST_KEY_TEXT];

	switch (key >> SHIFT) {
	case LKST_CONTEXT_IRQ:
		name = name_of(ctx, (s32)number);
		snprintf(full, sizeof(full), "irq:%d%s%s", (s32)number, name ? ":" : "",
			 name ? name : "");
		lkst_put_key(text, full, strlen(full));
		break;
	case LKST_CONTEXT_VECTOR:
		put_vector(text, number);
		break;
	case LKST_CONTEXT_SOFTIRQ:
		if (number < sizeof(softirqs) / sizeof(softirqs[0]))
			snprintf(text, LKST_KEY_TEXT, "softirq:%s", softirqs[number]);
		else
			snprintf(text, LKST_KEY_TEXT, "softirq:%u", number);
		break;
	default:
		snprintf(text, LKST_KEY_TEXT, "%s",
			 key >> SHIFT < LKST_NR_CONTEXTS ? lkst_context_names[key >> SHIFT] : "?");
	}
}

static s64 key_number(void *ctx, u64 key)
{
	return (u32)key;
}

static int on_frame(void *ctx, const struct lkst_frame *f)
{
	struct lkst_work *w = ctx;
	u32 number = f->context == LKST_CONTEXT_VECTOR ? (u32)f->code : (u32)f->number;
	u64 key = (u64)f->context << SHIFT | number, ns = f->to_ns - f->from_ns;

	/* What was not seen to end may have ended at any time. What interrupted it is not its own. */
	if (f->is_cut)
		return lkst_tally_cross(&w->tallies[0], key, f->tid, f->cpu);
	ns = ns > f->inner_ns ? ns - f->inner_ns : 0;
	return lkst_tally_add(&w->tallies[0], key, ns, f->from_ns, f->tid, f->cpu);
}

static const struct lkst_state_calls calls = { .frame = on_frame };

static int begin(struct lkst_work *w)
{
	int err;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "irq",
						       .title = "Interrupts",
						       .unit = "interrupts",
						       .type = LKST_COLUMN_DURATION,
						       .is_late = true,
						       .put_key = put_key,
						       .key_number = key_number });
	err = lkst_feed_event(w->feed, LKST_EV_state_irq, on_name, w);
	if (err >= 0)
		err = lkst_state_subscribe(w->state, &calls, w);
	return err < 0 ? err
		       : lkst_feed_has(w->feed, LKST_EV_irq_handler_entry) ||
				 lkst_feed_has(w->feed, LKST_EV_softirq_entry) ||
				 lkst_feed_has(w->feed, LKST_EV_local_timer_entry);
}

static void fini(struct lkst_work *w)
{
	free(((struct irq *)w)->names);
}

const struct lkst_analysis lkst_analysis_irq = {
	.name = "irq",
	.row = "-",
	.title = "Interrupts",
	.help = "how long interrupts take, soft ones, tasklets and timers too",
	.measures = "from each one's entry to its exit, less what interrupted it",
	.events = "irq_handler_* softirq_* tasklet_* timer_expire_* hrtimer_expire_* local_timer_* "
		  "reschedule_* call_function_* nmi_handler",
	.needs_state = true,
	.size = sizeof(struct irq),
	.begin = begin,
	.fini = fini,
};
