/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of analyses, and a pass over a trace that asks some of them. */
#include "analyze/analyses/analysis.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

const struct lkst_analysis *const lkst_analyses[] = {
#define ANALYSIS(name) &lkst_analysis_##name,
#include "analyze/analyses/analyses.def"
#undef ANALYSIS
	NULL,
};

const struct lkst_analysis *lkst_analysis_find(const char *name)
{
	const struct lkst_analysis *const *a;

	for (a = lkst_analyses; *a; a++)
		if (!strcmp((*a)->name, name))
			return *a;
	return NULL;
}

/* ---- for analyses ---------------------------------------------------------------------------- */

struct lkst_tally *lkst_analysis_tally(struct lkst_analysis_state *w, struct lkst_tally_config config)
{
	struct lkst_tally *t = &w->tallies[w->nr_tallies];

	assert(w->nr_tallies < LKST_ANALYSIS_TALLIES);
	config.ctx = w;
	lkst_tally_init(t, &config, &w->options->which, w->threads);
	/* The list is that of the first tally. */
	if (w->list && !w->nr_tallies) {
		lkst_table_fini(w->list);
		lkst_tally_init_list(t, w->list);
		lkst_table_set_sink(w->list, w->options->list, w->options->list_arg);
		t->list = w->list;
	}
	if (w->along && !w->nr_tallies) {
		w->along->type = config.type;
		snprintf(w->along->title, sizeof(w->along->title), "%s",
			 config.title ?: config.name);
		t->along = w->along;
	}
	if (!w->nr_tallies) {
		t->each = w->options->each;
		t->each_arg = w->options->each_arg;
	}
	w->nr_tallies++;
	return t;
}

int lkst_analysis_open(struct lkst_analysis_state *w, struct lkst_pending *o, u64 key, const struct lkst_record *r,
		   u64 value, bool is_first)
{
	struct lkst_pending_entry *entry;
	int got = lkst_pending_put(o, key, &entry);

	if (got <= 0)
		return got;
	if (entry->start_ns) {
		if (is_first)
			return 0;
		if (w->tally_of[o - w->pending] < w->nr_tallies)
			lkst_tally_leave_out_any(&w->tallies[w->tally_of[o - w->pending]],
						 LKST_LEFT_OUT_NO_END, entry->tid, entry->cpu);
	}
	*entry = (struct lkst_pending_entry){ .key = key,
					   .start_ns = r->ns,
					   .value = value,
					   .tid = r->tid,
					   .cpu = (u16)r->cpu,
					   .buffer = (u16)r->buffer };
	return 0;
}

/* Ends the interval @entry, of whose length @less_ns does not count. */
static int close_entry(struct lkst_analysis_state *w, struct lkst_tally *tally, struct lkst_pending *o,
		       struct lkst_pending_entry *entry, u64 key, const struct lkst_record *r, u32 cpu,
		       u64 less_ns)
{
	struct lkst_pending_entry e = *entry;

	lkst_pending_remove(o, entry);
	if (__builtin_expect(
		    lkst_gap_test_crosses(w->gap_test, cpu, e.buffer, e.start_ns, r->ns) ||
			    (e.buffer != r->buffer &&
			     lkst_gap_test_crosses(w->gap_test, cpu, r->buffer, e.start_ns, r->ns)),
		    0))
		return lkst_tally_leave_out(tally, LKST_LEFT_OUT_GAP, key, e.tid, e.cpu);
	if (lkst_limited_crosses(w->limited, r->event->id, e.start_ns, r->ns))
		return lkst_tally_leave_out(tally, LKST_LEFT_OUT_LIMIT, key, e.tid, e.cpu);
	return lkst_tally_add(tally, key, r->ns - e.start_ns - less_ns, e.start_ns, e.tid, e.cpu);
}

