/* SPDX-License-Identifier: GPL-2.0-only */
/* The moment that a bundle is of, and the account of what its thread waited for. */
#include "bundle/moment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/feed.h"
#include "analyze/why/why.h"
#include "analyze/why/worst.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/time.h"
#include "bundle/bundle_text.h"
#include "bundle/findings.h"
#include "print/account_text.h"
#include "trace/known/threads.h"

enum { UUID_TEXT = 33, SURVEYED_THREADS_MAX = 1 << 20 };

/* How much of the time before a moment is explained if nothing says when it began. */
#define LEAD_NS LKST_NS_PER_S

/* ---- the survey ----------------------------------------------------------------------------- */

static int by_process(const void *a, const void *b)
{
	const struct lkst_bundle_thread *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int note_thread(struct lkst_map *seen, s32 tid)
{
	int err = tid > 0 && !lkst_map_find(seen, (u64)tid) ? lkst_map_set(seen, (u64)tid, 1) : 0;

	return err == -ENOSPC ? 0 : err;
}

static const char *cgroup_of(const struct lkst_threads *threads, s32 tid)
{
	const struct lkst_cgroup *cgroup = lkst_cgroups_find(lkst_threads_cgroups(threads),
							     lkst_threads_cgroup_of(threads, tid));

	return cgroup ? cgroup->path : NULL;
}

/* Lists those of its threads that @seen has. */
static int list_threads(struct lkst_bundle_survey *s, const struct lkst_map *seen)
{
	const struct lkst_threads *threads = s->known;
	unsigned int i;

	s->threads = calloc(lkst_threads_nr(threads) + 1, sizeof(*s->threads));
	if (!s->threads)
		return -ENOMEM;
	for (i = 0; i < lkst_threads_nr(threads); i++) {
		const struct lkst_thread *t = lkst_threads_at(threads, i);
		struct lkst_bundle_thread *thread = &s->threads[s->nr_threads];

		if (t->tid <= 0 || !lkst_map_find(seen, (u64)t->tid))
			continue;
		thread->tid = t->tid;
		thread->pid = t->pid ?: t->tid;
		memcpy(thread->comm, t->comm, sizeof(thread->comm));
		thread->cgroup = cgroup_of(threads, t->tid);
		s->nr_threads++;
	}
	qsort(s->threads, s->nr_threads, sizeof(*s->threads), by_process);
	return 0;
}

static int walk(struct lkst_merge *m, struct lkst_threads *threads, struct lkst_map *seen,
		struct lkst_bundle_survey *s)
{
	struct lkst_record r;
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_merge_next(m, &r) > 0) {
		while (lkst_merge_gap(m, &gap) > 0)
			;
		s->records++;
		s->symbols += r.event->index == LKST_EV_state_symbol;
		err = lkst_threads_feed(threads, &r);
		if (err || r.buffer == LKST_BUFFER_STATE)
			continue;
		s->begin_ns = s->end_ns ? s->begin_ns : r.ns;
		s->end_ns = r.ns;
		err = note_thread(seen, r.tid);
	}
	return err;
}

int lkst_bundle_survey(struct lkst_err *e, struct lkst_trace *t,
		       struct lkst_bundle_survey *ret_survey)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_map seen = { .max = SURVEYED_THREADS_MAX };
	struct lkst_bundle_survey s = { .known = lkst_threads_new() };
	int err = s.known ? lkst_merge_new(e, t, 0, UINT64_MAX, &m)
			  : lkst_err_sys(e, -ENOMEM, "reading");

	if (!err) {
		err = walk(m, s.known, &seen, &s) ?: list_threads(&s, &seen);
		lkst_map_fini(&seen);
		if (err)
			lkst_err_sys(e, err, "reading the trace");
	}
	if (err) {
		lkst_bundle_survey_fini(&s);
		return err;
	}
	*ret_survey = s;
	return 0;
}

void lkst_bundle_survey_fini(struct lkst_bundle_survey *s)
{
	free(s->threads);
	lkst_threads_free(s->known);
	*s = (struct lkst_bundle_survey){};
}

/* ---- which moment it is --------------------------------------------------------------------- */

struct lkst_moment lkst_moment_of_incident(const struct lkst_catalog *c, u32 number,
					   const struct lkst_incident_cause *cause)
{
	const struct lkst_event_class *event =
		cause->id && cause->id <= LKST_ID_MAX ? c->classes[cause->id] : NULL;
	struct lkst_moment m = { .is_incident = true,
				 .number = number,
				 .trigger = cause->trigger,
				 .tid = cause->tid,
				 .at_ns = cause->ns,
				 .value = cause->value };

	snprintf(m.reason, sizeof(m.reason), "%.*s", (int)sizeof(cause->reason), cause->reason);
	snprintf(m.event, sizeof(m.event), "%s", event ? event->name : "");
	return m;
}

