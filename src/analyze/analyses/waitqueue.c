/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many threads wait: on each of the kernel's wait queues, where those were recorded (they hook
 * functions); and of those that the trace has seen going to sleep, over time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"

/* What a sleeping thread's state says, include/linux/sched.h. */
enum {
	STATE_INTERRUPTIBLE = 1,
	STATE_UNINTERRUPTIBLE = 2,
	STATE_NOLOAD = 0x400,
};

/* Ways to sleep: keys of the tally of sleepers. */
enum sleep {
	SLEEP_INTERRUPTIBLE,
	SLEEP_UNINTERRUPTIBLE,
	SLEEP_IDLE, /* uninterruptible without being counted as load: kernel threads without work */
	NR_SLEEPS,
};

enum open {
	OPEN_WAITERS,  /* by queue entry; value: the queue */
	OPEN_SLEEPERS, /* by thread; value: how it sleeps */
};

struct waitqueue {
	struct lkst_analysis_state work;
	struct lkst_tally *waiters, *time, *sleepers; /* NULL: without their events */
	struct lkst_pending lengths; /* of the queues: by address; value: how many wait */
	u64 asleep[NR_SLEEPS];
	u64 since_ns[NR_SLEEPS]; /* since when there are so many */
	u64 all_since_ns;	 /* since when there are so many in all, 0: not yet known */
};

/* ---- wait queues ----------------------------------------------------------------------------- */

static void put_queue(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	lkst_name_address(((const struct lkst_analysis_state *)ctx)->symbols, "", key, text);
}

/* An entry's address is on the waiter's stack, or in what it waits with: one for each wait. */
static int waitqueue_join(struct waitqueue *q, u64 queue, u64 waiter, const struct lkst_record *r)
{
	struct lkst_pending *o = &q->work.pending[OPEN_WAITERS];
	struct lkst_pending_entry *length;
	int got;

	/* prepare_to_wait() is called again and again until what was waited for is there. */
	if (lkst_pending_find(o, waiter))
		return 0;
	got = lkst_pending_put(&q->lengths, queue, &length);
	if (got <= 0)
		return got ? got
			   : lkst_tally_leave_out(q->waiters, LKST_LEFT_OUT_FULL, queue, r->tid,
						  r->cpu);
	got = lkst_tally_add(q->waiters, queue, ++length->value, r->ns, r->tid, r->cpu);
	return got ? got : lkst_analysis_open(&q->work, o, waiter, r, queue, false);
}

static int waitqueue_leave(struct waitqueue *q, u64 waiter, const struct lkst_record *r)
{
	struct lkst_pending *o = &q->work.pending[OPEN_WAITERS];
	struct lkst_pending_entry *entry = lkst_pending_find(o, waiter), *length;

	if (!entry) {
		lkst_tally_leave_out_any(q->time, LKST_LEFT_OUT_NO_BEGIN, r->tid, r->cpu);
		return 0;
	}
	length = lkst_pending_find(&q->lengths, entry->value);
	if (length && length->value > 1)
		length->value--;
	else if (length)
		lkst_pending_remove(&q->lengths, length);
	return lkst_analysis_close(&q->work, q->time, o, entry, entry->value, r);
}

/* The records of all ways to join and to leave begin alike: the queue, and the waiter's entry. */
struct joins {
	struct lkst_record_head head;
	u64 queue, waiter;
} __attribute__((packed, aligned(4)));
#define IS_ALIKE(event)                                                                            \
	_Static_assert(offsetof(struct lkst_rec_##event, queue) ==                                 \
				       offsetof(struct joins, queue) &&                            \
			       offsetof(struct lkst_rec_##event, waiter) ==                        \
				       offsetof(struct joins, waiter),                             \
		       "")
IS_ALIKE(add_wait_queue);
IS_ALIKE(prepare_to_wait);
IS_ALIKE(prepare_to_wait_exclusive);
IS_ALIKE(prepare_to_wait_event);
IS_ALIKE(remove_wait_queue);
IS_ALIKE(finish_wait);

static int on_join(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct joins *x = record;

	return waitqueue_join(ctx, x->queue, x->waiter, r);
}

static int waitqueue_on_leave(void *ctx, const struct lkst_record *r, const void *record)
{
	return waitqueue_leave(ctx, ((const struct joins *)record)->waiter, r);
}

static const enum lkst_event_index joining[] = {
	LKST_EV_add_wait_queue,
	LKST_EV_prepare_to_wait,
	LKST_EV_prepare_to_wait_exclusive,
	LKST_EV_prepare_to_wait_event,
};
enum { NR_JOINING = sizeof(joining) / sizeof(joining[0]) };

static void begin_queues(struct waitqueue *q, int *err)
{
	struct lkst_analysis_state *w = &q->work;
	bool has = false;
	unsigned int i;

	for (i = 0; i < NR_JOINING; i++)
		has |= lkst_feed_has(w->feed, joining[i]);
	if (!has)
		return;
	q->waiters =
		lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "waitqueue",
								   .title = "Wait queue length",
								   .type = LKST_COLUMN_COUNT,
								   .put_key = put_queue });
	q->time = lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "waitqueue_time",
								     .title = "Time in wait queues",
								     .type = LKST_COLUMN_DURATION,
								     .put_key = put_queue });
	for (i = 0; i < NR_JOINING; i++)
		lkst_analysis_want(w, joining[i], on_join, err);
	lkst_analysis_want(w, LKST_EV_remove_wait_queue, waitqueue_on_leave, err);
	lkst_analysis_want(w, LKST_EV_finish_wait, waitqueue_on_leave, err);
}