int lkst_analysis_close(struct lkst_analysis_state *w, struct lkst_tally *tally, struct lkst_pending *o,
		    struct lkst_pending_entry *entry, u64 key, const struct lkst_record *r)
{
	return close_entry(w, tally, o, entry, key, r, LKST_GAP_TEST_ANY, 0);
}

int lkst_analysis_close_on_cpu(struct lkst_analysis_state *w, struct lkst_tally *tally, struct lkst_pending *o,
			   struct lkst_pending_entry *entry, u64 key, const struct lkst_record *r)
{
	return close_entry(w, tally, o, entry, key, r, r->cpu, 0);
}

/* ---- intervals within each other ------------------------------------------------------------- */

/*
 * An interval's value is what it is, and above that how much time its thread had spent in intervals
 * that were over when it began: what has been added since is of those within it.
 */
enum { WHAT_BITS = 16 };

int lkst_analysis_open_nested(struct lkst_analysis_state *w, struct lkst_pending *o, u64 key,
			  const struct lkst_record *r, u16 what, bool is_first)
{
	const struct lkst_pending_entry *spent = lkst_pending_find(&w->nested, lkst_analysis_thread_key(r));

	return lkst_analysis_open(w, o, key, r, (spent ? spent->value << WHAT_BITS : 0) | what,
			      is_first);
}

int lkst_analysis_close_nested(struct lkst_analysis_state *w, struct lkst_tally *tally, struct lkst_pending *o,
			   struct lkst_pending_entry *entry, u64 key, const struct lkst_record *r)
{
	u64 ns = r->ns - entry->start_ns, within_ns;
	struct lkst_pending_entry *spent;
	int got;

	w->nested.max = LKST_TID_MAX;
	got = lkst_pending_put(&w->nested, lkst_analysis_thread_key(r), &spent);
	if (got < 0)
		return got;
	within_ns = got ? spent->value - (entry->value >> WHAT_BITS) : 0;
	within_ns = within_ns << WHAT_BITS >> WHAT_BITS;
	if (within_ns > ns)
		within_ns = ns;
	if (got)
		spent->value += ns - within_ns;
	return close_entry(w, tally, o, entry, key, r, LKST_GAP_TEST_ANY, within_ns);
}

/* ---- for analyses ---------------------------------------------------------------------------- */

bool lkst_analysis_is_whole(struct lkst_tally *tally, const struct lkst_interval *i, u64 key, int *err)
{
	u32 cpu = i->cpu < 0 ? 0 : (u32)i->cpu;
	enum lkst_left_out why = i->flags & LKST_INTERVAL_EARLIER   ? LKST_LEFT_OUT_NO_BEGIN
				 : i->flags & LKST_INTERVAL_CUT	    ? LKST_LEFT_OUT_GAP
				 : i->flags & LKST_INTERVAL_OPEN    ? LKST_LEFT_OUT_NOT_OVER
				 : i->flags & LKST_INTERVAL_NO_WAKE ? LKST_LEFT_OUT_NO_WAKE
								    : LKST_NR_LEFT_OUT;

	*err = why == LKST_NR_LEFT_OUT ? 0
				       : lkst_tally_leave_out(tally, why, key, i->life->tid, cpu);
	return why == LKST_NR_LEFT_OUT;
}

/* Whether a life is chosen by all but its name. */
static bool analysis_is_chosen(const struct lkst_analysis_state *w, const struct lkst_thread_life *life)
{
	const struct lkst_tally_options *which = &w->options->which;

	return (!which->has_tid || which->tid == life->tid) && (!which->has_pid || which->pid == life->pid) &&
	       (!which->cgroup || lkst_cgroups_match(lkst_model_cgroups(w->state),
						     lkst_model_cgroup(w->state, life), which->cgroup));
}

bool lkst_analysis_chooses(const struct lkst_analysis_state *w, const struct lkst_thread_life *life)
{
	const char *wanted = w->options->which.comm;
	char comm[sizeof(life->comm) + 1] = "";

	memcpy(comm, life->comm, sizeof(life->comm));
	return analysis_is_chosen(w, life) && (!wanted || (life->has_comm && !fnmatch(wanted, comm, 0)));
}

