/* SPDX-License-Identifier: GPL-2.0-only */
/* A window of a trace: its records in order, and the lists of places by thread and by CPU. */
#include "analyze/why/excerpt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "analyze/engine/error_chain.h"
#include "analyze/why/recent.h"
#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/known/threads_before.h"

/* ---- loading ---------------------------------------------------------------------- */

/* The field of @c that has the program's stack; NULL: it has none. Handlers declare such events. */
static const struct lkst_field_class *stack_of(const struct lkst_event_class *c)
{
	unsigned int i;

	for (i = 0; c->group == LKST_GROUP_HANDLER && i < c->nr_fields; i++)
		if (c->fields[i].type == LKST_CLASS_WORDS && c->fields[i].size == sizeof(u64) &&
		    c->fields[i].meaning == LKST_MEANING_ADDR)
			return &c->fields[i];
	return NULL;
}

static void classify(struct lkst_excerpt *w)
{
	const struct lkst_event_class *c;
	const struct lkst_event_desc *desc;
	unsigned int id;

	for (id = 0; id <= LKST_ID_MAX; id++) {
		w->kind_of[id] = LKST_EVENT_REF_NONE;
		c = w->catalog->classes[id];
		if (!c)
			continue;
		if (lkst_error_is_return(c))
			w->kind_of[id] = LKST_EVENT_REF_RETURN;
		if (stack_of(c))
			w->kind_of[id] = LKST_EVENT_REF_STACK;
		desc = c->index >= 0 ? &lkst_events[c->index] : NULL;
		if (lkst_class_call(c))
			w->kind_of[id] = c->half == LKST_HALF_ENTRY ? LKST_EVENT_REF_ENTRY : LKST_EVENT_REF_EXIT;
		if (!desc || !desc->is_for_why)
			continue;
		w->kind_of[id] = (u16)c->index;
		w->target_of[id] = lkst_class_field(c, desc->target);
	}
}

static int excerpt_make_room(struct lkst_excerpt *w)
{
	int r = lkst_recent_room(&w->moments, &w->nr, &w->room, w->max, sizeof(*w->moments));

	if (r > 0)
		w->from_ns = w->moments[0].ns;
	return r < 0 ? r : 0;
}

static void excerpt_note_gaps(struct lkst_excerpt *w, struct lkst_merge *m)
{
	struct lkst_gap gap;

	while (lkst_merge_gap(m, &gap) > 0)
		if (lkst_buffer_is_of_kernel(gap.buffer))
			lkst_gaps_add(&w->gaps, &gap);
}

/* Takes in what @r says of the frequencies that a CPU's clock can have. -ENOMEM or 0. */
static int take_clock(struct lkst_excerpt *w, const struct lkst_record *r)
{
	const bool is_state = r->event->index == LKST_EV_state_frequency;
	const struct lkst_field_class *cpu, *khz;
	s64 nr;
	u32 *max;

	if (!is_state && r->event->index != LKST_EV_cpu_frequency)
		return 0;
	cpu = lkst_class_field(r->event, is_state ? "frequency_cpu" : "target_cpu");
	khz = lkst_class_field(r->event, is_state ? "max_khz" : "khz");
	nr = cpu ? (s32)lkst_record_int(r, cpu) : -1;
	if (nr < 0 || nr >= LKST_WINDOW_CPUS_MAX || !khz)
		return 0;
	max = lkst_vec_reach(w->max_khz, w->nr_max_khz, (u32)nr);
	if (!max)
		return -ENOMEM;
	if (lkst_record_int(r, khz) > *max)
		*max = (u32)lkst_record_int(r, khz);
	return 0;
}

/* What is known of threads and of their code. */
static int excerpt_take_in(void *ctx, const struct lkst_record *r)
{
	struct lkst_excerpt *w = ctx;

	return lkst_threads_feed(w->threads, r) ?: lkst_mappings_feed(w->mappings, r);
}

