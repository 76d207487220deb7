/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How late high-resolution timers are, and how long interrupts and timers' functions run. Timers of
 * the wheel (timer_start) go by ticks whose length a trace does not tell: they are late by so many
 * ticks, in a table of their own.
 */
#include <stdio.h>
#include <string.h>

#include "analyze/analysis.h"

enum tally {
	TALLY_LATE,
	TALLY_TICKS,
	TALLY_RUN,
};

enum open {
	OPEN_TIMERS, /* that were set: what for, in `value` */
	OPEN_RUNS,   /* that run */
};

/* Clocks of hrtimers, include/uapi/linux/time.h. */
enum {
	CLOCK_OF_DAY = 0,
	CLOCK_MONO = 1,
	CLOCK_BOOT = 7,
	CLOCK_ATOMIC = 11,
	CLOCK_NOT_KNOWN = -1,
	NR_CLOCKS_KEPT = 4096, /* a power of two */
};

/* What runs, in the upper byte of a key; the lower ones: a number or an address. */
enum run {
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

struct timers {
	struct lkst_work work;
	s64 offsets[12]; /* from CLOCK_MONOTONIC to each clock */
	bool has_offset[12];
	/* The clocks of timers that were initialised in the trace; collisions forget the older. */
	struct {
		u64 timer;
		s16 clock;
	} clocks[NR_CLOCKS_KEPT];
};

static void put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const names[] = {
		[RUN_IRQ] = "irq",
		[RUN_SOFTIRQ] = "softirq",
		[RUN_LOCAL_TIMER] = "local_timer",
		[RUN_RESCHEDULE] = "reschedule",
		[RUN_CALL_FUNCTION] = "call_function",
		[RUN_CALL_SINGLE] = "call_function_single",
	};
	unsigned int run = (unsigned int)(key >> 56);

	if (run == RUN_IRQ || run == RUN_SOFTIRQ)
		snprintf(text, LKST_KEY_TEXT, "%s:%u", names[run], (u32)key);
	else if (run > 0 && run <= RUN_CALL_SINGLE)
		snprintf(text, LKST_KEY_TEXT, "%s", names[run]);
	else
		snprintf(text, LKST_KEY_TEXT, "0x%llx", (unsigned long long)key);
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

static int on_init(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_init *init = record;
	struct timers *t = ctx;
	u32 i = lkst_open_hash(init->hrtimer) & (NR_CLOCKS_KEPT - 1);

	t->clocks[i].timer = init->hrtimer;
	t->clocks[i].clock = init->clock;
	return 0;
}

/*
 * The time of CLOCK_MONOTONIC at which a timer is to run, 0: not known. Without its initialisation
 * a timer is taken for one of CLOCK_MONOTONIC unless it is set for a time of day.
 */
static u64 expiry_of(const struct timers *t, u64 timer, s64 expires)
{
	u32 i = lkst_open_hash(timer) & (NR_CLOCKS_KEPT - 1);
	int clock = t->clocks[i].timer == timer ? t->clocks[i].clock : CLOCK_NOT_KNOWN;

	if (clock == CLOCK_NOT_KNOWN)
		clock = expires > DAY_MIN_NS ? CLOCK_OF_DAY : CLOCK_MONO;
	if (clock != CLOCK_MONO) {
		/* The difference of CLOCK_TAI to the time of day is not in a trace. */
		if (clock < 0 || clock >= CLOCK_ATOMIC || !t->has_offset[clock])
			return 0;
		expires -= t->offsets[clock];
	}
	return expires > 0 ? (u64)expires : 0;
}

static int on_hrtimer_start(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_start *start = record;
	struct timers *t = ctx;
	struct lkst_work *w = &t->work;
	struct lkst_open *o = &w->opens[OPEN_TIMERS];
	u64 expiry = expiry_of(t, start->hrtimer, start->expires);
	struct lkst_open_entry *entry = lkst_open_find(o, start->hrtimer);

	/* Set again: the last time counts. */
	if (entry)
		lkst_open_remove(o, entry);
	return expiry ? lkst_work_open(w, o, start->hrtimer, r, expiry, false) : 0;
}

static int forget(struct lkst_work *w, u64 timer)
{
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[OPEN_TIMERS], timer);