bool lkst_analysis_chooses_life(const struct lkst_analysis_state *w, const struct lkst_thread_life *life)
{
	const char *wanted = w->options->which.comm;

	return analysis_is_chosen(w, life) && (!wanted || lkst_model_was_called(w->state, life, wanted));
}

void lkst_analysis_put_cgroup(const struct lkst_analysis_state *w, struct lkst_table *table, u64 id)
{
	const struct lkst_cgroups *cgroups = lkst_model_cgroups(w->state);
	const char *container = lkst_cgroups_container(cgroups, id);
	char text[LKST_CGROUP_TEXT];

	if (container[0])
		lkst_table_str(table, container);
	else
		lkst_table_none(table);
	if (id)
		lkst_table_str(table, lkst_cgroups_text(cgroups, id, text));
	else
		lkst_table_none(table);
}

bool lkst_analysis_want(struct lkst_analysis_state *w, enum lkst_event_index index, lkst_feed_call *call,
		    int *err)
{
	int got;

	if (*err < 0)
		return false;
	got = lkst_feed_event(w->feed, index, call, w);
	if (got < 0)
		*err = got;
	return got > 0;
}

/* ---- asking ---------------------------------------------------------------------------------- */

struct lkst_analysis_run {
	struct lkst_analysis_options options;
	struct lkst_feed *feed;
	struct lkst_model *state;
	struct lkst_gap_test *gap_test;
	struct lkst_unrecorded *unrecorded;
	struct lkst_limited *limited;
	struct lkst_threads *threads;
	struct lkst_labels labels;
	struct lkst_symbols *symbols;
	unsigned int nr;
	struct lkst_analysis_state **works;
	struct lkst_tables *tables;
	bool *has_begun;
	struct lkst_table list;
};

static int analysis_begin_work(struct lkst_analysis_run *s, unsigned int i, const struct lkst_analysis *a)
{
	bool calls[LKST_EVENT_SPACE] = { false };
	struct lkst_analysis_state *w = calloc(1, a->size);
	int got;

	if (!w)
		return -ENOMEM;
	s->works[i] = w;
	w->analysis = a;
	w->feed = s->feed;
	w->state = s->state;
	w->threads = s->threads;
	w->labels = &s->labels;
	w->symbols = s->symbols;
	w->gap_test = s->gap_test;
	w->unrecorded = s->unrecorded;
	w->limited = s->limited;
	w->options = &s->options;
	w->list = s->options.list ? &s->list : NULL;
	w->along = s->options.along ? &s->options.along[i] : NULL;
	lkst_feed_watch(s->feed, w->wants);
	got = a->begin(w);
	lkst_feed_watch(s->feed, NULL);
	lkst_limited_match(s->limited, "*syscall_*", calls);
	if (got >= 0 && (lkst_limited_times_of(s->limited, w->wants, &w->lacks) ||
			 lkst_limited_times_of(s->limited, calls, &w->lacks_calls)))
		got = -ENOMEM;
	/* The state model knows nothing of threads without it. */
	if (a->needs_state)
		w->wants[lkst_feed_id(s->feed, LKST_EV_sched_switch)] = true;
	s->has_begun[i] = got > 0;
	return got < 0 ? got : 0;
}