static int excerpt_take(struct lkst_excerpt *w, const struct lkst_record *r)
{
	const struct lkst_field_class *target;

	/* Code is named when all is read: that of a process which has ended by then, too. */
	if ((r->event->index == LKST_EV_sched_process_free ? lkst_threads_feed(w->threads, r)
							   : excerpt_take_in(w, r)) ||
	    lkst_labels_feed(&w->labels, r) || take_clock(w, r) || excerpt_make_room(w))
		return -ENOMEM;
	w->has_samples |= r->event->index == LKST_EV_sample;
	if (w->kind_of[r->event->id] == LKST_EVENT_REF_NONE || r->cpu > UINT16_MAX)
		return 0;
	target = w->target_of[r->event->id];
	w->moments[w->nr++] = (struct lkst_event_ref){
		.ns = r->ns,
		.bytes = r->bytes,
		.tid = r->tid,
		.target = target ? (s32)lkst_record_int(r, target) : 0,
		.cpu = (u16)r->cpu,
		.id = r->event->id,
		.size = r->size,
	};
	return 0;
}

static int excerpt_load(struct lkst_err *e, struct lkst_excerpt *w, u64 from_ns, u64 to_ns)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	bool has_names = false;
	struct lkst_record r;
	int err;

	err = lkst_merge_new(e, w->trace, from_ns, to_ns, &m);
	while (!err && lkst_merge_next(m, &r) > 0) {
		excerpt_note_gaps(w, m);
		/* The state stream comes first; it is younger than what was before the window. */
		if (!has_names && r.event->group != LKST_GROUP_STATE) {
			has_names = true;
			err = lkst_feed_before(e, w->trace, w->from_ns, excerpt_take_in, w);
		}
		if (!err)
			err = excerpt_take(w, &r);
	}
	if (m)
		excerpt_note_gaps(w, m);
	if (err == -ENOMEM)
		lkst_err_sys(e, err, "loading the records of the interval");
	return err;
}

/* ---- the lists of places ---------------------------------------------------------- */

/* The list of kinds that @kind is in. What happens to requests is in one, in order. */
static u32 list_of_kind(u16 kind)
{
	return kind == LKST_EV_block_rq_insert || kind == LKST_EV_block_rq_issue
		       ? LKST_EV_block_rq_complete
		       : kind;
}

/* System calls are most of all, and nobody looks for them, and what is in them, without a thread. */
static bool has_list(u16 kind)
{
	return kind != LKST_EVENT_REF_ENTRY && kind != LKST_EVENT_REF_EXIT &&
	       kind != LKST_EVENT_REF_RETURN && kind != LKST_EVENT_REF_STACK;
}

/* Counts moment @i in each list that it is in. The idle thread is of no interest and has many. */
static int count_moment(struct lkst_excerpt *w, u32 i)
{
	const struct lkst_event_ref *m = &w->moments[i];
	u16 kind = lkst_event_ref_kind(w, i);

	if (lkst_places_count(&w->by_cpu, m->cpu))
		return -ENOMEM;
	if (m->cpu >= w->nr_cpus)
		w->nr_cpus = m->cpu + 1;
	if (has_list(kind) && lkst_places_count(&w->by_kind, list_of_kind(kind)))
		return -ENOMEM;
	if (m->tid > 0 && lkst_places_count(&w->by_thread, (u32)m->tid))
		return -ENOMEM;
	return m->target > 0 && m->target != m->tid ? lkst_places_count(&w->by_thread, (u32)m->target) : 0;
}

static void excerpt_put_moment(struct lkst_excerpt *w, u32 i)
{
	const struct lkst_event_ref *m = &w->moments[i];
	u16 kind = lkst_event_ref_kind(w, i);

	lkst_places_put(&w->by_cpu, m->cpu, i);
	if (has_list(kind))
		lkst_places_put(&w->by_kind, list_of_kind(kind), i);
	if (m->tid > 0)
		lkst_places_put(&w->by_thread, (u32)m->tid, i);
	if (m->target > 0 && m->target != m->tid)
		lkst_places_put(&w->by_thread, (u32)m->target, i);
}

static int excerpt_make_lists(struct lkst_excerpt *w)
{
	u32 i;

	for (i = 0; i < w->nr; i++)
		if (count_moment(w, i))
			return -ENOMEM;
	if (lkst_places_lay_out(&w->by_thread) || lkst_places_lay_out(&w->by_cpu) ||
	    lkst_places_lay_out(&w->by_kind))
		return -ENOMEM;
	for (i = 0; i < w->nr; i++)
		excerpt_put_moment(w, i);
	return 0;
}