static void put_time(FILE *to, const char *key, u64 realtime_ns)
{
	struct lkst_time_text text;
	char time[LKST_TIME_ROOM];

	lkst_time_text_init(&text, LKST_TIME_UTC, 0);
	*lkst_put_time(time, &text, realtime_ns, 6) = 0;
	fprintf(to, "%s: %s\n", key, time);
}

/* A moment of the trace as the time of day, and by its clock. */
static void put_moment(FILE *to, const char *key, u64 ns, const struct lkst_catalog *c)
{
	if (!ns)
		return;
	put_time(to, key, ns + c->clock_offset_ns);
	fprintf(to, "%s-ns: %" PRIu64 "\n", key, ns);
}

static void put_incident(FILE *to, const struct lkst_moment *m)
{
	fprintf(to, "incident: %u\n", m->number);
	lkst_bundle_put_value(to, "reason", m->reason);
	if (m->trigger)
		fprintf(to, "trigger: %u\n", m->trigger);
	lkst_bundle_put_value(to, "event", m->event);
	if (m->tid > 0)
		fprintf(to, "thread: %d\n", m->tid);
	if (m->value)
		fprintf(to, "value: %" PRIu64 "\n", m->value);
}

int lkst_bundle_tell_moment(struct lkst_err *e, const struct lkst_moment *moment,
			    const struct lkst_trace *t, const struct lkst_bundle_survey *survey,
			    const char *made_by, struct lkst_bundle_text *ret_text)
{
	const struct lkst_catalog *c = lkst_trace_catalog(t);
	char uuid[UUID_TEXT];
	struct lkst_bundle_lines l;
	unsigned int i;
	int err = lkst_bundle_lines_begin(e, &l);

	if (err)
		return err;
	for (i = 0; i < 16; i++)
		snprintf(uuid + 2 * i, 3, "%02x", c->uuid[i]);
	fprintf(l.to, "bundle: %u\n", LKST_BUNDLE_VERSION);
	fprintf(l.to, "kind: %s\n", moment->is_incident ? "incident" : "snapshot");
	if (moment->is_incident)
		put_incident(l.to, moment);
	put_moment(l.to, "at", moment->at_ns ?: survey->end_ns, c);
	put_moment(l.to, "from", survey->begin_ns, c);
	put_moment(l.to, "to", survey->end_ns, c);
	fprintf(l.to, "recording: %s\n", uuid);
	fprintf(l.to, "records: %" PRIu64 "\n", survey->records);
	fprintf(l.to, "threads: %u\n", survey->nr_threads);
	fprintf(l.to, "symbols: %" PRIu64 "\n", survey->symbols);
	fprintf(l.to, "kernel-addresses: %s\n", c->has_hashed_addresses ? "hashes" : "as they are");
	put_time(l.to, "made", lkst_clock_ns(CLOCK_REALTIME));
	lkst_bundle_put_value(l.to, "made-by", made_by);
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}

static u64 number(const struct lkst_bundle_text *text, const char *key)
{
	char value[LKST_BUNDLE_VALUE_MAX];

	return lkst_bundle_value(text, key, value) ? strtoull(value, NULL, 10) : 0;
}

static void copy_value(const struct lkst_bundle_text *text, const char *key,
		       char value[LKST_MOMENT_TEXT])
{
	char whole[LKST_BUNDLE_VALUE_MAX];

	if (lkst_bundle_value(text, key, whole))
		snprintf(value, LKST_MOMENT_TEXT, "%.*s", LKST_MOMENT_TEXT - 1, whole);
}

void lkst_bundle_parse_moment(const struct lkst_bundle_text *text, struct lkst_moment *ret_moment)
{
	struct lkst_moment m = { .number = (u32)number(text, "incident"),
				 .trigger = (u32)number(text, "trigger"),
				 .at_ns = number(text, "at-ns"),
				 .value = number(text, "value") };
	const u64 tid = number(text, "thread");

	m.is_incident = m.number != 0;
	m.tid = tid <= INT32_MAX ? (s32)tid : 0;
	copy_value(text, "reason", m.reason);
	copy_value(text, "event", m.event);
	*ret_moment = m;
}

/* ---- why ------------------------------------------------------------------------------------ */

struct why {
	struct lkst_err *e;
	struct lkst_trace *t;
	struct lkst_out *out;
	u64 begin_ns, end_ns;
};

