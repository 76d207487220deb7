/* SPDX-License-Identifier: GPL-2.0-only */
/* How long threads live. */
#include <stdio.h>
#include <string.h>

#include "analyze/analyses/analysis.h"

struct lifetime {
	struct lkst_analysis_state work;
	const char *comm;   /* of the thread whose key is asked for */
	u64 boot_offset_ns; /* from CLOCK_MONOTONIC to the clock that includes suspend */
	bool has_offset;
};

/* Threads are grouped by name: the key is its FNV-1a hash. */
static u64 lifetime_key_of(const char comm[16])
{
	u64 hash = 0xcbf29ce484222325;
	unsigned int i;

	for (i = 0; i < 16 && comm[i]; i++)
		hash = (hash ^ (u8)comm[i]) * 0x100000001b3;
	return hash;
}

static void lifetime_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	lkst_put_key(text, ((struct lifetime *)ctx)->comm, 16);
}

static int lifetime_on_clock(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_clock *x = record;
	struct lifetime *l = ctx;

	l->boot_offset_ns = x->boottime_ns - x->monotonic_ns;
	l->has_offset = true;
	return 0;
}

/* A thread that was there: the kernel knows since when, on the clock that includes suspend. */
static int on_there(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_thread *x = record;
	struct lifetime *l = ctx;
	struct lkst_pending_entry *entry;
	int got;

	if (!x->start_ns || x->thread_tid <= 0)
		return 0;
	got = lkst_pending_put(&l->work.pending[0], (u32)x->thread_tid, &entry);
	if (got <= 0)
		return got;
	entry->start_ns = x->start_ns;
	entry->tid = x->thread_tid;
	entry->buffer = LKST_BUFFER_STATE;
	return 0;
}

/* The record is the parent's; the life is the child's. */
static int lifetime_on_fork(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_fork *x = record;
	struct lifetime *l = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&l->work.pending[0], (u32)x->child_tid);

	/* The entry is of the thread that had the number before: from the state, or one whose end was not seen. */
	if (entry && entry->buffer == LKST_BUFFER_STATE)
		lkst_pending_remove(&l->work.pending[0], entry);
	return lkst_analysis_open(&l->work, &l->work.pending[0], (u32)x->child_tid, r, 0, false);
}

static int lifetime_on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exec *x = record;
	struct lifetime *l = ctx;
	struct lkst_pending *o = &l->work.pending[0];
	struct lkst_pending_entry *entry = lkst_pending_find(o, (u32)x->old_tid), e;
	int got;

	/*
	 * A thread that runs another program takes over its process's number, whose thread has ended: the
	 * life goes on under that number.
	 */
	if (x->old_tid == r->tid || !entry)
		return 0;
	e = *entry;
	lkst_pending_remove(o, entry);
	got = lkst_pending_put(o, (u32)r->tid, &entry);
	if (got <= 0)
		return got;
	e.key = (u32)r->tid;
	*entry = e;
	return 0;
}

static int lifetime_on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exit *x = record;
	struct lifetime *l = ctx;
	struct lkst_analysis_state *w = &l->work;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], (u32)r->tid);
	struct lkst_pending_entry e;

	if (!entry) {
		l->comm = x->comm;
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, lifetime_key_of(x->comm),
					    r->tid, r->cpu);
	}
	l->comm = x->comm;
	e = *entry;
	lkst_pending_remove(&w->pending[0], entry);
	if (e.buffer == LKST_BUFFER_STATE)
		e.start_ns -= l->has_offset ? l->boot_offset_ns : 0;
	/* Its number may have been given out again in a gap. */
	if (e.start_ns > r->ns ||
	    lkst_gap_test_crosses(w->gap_test, LKST_GAP_TEST_ANY, r->buffer, e.start_ns, r->ns))
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_GAP, lifetime_key_of(x->comm),
					    r->tid, r->cpu);
	return lkst_tally_add(&w->tallies[0], lifetime_key_of(x->comm), r->ns - e.start_ns, e.start_ns,
			      r->tid, r->cpu);
}

static int lifetime_begin(struct lkst_analysis_state *w)
{
	bool has_fork, has_exit;
	int err = 0;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "lifetime",
							   .title = "Life time of threads",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = lifetime_put_key });
	w->pending[0].max = LKST_TID_MAX;
	lkst_analysis_want(w, LKST_EV_state_clock, lifetime_on_clock, &err);
	lkst_analysis_want(w, LKST_EV_state_thread, on_there, &err);
	has_fork = lkst_analysis_want(w, LKST_EV_sched_process_fork, lifetime_on_fork, &err);
	lkst_analysis_want(w, LKST_EV_sched_process_exec, lifetime_on_exec, &err);
	has_exit = lkst_analysis_want(w, LKST_EV_sched_process_exit, lifetime_on_end, &err);
	return err < 0 ? err : has_fork && has_exit;
}

const struct lkst_analysis lkst_analysis_lifetime = {
	.name = "lifetime",
	.heritage = "H17",
	.title = "Life time of threads",
	.help = "how long threads live, by name",
	.measures = "from sched_process_fork, or the creation that the trace's state gives, to "
		    "sched_process_exit, by the thread's last name",
	.events = "sched_process_fork sched_process_exit sched_process_exec",
	.size = sizeof(struct lifetime),
	.begin = lifetime_begin,
};
