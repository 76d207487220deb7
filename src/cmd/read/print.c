/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print: a trace as text, CSV, JSON or in the flight recorder's form. */
#include <errno.h>
#include <signal.h>

#include "base/cleanup.h"
#include "cmd/printing.h"
#include "cmd/read/print_hosts.h"
#include "cmd/traces.h"
#include "trace/threads_before.h"

struct options {
	struct lkst_printing_options options;
	const char *from, *to;
	s64 first, last;
};

enum {
	STEP_NS = 1000000, /* how far --last looks back first, and how much further each time */
	STEP_FACTOR = 4,
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
	{},
};

/* What is printed: up to @max of the wanted records between two times, after the first @skip of them. */
struct part {
	u64 from_ns, to_ns;
	u64 skip, max;
	bool is_all; /* nothing limits their number */
};

/* Where only some records are printed, what was before them is not read but for the names of threads. */
static bool reads_all(const struct options *o, const struct part *part, const struct lkst_trace *t)
{
	return part->is_all || o->options.files || !lkst_trace_keeps_names(t) ||
	       lkst_view_of_choice(o->options.format)->needs_past;
}

/* ---- the last ones ---------------------------------------------------------------------------- */

struct counts {
	u64 nr, nr_state; /* how many are wanted; of them, records of state, which have no place in time */
};

static int count(struct lkst_err *e, const struct options *o, struct lkst_trace *t, u64 from_ns,
		 u64 to_ns, struct counts *ret_counts)
{
	_cleanup_(lkst_threads_freep) struct lkst_threads *threads = lkst_threads_new();
	_cleanup_(lkst_select_freep) struct lkst_select *select = NULL;
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	bool is_wanted, is_state, has_names = false;
	struct lkst_record r;
	int err;

	*ret_counts = (struct counts){};
	if (!threads)
		return lkst_err_sys(e, -ENOMEM, "counting");
	err = lkst_printing_select(e, &o->options, lkst_trace_catalog(t), threads, from_ns, to_ns,
				   &select)
		      ?: lkst_merge_new(e, t, from_ns, to_ns, &m);
	while (!err && lkst_merge_next(m, &r) > 0) {
		is_state = r.event->group == LKST_GROUP_STATE;
		if (!is_state && !has_names) {
			has_names = true;
			err = lkst_threads_feed_before(e, threads, t, from_ns);
		}
		is_wanted = lkst_select_matches(select, &r);
		ret_counts->nr += is_wanted;
		ret_counts->nr_state += is_wanted && is_state;
		if (!err)
			err = lkst_threads_feed(threads, &r);
	}
	return err;
}

/* Makes @part begin where the last @nr wanted records do, looking back from its end in longer and longer steps. */
static int find_last(struct lkst_err *e, const struct options *o, struct lkst_trace *t, u64 nr,
		     struct part *part)
{
	u64 begin_ns, end_ns, first_ns = part->from_ns, step_ns = STEP_NS, last_ns;
	struct counts counts = {};
	int err = 0;

	lkst_trace_range(t, &begin_ns, &end_ns);
	last_ns = part->to_ns < end_ns ? part->to_ns : end_ns;
	first_ns = first_ns > begin_ns ? first_ns : begin_ns;
	for (;; step_ns *= STEP_FACTOR) {
		bool is_rest = last_ns < first_ns || step_ns >= last_ns - first_ns;

		part->from_ns = is_rest ? first_ns : last_ns - step_ns;
		err = count(e, o, t, part->from_ns, part->to_ns, &counts);
		if (err || is_rest || counts.nr - counts.nr_state >= nr)
			break;
	}
	part->skip = counts.nr > nr ? counts.nr - nr : 0;
	part->max = nr;
	return err;
}

/* ---- printing --------------------------------------------------------------------------------- */

static int print_gaps(struct lkst_printing *p, struct lkst_merge *m, const struct part *part)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_merge_gap(m, &gap) > 0)
		if (gap.to_ns >= part->from_ns && p->nr >= part->skip)
			err = lkst_printing_gap(p, &gap);
		else
			lkst_printing_note_gap(p, &gap);
	return err;
}

static int print_records(struct lkst_err *e, struct lkst_printing *p, struct lkst_trace *t,
			 const struct part *part, bool is_whole)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	bool has_names = is_whole, is_done = false;
	struct lkst_record r;
	struct lkst_gap gap;
	int err;

	p->skip = part->skip;
	err = lkst_merge_new(e, t, is_whole ? 0 : part->from_ns, part->to_ns, &m);
	while (!err && !is_done && lkst_merge_next(m, &r) > 0) {
		if (!has_names && r.event->group != LKST_GROUP_STATE) {
			has_names = true;
			err = lkst_printing_before(e, p, t, part->from_ns);
		}
		if (!err)
			err = print_gaps(p, m, part) ?: lkst_printing_record(p, &r);
		is_done = !part->is_all && p->nr >= part->skip + part->max;
	}
	while (!err && !is_done && lkst_merge_gap(m, &gap) > 0)
		err = lkst_printing_gap(p, &gap);
	return err;
}

static int print_trace(struct lkst_err *e, const struct options *o, struct lkst_trace *t)
{
	struct part part = { .to_ns = UINT64_MAX,
			     .max = (u64)o->first,
			     .is_all = !o->first && !o->last };
	struct lkst_printing p = {};
	u64 begin_ns, end_ns;
	int err;

	err = lkst_cmd_parse_range(e, t, o->from, o->to, &part.from_ns, &part.to_ns);
	if (!err && o->last)
		err = find_last(e, o, t, (u64)o->last, &part);
	if (err)
		return err;
	lkst_trace_range(t, &begin_ns, &end_ns);
	err = lkst_printing_begin(e, &o->options, lkst_trace_catalog(t), begin_ns, part.from_ns,
				  part.to_ns, &p) ?:
	      lkst_symbols_load(e, p.symbols, t) ?:
	      lkst_printing_code(e, &p, t) ?:
	      lkst_printing_files(e, &p, t) ?:
	      print_records(e, &p, t, &part, reads_all(o, &part, t));
	return lkst_printing_end(e, &p, err);
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
	.summary = "a trace as text, CSV, JSON or in the flight recorder's form",
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