static int analysis_make(struct lkst_err *e, struct lkst_analysis_run *s, struct lkst_trace *t,
			 const struct lkst_analysis *const *analyses)
{
	bool needs_state = s->options.needs_state;
	unsigned int i;
	int err = lkst_feed_new(e, t, &s->feed);

	if (err)
		return err;
	lkst_feed_limit(s->feed, s->options.from_ns, s->options.to_ns);
	for (i = 0; i < s->nr; i++)
		needs_state |= analyses[i]->needs_state;
	err = lkst_feed_threads(s->feed, s->threads) ?: lkst_labels_subscribe(&s->labels, s->feed)
	      ?: lkst_unrecorded_new(s->feed, &s->unrecorded);
	if (err)
		return lkst_err_sys(e, err, "analyzing");
	err = lkst_symbols_load(e, s->symbols, t) ?: lkst_limited_new(e, t, &s->limited);
	if (err)
		return err;
	err = lkst_gap_test_new(e, s->feed, &s->gap_test);
	if (!err && needs_state)
		err = lkst_model_new(e, s->feed, &s->state);
	if (!err && needs_state)
		lkst_model_know_cgroups(s->state, s->threads);
	for (i = 0; i < s->nr && !err; i++) {
		err = analysis_begin_work(s, i, analyses[i]);
		if (err)
			lkst_err_sys(e, err, "analysis %s", analyses[i]->name);
	}
	return err;
}

int lkst_analysis_run_new(struct lkst_err *e, struct lkst_trace *t, const struct lkst_analysis_options *options,
		   const struct lkst_analysis *const *analyses, unsigned int nr,
		   struct lkst_analysis_run **ret_study)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *s = calloc(1, sizeof(*s));
	static const struct lkst_column nothing[] = { { "key", "key", LKST_COLUMN_TEXT, "" } };
	int err;

	assert(!options->list || nr == 1);
	if (!s)
		return lkst_err_sys(e, -ENOMEM, "analyzing");
	s->options = *options;
	s->works = calloc(nr + 1, sizeof(struct lkst_analysis_state *));
	s->tables = calloc(nr + 1, sizeof(*s->tables));
	s->has_begun = calloc(nr + 1, sizeof(*s->has_begun));
	s->threads = lkst_threads_new();
	s->symbols = lkst_symbols_new();
	if (!s->works || !s->tables || !s->has_begun || !s->threads || !s->symbols)
		return lkst_err_sys(e, -ENOMEM, "analyzing");
	s->nr = nr;
	if (options->list)
		lkst_table_init(&s->list, analyses[0]->name, analyses[0]->title, nothing, 1);
	err = analysis_make(e, s, t, analyses);
	if (err)
		return err;
	*ret_study = lkst_take(s);
	return 0;
}

static void free_work(struct lkst_analysis_state *w)
{
	unsigned int i;

	if (!w)
		return;
	if (w->analysis->fini)
		w->analysis->fini(w);
	for (i = 0; i < w->nr_tallies; i++)
		lkst_tally_fini(&w->tallies[i]);
	for (i = 0; i < LKST_ANALYSIS_PENDING; i++)
		lkst_pending_fini(&w->pending[i]);
	lkst_pending_fini(&w->nested);
	lkst_notes_fini(&w->notes);
	lkst_limited_times_fini(&w->lacks);
	lkst_limited_times_fini(&w->lacks_calls);
	free(w);
}

void lkst_analysis_run_free(struct lkst_analysis_run *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->nr; i++) {
		free_work(s->works[i]);
		lkst_tables_fini(&s->tables[i]);
	}
	free(s->works);
	free(s->tables);
	free(s->has_begun);
	lkst_table_fini(&s->list);
	lkst_model_free(s->state);
	lkst_gap_test_free(s->gap_test);
	lkst_unrecorded_free(s->unrecorded);
	lkst_limited_free(s->limited);
	lkst_threads_free(s->threads);
	lkst_labels_fini(&s->labels);
	lkst_symbols_free(s->symbols);
	lkst_feed_free(s->feed);
	free(s);
}

/* What has begun and not ended, and what there was no room for. */
static void leave_out_open(struct lkst_analysis_state *w)
{
	unsigned int k;

	for (k = 0; k < LKST_ANALYSIS_PENDING; k++) {
		const struct lkst_pending *o = &w->pending[k];
		const struct lkst_pending_entry *entry;
		struct lkst_tally *t;
		u32 i = 0;

		if (w->tally_of[k] >= w->nr_tallies)
			continue;
		t = &w->tallies[w->tally_of[k]];
		while ((entry = lkst_pending_next(o, &i)))
			lkst_tally_leave_out_any(t, LKST_LEFT_OUT_NOT_OVER, entry->tid, entry->cpu);
		t->left_out.nr[LKST_LEFT_OUT_FULL] += o->nr_refused;
	}
}

