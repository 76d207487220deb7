/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print: a trace as text, CSV, JSON or in the flight recorder's form. */
#include <errno.h>
#include <signal.h>

#include "base/cleanup.h"
#include "cmd/read/print_hosts.h"
#include "cmd/read/print_last.h"
#include "cmd/readers/printing.h"
#include "cmd/readers/traces.h"
#include "trace/known/threads_before.h"

struct options {
	struct lkst_printing_options options;
	const char *from, *to;
	s64 first, last;
};

static const struct options defaults = { .options = LKST_PRINTING_DEFAULTS };

static const struct lkst_option rows[] = {
	LKST_PRINTING_ROWS(struct options, options),
	LKST_RANGE_ROWS(struct options, "from this time on", "up to this time"),
	LKST_OPTION(NUMBER, struct options, first, .name = "first", .letter = 'n', .argument = "N",
		    .min = 1, .max = INT32_MAX,
		    .help = "only the first N records of what is asked for"),
	LKST_OPTION(NUMBER, struct options, last, .name = "last", .letter = 'l', .argument = "N",
		    .min = 1, .max = INT32_MAX, .help = "only the last N records of it"),
	LKST_OPTION(FLAG, struct options, options.no_gaps, .name = "no-gaps",
		    .help = "records only: no line where some are missing"),
	LKST_OPTION(FLAG, struct options, options.brief, .name = "brief",
		    .help = "csv: without the arguments' descriptions"),
	LKST_OPTION(FLAG, struct options, options.text, .name = "text",
		    .help = "json: with the text that --format text has after the thread"),
	{},
};

/* A part of one trace that is printed. */
struct print {
	const struct options *options;
	struct lkst_trace *trace;
	struct lkst_print_part part;
	struct lkst_printing printing;
};

/* Where only some records are printed, what was before them is not read but for the names of threads. */
static bool reads_all(const struct print *p)
{
	const struct options *o = p->options;

	return (!o->first && !o->last) || o->options.files || !lkst_trace_keeps_names(p->trace) ||
	       lkst_view_of_choice(o->options.format)->needs_past;
}

/* ---- the last ones ---------------------------------------------------------------------------- */

static int count(struct lkst_err *e, const void *ctx, const struct lkst_print_part *part, u64 *ret_nr,
		 u64 *ret_nr_state)
{
	_cleanup_(lkst_print_count_end) struct lkst_print_count counted = {};
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	const struct print *p = ctx;
	const struct lkst_printing_options *o = &p->options->options;
	const bool is_whole = lkst_print_count_needs_all(o, p->trace);
	struct lkst_record r;
	int err = lkst_print_count_begin(e, o, p->trace, part->from_ns, part->to_ns, is_whole, &counted) ?:
		  lkst_merge_new(e, p->trace, is_whole ? 0 : part->from_ns, part->to_ns, &m);

	while (!err && lkst_merge_next(m, &r) > 0)
		err = lkst_print_count_record(e, &counted, &r);
	*ret_nr = counted.nr;
	*ret_nr_state = counted.nr_state;
	return err;
}

static int find_last(struct lkst_err *e, struct print *p, u64 nr)
{
	const bool at_once = lkst_print_count_needs_all(&p->options->options, p->trace);
	u64 begin_ns, end_ns;

	lkst_trace_range(p->trace, &begin_ns, &end_ns);
	return lkst_print_find_last(e, &p->part, begin_ns, end_ns, nr, at_once, count, p);
}

/* ---- printing --------------------------------------------------------------------------------- */

/* Before the record @r, or, NULL, at the end. */
static int print_gaps(struct print *p, struct lkst_merge *m, const struct lkst_record *r)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_merge_gap(m, &gap) > 0)
		if (gap.to_ns < p->part.from_ns)
			lkst_printing_note_gap(&p->printing, &gap);
		else if (p->part.nr < p->part.skip)
			lkst_printing_hold_gap(&p->printing, &gap, r && r->buffer != LKST_BUFFER_STATE ? r->ns : 0);
		else
			err = lkst_printing_gap(&p->printing, &gap);
	return err;
}

