/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst cut: cuts a trace by time or size into traces. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/access.h"
#include "trace/write/cut.h"

struct cut_options {
	const char *output, *from, *to;
	u64 size;
	struct lkst_access_options access;
	bool quiet;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct cut_options, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .standard = "TRACE.cut",
		    .help = "the trace directory to make; with --size the directory in which\n"
			    "numbered ones are made"),
	LKST_RANGE_ROWS(struct cut_options, "from this time on", "up to this time"),
	LKST_OPTION(SIZE, struct cut_options, size, .name = "size", .letter = 's', .argument = "SIZE",
		    .help = "several traces of about this size"),
	LKST_ACCESS_ROWS(struct cut_options, access),
	LKST_OPTION(FLAG, struct cut_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static int cut_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct cut_options *o = options;
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_free_ char *name = NULL;
	const char *output = o->output;
	struct lkst_access access;
	unsigned int nr = 1;
	u64 from_ns = 0, to_ns = UINT64_MAX;
	int err;

	if (!o->from && !o->to && !o->size)
		return lkst_err_set(e, -EINVAL, "where? give --from, --to or --size");
	if (!output) {
		if (asprintf(&name, "%s.cut", args[0]) < 0)
			return lkst_err_sys(e, -ENOMEM, "cutting %s", args[0]);
		output = name;
	}
	err = lkst_access_parse(e, &o->access, &access) ?:
	      lkst_cmd_open_trace(e, args, nr_args, &t) ?:
	      lkst_cmd_parse_range(e, t, o->from, o->to, &from_ns, &to_ns);
	if (err)
		return err;
	err = o->size ? lkst_cut_size(e, &access, t, from_ns, to_ns, o->size, output, &nr)
		      : lkst_cut_time(e, &access, t, from_ns, to_ns, output);
	if (err)
		return err;
	if (!o->quiet)
		lkst_print_message(stdout, "%s: %u %s; `lkst print %s` shows %s", output, nr,
				   nr == 1 ? "trace" : "traces", output,
				   nr == 1 ? "it" : "them as one");
	return 0;
}

/* The original's name for it; how its options were spelt is not known. */
const struct lkst_cmd lkst_cmd_lkstlogdiv = {
	.name = "lkstlogdiv",
	.summary = "divide a log",
	.args = "TRACE...",
	.is_link = true,
	.help = "Divides TRACE by time or size into traces that can be read alone, as `lkst cut` does.",
	.examples = "  lkstlogdiv --size 64M -o pieces lkstlogdata-1\n",
	.options = rows,
	.options_size = sizeof(struct cut_options),
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = cut_run,
};

const struct lkst_cmd lkst_cmd_cut = {
	.name = "cut",
	.summary = "cut a trace by time or size",
	.args = "TRACE...",
	.help = "Makes a trace of the records of TRACE between two times, or several of a given size.\n"
		"Each has the names of the threads as of its beginning. Cut in one go, or at the same\n"
		"time, they fit together again. TRACE may be compressed, or in parts; what is made is\n"
		"plain.",
	.examples = "  lkst cut --from 12:14:05 --to 12:14:07 -o slow trace\n"
		    "  lkst cut --from -10s -o end trace      the last ten seconds\n"
		    "  lkst cut --size 64M -o pieces trace    pieces/000001, pieces/000002 ...\n",
	.options = rows,
	.options_size = sizeof(struct cut_options),
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = cut_run,
};
