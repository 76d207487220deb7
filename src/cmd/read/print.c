/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst print: a trace as text, CSV, JSON or in the flight recorder's form. */
#include <errno.h>
#include <signal.h>

#include "base/cleanup.h"
#include "cmd/read/print_records.h"
#include "cmd/readers/traces.h"

struct read_print_options {
	struct lkst_printing_options options;
	const char *from, *to;
	s64 first, last;
};

static const struct read_print_options defaults = { .options = LKST_PRINTING_DEFAULTS };

static const struct lkst_option rows[] = {
	LKST_PRINTING_ROWS(struct read_print_options, options),
	LKST_RANGE_ROWS(struct read_print_options, "from this time on", "up to this time"),
	LKST_OPTION(NUMBER, struct read_print_options, first, .name = "first", .letter = 'n', .argument = "N",
		    .min = 1, .max = INT32_MAX,
		    .help = "only the first N records of what is asked for"),
	LKST_OPTION(NUMBER, struct read_print_options, last, .name = "last", .letter = 'l', .argument = "N",
		    .min = 1, .max = INT32_MAX, .help = "only the last N records of it"),
	LKST_OPTION(FLAG, struct read_print_options, options.no_gaps, .name = "no-gaps",
		    .help = "records only: no line where some are missing"),
	LKST_OPTION(FLAG, struct read_print_options, options.brief, .name = "brief",
		    .help = "csv: without the arguments' descriptions"),
	LKST_OPTION(FLAG, struct read_print_options, options.text, .name = "text",
		    .help = "json: with the text that --format text has after the thread"),
	{},
};

static int print_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	const struct read_print_options *o = options;
	const struct lkst_print_records what = { .options = &o->options,
						 .from = o->from,
						 .to = o->to,
						 .first = (u64)o->first,
						 .last = (u64)o->last };
	int err;

	if (o->first && o->last)
		return lkst_err_set(e, -EINVAL, "--first and --last exclude each other");
	/* `lkst print … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	return err ?: lkst_print_records(e, &what, &reading);
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
	.options_size = sizeof(struct read_print_options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = print_run,
};
