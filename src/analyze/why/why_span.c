/* SPDX-License-Identifier: GPL-2.0-only */
/* A span is explained as the interval of each thread that had it, one after the other. */
#include "analyze/why/why_span.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALLS_MAX = 64, /* names of system calls that are summed */
	CALLS_TOLD = 5,
};

/* ---- finding it ------------------------------------------------------------------------------ */

struct why_span_search {
	const struct lkst_why_span_options *o;
	struct lkst_span best;
	bool has_best;
	u64 nr;
};

static bool why_span_is_meant(const struct lkst_why_span_options *o, const struct lkst_span *x)
{
	return (!o->name || !fnmatch(o->name, x->name, 0)) && (!o->has_id || x->id == o->id) &&
	       (!o->tid || x->begin_tid == o->tid) &&
	       (!o->has_request ||
		(x->trace_high == o->trace_high && x->trace_low == o->trace_low));
}

static bool is_whole(const struct lkst_span *x)
{
	return x->ending == LKST_SPAN_ENDED && !x->is_doubtful;
}

static int why_span_on_span(void *ctx, const struct lkst_span *x)
{
	struct why_span_search *s = ctx;
	const struct lkst_span *best = &s->best;

	if (!why_span_is_meant(s->o, x))
		return 0;
	s->nr++;
	if (!s->has_best || (is_whole(x) && !is_whole(best)) ||
	    (is_whole(x) == is_whole(best) && x->to_ns - x->from_ns > best->to_ns - best->from_ns))
		s->best = *x;
	s->has_best = true;
	return 0;
}

int lkst_why_span_find(struct lkst_err *e, struct lkst_trace *t,
		       const struct lkst_why_span_options *options, struct lkst_span *ret_span,
		       u64 *ret_nr)
{
	_cleanup_(lkst_threads_freep) struct lkst_threads *threads = lkst_threads_new();
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_spans_freep) struct lkst_spans *spans = NULL;
	struct why_span_search s = { .o = options };
	struct lkst_spans_options o = { NULL, NULL, threads, why_span_on_span, &s };
	int err = threads ? lkst_feed_new(e, t, &f) : lkst_err_sys(e, -ENOMEM, "looking for spans");

	if (err)
		return err;
	o.feed = f;
	lkst_feed_limit(f, options->from_ns, options->to_ns);
	if (lkst_feed_threads(f, threads))
		return lkst_err_sys(e, -ENOMEM, "looking for spans");
	err = lkst_spans_new(e, &o, &spans) ?: lkst_feed_run(e, f);
	if (err)
		return err;
	if (!s.has_best)
		return lkst_err_set(
			e, -ENOENT,
			"the trace has no such span; `lkst analyze span` lists the names of all");
	*ret_span = s.best;
	*ret_nr = s.nr;
	return 0;
}

/* ---- its system calls ------------------------------------------------------------------------ */

/* Those of one name; the longest was from `from_ns` to `to_ns`. */
struct calls {
	const char *name;
	u64 nr, ns, from_ns, to_ns;
};

static int why_span_by_time(const void *a, const void *b)
{
	u64 x = ((const struct calls *)a)->ns, y = ((const struct calls *)b)->ns;

	return (x < y) - (x > y);
}

static void why_span_count_call(struct calls *list, u32 *nr, const char *name, u64 from_ns, u64 to_ns)
{
	u32 i;

	for (i = 0; i < *nr && strcmp(list[i].name, name); i++)
		;
	if (i == CALLS_MAX)
		return;
	if (i == *nr)
		list[(*nr)++] = (struct calls){ .name = name };
	list[i].nr++;
	list[i].ns += to_ns - from_ns;
	if (to_ns - from_ns >= list[i].to_ns - list[i].from_ns) {
		list[i].from_ns = from_ns;
		list[i].to_ns = to_ns;
	}
}

/* The calls that the thread of @s made within it, those that took the longest first. */
static void why_span_tell_calls(struct lkst_account *a, struct lkst_account_step *s,
				const struct lkst_excerpt *w)
{
	struct lkst_places_list list = lkst_excerpt_thread(w, s->tid);
	struct calls calls[CALLS_MAX] = {};
	u64 entry_ns = 0;
	u32 nr = 0, i;

	for (i = lkst_moments_before_ns(w, list, s->from_ns); i < list.nr; i++) {
		const struct lkst_event_ref *ref = &w->moments[list.at[i]];
		u16 kind = lkst_event_ref_kind(w, list.at[i]);

		if (ref->ns > s->to_ns)
			break;
		if (ref->tid != s->tid)
			continue;
		if (kind == LKST_EVENT_REF_ENTRY)
			entry_ns = ref->ns;
		if (kind == LKST_EVENT_REF_EXIT && entry_ns)
			why_span_count_call(calls, &nr, lkst_event_ref_call(w, list.at[i]), entry_ns,
					    ref->ns);
		if (kind == LKST_EVENT_REF_EXIT)
			entry_ns = 0;
	}
	qsort(calls, nr, sizeof(*calls), why_span_by_time);
	for (i = 0; i < nr && i < CALLS_TOLD; i++) {
		struct lkst_account_step *c =
			lkst_account_add(a, s, "calls", calls[i].from_ns, calls[i].to_ns, s->tid);

		lkst_account_fact(a, c, "count", LKST_ACCOUNT_NUMBER, calls[i].nr);
		lkst_account_say(a, c, " of ");
		lkst_account_text(a, c, "call", calls[i].name, strlen(calls[i].name));
		lkst_account_say(a, c, "(), in all ");
		lkst_account_fact(a, c, "ns", LKST_ACCOUNT_DURATION, calls[i].ns);
		if (calls[i].nr > 1)
			lkst_account_say(a, c, "; this is the longest");
	}
}

