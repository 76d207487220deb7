// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * masks/standard.def: maskset standard has what the state model, `lkst report` and `lkst why` read of a trace,
 * and nothing else. They say themselves what they read: the tests look into the feed that they subscribe to, and
 * abi/events.def has what `lkst why` keeps.
 */
#include "analyze/engine/feed.c"

#include "analyses.h"
#include "lib/unit.h"
#include "lib/whole_catalog.h"
#include "masks/mask.h"
#include "masks/shipped_masks.h"

enum { MODEL = 1, REPORT = 2, WHY = 4, CRASH = 8 };

static const struct {
	const char *glob;
	u8 readers;
} rows[] = {
#define STANDARD(glob, readers, use) { glob, readers },
#include "masks/standard.def"
#include "trace/format/event_types.h"
#undef STANDARD
};
enum { NR_ROWS = sizeof(rows) / sizeof(rows[0]) };

/*
 * Read where they are recorded, and left out: there are too many of them for what they add. The model finds when a
 * thread is ready without sched_wakeup; the rest names the origin of a wake-up one step further back.
 */
static const u16 left_out[] = {
	LKST_EV_sched_wakeup,	      LKST_EV_signal_generate,
	LKST_EV_softirq_raise,	      LKST_EV_block_bio_queue,
	LKST_EV_net_dev_queue,	      LKST_EV_net_dev_start_xmit,
	LKST_EV_netif_receive_skb,    LKST_EV_netif_rx,
	LKST_EV_timer_start,	      LKST_EV_hrtimer_start,
	LKST_EV_workqueue_queue_work, LKST_EV_mm_page_alloc,
	LKST_EV_mm_page_free,	      LKST_EV_cpu_idle,
	LKST_EV_cpu_idle_miss,	      LKST_EV_irq_disable,
	LKST_EV_irq_enable,	      LKST_EV_preempt_disable,
	LKST_EV_preempt_enable,	      LKST_EV_packet_send,
	LKST_EV_packet_receive,
};

static const struct lkst_event_class by_name = { .name = "x:y", .index = -1, .syscall = -1 };
static struct lkst_err e;
static u8 read_by[LKST_NR_EVENTS]; /* by the programs, found out */
static u8 calls_read_by;	   /* system calls */

static void take_wanted(const struct lkst_feed *f, u8 reader)
{
	u16 id;

	for (id = 1; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *c = f->catalog->classes[id];

		if (!c || !f->events[id].subscribers.nr)
			continue;
		if (c->index >= 0)
			read_by[c->index] |= reader;
		else if (c->syscall >= 0)
			calls_read_by |= reader;
	}
}

static void ask_model(struct lkst_trace *t)
{
	struct lkst_feed *f;
	struct lkst_model *state;

	if (lkst_feed_new(&e, t, &f) || lkst_model_new(&e, f, &state))
		abort();
	take_wanted(f, MODEL);
	lkst_model_free(state);
	lkst_feed_free(f);
}

/* A study hides its feed, but what it begins with does not: it asks the analyses one by one. */
static void ask_report(struct lkst_trace *t)
{
	const struct lkst_analysis *const *a;
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX };

	for (a = lkst_analyses; *a; a++) {
		struct lkst_analysis_state *w = calloc(1, (*a)->size);
		struct lkst_threads *threads;
		struct lkst_feed *f;
		struct lkst_model *state;

		/*
		 * Those without a row of the original's are the report's, and biotime is the other. Two are of events
		 * that the user names, or sets.
		 */
		if (!w || (*a)->is_of_named || *a == &lkst_analysis_errors ||
		    ((*a)->heritage && (*a)->heritage[0] == 'H' && *a != &lkst_analysis_biotime)) {
			free(w);
			continue;
		}
		threads = lkst_threads_new();
		if (!threads || lkst_feed_new(&e, t, &f) || lkst_feed_threads(f, threads) ||
		    lkst_model_new(&e, f, &state))
			abort();
		w->analysis = *a;
		w->feed = f;
		w->state = state;
		w->options = &options;
		CHECK((*a)->begin(w) > 0);
		take_wanted(f, REPORT);
		if ((*a)->fini)
			(*a)->fini(w);
		lkst_model_free(state);
		lkst_feed_free(f);
		lkst_threads_free(threads);
		free(w);
	}
}

static void ask_why(void)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_events[i].is_for_why)
			read_by[i] |= WHY;
	/* Of system calls it takes all (analyze/why/excerpt.c). */
	calls_read_by |= WHY;
}

static void ask_all(void)
{
	struct make_trace *m;

	make_scratch(dir);
	m = make_begin(dir, make_full_catalog(), 4096);
	if (make_text(m, "sched_switch ns=1000 next_tid=0\n") || make_end(m) ||
	    lkst_trace_open(&e, dir, &trace))
		abort();
	ask_model(trace);
	ask_report(trace);
	ask_why();
	finish();
}