/* What the threads did, by the state model and by samples. */
static int load_states(struct lkst_err *e, struct lkst_excerpt *w, u64 to_ns,
		       struct lkst_code_namer namer)
{
	int err = lkst_state_intervals_new(e, w->trace, w->from_ns, to_ns, w->max, &w->states);

	if (err)
		return err;
	if (w->from_ns < w->states->from_ns)
		w->from_ns = w->states->from_ns;
	return w->has_samples ? lkst_running_new(e, w->trace, w->from_ns, to_ns, w->symbols, namer,
						 w->threads, &w->running)
			      : 0;
}

/* Those that several excerpts have, or its own. */
static int get_files(struct lkst_excerpt *w, struct lkst_call_files *files, u64 to_ns)
{
	w->files = files ? lkst_call_files_hold(files) : lkst_call_files_new(w->trace);
	if (!w->files)
		return -ENOMEM;
	return files ? 0 : lkst_call_files_want(w->files, w->from_ns, to_ns);
}

int lkst_excerpt_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		     const struct lkst_excerpt_options *o, struct lkst_excerpt **ret_window)
{
	static const struct lkst_excerpt_options usual;
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "loading the records of the interval");
	w->trace = t;
	w->catalog = lkst_trace_catalog(t);
	w->from_ns = from_ns;
	w->to_ns = to_ns;
	o = o ?: &usual;
	w->max = o->max ?: LKST_WINDOW_MAX;
	w->namer = o->namer;
	w->threads = lkst_threads_new();
	w->symbols = lkst_symbols_new();
	w->mappings = lkst_mappings_new();
	if (!w->threads || !w->symbols || !w->mappings || lkst_gaps_init(&w->gaps, LKST_WINDOW_GAPS_MAX))
		return lkst_err_sys(e, -ENOMEM, "loading the records of the interval");
	classify(w);
	err = lkst_mappings_load(e, w->mappings, t) ?:
	      excerpt_load(e, w, from_ns, to_ns) ?:
	      lkst_limited_new(e, t, &w->limited) ?:
	      lkst_symbols_load(e, w->symbols, t);
	if (err)
		return err;
	if (lkst_lacks_init(w->limited, w->catalog, &w->lacks) || excerpt_make_lists(w))
		return lkst_err_sys(e, -ENOMEM, "loading the records of the interval");
	err = load_states(e, w, to_ns, o->namer);
	if (err)
		return err;
	if (get_files(w, o->files, to_ns))
		return lkst_err_sys(e, -ENOMEM, "loading the records of the interval");
	*ret_window = lkst_take(w);
	return 0;
}

void lkst_excerpt_free(struct lkst_excerpt *w)
{
	if (!w)
		return;
	lkst_threads_free(w->threads);
	lkst_labels_fini(&w->labels);
	lkst_symbols_free(w->symbols);
	lkst_mappings_free(w->mappings);
	lkst_lacks_fini(&w->lacks);
	lkst_limited_free(w->limited);
	lkst_state_intervals_free(w->states);
	lkst_running_free(w->running);
	lkst_call_files_free(w->files);
	lkst_places_fini(&w->by_thread);
	lkst_places_fini(&w->by_cpu);
	lkst_places_fini(&w->by_kind);
	lkst_gaps_fini(&w->gaps);
	free(w->moments);
	free(w->max_khz);
	free(w);
}

/* ---- asking ----------------------------------------------------------------------- */

/* The record of a moment, as far as its fixed part goes: that much of it has been checked. */
static struct lkst_record record_of(const struct lkst_excerpt *w, const struct lkst_event_ref *m)
{
	const struct lkst_event_class *event = w->catalog->classes[m->id];

	return (struct lkst_record){ .event = event, .bytes = m->bytes, .size = event->size };
}

bool lkst_excerpt_may_be_over(const struct lkst_excerpt *w, u32 i, u64 ns)
{
	return lkst_limited_crosses(w->limited, w->moments[i].id, w->moments[i].ns, ns);
}