/* The note for an analysis that was asked to be limited in a way that it cannot be. */
static void note_ignored(struct lkst_analysis_state *w)
{
	const struct lkst_tally_options *which = &w->options->which;
	const struct {
		unsigned int flag;
		bool is_asked;
		const char *option;
	} options[] = {
		{ LKST_IGNORES_TID, which->has_tid, "--tid" },
		{ LKST_IGNORES_TID, which->has_pid, "--pid" },
		{ LKST_IGNORES_COMM, which->comm != NULL, "--comm" },
		{ LKST_IGNORES_COMM, which->cgroup != NULL, "--cgroup" },
		{ LKST_IGNORES_CPU, which->has_cpu, "--cpu" },
		{ LKST_IGNORES_KEY, which->key != NULL, "--key" },
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_asked && w->analysis->ignores & options[i].flag)
			lkst_notes_add(&w->notes, "%s does not limit %s: this is of all.",
				       options[i].option, w->analysis->name);
	if (which->span && !w->analysis->heeds_spans)
		lkst_notes_add(&w->notes, "--span does not limit %s: this is of all.", w->analysis->name);
}

void lkst_analysis_window(const struct lkst_analysis_state *w, u64 *ret_from_ns, u64 *ret_to_ns)
{
	u64 begin_ns, end_ns;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, ret_from_ns, ret_to_ns);
	if (*ret_from_ns < begin_ns)
		*ret_from_ns = begin_ns;
	if (*ret_to_ns > end_ns)
		*ret_to_ns = end_ns;
}

const char lkst_interrupts[] = "irq_handler_* softirq_* local_timer_* reschedule_* call_function_*";

/* What the state model rests on, as such patterns. */
static const char model_events[] = "sched_* *syscall_* page_fault_* contention_* block_rq_* workqueue_* irq_handler_* "
				   "softirq_* tasklet_* timer_expire_* hrtimer_expire_* local_timer_* reschedule_* "
				   "call_function_*";

/* The same, with what may be missing of it since something was left out just before it, or just after. */
static void window_of_limit(const struct lkst_analysis_state *w, u64 *ret_from_ns, u64 *ret_to_ns)
{
	lkst_analysis_window(w, ret_from_ns, ret_to_ns);
	*ret_from_ns = *ret_from_ns > LKST_LIMITED_SLACK_NS ? *ret_from_ns - LKST_LIMITED_SLACK_NS : 0;
	*ret_to_ns += LKST_LIMITED_SLACK_NS;
}

bool lkst_analysis_lacks(const struct lkst_analysis_state *w, const char *patterns)
{
	bool wants[LKST_EVENT_SPACE] = { false };
	u64 from_ns, to_ns;

	lkst_limited_match(w->limited, patterns, wants);
	window_of_limit(w, &from_ns, &to_ns);
	return lkst_limited_is(w->limited, wants, from_ns, to_ns, NULL);
}

bool lkst_analysis_is_without(const struct lkst_analysis_state *w, enum lkst_event_index index, u64 from_ns, u64 to_ns)
{
	const u32 id = lkst_feed_id(w->feed, index);

	return id && lkst_limited_crosses(w->limited, id, from_ns, to_ns);
}

/* Whether some of these events may be missing in that time. */
static bool lacks_in(const struct lkst_analysis_state *w, const enum lkst_event_index *list, size_t nr, u64 from_ns,
		     u64 to_ns)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (lkst_analysis_is_without(w, list[i], from_ns, to_ns))
			return true;
	return false;
}

