/* SPDX-License-Identifier: GPL-2.0-only */
/* When the cost limit left out events whose absence makes what is known of threads and CPUs uncertain. */
#include "analyze/engine/lacks.h"

#include "abi/events.h"
#include "trace/format/catalog.h"

static const struct {
	enum lkst_lack lack;
	enum lkst_event_index index;
} rows[] = {
	{ LKST_LACK_FAULTS, LKST_EV_page_fault_user },
	{ LKST_LACK_FAULTS, LKST_EV_page_fault_kernel },
	{ LKST_LACK_FAULT_ENDS, LKST_EV_page_fault_exit },
	{ LKST_LACK_LOCKS, LKST_EV_contention_begin },
	{ LKST_LACK_WORK, LKST_EV_workqueue_execute_start },
	{ LKST_LACK_INTERRUPTS, LKST_EV_irq_handler_entry },
	{ LKST_LACK_INTERRUPTS, LKST_EV_local_timer_entry },
	{ LKST_LACK_INTERRUPTS, LKST_EV_reschedule_entry },
	{ LKST_LACK_INTERRUPTS, LKST_EV_call_function_entry },
	{ LKST_LACK_INTERRUPTS, LKST_EV_call_function_single_entry },
	{ LKST_LACK_DEVICES, LKST_EV_irq_handler_entry },
	{ LKST_LACK_CALLS_OF_CPUS, LKST_EV_call_function_single_entry },
	{ LKST_LACK_SOFTIRQS, LKST_EV_softirq_entry },
	{ LKST_LACK_WAKEUPS, LKST_EV_sched_wakeup },
	{ LKST_LACK_MIGRATIONS, LKST_EV_sched_migrate_task },
	{ LKST_LACK_REQUESTS, LKST_EV_block_rq_insert },
	{ LKST_LACK_REQUESTS, LKST_EV_block_rq_issue },
	{ LKST_LACK_REQUESTS, LKST_EV_block_rq_complete },
};

static void lacks_want(const struct lkst_catalog *c, int lack, bool wants[LKST_EVENT_SPACE])
{
	const struct lkst_event_class *event;
	u32 id, i;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		wants[id] = lack == LKST_LACK_CALLS && c->classes[id] &&
			    lkst_class_call(c->classes[id]);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		event = (int)rows[i].lack == lack
				? lkst_catalog_find(c, lkst_events[rows[i].index].name)
				: NULL;
		if (event)
			wants[event->id] = true;
	}
}

int lkst_lacks_init(const struct lkst_limited *l, const struct lkst_catalog *c,
		    struct lkst_lacks *x)
{
	bool wants[LKST_EVENT_SPACE];
	int lack, err = 0;

	*x = (struct lkst_lacks){};
	for (lack = 0; lack < LKST_NR_LACKS && !err; lack++) {
		lacks_want(c, lack, wants);
		err = lkst_limited_times_of(l, wants, &x->times[lack]);
	}
	return err;
}

void lkst_lacks_fini(struct lkst_lacks *x)
{
	int lack;

	for (lack = 0; lack < LKST_NR_LACKS; lack++)
		lkst_limited_times_fini(&x->times[lack]);
}
