/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How late high-resolution timers are, and how long interrupts and timers' functions run. Timers of
 * the wheel (timer_start) count ticks, whose length a trace does not have: how late they are is given in
 * ticks, in a table of their own.
 *
 * A high-resolution timer has an earliest time, its soft expiry, and a latest one. What lies between is
 * its slack, in which the kernel may run it with others (PR_SET_TIMERSLACK(2const)). It is late from the
 * soft expiry on; how late beyond its slack is a tally of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

enum tally {
	TALLY_LATE,
	TALLY_BEYOND,
	TALLY_TICKS,
	TALLY_RUN,
};

enum open {
	OPEN_TIMERS, /* that were set: for when at the earliest, in `value` */
};

/* Clocks of hrtimers, include/uapi/linux/time.h. */
enum {
	CLOCK_OF_DAY = 0,
	CLOCK_MONO = 1,
	CLOCK_BOOT = 7,
	CLOCK_ATOMIC = 11,
	CLOCK_NOT_KNOWN = -1,
	NR_CLOCKS_KEPT = 4096, /* a power of two */
	MODE_RELATIVE = 1,     /* HRTIMER_MODE_REL, include/linux/hrtimer.h */
};

/* What runs, in the upper byte of a key; the lower ones: a number or an address. */
enum run_kind {
	RUN_FUNCTION = 0xff, /* of a timer: kernel addresses begin so */
	RUN_IRQ = 1,
	RUN_SOFTIRQ,
	RUN_LOCAL_TIMER,
	RUN_RESCHEDULE,
	RUN_CALL_FUNCTION,
	RUN_CALL_SINGLE,
};
#define RUN_KEY(run, number) ((u64)(run) << 56 | (u32)(number))

/* Times of day are beyond this, and no machine is up for as long: 10 years. */
#define DAY_MIN_NS (10LL * 366 * 86400 * 1000000000)

/* The timers of a function that ran. */
struct slack {
	u64 count, nr_within; /* within: before their latest time */
	u64 allowed_ns, within_ns, beyond_ns;
};

struct timers {
	struct lkst_analysis_state work;
	bool has_soft, has_clock;   /* in the trace's hrtimer_start */
	struct lkst_pending slacks; /* of timers that are set and have one, in `value` */
	struct slack *slack_of;	    /* by the first tally's index of keys */
	u32 nr_slack_of;
	s64 offsets[12]; /* from CLOCK_MONOTONIC to each clock */
	bool has_offset[12];
	/* The clocks of timers that were initialised in the trace; collisions forget the older. */
	struct {
		u64 timer;
		s16 clock;
	} clocks[NR_CLOCKS_KEPT];
};

static void timer_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const names[] = {
		[RUN_LOCAL_TIMER] = "local_timer",
		[RUN_RESCHEDULE] = "reschedule",
		[RUN_CALL_FUNCTION] = "call_function",
		[RUN_CALL_SINGLE] = "call_function_single",
	};
	const struct lkst_analysis_state *w = ctx;
	unsigned int run = (unsigned int)(key >> 56);

	if (run == RUN_IRQ)
		lkst_name_irq(w->labels, (s32)key, text);
	else if (run == RUN_SOFTIRQ)
		lkst_name_softirq((u32)key, text);
	else if (run > 0 && run <= RUN_CALL_SINGLE)
		snprintf(text, LKST_KEY_TEXT, "%s", names[run]);
	else
		lkst_name_address(w->symbols, "", key, text);
}

/* ---- lateness -------------------------------------------------------------------------------- */

static int on_clocks(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_clock *c = record;
	struct timers *t = ctx;

	t->offsets[CLOCK_OF_DAY] = (s64)(c->realtime_ns - c->monotonic_ns);
	t->offsets[CLOCK_BOOT] = (s64)(c->boottime_ns - c->monotonic_ns);
	t->has_offset[CLOCK_OF_DAY] = t->has_offset[CLOCK_BOOT] = true;
	return 0;
}

