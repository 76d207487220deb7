/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass over a bundle's trace that finds which threads it has, and what is missing. */
#include "bundle/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/ledger/ledger.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "bundle/bundle_text.h"
#include "trace/known/descriptors_before.h"
#include "trace/known/threads.h"
#include "trace/read/ends.h"

enum { SURVEYED_THREADS_MAX = 1 << 20 };

/* What the pass finds out. */
struct survey_pass {
	struct lkst_bundle_survey *s;
	struct lkst_map seen; /* threads, by number */
	struct lkst_ledger ledger;
	struct lkst_out *out;			 /* the text of what is missing */
	struct lkst_descriptors_before *before; /* NULL: the state says nothing of descriptors */
};

/* ---- threads -------------------------------------------------------------------------------- */

static int survey_by_process(const void *a, const void *b)
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

static const char *survey_cgroup_of(const struct lkst_threads *threads, s32 tid)
{
	const struct lkst_cgroup *cgroup = lkst_cgroups_find(lkst_threads_cgroups(threads),
							     lkst_threads_cgroup_of(threads, tid));

	return cgroup ? cgroup->path : NULL;
}

/* Lists those of its threads that @seen has. */
static int survey_list_threads(struct lkst_bundle_survey *s, const struct lkst_map *seen)
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
		thread->cgroup = survey_cgroup_of(threads, t->tid);
		s->nr_threads++;
	}
	qsort(s->threads, s->nr_threads, sizeof(*s->threads), survey_by_process);
	return 0;
}

/* ---- what is missing ------------------------------------------------------------------------ */

static void tell_ending(struct lkst_out *out, const struct lkst_trace *t)
{
	if (lkst_trace_is_partial(t))
		lkst_out_printf(out,
				"end: the trace lacks something: its copying was broken off\n");
	if (lkst_trace_ending(t) != LKST_TRACE_COMPLETE)
		lkst_out_printf(out, "end: %s\n", lkst_trace_ending_text(lkst_trace_ending(t)));
}

static void end_losses(struct survey_pass *p, const struct lkst_trace *t)
{
	lkst_ledger_print_users(&p->ledger, p->out);
	tell_ending(p->out, t);
	if (!p->ledger.gaps_met && !p->ledger.lines_met)
		lkst_out_printf(p->out, "nothing is missing\n");
}

/* ---- the pass ------------------------------------------------------------------------------- */

static int survey_take_gaps(struct survey_pass *p, struct lkst_merge *m)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_merge_gap(m, &gap) > 0) {
		err = lkst_ledger_add_gap(&p->ledger, p->out, &gap);
		if (p->before)
			lkst_descriptors_before_gap(p->before, &gap);
	}
	return err;
}

static int survey_take(struct survey_pass *p, const struct lkst_record *r)
{
	struct lkst_bundle_survey *s = p->s;
	int err;

	s->records++;
	s->symbols += r->event->index == LKST_EV_state_symbol;
	err = lkst_threads_feed(s->known, r);
	if (!err && p->before)
		err = lkst_descriptors_before_feed(p->before, r);
	if (err || r->buffer == LKST_BUFFER_STATE)
		return err;
	s->begin_ns = s->end_ns ? s->begin_ns : r->ns;
	s->end_ns = r->ns;
	return note_thread(&p->seen, r->tid);
}

static int survey_walk(struct survey_pass *p, struct lkst_merge *m)
{
	struct lkst_record r;
	int err = 0, found;

	do {
		found = lkst_merge_next(m, &r);
		if (found > 0 && r.event->group == LKST_GROUP_STATE)
			err = lkst_ledger_add_record(&p->ledger, p->out, &r);
		err = err ?: survey_take_gaps(p, m);
		if (!err && found > 0)
			err = survey_take(p, &r);
	} while (!err && found > 0);
	return err;
}

static int survey_run(struct lkst_err *e, struct survey_pass *p, struct lkst_trace *t)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	int err = lkst_descriptors_before_new(e, t, p->s->known, &p->before)
			  ?: lkst_merge_new(e, t, 0, UINT64_MAX, &m);

	if (err)
		return err;
	err = survey_walk(p, m);
	if (!err && p->before)
		err = lkst_descriptors_before_end(p->before);
	err = err ?: survey_list_threads(p->s, &p->seen);
	if (err)
		return lkst_err_sys(e, err, "reading the trace");
	end_losses(p, t);
	return lkst_out_flush(p->out) ? lkst_err_sys(e, p->out->error, "reading the ledger") : 0;
}

int lkst_bundle_survey(struct lkst_err *e, struct lkst_trace *t,
		       struct lkst_bundle_survey *ret_survey)
{
	_cleanup_(lkst_bundle_survey_fini) struct lkst_bundle_survey s = { .known = lkst_threads_new() };
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct survey_pass p = { .s = &s, .seen = { .max = SURVEYED_THREADS_MAX }, .out = out };
	struct lkst_bundle_lines l;
	int err = s.known && out ? lkst_bundle_lines_begin(e, &l) : lkst_err_sys(e, -ENOMEM, "reading the trace");

	if (err)
		return err;
	lkst_out_init_stream(out, l.to);
	err = lkst_bundle_lines_end(e, &l, survey_run(e, &p, t), &s.losses);
	lkst_descriptors_before_free(p.before);
	lkst_ledger_fini(&p.ledger);
	lkst_map_fini(&p.seen);
	if (err)
		return err;
	*ret_survey = s;
	s = (struct lkst_bundle_survey){};
	return 0;
}

void lkst_bundle_survey_fini(struct lkst_bundle_survey *s)
{
	free(s->threads);
	free(s->losses.bytes);
	lkst_threads_free(s->known);
	*s = (struct lkst_bundle_survey){};
}
