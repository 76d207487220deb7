/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the spans that programs mark. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sql/known/known_pass.h"

/* A number of W3C Trace Context as tools show it; none where it is not known. */
static void known_spans_put_request(struct lkst_sql_pass *p, const struct lkst_span *x)
{
	char text[33];

	if (x->trace_high || x->trace_low) {
		snprintf(text, sizeof(text), "%016llx%016llx", (unsigned long long)x->trace_high,
			 (unsigned long long)x->trace_low);
		lkst_sql_str(p, text);
	} else {
		lkst_sql_none(p);
	}
	if (x->parent) {
		snprintf(text, sizeof(text), "%016llx", (unsigned long long)x->parent);
		lkst_sql_str(p, text);
	} else {
		lkst_sql_none(p);
	}
}

static int known_spans_on_span(void *ctx, const struct lkst_span *x)
{
	struct lkst_sql_pass *p = ctx;
	/* It may have ended, and its number may be another thread's. */
	const struct lkst_thread_life *life =
		x->begin_life == LKST_LIFE_NONE ? NULL : lkst_model_life(p->model, x->begin_life);

	if (!lkst_sql_wants_life(p, life))
		return 0;
	lkst_sql_row(p, LKST_SQL_spans);
	lkst_sql_int(p, (s64)x->from_ns);
	lkst_sql_int(p, (s64)x->to_ns);
	lkst_sql_int(p, (s64)(x->to_ns - x->from_ns));
	lkst_sql_str(p, x->name);
	lkst_sql_int(p, (s64)x->id);
	known_spans_put_request(p, x);
	lkst_sql_int(p, (s64)x->number);
	lkst_sql_int_but(p, (s64)x->outer, 0);
	lkst_sql_life(p, life);
	lkst_sql_int_but(p, x->end_tid, 0);
	lkst_sql_int(p, x->nr_handovers);
	lkst_sql_int(p, (s64)x->running_ns);
	lkst_sql_int(p, (s64)x->ready_ns);
	lkst_sql_int(p, (s64)x->blocked_ns);
	lkst_sql_str(p, lkst_span_ending_names[x->ending]);
	lkst_sql_int(p, x->ending == LKST_SPAN_ENDED && !x->is_doubtful);
	return lkst_sql_row_end(p);
}

static int begin_spans(struct lkst_sql_pass *p)
{
	struct lkst_spans_options options = { p->feed, p->model, p->threads, known_spans_on_span, p };

	return lkst_spans_new(NULL, &options, &p->spans);
}

static const struct lkst_sql_known_column spans[] = {
	{ "from_ns", "INTEGER", "when it began" },
	{ "to_ns", "INTEGER", "when it ended, or when nothing more is known of it" },
	{ "duration_ns", "INTEGER", "how long it was" },
	{ "name", "TEXT", "its name" },
	{ "id", "INTEGER", "its number, by the program's choice" },
	{ "trace_id", "TEXT", "the request that it belongs to, as W3C Trace Context has it" },
	{ "parent_id", "TEXT", "the caller's span in that request" },
	{ "number", "INTEGER", "of all spans of the trace, in order of their begin" },
	{ "outer", "INTEGER", "the number of the span that it lies in, by its thread" },
	{ "tid", "INTEGER", "the thread that began it" },
	{ "pid", "INTEGER", "its process" },
	{ "comm", "TEXT", "its name then" },
	{ "end_tid", "INTEGER", "the thread that ended it" },
	{ "handovers", "INTEGER", "how often it was given to another thread" },
	{ "running_ns", "INTEGER", "of it, the threads that had it ran" },
	{ "ready_ns", "INTEGER", "they waited for a CPU" },
	{ "blocked_ns", "INTEGER", "they waited for something else" },
	{ "ending", "TEXT",
	  "ended; open: it went on when the trace ended; dead: its thread ended; lost: marks are missing" },
	{ "is_whole", "INTEGER", "1: its begin and its end are in the trace" },
	{},
};

const struct lkst_sql_known lkst_sql_known_spans = {
	.name = "spans",
	.help = "what programs say that they begin and end (doc/marks.md)",
	.columns = spans,
	.needs_model = true,
	.begin = begin_spans,
};