static void timer_forget(struct timers *t, u64 timer)
{
	struct lkst_pending *o = &t->work.pending[OPEN_TIMERS];
	struct lkst_pending_entry *entry = lkst_pending_find(o, timer);

	if (entry)
		lkst_pending_remove(o, entry);
	entry = lkst_pending_find(&t->slacks, timer);
	if (entry)
		lkst_pending_remove(&t->slacks, entry);
}

/*
 * Relative timers of CLOCK_REALTIME are not to be affected when the time of day is set: the kernel has
 * them use CLOCK_MONOTONIC. __hrtimer_setup(), before Linux 6.15 __hrtimer_init(), kernel/time/hrtimer.c.
 */
static int on_init(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_init *init = record;
	struct timers *t = ctx;
	u32 i = lkst_hash_number(init->hrtimer) & (NR_CLOCKS_KEPT - 1);
	bool is_relative = init->mode & MODE_RELATIVE;
	struct lkst_pending_entry *entry =
		lkst_pending_find(&t->work.pending[OPEN_TIMERS], init->hrtimer);

	/* It is a new timer: no record says when the old one ran or was cancelled. */
	if (entry)
		lkst_tally_leave_out_any(&t->work.tallies[TALLY_LATE], LKST_LEFT_OUT_NO_END,
					 entry->tid, entry->cpu);
	timer_forget(t, init->hrtimer);
	t->clocks[i].timer = init->hrtimer;
	t->clocks[i].clock = init->clock == CLOCK_OF_DAY && is_relative ? CLOCK_MONO : init->clock;
	return 0;
}

/*
 * The clock that a timer uses. Older traces have it in the timer's initialisation alone; without
 * that it is taken for CLOCK_MONOTONIC unless the timer is set for a time of day.
 */
static int timer_clock_of(const struct timers *t, const struct lkst_rec_hrtimer_start *start)
{
	u32 i = lkst_hash_number(start->hrtimer) & (NR_CLOCKS_KEPT - 1);

	if (t->has_clock)
		return start->clock;
	if (t->clocks[i].timer == start->hrtimer)
		return t->clocks[i].clock;
	return start->expires > DAY_MIN_NS ? CLOCK_OF_DAY : CLOCK_MONO;
}

/* @expires of @clock by CLOCK_MONOTONIC; a time before that began is its beginning. */
static u64 monotonic(const struct timers *t, int clock, s64 expires)
{
	s64 ns = clock == CLOCK_MONO ? expires : expires - t->offsets[clock];

	return ns > 0 ? (u64)ns : 0;
}

static int timer_on_hrtimer_start(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_start *start = record;
	struct timers *t = ctx;
	struct lkst_analysis_state *w = &t->work;
	int clock = timer_clock_of(t, start), got;
	s64 soft = t->has_soft ? start->softexpires : start->expires;
	struct lkst_pending_entry *slack;

	/* Set again: the last time counts. */
	timer_forget(t, start->hrtimer);
	/* The difference of CLOCK_TAI to the time of day is not in a trace. */
	if (clock != CLOCK_MONO && (clock < 0 || clock >= CLOCK_ATOMIC || !t->has_offset[clock]))
		return lkst_tally_leave_out(&w->tallies[TALLY_LATE], LKST_LEFT_OUT_CLOCK,
					    start->function, r->tid, r->cpu);
	if (soft < start->expires) {
		got = lkst_pending_put(&t->slacks, start->hrtimer, &slack);
		if (got <= 0)
			return got;
		slack->value = (u64)(start->expires - soft);
	}
	return lkst_analysis_open(w, &w->pending[OPEN_TIMERS], start->hrtimer, r,
				  monotonic(t, clock, soft), false);
}

static int timer_on_hrtimer_cancel(void *ctx, const struct lkst_record *r, const void *record)
{
	timer_forget(ctx, ((const struct lkst_rec_hrtimer_cancel *)record)->hrtimer);
	return 0;
}