/* ---- sleepers -------------------------------------------------------------------------------- */

static void put_sleep(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const names[] = { "interruptible", "uninterruptible", "idle" };

	snprintf(text, LKST_KEY_TEXT, "%s", names[key]);
}

/* So many have slept so until @ns. */
static int end_class(struct waitqueue *q, u64 sleep, u64 ns, const struct lkst_record *r)
{
	u64 since_ns = q->since_ns[sleep];

	q->since_ns[sleep] = ns;
	if (ns <= since_ns)
		return 0;
	return lkst_tally_add_for(q->sleepers, sleep, q->asleep[sleep], ns - since_ns, since_ns,
				  r->tid, r->cpu);
}

/*
 * It is not known what happened in a gap, or while wake-ups were left out: threads that slept before it may have been
 * woken, and are forgotten.
 */
static int forget_sleepers(struct waitqueue *q, enum lkst_left_out why, const struct lkst_record *r)
{
	u64 sleep;
	int err = 0;

	for (sleep = 0; sleep < NR_SLEEPS && !err; sleep++) {
		err = end_class(q, sleep, q->all_since_ns, r);
		q->sleepers->left_out.nr[why] += q->asleep[sleep];
		q->asleep[sleep] = 0;
		q->since_ns[sleep] = r->ns;
	}
	lkst_pending_fini(&q->work.pending[OPEN_SLEEPERS]);
	q->work.pending[OPEN_SLEEPERS].max = LKST_TID_MAX;
	return err;
}

/* So many have slept in all, of the kinds that are asked for, until now. */
static int end_all(struct waitqueue *q, const struct lkst_record *r)
{
	u64 since_ns = q->all_since_ns, sleep, all = 0;
	s64 key;
	int err = 0;

	if (since_ns && lkst_gap_test_crosses(q->work.gap_test, LKST_GAP_TEST_ANY, r->buffer,
					      since_ns, r->ns)) {
		err = forget_sleepers(q, LKST_LEFT_OUT_GAP, r);
	} else if (since_ns && lkst_analysis_is_without(&q->work, LKST_EV_sched_wakeup, since_ns, r->ns)) {
		err = forget_sleepers(q, LKST_LEFT_OUT_LIMIT, r);
	} else if (since_ns && r->ns > since_ns) {
		for (sleep = 0; sleep < NR_SLEEPS; sleep++) {
			key = lkst_tally_key(q->sleepers, sleep);
			if (key < 0)
				return (int)key;
			all += q->sleepers->keys[key].is_wanted ? q->asleep[sleep] : 0;
		}
		if (!q->sleepers->has_filter || lkst_tally_passes(q->sleepers, r->tid, r->cpu))
			err = lkst_tally_add_total(q->sleepers, all, r->ns - since_ns);
	} else if (!since_ns) {
		for (sleep = 0; sleep < NR_SLEEPS; sleep++)
			q->since_ns[sleep] = r->ns;
	}
	q->all_since_ns = r->ns;
	return err;
}

/* From now on @difference more (or, -1, fewer) threads sleep so. */
static int waitqueue_change(struct waitqueue *q, u64 sleep, int difference, const struct lkst_record *r)
{
	int err = end_all(q, r);

	if (!err)
		err = end_class(q, sleep, r->ns, r);
	/* A gap may have taken those of before. */
	if (difference > 0 || q->asleep[sleep])
		q->asleep[sleep] += (u64)(s64)difference;
	return err;
}

