/* SPDX-License-Identifier: GPL-2.0-only */
/* How many threads are on the run queues: when one is woken, and over time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"

enum tally {
	TALLY_WOKEN,
	TALLY_TIME,
};

enum { CPUS_MAX = 4096 };

/* What is known of a CPU's queue. A wake-up gives its length; switches change it. */
struct runqueue_queue {
	bool is_known;
	u16 buffer; /* of the record that it is known from */
	u32 length; /* the thread that runs included */
	u64 since_ns;
};

struct runqueue {
	struct lkst_analysis_state work;
	struct runqueue_queue queues[CPUS_MAX];
};

static void runqueue_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	snprintf(text, LKST_KEY_TEXT, "cpu%u", (u32)key);
}

static s64 runqueue_key_number(void *ctx, u64 key)
{
	return (s64)key;
}

/* Threads may have come in and left while such events were left out: then its length is not known. */
static int mind_limit(struct runqueue *q, s32 cpu, const struct lkst_record *r)
{
	struct runqueue_queue *queue = cpu >= 0 && cpu < CPUS_MAX ? &q->queues[cpu] : NULL;

	if (!queue || !queue->is_known || !lkst_analysis_is_lacking(&q->work, queue->since_ns, r->ns))
		return 0;
	queue->is_known = false;
	return lkst_tally_leave_out(&q->work.tallies[TALLY_TIME], LKST_LEFT_OUT_LIMIT, (u64)cpu, r->tid, (u32)cpu);
}

/* The queue of @cpu has had its length up to now; from now on it has @length. */
static int set_length(struct runqueue *q, s32 cpu, u32 length, const struct lkst_record *r)
{
	struct runqueue_queue *queue;
	u64 from_ns;
	int err = 0;

	if (cpu < 0 || cpu >= CPUS_MAX)
		return 0;
	queue = &q->queues[cpu];
	if (queue->is_known && queue->length == length)
		return 0;
	from_ns = queue->since_ns;
	if (queue->is_known && r->ns > from_ns) {
		if (lkst_gap_test_crosses(q->work.gap_test, LKST_GAP_TEST_ANY, queue->buffer,
					  from_ns, r->ns))
			err = lkst_tally_leave_out(&q->work.tallies[TALLY_TIME], LKST_LEFT_OUT_GAP,
						   (u64)cpu, r->tid, (u32)cpu);
		else
			err = lkst_tally_add_for(&q->work.tallies[TALLY_TIME], (u64)cpu,
						 queue->length, r->ns - from_ns, from_ns, r->tid,
						 (u32)cpu);
	}
	*queue = (struct runqueue_queue){ true, (u16)r->buffer, length, r->ns };
	/* The end is no level. */
	return err || length == UINT32_MAX ? err : lkst_analysis_tell(&q->work, (u64)cpu, r->ns, length);
}

/* The queue's length, @standard if it is not known. */
static u32 runqueue_length_of(const struct runqueue *q, s32 cpu, u32 standard)
{
	if (cpu < 0 || cpu >= CPUS_MAX || !q->queues[cpu].is_known)
		return standard;
	return q->queues[cpu].length;
}

static int on_woken(void *ctx, const struct lkst_record *r, s16 cpu, u32 nr_running)
{
	struct runqueue *q = ctx;
	int err = 0;

	if (cpu >= 0)
		err = lkst_tally_add(&q->work.tallies[TALLY_WOKEN], (u64)cpu, nr_running, r->ns,
				     r->tid, r->cpu);
	else
		lkst_tally_leave_out_any(&q->work.tallies[TALLY_WOKEN], LKST_LEFT_OUT_NO_CPU,
					 r->tid, r->cpu);
	return err ?: mind_limit(q, cpu, r) ?: set_length(q, cpu, nr_running, r);
}

static int runqueue_on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup *x = record;

	return on_woken(ctx, r, x->target_cpu, x->nr_running);
}

static int runqueue_on_wakeup_new(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup_new *x = record;

	return on_woken(ctx, r, x->target_cpu, x->nr_running);
}

/* A thread that sleeps leaves the queue; where none runs now, the queue is empty. */
static int runqueue_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *x = record;
	struct runqueue *q = ctx;
	const int err = mind_limit(q, (s32)r->cpu, r);
	u32 length = runqueue_length_of(q, (s32)r->cpu, 0);

	if (err)
		return err;
	if (!x->next_tid)
		return set_length(q, (s32)r->cpu, 0, r);
	if (!length)
		/* Not known, or a thread came in without a wake-up: at least this one is there. */
		return r->cpu < CPUS_MAX && q->queues[r->cpu].is_known
			       ? set_length(q, (s32)r->cpu, 1, r)
			       : 0;
	if (x->prev_state && r->tid && length > 1)
		length--;
	return set_length(q, (s32)r->cpu, length, r);
}

static int runqueue_on_end(void *ctx, u64 end_ns)
{
	struct runqueue *q = ctx;
	struct lkst_record r = { .ns = end_ns, .buffer = 0 };
	s32 cpu;
	int err = 0;

	for (cpu = 0; cpu < CPUS_MAX && !err; cpu++) {
		err = mind_limit(q, cpu, &r);
		if (err || !q->queues[cpu].is_known)
			continue;
		r.buffer = q->queues[cpu].buffer;
		err = set_length(q, cpu, UINT32_MAX, &r);
	}
	return err;
}

static int runqueue_begin(struct lkst_analysis_state *w)
{
	int err = 0;
	bool has;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "runqueue",
							   .title = "Run queue length at wake-ups",
							   .type = LKST_COLUMN_COUNT,
							   .put_key = runqueue_put_key,
							   .key_number = runqueue_key_number });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "runqueue_time",
							   .title = "Run queue length over time",
							   .type = LKST_COLUMN_COUNT,
							   .is_weighted = true,
							   .all = "mean_of_cpus",
							   .put_key = runqueue_put_key,
							   .key_number = runqueue_key_number });
	has = lkst_analysis_want(w, LKST_EV_sched_wakeup, runqueue_on_wakeup, &err);
	has |= lkst_analysis_want(w, LKST_EV_sched_wakeup_new, runqueue_on_wakeup_new, &err);
	lkst_analysis_want(w, LKST_EV_sched_switch, runqueue_on_switch, &err);
	if (err >= 0)
		err = lkst_feed_end(w->feed, runqueue_on_end, w);
	return err < 0 ? err : has;
}

const struct lkst_analysis lkst_analysis_runqueue = {
	.name = "runqueue",
	.heritage = "H13",
	.title = "Run queue",
	.help = "how many threads are on each CPU's run queue",
	.measures =
		"nr_running in sched_wakeup and sched_wakeup_new, by CPU; over time that and what "
		"sched_switch shows: a thread that sleeps leaves; the mean of the CPUs, not their sum",
	.events = "sched_wakeup sched_wakeup_new sched_switch",
	.size = sizeof(struct runqueue),
	.begin = runqueue_begin,
};