	if (entry)
		lkst_open_remove(&w->opens[OPEN_TIMERS], entry);
	return 0;
}

static int on_hrtimer_cancel(void *ctx, const struct lkst_record *r, const void *record)
{
	return forget(ctx, ((const struct lkst_rec_hrtimer_cancel *)record)->hrtimer);
}

/* A timer's function begins: how late, and from now on it runs. */
static int on_hrtimer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_entry *x = record;
	struct lkst_work *w = ctx;
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[OPEN_TIMERS], x->hrtimer);
	struct lkst_open_entry e;
	int err = 0;

	if (entry) {
		e = *entry;
		lkst_open_remove(&w->opens[OPEN_TIMERS], entry);
		/* It may have been set anew in the gap. */
		if (lkst_crossing_is(w->crossing, LKST_CROSSING_ANY, e.buffer, e.start_ns, r->ns))
			err = lkst_tally_cross(&w->tallies[TALLY_LATE], x->function, r->tid,
					       r->cpu);
		else
			err = lkst_tally_add(&w->tallies[TALLY_LATE], x->function,
					     r->ns > e.value ? r->ns - e.value : 0,
					     r->ns > e.value ? e.value : r->ns, r->tid, r->cpu);
	}
	return err ? err
		   : lkst_work_open(w, &w->opens[OPEN_RUNS], x->hrtimer ^ r->cpu, r, x->function,
				    false);
}

static int on_timer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_entry *x = record;
	struct lkst_work *w = ctx;
	int err = lkst_tally_add(&w->tallies[TALLY_TICKS], x->function,
				 x->late > 0 ? (u64)x->late : 0, r->ns, r->tid, r->cpu);

	return err ? err
		   : lkst_work_open(w, &w->opens[OPEN_RUNS], x->timer ^ r->cpu, r, x->function,
				    false);
}

/* ---- execution ------------------------------------------------------------------------------- */

static int run_end(struct lkst_work *w, u64 id, u64 key, const struct lkst_record *r)
{
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[OPEN_RUNS], id ^ r->cpu);

	if (!entry)
		return 0;
	return lkst_work_close_on_cpu(w, &w->tallies[TALLY_RUN], &w->opens[OPEN_RUNS], entry,
				      key ? key : entry->value, r);
}

static int on_timer_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	return run_end(ctx, ((const struct lkst_rec_timer_expire_exit *)record)->timer, 0, r);
}

static int on_hrtimer_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	return run_end(ctx, ((const struct lkst_rec_hrtimer_expire_exit *)record)->hrtimer, 0, r);
}