/* The account of a thread's time; that there is nothing of it is no error. */
static int explain(struct why *w, s32 tid, u64 from_ns, u64 to_ns)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *excerpt = NULL;
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	struct lkst_view_config config = { .out = w->out,
					   .catalog = lkst_trace_catalog(w->t),
					   .time = LKST_VIEW_DAY,
					   .begin_ns = w->begin_ns };
	int err =
		lkst_excerpt_new(w->e, w->t,
				 from_ns > LKST_WHY_LEAD_NS ? from_ns - LKST_WHY_LEAD_NS : 0,
				 to_ns + LKST_WHY_TAIL_NS, NULL, &excerpt)
			?: lkst_why_explain(w->e, excerpt, tid, from_ns, to_ns, LKST_WHY_DEPTH, &a);

	if (err == -ENOENT) {
		lkst_out_printf(w->out, "nothing is recorded of it\n");
		return 0;
	}
	if (err)
		return err;
	config.threads = excerpt->threads;
	config.symbols = excerpt->symbols;
	err = lkst_view_account(&config, a, LKST_ACCOUNT_AS_TEXT, false);
	return err ? lkst_err_sys(w->e, err, "explaining") : 0;
}

/* What the moment's thread did until then: since the interval began that the trigger measured, if it did. */
static int explain_moment(struct why *w, const struct lkst_moment *m)
{
	const u64 to_ns = m->at_ns < w->end_ns ? m->at_ns : w->end_ns;
	const u64 room_ns = to_ns > w->begin_ns ? to_ns - w->begin_ns : 0;
	u64 lead_ns = m->trigger && m->value && m->value <= room_ns ? m->value : LEAD_NS;

	if (m->tid <= 0 || !room_ns)
		return 0;
	if (lead_ns > room_ns)
		lead_ns = room_ns;
	lkst_out_printf(w->out, "## thread %d, the %.6f s before the moment\n", m->tid,
			lead_ns / 1e9);
	return explain(w, m->tid, to_ns - lead_ns, to_ns);
}

/* What is searched for. */
static const struct kind {
	enum lkst_worst_kind kind;
	const char *heading;
} kinds[] = {
	{ LKST_WORST_SYSCALL, "the longest system call" },
	{ LKST_WORST_IO, "the longest wait for a disk" },
	{ LKST_WORST_WAIT, "the longest wait of a program's thread" },
	{ LKST_WORST_READY, "the longest time ready without a CPU" },
};

enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct searches {
	struct lkst_worst_options options[NR_KINDS];
	struct lkst_worst_search *list[NR_KINDS];
};

static void searches_fini(struct searches *s)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		lkst_worst_search_free(s->list[i]);
}

/* All in one pass. */
static int search(struct why *w, struct searches *s)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *model = NULL;
	unsigned int i;
	int err = lkst_feed_new(w->e, w->t, &f) ?: lkst_model_new(w->e, f, &model);

	for (i = 0; i < NR_KINDS && !err; i++) {
		s->options[i] = (struct lkst_worst_options){ .kind = kinds[i].kind,
							     .from_ns = w->begin_ns,
							     .to_ns = w->end_ns,
							     .trace = w->t };
		err = lkst_worst_search_new(w->e, model, &s->options[i], &s->list[i]);
	}
	return err ? err : lkst_feed_run(w->e, f);
}

static int explain_worst(struct why *w)
{
	_cleanup_(searches_fini) struct searches s = {};
	struct lkst_worst worst;
	unsigned int i;
	int err = search(w, &s);

	for (i = 0; i < NR_KINDS && !err; i++) {
		lkst_out_printf(w->out, "## %s\n", kinds[i].heading);
		if (lkst_worst_search_result(s.list[i], &worst))
			err = explain(w, worst.tid, worst.from_ns, worst.to_ns);
		else
			lkst_out_printf(w->out, "none is recorded from begin to end\n");
		if (!err && worst.limited[0])
			lkst_out_printf(w->out, "another one may have taken longer: %s (the cost limit)\n",
					worst.limited);
	}
	return err;
}

int lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
			 struct lkst_bundle_text *ret_text)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct why w = { .e = e, .t = t, .out = out };
	struct lkst_bundle_lines l;
	int err = out ? lkst_bundle_lines_begin(e, &l) : lkst_err_sys(e, -ENOMEM, "explaining");

	if (err)
		return err;
	lkst_out_init_stream(out, l.to);
	lkst_trace_range(t, &w.begin_ns, &w.end_ns);
	err = lkst_bundle_put_findings(e, t, out) ?: explain_moment(&w, moment) ?: explain_worst(&w);
	if (!err && lkst_out_flush(out))
		err = lkst_err_sys(e, out->error, "explaining");
	return lkst_bundle_lines_end(e, &l, err, ret_text);
}