u8 lkst_analysis_cause(const struct lkst_analysis_state *w, const struct lkst_interval *i)
{
	static const enum lkst_event_index faults[] = { LKST_EV_page_fault_user, LKST_EV_page_fault_kernel,
							LKST_EV_page_fault_exit },
					   requests[] = { LKST_EV_block_rq_insert, LKST_EV_block_rq_issue,
							  LKST_EV_block_rq_complete, LKST_EV_softirq_entry,
							  LKST_EV_irq_handler_entry, LKST_EV_local_timer_entry,
							  LKST_EV_reschedule_entry, LKST_EV_call_function_entry,
							  LKST_EV_call_function_single_entry };
	const struct lkst_wait *x = i->wait;
	const bool may_be_disk = i->waker && i->waker->context != LKST_CONTEXT_THREAD;

	if (lkst_analysis_is_without(w, LKST_EV_contention_begin, i->from_ns, i->to_ns))
		return LKST_CAUSE_UNKNOWN;
	if (may_be_disk && (i->waker->context == LKST_CONTEXT_UNKNOWN ||
			    lacks_in(w, requests, sizeof(requests) / sizeof(requests[0]), i->from_ns, i->to_ns)))
		return LKST_CAUSE_UNKNOWN;
	if (i->life->is_kernel)
		return lkst_analysis_is_without(w, LKST_EV_workqueue_execute_start, 0, i->to_ns) ? LKST_CAUSE_UNKNOWN
												 : x->cause;
	/* What it is in may have begun long before it waits. */
	if (lacks_in(w, faults, sizeof(faults) / sizeof(faults[0]), x->call.from_ns, i->to_ns))
		return LKST_CAUSE_UNKNOWN;
	if ((x->call.nr < 0 || x->call.may_be_over) && w->lacks_calls.nr &&
	    lkst_limited_times_since(&w->lacks_calls, x->call.from_ns, i->to_ns) != UINT64_MAX)
		return LKST_CAUSE_UNKNOWN;
	return x->cause;
}

/* What may run within a context, and begin and end there. */
static const struct {
	u8 context;
	enum lkst_event_index entry;
} within[] = {
	{ LKST_CONTEXT_IRQ, LKST_EV_irq_handler_entry },
	{ LKST_CONTEXT_VECTOR, LKST_EV_local_timer_entry },
	{ LKST_CONTEXT_VECTOR, LKST_EV_reschedule_entry },
	{ LKST_CONTEXT_VECTOR, LKST_EV_call_function_entry },
	{ LKST_CONTEXT_VECTOR, LKST_EV_call_function_single_entry },
	{ LKST_CONTEXT_SOFTIRQ, LKST_EV_softirq_entry },
	{ LKST_CONTEXT_TASKLET, LKST_EV_tasklet_entry },
	{ LKST_CONTEXT_TIMER, LKST_EV_timer_expire_entry },
	{ LKST_CONTEXT_HRTIMER, LKST_EV_hrtimer_expire_entry },
};

/* Interrupts keep other interrupts off, and the functions of timers run within them. */
static bool may_contain(u8 outer, u8 inner)
{
	switch (outer) {
	case LKST_CONTEXT_IRQ:
	case LKST_CONTEXT_VECTOR:
		return inner == LKST_CONTEXT_HRTIMER;
	case LKST_CONTEXT_SOFTIRQ:
		return inner != LKST_CONTEXT_SOFTIRQ;
	default:
		return inner == LKST_CONTEXT_IRQ || inner == LKST_CONTEXT_VECTOR || inner == LKST_CONTEXT_HRTIMER;
	}
}

bool lkst_analysis_may_contain_more(const struct lkst_analysis_state *w, const struct lkst_irq_context *f)
{
	size_t i;

	for (i = 0; i < sizeof(within) / sizeof(within[0]); i++)
		if (may_contain(f->context, within[i].context) &&
		    lkst_analysis_is_without(w, within[i].entry, f->from_ns, f->to_ns))
			return true;
	return false;
}