/* The events of interrupts: which kind, and where the record has its number, of 4 bytes. */
static const struct interrupt {
	enum lkst_event_index entry, exit;
	enum run run;
	size_t entry_offset, exit_offset;
} interrupts[] = {
#define INTERRUPT(name, run, field)                                                                \
	{                                                                                          \
		LKST_EV_##name##_entry, LKST_EV_##name##_exit, run,                                \
			offsetof(struct lkst_rec_##name##_entry, field),                           \
			offsetof(struct lkst_rec_##name##_exit, field)                             \
	}
	INTERRUPT(irq_handler, RUN_IRQ, irq),
	INTERRUPT(softirq, RUN_SOFTIRQ, vec),
	INTERRUPT(local_timer, RUN_LOCAL_TIMER, vector),
	INTERRUPT(reschedule, RUN_RESCHEDULE, vector),
	INTERRUPT(call_function, RUN_CALL_FUNCTION, vector),
	INTERRUPT(call_function_single, RUN_CALL_SINGLE, vector),
#undef INTERRUPT
};
enum { NR_INTERRUPTS = sizeof(interrupts) / sizeof(interrupts[0]) };

/* The kind and number of the interrupt that @record, of an event among @interrupts, is about. */
static u64 interrupt_key(const struct lkst_record *r, const void *record)
{
	enum lkst_event_index index = (enum lkst_event_index)r->event->index;
	size_t offset;
	u32 i, number;

	for (i = 0; i < NR_INTERRUPTS - 1; i++)
		if (interrupts[i].entry == index || interrupts[i].exit == index)
			break;
	offset = interrupts[i].entry == index ? interrupts[i].entry_offset
					      : interrupts[i].exit_offset;
	memcpy(&number, (const u8 *)record + offset, sizeof(number));
	return RUN_KEY(interrupts[i].run, number);
}

static int on_interrupt(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_work *w = ctx;
	u64 key = interrupt_key(r, record);

	return lkst_work_open(w, &w->opens[OPEN_RUNS], key ^ (u64)r->cpu << 32, r, 0, false);
}

static int on_interrupt_end(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_work *w = ctx;
	u64 key = interrupt_key(r, record);
	struct lkst_open_entry *entry =
		lkst_open_find(&w->opens[OPEN_RUNS], key ^ (u64)r->cpu << 32);

	if (!entry)
		return 0;
	return lkst_work_close_on_cpu(w, &w->tallies[TALLY_RUN], &w->opens[OPEN_RUNS], entry, key,
				      r);
}

static const struct {
	enum lkst_event_index index;
	lkst_feed_call *call;
	bool counts; /* enough for an answer */
} wants[] = {
	{ LKST_EV_state_clock, on_clocks, false },
	{ LKST_EV_hrtimer_init, on_init, false },
	{ LKST_EV_hrtimer_start, on_hrtimer_start, false },
	{ LKST_EV_hrtimer_cancel, on_hrtimer_cancel, false },
	{ LKST_EV_hrtimer_expire_entry, on_hrtimer_entry, true },
	{ LKST_EV_hrtimer_expire_exit, on_hrtimer_exit, false },
	{ LKST_EV_timer_expire_entry, on_timer_entry, true },
	{ LKST_EV_timer_expire_exit, on_timer_exit, false },
};

static int begin(struct lkst_work *w)
{
	bool has = false;
	int err = 0;
	size_t i;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "timer",
						       .title = "Timer lateness",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_key });
	lkst_work_tally(w, (struct lkst_tally_config){ .name = "timer_ticks",
						       .title = "Timer lateness in ticks",
						       .type = LKST_COLUMN_COUNT,
						       .put_key = put_key });
	lkst_work_tally(w, (struct lkst_tally_config){ .name = "timer_execution",
						       .title = "Interrupt and timer execution",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_key });
	for (i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		has |= lkst_work_want(w, wants[i].index, wants[i].call, &err) && wants[i].counts;
	for (i = 0; i < NR_INTERRUPTS; i++) {
		has |= lkst_work_want(w, interrupts[i].entry, on_interrupt, &err);
		lkst_work_want(w, interrupts[i].exit, on_interrupt_end, &err);
	}
	return err < 0 ? err : has;
}

/* Timers that are set and have not run are no intervals that were begun. */
static int end(struct lkst_work *w, struct lkst_tables *set)
{
	lkst_open_fini(&w->opens[OPEN_TIMERS]);
	return 0;
}

const struct lkst_analysis lkst_analysis_timer = {
	.name = "timer",
	.row = "H04",
	.title = "Timer and interrupt response",
	.help = "how late timers run, and how long interrupts and timers take",
	.measures =
		"from an hrtimer's set time to hrtimer_expire_entry, by function; ticks that other "
		"timers are late; from entry to exit of interrupts and of timers' functions",
	.events = "hrtimer_* timer_expire_* irq_handler_* softirq_* local_timer_* reschedule_* "
		  "call_function_*",
	.size = sizeof(struct timers),
	.begin = begin,
	.end = end,
};
