/* SPDX-License-Identifier: GPL-2.0-only */
/* How long threads that could run wait for a CPU, and how long they were blocked before. */
#include <stdio.h>
#include <string.h>

#include "analyze/analyses/analysis.h"

enum tally {
	TALLY_WOKEN,
	TALLY_PREEMPTED,
	TALLY_BLOCKED,
};

static void waitdelay_put_thread(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_analysis_state *w = ctx;
	const struct lkst_thread_life *life = lkst_model_life(w->state, (u32)key);
	char comm[LKST_KEY_TEXT];

	lkst_put_key(comm, life->comm, sizeof(life->comm));
	snprintf(text, LKST_KEY_TEXT, "%.16s:%d", comm, life->tid);
}

static s64 waitdelay_thread_number(void *ctx, u64 key)
{
	const struct lkst_analysis_state *w = ctx;

	return lkst_model_life(w->state, (u32)key)->tid;
}

static void put_cause(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	snprintf(text, LKST_KEY_TEXT, "%s",
		 key < LKST_NR_CAUSES ? lkst_cause_names[key] : "unknown");
}

static int waitdelay_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_analysis_state *w = ctx;
	enum tally tally;
	u64 key = i->life->nr;
	int err;

	if (i->life->idle_cpu >= 0)
		return 0;
	if (i->run == LKST_RUN_READY) {
		/* The reason is unknown only if it was ready before any record showed it. */
		tally = i->ready == LKST_READY_PREEMPTED || i->ready == LKST_READY_YIELDED
				? TALLY_PREEMPTED
				: TALLY_WOKEN;
	} else if (i->run == LKST_RUN_BLOCKED && i->wait) {
		tally = TALLY_BLOCKED;
		key = lkst_analysis_cause(w, i);
	} else {
		return 0;
	}
	if (!lkst_analysis_is_whole(&w->tallies[tally], i, key, &err))
		return err;
	if (i->run == LKST_RUN_READY && i->ready == LKST_READY_UNKNOWN)
		return lkst_tally_leave_out(&w->tallies[tally], LKST_LEFT_OUT_NO_BEGIN, key,
					    i->life->tid, i->cpu < 0 ? 0 : (u32)i->cpu);
	return lkst_tally_add(&w->tallies[tally], key, i->to_ns - i->from_ns, i->from_ns,
			      i->life->tid, i->cpu < 0 ? 0 : (u32)i->cpu);
}

static const struct lkst_model_calls calls = { .interval = waitdelay_on_interval };

static int waitdelay_begin(struct lkst_analysis_state *w)
{
	int err;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "waitdelay",
							   .title = "Wake-up to running",
							   .type = LKST_COLUMN_DURATION,
							   .is_late = true,
							   .put_key = waitdelay_put_thread,
							   .key_number = waitdelay_thread_number });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "waitdelay_preempted",
							   .title = "Preempted to running",
							   .type = LKST_COLUMN_DURATION,
							   .is_late = true,
							   .put_key = waitdelay_put_thread,
							   .key_number = waitdelay_thread_number });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "waitdelay_blocked",
							   .title = "Blocked to wake-up",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = put_cause });
	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : lkst_feed_has(w->feed, LKST_EV_sched_switch);
}

const struct lkst_analysis lkst_analysis_waitdelay = {
	.name = "waitdelay",
	.heritage = "H15",
	.title = "Wait delay",
	.help = "how long threads that are ready wait for a CPU",
	.measures =
		"from sched_waking to the sched_switch that runs the thread, by thread; the same from "
		"being preempted; from the sched_switch that blocked it to sched_waking, by cause",
	.events = "sched_switch sched_waking sched_wakeup sched_wakeup_new and for what they wait on, page_fault_* "
		  "contention_* block_rq_complete",
	.needs_state = true,
	.rests_on_model = true,
	.own_tables = "waitdelay waitdelay_total waitdelay_histogram waitdelay_worst",
	.size = sizeof(struct lkst_analysis_state),
	.begin = waitdelay_begin,
};