/*
 * Notes what the cost limit left out of the events that @w rests on, its own and, @with_model, the state model's;
 * false: nothing. @notes may be NULL.
 */
static bool analysis_note_limited(const struct lkst_analysis_state *w, bool with_model, struct lkst_notes *notes)
{
	bool wants[LKST_EVENT_SPACE];
	u64 from_ns, to_ns;

	memcpy(wants, w->wants, sizeof(wants));
	lkst_limited_match(w->limited, w->analysis->events, wants);
	if (with_model)
		lkst_limited_match(w->limited, model_events, wants);
	window_of_limit(w, &from_ns, &to_ns);
	if (!notes)
		return lkst_limited_is(w->limited, wants, from_ns, to_ns, NULL);
	return lkst_limited_note(w->limited, wants, from_ns, to_ns, notes);
}

void lkst_analysis_run_missing(struct lkst_analysis_run *s, unsigned int i,
			       struct lkst_notes *notes)
{
	const struct lkst_analysis_state *w = s->works[i];

	if (s->has_begun[i]) {
		lkst_unrecorded_note(s->unrecorded, w->wants, notes);
		analysis_note_limited(w, w->analysis->rests_on_model, notes);
	} else {
		lkst_notes_add(
			notes,
			"The trace cannot have the events that %s needs; it would have to be "
			"recorded with these: %s.",
			w->analysis->name, w->analysis->events);
	}
}

/* The note for an analysis whose events are not there. */
static void analysis_note(struct lkst_analysis_run *s, unsigned int i)
{
	struct lkst_analysis_state *w = s->works[i];

	if (s->has_begun[i])
		note_ignored(w);
	lkst_analysis_run_missing(s, i, &w->notes);
	if (!s->has_begun[i])
		return;
	if (w->analysis->needs_state && lkst_model_nr_further(s->state))
		lkst_notes_add(&w->notes,
			       "There are %llu threads. The first %u are distinguished, the others are counted "
			       "together, as \"further threads\", thread -1.",
			       (unsigned long long)(LKST_LIVES_MAX +
						    lkst_model_nr_further(s->state)),
			       LKST_LIVES_MAX);
	if (w->list && !w->nr_tallies)
		lkst_notes_add(&w->notes, "%s has no single values to list.", w->analysis->name);
}

static bool analysis_has_word(const char *words, const char *word)
{
	const size_t length = strlen(word);
	const char *p;

	for (p = words; p && (p = strstr(p, word)); p += length)
		if ((p == words || p[-1] == ' ') && (!p[length] || p[length] == ' '))
			return true;
	return false;
}

/* Whether what the column says is of all occurrences, and is neither more nor less where some are missing. */
static bool is_of_all(const struct lkst_column *column)
{
	return column->type == LKST_COLUMN_PERCENT || column->type == LKST_COLUMN_RATIO ||
	       (column->name && analysis_has_word("mean p50 p95 p99 p99_9", column->name));
}

/* Some of what @t rests on is missing: takes out what is then no bound, and marks greatest numbers. */
static void limit_table(const struct lkst_analysis *a, struct lkst_table *t)
{
	unsigned int i;
	size_t row;

	t->is_at_least = true;
	/* How many there are of something at a time is then too low, so that it is counted in another row. */
	if (t->kind == LKST_TABLE_HISTOGRAM && t->columns[0].type == LKST_COLUMN_COUNT)
		lkst_table_cut(t, 0);
	for (i = 0; i < t->nr_columns; i++) {
		const struct lkst_column *column = &t->columns[i];
		const bool is_gone = is_of_all(column) && !(column->name && analysis_has_word(a->exact, column->name));
		const bool is_most = column->name && analysis_has_word(a->at_most, column->name);

		for (row = 0; row < t->nr_rows; row++) {
			struct lkst_cell *cell = &t->cells[row * t->nr_columns + i];

			cell->is_set &= !is_gone;
			cell->is_at_most |= cell->is_set && is_most;
		}
	}
}