u64 lkst_event_ref_int(const struct lkst_excerpt *w, u32 i, const char *name)
{
	const struct lkst_event_ref *m = &w->moments[i];
	struct lkst_record r = record_of(w, m);
	const struct lkst_field_class *f = lkst_class_field(r.event, name);

	return f ? lkst_record_int(&r, f) : 0;
}

u32 lkst_event_ref_frames(const struct lkst_excerpt *w, u32 i, u64 *frames, u32 max)
{
	struct lkst_record r = record_of(w, &w->moments[i]);
	const struct lkst_field_class *f = stack_of(r.event);
	const u8 *bytes;
	u32 length, nr = 0;

	r.size = w->moments[i].size;
	bytes = f ? lkst_record_field(&r, (unsigned int)(f - r.event->fields), &length) : NULL;
	for (; bytes && nr < max && (nr + 1) * sizeof(u64) <= length; nr++)
		memcpy(&frames[nr], bytes + nr * sizeof(u64), sizeof(u64));
	return nr;
}

/* The field in which records of the scheduler have the call that their thread is in. */
static const char *call_field(u16 kind)
{
	return kind == LKST_EV_sched_switch			       ? "prev_call"
	       : kind == LKST_EV_sched_waking || kind == LKST_EV_tick ? "call"
								       : NULL;
}

const char *lkst_event_ref_call(const struct lkst_excerpt *w, u32 i)
{
	const struct lkst_event_class *c = w->catalog->classes[w->moments[i].id];
	const struct lkst_syscall *row = NULL;
	s64 number = lkst_event_ref_number(w, i);

	if (c->syscall >= 0)
		return lkst_syscalls[c->syscall].name;
	if (number >= 0)
		row = lkst_syscall_of_call(number, lkst_catalog_is_arm64(w->catalog));
	return row ? row->name : "a system call";
}

s64 lkst_event_ref_number(const struct lkst_excerpt *w, u32 i)
{
	const char *name = call_field(lkst_event_ref_kind(w, i));

	return name && lkst_class_field(w->catalog->classes[w->moments[i].id], name)
		       ? (s64)lkst_event_ref_int(w, i, name)
		       : -1;
}

u64 lkst_event_ref_arg(const struct lkst_excerpt *w, u32 i, u32 arg)
{
	struct lkst_record r = record_of(w, &w->moments[i]);
	const struct lkst_field_class *f = lkst_class_field(r.event, "prev_args");
	const u8 *bytes;
	u32 length;
	u64 value = 0;

	r.size = w->moments[i].size;
	bytes = f ? lkst_record_field(&r, (u16)(f - r.event->fields), &length) : NULL;
	if (bytes && length >= (arg + 1) * sizeof(value))
		memcpy(&value, bytes + arg * sizeof(value), sizeof(value));
	return value;
}

struct lkst_places_list lkst_excerpt_thread(const struct lkst_excerpt *w, s32 tid)
{
	return tid > 0 ? lkst_places_of(&w->by_thread, (u32)tid) : (struct lkst_places_list){ NULL, 0 };
}

struct lkst_places_list lkst_excerpt_cpu(const struct lkst_excerpt *w, u32 cpu)
{
	return lkst_places_of(&w->by_cpu, cpu);
}

struct lkst_places_list lkst_excerpt_kind(const struct lkst_excerpt *w, u16 kind)
{
	return lkst_places_of(&w->by_kind, list_of_kind(kind));
}

u32 lkst_excerpt_max_khz(const struct lkst_excerpt *w, u32 cpu)
{
	return cpu < w->nr_max_khz ? w->max_khz[cpu] : 0;
}

u32 lkst_moments_before_ns(const struct lkst_excerpt *w, struct lkst_places_list m, u64 ns)
{
	return lkst_lower_bound(i, m.nr, w->moments[m.at[i]].ns < ns);
}

const struct lkst_gap *lkst_excerpt_gap(const struct lkst_excerpt *w, u64 from_ns, u64 to_ns, s64 cpu)
{
	u32 i;

	for (i = 0; i < w->gaps.nr; i++) {
		const struct lkst_gap *gap = lkst_gaps_at(&w->gaps, i);

		if ((cpu < 0 || gap->cpu == cpu) && gap->from_ns < to_ns && gap->to_ns > from_ns)
			return gap;
	}
	return NULL;
}