/* What is known of the slack of @function's timers; NULL: *@err, or with that 0, not asked for. */
static struct slack *slack_of(struct timers *t, u64 function, s32 tid, u32 cpu, int *err)
{
	struct lkst_tally *tally = &t->work.tallies[TALLY_LATE];
	s64 i = lkst_tally_key(tally, function);
	struct slack *slack;

	*err = i < 0 ? (int)i : 0;
	if (i < 0 || !tally->keys[i].is_wanted ||
	    (tally->has_filter && !lkst_tally_passes(tally, tid, cpu)))
		return NULL;
	slack = lkst_vec_reach(t->slack_of, t->nr_slack_of, (u32)i);
	*err = slack ? 0 : -ENOMEM;
	return slack;
}

/* Timer @e, whose slack is @slack_ns, runs @function at @r. A timer that is set too late is late from then on. */
static int add_lateness(struct timers *t, const struct lkst_pending_entry *e, u64 slack_ns,
			u64 function, const struct lkst_record *r)
{
	struct lkst_tally *tallies = t->work.tallies;
	u64 due_ns = e->value > e->start_ns ? e->value : e->start_ns;
	u64 last_ns = e->value + slack_ns > due_ns ? e->value + slack_ns : due_ns;
	u64 late_ns = r->ns > due_ns ? r->ns - due_ns : 0;
	u64 beyond_ns = r->ns > last_ns ? r->ns - last_ns : 0;
	struct slack *slack;
	int err;

	/* Without the soft expiry, `value` is the latest time. */
	if (!t->has_soft && r->ns < due_ns)
		return lkst_tally_leave_out(&tallies[TALLY_LATE], LKST_LEFT_OUT_SLACK, function,
					    e->tid, e->cpu);
	slack = slack_of(t, function, e->tid, e->cpu, &err);
	if (!slack)
		return err;
	slack->count++;
	slack->nr_within += !beyond_ns;
	slack->allowed_ns += last_ns - due_ns;
	slack->within_ns += late_ns - beyond_ns;
	slack->beyond_ns += beyond_ns;
	err = lkst_tally_add(&tallies[TALLY_LATE], function, late_ns, due_ns, e->tid, e->cpu);
	return err ? err
		   : lkst_tally_add(&tallies[TALLY_BEYOND], function, beyond_ns, last_ns, e->tid,
				    e->cpu);
}

/* A timer's function begins. */
static int timer_on_hrtimer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_entry *x = record;
	struct timers *t = ctx;
	struct lkst_analysis_state *w = &t->work;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[OPEN_TIMERS], x->hrtimer);
	struct lkst_pending_entry e, *slack;
	u64 slack_ns;

	if (!entry)
		return lkst_tally_leave_out(&w->tallies[TALLY_LATE], LKST_LEFT_OUT_NO_BEGIN,
					    x->function, r->tid, r->cpu);
	e = *entry;
	slack = lkst_pending_find(&t->slacks, x->hrtimer);
	slack_ns = slack ? slack->value : 0;
	timer_forget(t, x->hrtimer);
	/* It may have been set again in the gap. */
	if (lkst_gap_test_crosses(w->gap_test, LKST_GAP_TEST_ANY, e.buffer, e.start_ns, r->ns))
		return lkst_tally_leave_out(&w->tallies[TALLY_LATE], LKST_LEFT_OUT_GAP, x->function,
					    e.tid, e.cpu);
	return add_lateness(t, &e, slack_ns, x->function, r);
}

static int analyses_timer_on_timer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_entry *x = record;
	struct lkst_analysis_state *w = ctx;

	return lkst_tally_add(&w->tallies[TALLY_TICKS], x->function, x->late > 0 ? (u64)x->late : 0,
			      r->ns, r->tid, r->cpu);
}

/* ---- execution ------------------------------------------------------------------------------- */