static bool is_left_out(int index)
{
	size_t i;

	for (i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (index == left_out[i])
			return true;
	return false;
}

/* Who reads the event by standard.def. */
static u8 readers_of(const struct lkst_event_class *c)
{
	u8 readers = 0;
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		if (lkst_class_is_named(c, rows[i].glob))
			readers |= rows[i].readers;
	return readers;
}

static void complain(const char *what, const char *name)
{
	printf("FAIL %s: %s %s\n", unit_name, name, what);
	unit_failed = 1;
}

TEST(standard_has_what_is_read)
{
	struct lkst_catalog *c = whole_catalog(LKST_NR_EVENTS, by_name);
	static struct lkst_mask mask;
	u16 id;

	ask_all();
	lkst_shipped_mask_fill(lkst_shipped_mask_find("standard"), c, &mask);
	for (id = 1; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *class = c->classes[id];
		bool has = class && (mask.route[id] & 0xff) == LKST_HANDLER_DEFAULT;
		u8 is_read;

		if (!class || !lkst_class_is_maskable(class) ||
		    class->group == LKST_GROUP_TRACEPOINT)
			continue;
		is_read = class->index >= 0 ? read_by[class->index] : calls_read_by;
		if (is_left_out(class->index)) {
			if (has)
				complain("is left out, and in it", class->name);
			if (!is_read)
				complain("is read by nobody: it need not be in the list",
					 class->name);
		} else if (is_read && !has) {
			complain("is read, and not in it", class->name);
		} else if (is_read & MODEL && !(readers_of(class) & MODEL)) {
			complain("is read by the state model", class->name);
		}
	}
	lkst_catalog_free(c);
}

TEST(standard_has_nothing_else)
{
	struct lkst_catalog *c = whole_catalog(LKST_NR_EVENTS, by_name);
	size_t i;
	u16 id;

	ask_all();
	for (i = 0; i < NR_ROWS; i++) {
		u8 is_read = 0;

		for (id = 1; id <= LKST_ID_MAX; id++) {
			const struct lkst_event_class *class = c->classes[id];

			if (class && lkst_class_is_named(class, rows[i].glob))
				is_read |=
					class->index >= 0 ? read_by[class->index] : calls_read_by;
		}
		if ((rows[i].readers & is_read) != (rows[i].readers & ~CRASH))
			complain("is not read by all that it is said to be", rows[i].glob);
		if (!rows[i].readers)
			complain("is in it for nothing", rows[i].glob);
	}
	lkst_catalog_free(c);
}

/* Whether the cost limit may leave out the event, which is not of an option. */
static bool may_go(const struct lkst_event_class *class)
{
	const struct lkst_event_desc *d = class->index >= 0 ? &lkst_events[class->index] : NULL;

	return !d || (d->recorded != LKST_RECORDED_ALWAYS && d->recorded != LKST_RECORDED_BY_OPTION &&
		      lkst_event_value(class->index) != LKST_KIND_PRECIOUS);
}

/* Maskset core is a part of standard, of which the limit leaves nothing out. */
TEST(core_always_stays)
{
	struct lkst_catalog *c = whole_catalog(LKST_NR_EVENTS, by_name);
	static struct lkst_mask core, standard;
	u16 id, nr = 0;

	lkst_shipped_mask_fill(lkst_shipped_mask_find("core"), c, &core);
	lkst_shipped_mask_fill(lkst_shipped_mask_find("standard"), c, &standard);
	for (id = 1; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *class = c->classes[id];

		if (!class || (core.route[id] & 0xff) != LKST_HANDLER_DEFAULT)
			continue;
		nr++;
		if ((standard.route[id] & 0xff) != LKST_HANDLER_DEFAULT)
			complain("is in core and not in standard", class->name);
		if (may_go(class))
			complain("is in core, and may be left out", class->name);
	}
	CHECK(nr >= 10);
	lkst_catalog_free(c);
}

/* What explains least goes first. */
TEST(system_calls_go_before_what_the_switch_does_not_say)
{
	const u8 call = lkst_group_values[LKST_GROUP_SYSCALL];

	CHECK(lkst_event_value(LKST_EV_spin_lock) < lkst_event_value(LKST_EV_kmalloc));
	CHECK(lkst_event_value(LKST_EV_kmalloc) < call);
	CHECK(lkst_event_value(LKST_EV_timer_start) < call);
	CHECK(call < lkst_event_value(LKST_EV_local_timer_entry));
	CHECK(call < lkst_event_value(LKST_EV_softirq_entry));
	CHECK(call < lkst_event_value(LKST_EV_page_fault_exit));
	CHECK(lkst_event_value(LKST_EV_softirq_entry) < lkst_event_value(LKST_EV_contention_end));
	CHECK(lkst_event_value(LKST_EV_softirq_entry) < lkst_event_value(LKST_EV_block_rq_complete));
	CHECK(lkst_event_value(LKST_EV_block_rq_complete) < lkst_event_value(LKST_EV_sched_migrate_task));
	CHECK(lkst_event_value(LKST_EV_sched_migrate_task) < lkst_group_values[LKST_GROUP_PROBE]);
	CHECK_EQ(lkst_event_value(LKST_EV_sched_switch), LKST_KIND_PRECIOUS);
}

static const struct unit_test tests[] = {
	{ "core_always_stays", test_core_always_stays },
	{ "system_calls_go_before_what_the_switch_does_not_say",
	  test_system_calls_go_before_what_the_switch_does_not_say },
	{ "standard_has_what_is_read", test_standard_has_what_is_read },
	{ "standard_has_nothing_else", test_standard_has_nothing_else },
};

UNIT_MAIN(tests)
