/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of a bundle's moment: two passes over the trace, and a look at the time of each answer. */
#include "bundle/bundle_why.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "analyze/waiting/causes.h"
#include "analyze/why/why.h"
#include "analyze/why/worst.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "bundle/bundle_text.h"
#include "print/account_text.h"
#include "print/table_text.h"

/* How much of the time before a moment is explained if nothing says when it began. */
#define LEAD_NS LKST_NS_PER_S

/* The first tables of these are told. */
static const struct lkst_analysis *const analyses[] = { &lkst_analysis_waiting, &lkst_analysis_hung };
static const char *const headings[] = { LKST_CAUSES_HEADING, "what has not ended" };

enum { NR_ANALYSES = sizeof(analyses) / sizeof(analyses[0]) };

/* What is searched for. */
static const struct bundle_why_kind {
	enum lkst_worst_kind kind;
	const char *heading;
} kinds[] = {
	{ LKST_WORST_SYSCALL, "the longest system call" },
	{ LKST_WORST_IO, "the longest wait for a disk" },
	{ LKST_WORST_WAIT, "the longest wait of a program's thread" },
	{ LKST_WORST_READY, "the longest time ready without a CPU" },
};

enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* A thread's time that is to be explained; tid 0: there is nothing. */
struct bundle_why_question {
	s32 tid;
	u64 from_ns, to_ns;
};

struct bundle_why {
	struct lkst_err *e;
	struct lkst_trace *t;
	struct lkst_out *out;
	u64 begin_ns, end_ns;
	struct bundle_why_question moment;
	struct lkst_worst worst[NR_KINDS]; /* tid 0: there is none */
	struct lkst_call_files *files;	   /* of all that is explained */
};

/* ---- the first pass: the tables, and what is to be explained ----------------------------------- */

static void put_tables(struct bundle_why *w, const struct lkst_analysis_run *run)
{
	struct lkst_table_printer p;
	unsigned int i;

	for (i = 0; i < NR_ANALYSES; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(run, i);

		lkst_out_printf(w->out, "## %s\n", headings[i]);
		if (!set->nr)
			continue;
		lkst_table_printer_init(&p, w->out, LKST_TABLE_TEXT, lkst_trace_catalog(w->t)->clock_offset_ns);
		p.is_untitled = true;
		lkst_table_print(&p, set->items[0]);
		lkst_table_printer_end(&p);
	}
}

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

static int begin_searches(struct bundle_why *w, struct lkst_analysis_run *run, struct searches *s)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < NR_KINDS && !err; i++) {
		s->options[i] = (struct lkst_worst_options){ .kind = kinds[i].kind,
							     .from_ns = w->begin_ns,
							     .to_ns = w->end_ns,
							     .trace = w->t };
		err = lkst_worst_search_new(w->e, lkst_analysis_run_model(run), &s->options[i], &s->list[i]);
	}
	return err;
}

static void end_searches(struct bundle_why *w, const struct searches *s)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		if (!lkst_worst_search_result(s->list[i], &w->worst[i]))
			w->worst[i].tid = 0;
}

static int bundle_why_find(struct bundle_why *w)
{
	static const struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *run = NULL;
	_cleanup_(searches_fini) struct searches s = {};
	int err = lkst_analysis_run_new(w->e, w->t, &options, analyses, NR_ANALYSES, &run)
			  ?: begin_searches(w, run, &s)
			  ?: lkst_analysis_run_pass(w->e, run);

	if (err)
		return err;
	put_tables(w, run);
	end_searches(w, &s);
	return 0;
}

/* What the moment's thread did until then: since the interval began that the trigger measured, if it did. */
static struct bundle_why_question question_of(const struct bundle_why *w, const struct lkst_moment *m)
{
	const u64 to_ns = m->at_ns < w->end_ns ? m->at_ns : w->end_ns;
	const u64 room_ns = to_ns > w->begin_ns ? to_ns - w->begin_ns : 0;
	u64 lead_ns = m->trigger && m->value && m->value <= room_ns ? m->value : LEAD_NS;