/* The key of @f, 0: it is none of these. */
static u64 run_key(const struct lkst_irq_context *f)
{
	static const struct {
		enum lkst_event_index entry;
		enum run_kind run;
	} vectors[] = {
		{ LKST_EV_local_timer_entry, RUN_LOCAL_TIMER },
		{ LKST_EV_reschedule_entry, RUN_RESCHEDULE },
		{ LKST_EV_call_function_entry, RUN_CALL_FUNCTION },
		{ LKST_EV_call_function_single_entry, RUN_CALL_SINGLE },
	};
	unsigned int i;

	switch (f->context) {
	case LKST_CONTEXT_IRQ:
		return RUN_KEY(RUN_IRQ, f->number);
	case LKST_CONTEXT_SOFTIRQ:
		return RUN_KEY(RUN_SOFTIRQ, f->number);
	case LKST_CONTEXT_VECTOR:
		for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
			if (vectors[i].entry == f->code)
				return RUN_KEY(vectors[i].run, f->number);
		return 0;
	case LKST_CONTEXT_TASKLET:
	case LKST_CONTEXT_TIMER:
	case LKST_CONTEXT_HRTIMER:
		return f->code;
	}
	return 0;
}

/* What interrupted it is not its own: so no time counts twice. */
static int timer_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_analysis_state *w = ctx;
	struct lkst_tally *t = &w->tallies[TALLY_RUN];
	u64 key = run_key(f), ns = f->to_ns - f->from_ns;

	if (f->context == LKST_CONTEXT_NMI)
		return 0;
	/* The function of a timer is in the record of its begin only. */
	if (f->has_no_begin && !key)
		lkst_tally_leave_out_any(t, LKST_LEFT_OUT_NO_BEGIN, f->tid, f->cpu);
	else if (f->has_no_begin)
		return lkst_tally_leave_out(t, LKST_LEFT_OUT_NO_BEGIN, key, f->tid, f->cpu);
	else if (f->is_cut)
		return lkst_tally_leave_out(t, LKST_LEFT_OUT_NO_END, key, f->tid, f->cpu);
	else if (lkst_analysis_may_contain_more(w, f))
		return lkst_tally_leave_out(t, LKST_LEFT_OUT_LIMIT, key, f->tid, f->cpu);
	else
		return lkst_tally_add(t, key, ns > f->inner_ns ? ns - f->inner_ns : 0, f->from_ns,
				      f->tid, f->cpu);
	return 0;
}

static const struct lkst_model_calls calls = { .frame = timer_on_frame };

/* ---- slack ----------------------------------------------------------------------------------- */

static const struct lkst_column slack_columns[] = {
	{ "key", "key", LKST_COLUMN_TEXT, "the function" },
	{ "count", "count", LKST_COLUMN_COUNT, "timers that ran" },
	{ "allowed", "slack", LKST_COLUMN_DURATION, "mean slack that they were allowed" },
	{ "nr_within", "within it", LKST_COLUMN_COUNT, "timers that ran before it was over" },
	{ "within", "late within", LKST_COLUMN_DURATION, "sum of their lateness within the slack" },
	{ "beyond", "late beyond", LKST_COLUMN_DURATION, "sum of their lateness beyond it" },
};

static int timer_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct timers *t = (struct timers *)w;
	struct lkst_table *table;
	u32 i;

	if (!t->has_soft && lkst_feed_has(w->feed, LKST_EV_hrtimer_start))
		lkst_notes_add(&w->notes, "This trace has only the latest time of each timer: "
					  "lateness counts from there, without the slack.");
	if (w->list || !t->has_soft)
		return 0;
	table = lkst_tables_add(set, "timer_slack", "Timer slack: by key", slack_columns,
				sizeof(slack_columns) / sizeof(slack_columns[0]));
	if (!table)
		return -ENOMEM;
	for (i = 0; i < w->tallies[TALLY_LATE].nr_keys; i++) {
		const struct slack *s = i < t->nr_slack_of ? &t->slack_of[i] : NULL;

		if (!s || !s->count)
			continue;
		lkst_table_row(table);
		lkst_table_str(table, w->tallies[TALLY_LATE].keys[i].text);
		lkst_table_u64(table, s->count);
		lkst_table_u64(table, s->allowed_ns / s->count);
		lkst_table_u64(table, s->nr_within);
		lkst_table_u64(table, s->within_ns);
		lkst_table_u64(table, s->beyond_ns);
	}
	lkst_table_sort(table, 1, true);
	return table->error;
}