static int waitqueue_wake(struct waitqueue *q, s32 tid, const struct lkst_record *r)
{
	struct lkst_pending *o = &q->work.pending[OPEN_SLEEPERS];
	struct lkst_pending_entry *entry = lkst_pending_find(o, (u32)tid);
	u64 sleep;

	if (!entry)
		return 0;
	sleep = entry->value;
	lkst_pending_remove(o, entry);
	return waitqueue_change(q, sleep, -1, r);
}

static int waitqueue_on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
{
	return waitqueue_wake(ctx, ((const struct lkst_rec_sched_wakeup *)record)->target_tid, r);
}

static int waitqueue_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *x = record;
	struct waitqueue *q = ctx;
	struct lkst_pending_entry *entry;
	u64 sleep;
	int got = 0;

	/* Its wake-up was not seen, but it is awake. */
	if (x->next_tid)
		got = waitqueue_wake(q, x->next_tid, r);
	if (got || !r->tid || !(x->prev_state & (STATE_INTERRUPTIBLE | STATE_UNINTERRUPTIBLE)))
		return got;
	sleep = x->prev_state & STATE_INTERRUPTIBLE ? SLEEP_INTERRUPTIBLE
		: x->prev_state & STATE_NOLOAD	    ? SLEEP_IDLE
						    : SLEEP_UNINTERRUPTIBLE;
	got = waitqueue_wake(q, r->tid, r);
	if (got)
		return got;
	got = waitqueue_change(q, sleep, 1, r);
	if (got)
		return got;
	got = lkst_pending_put(&q->work.pending[OPEN_SLEEPERS], (u32)r->tid, &entry);
	if (got <= 0)
		return got;
	entry->start_ns = r->ns;
	entry->value = sleep;
	return 0;
}

/* The lengths at the end of the trace last until there. Sleepers are not reported as open intervals. */
static int waitqueue_on_end(void *ctx, u64 end_ns)
{
	struct waitqueue *q = ctx;
	struct lkst_record r = { .ns = end_ns };
	u64 sleep;
	int err = 0;

	for (sleep = 0; sleep < NR_SLEEPS && !err && q->all_since_ns; sleep++)
		err = waitqueue_change(q, sleep, 0, &r);
	lkst_pending_fini(&q->work.pending[OPEN_SLEEPERS]);
	return err;
}

static int waitqueue_begin(struct lkst_analysis_state *w)
{
	struct waitqueue *q = (struct waitqueue *)w;
	int err = 0;
	bool has;

	begin_queues(q, &err);
	q->sleepers = lkst_analysis_tally(
		w, (struct lkst_tally_config){ .name = "waitqueue_asleep",
					       .title = "Threads asleep over time",
					       .type = LKST_COLUMN_COUNT,
					       .is_weighted = true,
					       .has_own_total = true,
					       .put_key = put_sleep });
	w->pending[OPEN_SLEEPERS].max = LKST_TID_MAX;
	w->tally_of[OPEN_WAITERS] = q->time ? (u8)(q->time - w->tallies) : LKST_ANALYSIS_NO_TALLY;
	w->tally_of[OPEN_SLEEPERS] = (u8)(q->sleepers - w->tallies);
	has = lkst_analysis_want(w, LKST_EV_sched_switch, waitqueue_on_switch, &err);
	lkst_analysis_want(w, LKST_EV_sched_wakeup, waitqueue_on_wakeup, &err);
	if (err >= 0)
		err = lkst_feed_end(w->feed, waitqueue_on_end, w);
	return err < 0 ? err : has || q->waiters;
}

/* The lengths are the open intervals counted another way. */
static int waitqueue_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct waitqueue *q = (struct waitqueue *)w;

	if (!q->waiters)
		lkst_notes_add(&w->notes, "The wait queues' own events are not in this trace "
					  "(prepare_to_wait and its kind hook functions).");
	return 0;
}

static void waitqueue_fini(struct lkst_analysis_state *w)
{
	lkst_pending_fini(&((struct waitqueue *)w)->lengths);
}

const struct lkst_analysis lkst_analysis_waitqueue = {
	.name = "waitqueue",
	.heritage = "H14",
	.title = "Wait queue",
	.help = "how many threads wait, on each wait queue and in all",
	.measures =
		"waiters on a queue when one is added, and from add_wait_queue or prepare_to_wait* to "
		"remove_wait_queue or finish_wait; threads asleep over time, by kind and "
		"in all, of those that sched_switch has shown going to sleep, until sched_wakeup",
	.events =
		"add_wait_queue prepare_to_wait* remove_wait_queue finish_wait sched_switch sched_wakeup",
	.size = sizeof(struct waitqueue),
	.begin = waitqueue_begin,
	.end = waitqueue_end,
	.fini = waitqueue_fini,
};