/* Puts the notes below the first table, which is made if the analysis has none. */
static int place_notes(struct lkst_analysis_run *s, unsigned int i)
{
	static const struct lkst_column columns[] = { { "key", "key", LKST_COLUMN_TEXT, "" } };
	struct lkst_analysis_state *w = s->works[i];
	struct lkst_tables *set = &s->tables[i];
	struct lkst_notes *notes;
	unsigned int k;

	if (!w->list && !set->nr &&
	    !lkst_tables_add(set, w->analysis->name, w->analysis->title, columns, 1))
		return -ENOMEM;
	notes = w->list ? &w->list->notes : &set->items[0]->notes;
	if (s->has_begun[i] && !w->analysis->has_shares &&
	    analysis_note_limited(w, w->analysis->rests_on_model, notes)) {
		for (k = 0; k < set->nr; k++)
			if (!analysis_has_word(w->analysis->own_tables, set->items[k]->name) ||
			    analysis_note_limited(w, false, NULL))
				limit_table(w->analysis, set->items[k]);
		if (w->list)
			w->list->is_at_least = true;
		else
			lkst_notes_add(notes, "So shares, rates, means and percentiles are not told.");
	}
	if (!w->list && !w->nr_tallies && s->has_begun[i])
		lkst_left_out_put(&w->left_out, set->items[0]);
	for (k = 0; k < w->notes.nr; k++)
		lkst_notes_add(notes, "%s", w->notes.text[k]);
	return 0;
}

static int end_work(struct lkst_analysis_run *s, unsigned int i)
{
	struct lkst_analysis_state *w = s->works[i];
	struct lkst_tables *set = &s->tables[i];
	unsigned int k;
	int err = 0;

	leave_out_open(w);
	for (k = 0; s->has_begun[i] && k < w->nr_tallies && !w->list && !err; k++)
		err = lkst_tally_tables(&w->tallies[k], set);
	if (!err && s->has_begun[i] && w->analysis->end)
		err = w->analysis->end(w, set);
	if (!err && w->list && w->nr_tallies)
		lkst_left_out_put(&w->tallies[0].left_out, w->list);
	analysis_note(s, i);
	return err ? err : place_notes(s, i);
}

struct lkst_feed *lkst_analysis_run_feed(const struct lkst_analysis_run *s)
{
	return s->feed;
}

struct lkst_model *lkst_analysis_run_model(const struct lkst_analysis_run *s)
{
	return s->state;
}

const struct lkst_threads *lkst_analysis_run_threads(const struct lkst_analysis_run *s)
{
	return s->threads;
}

const struct lkst_labels *lkst_analysis_run_labels(const struct lkst_analysis_run *s)
{
	return &s->labels;
}

struct lkst_symbols *lkst_analysis_run_symbols(const struct lkst_analysis_run *s)
{
	return s->symbols;
}

int lkst_analysis_run_pass(struct lkst_err *e, struct lkst_analysis_run *s)
{
	unsigned int i;
	int err = lkst_feed_run(e, s->feed);

	if (err)
		return err;
	lkst_unrecorded_end(s->unrecorded);
	for (i = 0; i < s->nr && !err; i++)
		err = end_work(s, i);
	if (!err && s->options.list)
		err = lkst_table_end(&s->list);
	return err ? lkst_err_sys(e, err, "analyzing") : 0;
}

struct lkst_tally *lkst_analysis_run_tally(const struct lkst_analysis_run *s, unsigned int i)
{
	return i < s->nr && s->has_begun[i] && s->works[i]->nr_tallies ? &s->works[i]->tallies[0] : NULL;
}

const struct lkst_tables *lkst_analysis_run_tables(const struct lkst_analysis_run *s, unsigned int i)
{
	return i < s->nr ? &s->tables[i] : NULL;
}

const struct lkst_table *lkst_analysis_run_list(const struct lkst_analysis_run *s)
{
	return s->options.list ? &s->list : NULL;
}