static const struct {
	enum lkst_event_index index;
	lkst_feed_call *call;
	bool counts; /* enough for an answer */
} wants[] = {
	{ LKST_EV_state_clock, on_clocks, false },
	{ LKST_EV_hrtimer_init, on_init, false },
	{ LKST_EV_hrtimer_start, timer_on_hrtimer_start, false },
	{ LKST_EV_hrtimer_cancel, timer_on_hrtimer_cancel, false },
	{ LKST_EV_hrtimer_expire_entry, timer_on_hrtimer_entry, true },
	{ LKST_EV_timer_expire_entry, analyses_timer_on_timer_entry, true },
};

/* Which fields the records of hrtimer_start have. */
static void timer_find_fields(struct timers *t)
{
	const struct lkst_event_desc *desc = &lkst_events[LKST_EV_hrtimer_start];
	u64 missing = lkst_feed_missing(t->work.feed, LKST_EV_hrtimer_start);
	u16 i;

	for (i = 0; i < desc->nr_fields; i++) {
		if (!strcmp(desc->fields[i].name, "softexpires"))
			t->has_soft = !(missing >> i & 1);
		if (!strcmp(desc->fields[i].name, "clock"))
			t->has_clock = !(missing >> i & 1);
	}
}

static int timer_begin(struct lkst_analysis_state *w)
{
	bool has = false;
	int err = 0;
	size_t i;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "timer",
							   .title = "Timer lateness",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = timer_put_key });
	lkst_analysis_tally(w,
			    (struct lkst_tally_config){ .name = "timer_beyond",
							.title = "Timer lateness beyond the slack",
							.type = LKST_COLUMN_DURATION,
							.put_key = timer_put_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "timer_ticks",
							   .title = "Timer lateness in ticks",
							   .type = LKST_COLUMN_COUNT,
							   .put_key = timer_put_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "timer_execution",
							   .title = "Interrupt and timer execution",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = timer_put_key });
	timer_find_fields((struct timers *)w);
	for (i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		has |= lkst_analysis_want(w, wants[i].index, wants[i].call, &err) &&
		       wants[i].counts;
	if (err >= 0)
		err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err
		       : has || lkst_feed_has(w->feed, LKST_EV_irq_handler_entry) ||
				 lkst_feed_has(w->feed, LKST_EV_softirq_entry) ||
				 lkst_feed_has(w->feed, LKST_EV_local_timer_entry);
}

static void timer_fini(struct lkst_analysis_state *w)
{
	lkst_pending_fini(&((struct timers *)w)->slacks);
	free(((struct timers *)w)->slack_of);
}

const struct lkst_analysis lkst_analysis_timer = {
	.name = "timer",
	.heritage = "H04",
	.title = "Timer and interrupt response",
	.help = "how late timers run, and how long interrupts and timers take",
	.measures =
		"from an hrtimer's earliest time (soft expiry), or when it was set if that is later, to "
		"hrtimer_expire_entry, by function, and beyond its slack; ticks that other timers are "
		"late; from entry to exit of interrupts and of timers' functions, less what "
		"interrupted them",
	.events = "hrtimer_* timer_expire_* irq_handler_* softirq_* tasklet_* local_timer_* "
		  "reschedule_* call_function_*",
	.needs_state = true,
	.size = sizeof(struct timers),
	.begin = timer_begin,
	.end = timer_end,
	.fini = timer_fini,
};
