/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print: a trace as text, CSV, JSON or in the flight recorder's form. */
#include <signal.h>

#include "base/cleanup.h"
#include "cmd/printing.h"

struct options {
	struct lkst_printing_options options;
	const char *from, *to;
};

static const struct options defaults = { .options = LKST_PRINTING_DEFAULTS };

static const struct lkst_option rows[] = {
	LKST_PRINTING_ROWS(struct options, options),
	LKST_RANGE_ROWS(struct options, "from this time on", "up to this time"),
	LKST_OPTION(FLAG, struct options, options.no_gaps, .name = "no-gaps",
		    .help = "records only: no line where some are missing"),
	LKST_OPTION(FLAG, struct options, options.brief, .name = "brief",
		    .help = "csv: without the arguments' descriptions"),
	{},
};

static int print_records(struct lkst_err *e, struct lkst_printing *p, struct lkst_trace *t,
			 u64 from_ns, u64 to_ns)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	struct lkst_gap gap;
	int err;

	/* All of the trace is read: names come from what was before. */
	err = lkst_merge_new(e, t, 0, to_ns, &m);
	while (!err && lkst_merge_next(m, &r) > 0) {
		while (!err && lkst_merge_gap(m, &gap) > 0)
			if (gap.to_ns >= from_ns)
				err = lkst_printing_gap(p, &gap);
		if (!err)
			err = lkst_printing_record(p, &r);
	}
	while (!err && lkst_merge_gap(m, &gap) > 0)
		err = lkst_printing_gap(p, &gap);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	u64 begin_ns, end_ns, from_ns = 0, to_ns = UINT64_MAX;
	struct lkst_printing p = {};
	int err;

	/* `lkst print … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_cmd_open_trace(e, args, nr_args, &t) ?:
	      lkst_cmd_parse_range(e, t, o->from, o->to, &from_ns, &to_ns);
	if (err)
		return err;
	lkst_trace_range(t, &begin_ns, &end_ns);
	err = lkst_printing_begin(e, &o->options, lkst_trace_catalog(t), begin_ns, from_ns, to_ns,
				  &p) ?:
	      lkst_symbols_load(e, p.symbols, t) ?:
	      print_records(e, &p, t, from_ns, to_ns);
	return lkst_printing_end(e, &p, err);
}

const struct lkst_cmd lkst_cmd_print = {
	.name = "print",
	.summary = "a trace as text, CSV, JSON or in the flight recorder's form",
	.args = "TRACE...",
	.help = "Prints the events of TRACE, a trace directory or a trace in one file, in order of time,\n"
		"all CPUs merged. It needs no root and works on any machine. The parts of one recording,\n"
		"or the directory that they are in, are read as one trace.",
	.examples = "  lkst print slow-tx | less\n"
		    "  lkst print -e 'sched_*' --comm db --from -200ms slow-tx\n"
		    "  lkst print -f csv slow-tx > trace.csv\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = run,
};
