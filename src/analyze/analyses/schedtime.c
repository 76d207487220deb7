/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the scheduler itself takes, where a trace shows it: the kernel has no event at its entry.
 * Two of its jobs have a begin and an end: waking a thread, and giving up the CPU by sched_yield.
 */
#include <stdio.h>

#include "analyze/analyses/analysis.h"

enum open {
	OPEN_WAKING,
	OPEN_YIELD,
};

enum what {
	WHAT_WAKE_HERE,	 /* the thread is put on the run queue by the CPU that wakes it */
	WHAT_WAKE_THERE, /* another CPU is asked to do so */
	WHAT_YIELD,
};

static void schedtime_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const names[] = { "wakeup:here", "wakeup:elsewhere", "yield" };

	snprintf(text, LKST_KEY_TEXT, "%s", names[key]);
}

static int schedtime_on_waking(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_waking *x = record;
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[OPEN_WAKING], (u32)x->target_tid, r, 0, false);
}

static int schedtime_on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry =
		lkst_pending_find(&w->pending[OPEN_WAKING], (u32)x->target_tid);
	enum what what;

	if (!entry) {
		lkst_tally_leave_out_any(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, r->tid, r->cpu);
		return 0;
	}
	what = entry->cpu == (u16)r->cpu ? WHAT_WAKE_HERE : WHAT_WAKE_THERE;
	return lkst_analysis_close(w, &w->tallies[0], &w->pending[OPEN_WAKING], entry, what, r);
}

static int on_yield(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[OPEN_YIELD], lkst_analysis_thread_key(r), r, 0,
				  false);
}

/* It goes on: nobody else wanted the CPU. */
static int on_yield_return(void *ctx, const struct lkst_record *r,
			   const struct lkst_feed_syscall *s)
{
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry =
		lkst_pending_find(&w->pending[OPEN_YIELD], lkst_analysis_thread_key(r));

	if (!entry)
		return 0;
	lkst_pending_remove(&w->pending[OPEN_YIELD], entry);
	return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_SWITCH, WHAT_YIELD, r->tid,
				    r->cpu);
}

static int schedtime_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry =
		lkst_pending_find(&w->pending[OPEN_YIELD], lkst_analysis_thread_key(r));

	if (!entry)
		return 0;
	/* It may have come back, and left the CPU for another reason. */
	if (lkst_analysis_is_lacking(w, entry->start_ns, r->ns)) {
		lkst_pending_remove(&w->pending[OPEN_YIELD], entry);
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_LIMIT, WHAT_YIELD, r->tid, r->cpu);
	}
	return lkst_analysis_close_on_cpu(w, &w->tallies[0], &w->pending[OPEN_YIELD], entry,
					  WHAT_YIELD, r);
}

static int schedtime_begin(struct lkst_analysis_state *w)
{
	bool has;
	int err = 0, got;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "schedtime",
							   .title = "Scheduler time",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = schedtime_put_key });
	w->pending[OPEN_WAKING].max = LKST_TID_MAX;
	has = lkst_analysis_want(w, LKST_EV_sched_waking, schedtime_on_waking, &err);
	has &= lkst_analysis_want(w, LKST_EV_sched_wakeup, schedtime_on_wakeup, &err);
	got = lkst_feed_syscall(w->feed, "sched_yield", on_yield, on_yield_return, w);
	if (got > 0)
		has |= lkst_analysis_want(w, LKST_EV_sched_switch, schedtime_on_switch, &err);
	return got < 0 ? got : err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_schedtime = {
	.name = "schedtime",
	.heritage = "H16",
	.title = "Scheduler time",
	.help = "how long waking a thread and yielding take the scheduler",
	.measures =
		"from sched_waking to sched_wakeup, on one CPU or with another's help; from "
		"sched_yield's entry to its sched_switch. The scheduler's entry itself has no event",
	.events = "sched_waking sched_wakeup sched_switch syscall_*_sched_yield",
	.size = sizeof(struct lkst_analysis_state),
	.begin = schedtime_begin,
};
