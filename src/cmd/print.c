/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print: a trace as text, CSV, JSON or in the flight recorder's form. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "trace/reader.h"
#include "trace/threads.h"
#include "view/select.h"
#include "view/view.h"

struct options {
	const char *format, *time;
	struct lkst_list events;
	s64 tid, cpu;
	const char *comm, *from, *to;
};

static const struct options defaults = {
	.format = "text",
	.time = "day",
	.tid = -1,
	.cpu = -1,
};

static const struct lkst_option rows[] = {
	{ "format", 'f', LKST_OPTION_TEXT, "FORMAT", offsetof(struct options, format), 0, 0, "text",
	  "text: a line per event, values by name\n"
	  "csv: LKST's columns; fields are pairs of 32-bit words\n"
	  "json: an object per line, raw values\n"
	  "flight: system calls, switches and wake-ups as a dialogue" },
	{ "event", 'e', LKST_OPTION_LIST, "GLOB", offsetof(struct options, events), 0, 0, "all",
	  "only events that match; may be repeated" },
	{ "tid", 't', LKST_OPTION_NUMBER, "N", offsetof(struct options, tid), 0, INT32_MAX, NULL,
	  "only this thread" },
	{ "comm", 'c', LKST_OPTION_TEXT, "NAME", offsetof(struct options, comm), 0, 0, NULL,
	  "only threads that are called so at the time" },
	{ "cpu", 'C', LKST_OPTION_NUMBER, "N", offsetof(struct options, cpu), 0, INT32_MAX, NULL,
	  "only this CPU" },
	{ "from", 0, LKST_OPTION_TEXT, "T", offsetof(struct options, from), 0, 0, NULL,
	  "from this time on: 12:14:05.5 as printed, @1234.5 monotonic\n"
	  "seconds, +1.5s after the beginning, -2s before the end" },
	{ "to", 0, LKST_OPTION_TEXT, "T", offsetof(struct options, to), 0, 0, NULL,
	  "up to this time" },
	{ "time", 0, LKST_OPTION_TEXT, "FORM", offsetof(struct options, time), 0, 0, "day",
	  "day: time of day; mono: CLOCK_MONOTONIC; rel: seconds since\nthe first event" },
	{ 0 },
};

struct printer {
	struct lkst_err *e;
	const struct lkst_view *view;
	void *ctx;
	struct lkst_threads *threads;
	struct lkst_select *select;
	u64 from_ns, to_ns;
};

static int parse_range(struct lkst_err *e, const struct options *o, const struct lkst_trace *t,
		       struct printer *p)
{
	struct lkst_time_range range = { .clock_offset_ns =
						 lkst_trace_catalog(t)->clock_offset_ns };
	int err = 0;

	lkst_trace_range(t, &range.begin_ns, &range.end_ns);
	p->from_ns = 0;
	p->to_ns = UINT64_MAX;
	if (o->from)
		err = lkst_time_parse(e, o->from, &range, &p->from_ns);
	if (!err && o->to)
		err = lkst_time_parse(e, o->to, &range, &p->to_ns);
	return err;
}

static int make_select(struct lkst_err *e, const struct options *o, struct printer *p,
		       const struct lkst_catalog *catalog)
{
	const struct lkst_select_wish wish = {
		.events = o->events.items,
		.nr_events = o->events.nr,
		.has_tid = o->tid >= 0,
		.has_cpu = o->cpu >= 0,
		.has_to = o->to != NULL,
		.tid = o->tid,
		.cpu = o->cpu,
		.comm = o->comm,
		.from_ns = p->from_ns,
		.to_ns = p->to_ns,
	};

	return lkst_select_new(e, catalog, p->threads, &wish, &p->select);
}

static int print_records(struct printer *p, struct lkst_trace *t)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_gap gap;
	int err;

	/* All of the trace is read: names come from what was before. */
	err = lkst_merge_new(p->e, t, 0, p->to_ns, &m);
	while (!err && lkst_merge_next(m, &r) > 0) {
		while (!err && lkst_merge_gap(m, &gap) > 0)
			if (gap.to_ns >= p->from_ns)
				err = p->view->gap(p->ctx, &gap);
		if (!err && lkst_select_matches(p->select, &r))
			err = p->view->record(p->ctx, &r);
		if (!err)
			err = lkst_threads_feed(p->threads, &r);
	}
	while (!err && lkst_merge_gap(m, &gap) > 0)
		err = p->view->gap(p->ctx, &gap);
	return err;
}

static int print_trace(struct lkst_err *e, const struct options *o, struct lkst_trace *t,
		       struct lkst_out *out)
{
	struct printer p = { .e = e, .view = lkst_view_find(o->format) };
	struct lkst_view_config config = { .out = out, .catalog = lkst_trace_catalog(t) };
	u64 end_ns;
	int err, end_err;

	if (!p.view)
		return lkst_err_set(
			e, -EINVAL,
			"there is no format \"%s\"; text, csv, json and flight are there",
			o->format);
	err = lkst_view_time_parse(e, o->time, &config.time);
	if (!err)
		err = parse_range(e, o, t, &p);
	if (err)
		return err;
	p.threads = lkst_threads_new();
	config.threads = p.threads;
	lkst_trace_range(t, &config.begin_ns, &end_ns);
	if (!p.threads)
		return lkst_err_sys(e, -ENOMEM, "printing");
	err = make_select(e, o, &p, config.catalog);
	if (!err)
		err = p.view->begin(e, &config, &p.ctx);
	if (!err)
		err = print_records(&p, t);
	end_err = p.ctx ? p.view->end(p.ctx) : 0;
	lkst_select_free(p.select);
	lkst_threads_free(p.threads);
	return err ? err : end_err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err, flush_err;

	(void)nr_args;
	if (!out)
		return lkst_err_sys(e, -ENOMEM, "printing %s", args[0]);
	/* `lkst print … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_trace_open(e, args[0], &t);
	if (err)
		return err;
	lkst_out_init(out, STDOUT_FILENO);
	err = print_trace(e, options, t, out);
	flush_err = lkst_out_flush(out);
	if (!err && flush_err)
		err = lkst_err_sys(e, flush_err, "writing");
	return err;
}

const struct lkst_cmd lkst_cmd_print = {
	.name = "print",
	.summary = "a trace as text, CSV, JSON or in the flight recorder's form",
	.usage = "print [--format text|csv|json|flight] [--event GLOB]... [--tid N] [--comm NAME] "
		 "[--cpu N] [--from T] [--to T] [--time day|mono|rel] TRACE",
	.help = "Prints the events of the trace directory TRACE in order of time, all CPUs merged. It\n"
		"needs no root and works on any machine.",
	.examples = "  lkst print slow-tx | less\n"
		    "  lkst print -e 'sched_*' --comm db --from -200ms slow-tx\n"
		    "  lkst print -f csv slow-tx > trace.csv\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