	if (lead_ns > room_ns)
		lead_ns = room_ns;
	return (struct bundle_why_question){ m->tid > 0 && room_ns ? m->tid : 0, to_ns - lead_ns, to_ns };
}

/* ---- explaining: a second pass is made when the first file is to be named ------------------------ */

static u64 lead_of(u64 from_ns)
{
	return from_ns > LKST_WHY_LEAD_NS ? from_ns - LKST_WHY_LEAD_NS : 0;
}

static int bundle_why_want(struct bundle_why *w, s32 tid, u64 from_ns, u64 to_ns)
{
	return tid ? lkst_call_files_want(w->files, lead_of(from_ns), to_ns + LKST_WHY_TAIL_NS) : 0;
}

static int want_all(struct bundle_why *w)
{
	unsigned int i;
	int err = bundle_why_want(w, w->moment.tid, w->moment.from_ns, w->moment.to_ns);

	for (i = 0; i < NR_KINDS && !err; i++)
		err = bundle_why_want(w, w->worst[i].tid, w->worst[i].from_ns, w->worst[i].to_ns);
	return err ? lkst_err_sys(w->e, err, "explaining") : 0;
}

/* The account of a thread's time; that there is nothing of it is no error. */
static int bundle_why_explain(struct bundle_why *w, s32 tid, u64 from_ns, u64 to_ns)
{
	_cleanup_(lkst_excerpt_freep) struct lkst_excerpt *excerpt = NULL;
	_cleanup_(lkst_account_freep) struct lkst_account *a = NULL;
	const struct lkst_excerpt_options options = { .files = w->files };
	struct lkst_view_config config = { .out = w->out,
					   .catalog = lkst_trace_catalog(w->t),
					   .time = LKST_VIEW_DAY,
					   .begin_ns = w->begin_ns };
	int err = lkst_excerpt_new(w->e, w->t, lead_of(from_ns), to_ns + LKST_WHY_TAIL_NS, &options, &excerpt)
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

static int explain_moment(struct bundle_why *w)
{
	const struct bundle_why_question *q = &w->moment;

	if (!q->tid)
		return 0;
	lkst_out_printf(w->out, "## thread %d, the %.6f s before the moment\n", q->tid,
			(double)(q->to_ns - q->from_ns) / 1e9);
	return bundle_why_explain(w, q->tid, q->from_ns, q->to_ns);
}

static int explain_worst(struct bundle_why *w)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < NR_KINDS && !err; i++) {
		const struct lkst_worst *worst = &w->worst[i];

		lkst_out_printf(w->out, "## %s\n", kinds[i].heading);
		if (worst->tid)
			err = bundle_why_explain(w, worst->tid, worst->from_ns, worst->to_ns);
		else
			lkst_out_printf(w->out, "none is recorded from begin to end\n");
		if (!err && worst->limited[0])
			lkst_out_printf(w->out, "another one may have taken longer: %s (the cost limit)\n",
					worst->limited);
	}
	return err;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static int bundle_why_tell(struct bundle_why *w, const struct lkst_moment *moment)
{
	int err;

	lkst_trace_range(w->t, &w->begin_ns, &w->end_ns);
	w->moment = question_of(w, moment);
	err = bundle_why_find(w) ?: want_all(w) ?: explain_moment(w) ?: explain_worst(w);
	if (!err && lkst_out_flush(w->out))
		err = lkst_err_sys(w->e, w->out->error, "explaining");
	return err;
}

int lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
			 struct lkst_bundle_text *ret_text)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_(lkst_call_files_freep) struct lkst_call_files *files = lkst_call_files_new(t);
	struct bundle_why w = { .e = e, .t = t, .out = out, .files = files };
	struct lkst_bundle_lines l;
	int err = out && files ? lkst_bundle_lines_begin(e, &l) : lkst_err_sys(e, -ENOMEM, "explaining");

	if (err)
		return err;
	lkst_out_init_stream(out, l.to);
	return lkst_bundle_lines_end(e, &l, bundle_why_tell(&w, moment), ret_text);
}