/* ---- the account ----------------------------------------------------------------------------- */

static void tell_request(struct lkst_account *a, struct lkst_account_step *s,
			 const struct lkst_span *x)
{
	char text[33];

	if (!x->trace_high && !x->trace_low)
		return;
	snprintf(text, sizeof(text), "%016llx%016llx", (unsigned long long)x->trace_high,
		 (unsigned long long)x->trace_low);
	lkst_account_say(a, s, "of request ");
	lkst_account_text(a, s, "request", text, 32);
	lkst_account_say(a, s, ", ");
}

static void tell_span(struct lkst_account *a, struct lkst_account_step *s,
		      const struct lkst_span *x, u64 nr)
{
	static const char *const endings[] = {
		[LKST_SPAN_ENDED] = NULL,
		[LKST_SPAN_OPEN] = "not over when the trace ended, ",
		[LKST_SPAN_DEAD] = "left by a thread that ended, ",
		[LKST_SPAN_LOST] =
			"not ended in the trace, from which marks of its program are missing, ",
	};

	lkst_account_say(a, s, "span \"");
	lkst_account_text(a, s, "span", x->name, strlen(x->name));
	lkst_account_say(a, s, "\" ");
	lkst_account_fact(a, s, "id", LKST_ACCOUNT_NUMBER, x->id);
	lkst_account_say(a, s, ", ");
	tell_request(a, s, x);
	if (nr > 1) {
		lkst_account_say(a, s, "the longest of ");
		lkst_account_fact(a, s, "spans", LKST_ACCOUNT_NUMBER, nr);
		lkst_account_say(a, s, ", ");
	}
	if (endings[x->ending])
		lkst_account_say(a, s, "%s", endings[x->ending]);
	if (x->end_tid && x->end_tid != x->begin_tid) {
		lkst_account_say(a, s, "ended by ");
		lkst_account_fact(a, s, "ended_by", LKST_ACCOUNT_THREAD, (u64)x->end_tid);
		lkst_account_say(a, s, ", ");
	}
	if (x->is_doubtful)
		lkst_account_say(a, s, "with marks missing in it, ");
}

/* What thread @s->tid did with the span meanwhile. */
static int explain_part(struct lkst_account *a, struct lkst_account_step *s,
			const struct lkst_excerpt *w, unsigned int depth)
{
	int err = 0;

	if (lkst_excerpt_thread(w, s->tid).nr)
		err = lkst_why_explain_in(a, s, w, depth);
	else
		lkst_account_say(a, s, "nothing of this thread is recorded");
	if (!err)
		why_span_tell_calls(a, s, w);
	return err;
}

/* From part @i on nobody had the span: who gave it, and who took it then. The step is of the thread that began it. */
static void tell_untaken(struct lkst_account *a, struct lkst_account_step *s,
			 const struct lkst_span *x, u32 i)
{
	lkst_account_say(a, s, "handed over by ");
	lkst_account_fact(a, s, "given_by", LKST_ACCOUNT_THREAD, (u64)x->parts[i].giver);
	lkst_account_say(a, s, ", not yet taken");
	if (i + 1 == x->nr_parts)
		return;
	lkst_account_say(a, s, "; ");
	lkst_account_fact(a, s, "taken_by", LKST_ACCOUNT_THREAD, (u64)x->parts[i + 1].tid);
	lkst_account_say(a, s, " took it");
}

static int explain_parts(struct lkst_account *a, struct lkst_account_step *top,
			 const struct lkst_excerpt *w, const struct lkst_span *x,
			 unsigned int depth)
{
	int err = 0;
	u32 i;

	lkst_account_fact(a, top, "handovers", LKST_ACCOUNT_NUMBER, x->nr_handovers);
	lkst_account_say(a, top, x->nr_handovers == 1 ? " handover" : " handovers");
	for (i = 0; i < x->nr_parts && !err; i++) {
		u64 to_ns = i + 1 < x->nr_parts ? x->parts[i + 1].from_ns : x->to_ns;
		s32 tid = x->parts[i].tid;
		struct lkst_account_step *s;

		if (to_ns <= x->parts[i].from_ns)
			continue;
		if (i + 1 == x->nr_parts && x->has_more_parts) {
			s = lkst_account_add(a, top, "unknown", x->parts[i].from_ns, to_ns,
					     x->begin_tid);
			lkst_account_say(
				a, s,
				"had by more threads, one after the other, than are followed");
			break;
		}
		s = lkst_account_add(a, top, tid ? "interval" : "untaken", x->parts[i].from_ns,
				     to_ns, tid ?: x->begin_tid);
		if (tid)
			err = explain_part(a, s, w, depth);
		else
			tell_untaken(a, s, x, i);
	}
	return err;
}

int lkst_why_span_explain(struct lkst_err *e, const struct lkst_excerpt *w,
			  const struct lkst_span *x, u64 nr, unsigned int depth,
			  struct lkst_account **ret_account)
{
	_cleanup_(lkst_account_freep) struct lkst_account *a = lkst_account_new();
	struct lkst_account_step *s;
	int err;

	if (!a)
		return lkst_err_sys(e, -ENOMEM, "explaining");
	a->root.host = w->host;
	s = lkst_account_add(a, &a->root, "span", x->from_ns, x->to_ns, x->begin_tid);
	tell_span(a, s, x, nr);
	err = x->nr_parts > 1 ? explain_parts(a, s, w, x, depth) : explain_part(a, s, w, depth);
	if (err || a->error)
		return lkst_err_sys(e, err ?: a->error, "explaining");
	lkst_why_add_notes(a, w, x->from_ns, x->to_ns);
	*ret_account = lkst_take(a);
	return 0;
}