static int print_record(struct print *p, const struct lkst_record *r)
{
	struct lkst_print_part *part = &p->part;
	const bool is_printed = lkst_printing_wants(&p->printing, r) && part->nr++ >= part->skip;
	int err = 0;

	if (is_printed && part->nr == part->skip + 1)
		err = lkst_printing_held_gaps(&p->printing, r->ns, r);
	return err ?: lkst_printing_take(&p->printing, r, is_printed);
}

static int print_records(struct lkst_err *e, struct print *p)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	const bool is_whole = reads_all(p);
	bool has_names = is_whole;
	struct lkst_record r;
	int err = lkst_merge_new(e, p->trace, is_whole ? 0 : p->part.from_ns, p->part.to_ns, &m);

	while (!err && !lkst_print_part_is_over(&p->part) && lkst_merge_next(m, &r) > 0) {
		if (!has_names && r.event->group != LKST_GROUP_STATE) {
			has_names = true;
			err = lkst_printing_before(e, &p->printing, p->trace, p->part.from_ns);
		}
		err = err ?: print_gaps(p, m, &r) ?: print_record(p, &r);
	}
	if (!err && !lkst_print_part_is_over(&p->part))
		err = print_gaps(p, m, NULL);
	return err;
}

static int print_trace(struct lkst_err *e, const struct options *o, struct lkst_trace *t)
{
	struct print p = { .options = o,
			   .trace = t,
			   .part = { .to_ns = UINT64_MAX, .max = o->first ? (u64)o->first : UINT64_MAX } };
	struct lkst_printing *printing = &p.printing;
	u64 begin_ns, end_ns;
	int err;

	err = lkst_cmd_parse_range(e, t, o->from, o->to, &p.part.from_ns, &p.part.to_ns);
	if (!err && o->last)
		err = find_last(e, &p, (u64)o->last);
	if (err)
		return err;
	lkst_trace_range(t, &begin_ns, &end_ns);
	err = lkst_printing_begin(e, &o->options, lkst_trace_catalog(t), begin_ns, p.part.from_ns,
				  p.part.to_ns, printing) ?:
	      lkst_symbols_load(e, printing->symbols, t) ?:
	      lkst_printing_code(e, printing, t) ?:
	      lkst_printing_files(e, printing, t) ?:
	      print_records(e, &p);
	return lkst_printing_end(e, printing, err);
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_cmd_traces_fini) struct lkst_cmd_traces traces = {};
	const struct options *o = options;
	const struct lkst_print_hosts what = { .options = &o->options,
					       .from = o->from,
					       .to = o->to,
					       .first = (u64)o->first,
					       .last = (u64)o->last };
	int err;

	if (o->first && o->last)
		return lkst_err_set(e, -EINVAL, "--first and --last exclude each other");
	/* `lkst print … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_cmd_open_traces(e, args, nr_args, &traces);
	if (err)
		return err;
	return traces.trace ? print_trace(e, o, traces.trace) : lkst_print_hosts(e, &what, &traces.hosts);
}

const struct lkst_cmd lkst_cmd_print = {
	.name = "print",
	.summary = "print the events of a trace",
	.args = "TRACE...",
	.help = "Prints the events of TRACE, a trace directory or a trace in one file, in order of time,\n"
		"all CPUs merged. It needs no root and works on any machine. The parts of one recording,\n"
		"or the directory that they are in, are read as one trace. Traces of several hosts come\n"
		"on one time line: what is known of their clocks is said before.",
	.examples = "  lkst print slow-tx | less\n"
		    "  lkst print web1 db1 | less\n"
		    "  lkst print -e 'sched_*' --comm db --from -200ms slow-tx\n"
		    "  lkst print --last 20 slow-tx\n"
		    "  lkst print -f csv slow-tx > trace.csv\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = run,
};
