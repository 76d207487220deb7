/* SPDX-License-Identifier: GPL-2.0-only */
/* lkstla: the analyses by the name and with the options that lkstlogtools had. */
#include <errno.h>

#include "base/size.h"
#include "base/time.h"
#include "cmd/frame/cmd.h"
#include "cmd/read/analyze.h"

struct lkstla_options {
	bool list;
	const char *key, *time;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct lkstla_options, list, .name = "list", .letter = 'l',
		    .help = "every occurrence: key, thread, start time, elapsed time in seconds;\n"
			    "with gnuplot, plot \"FILE\" using 3:4"),
	LKST_OPTION(TEXT, struct lkstla_options, key, .name = "key", .letter = 'k', .argument = "KEY",
		    .help = "only this key, by name or number: a system call for one"),
	LKST_OPTION(TEXT, struct lkstla_options, time, .name = "time", .letter = 't',
		    .argument = "START+DURATION",
		    .help = "only what lies in this window, both in seconds with as many\n"
			    "digits as you like, as in -t1108.676061557+0.014634865"),
	{},
};

static int lkstla_parse_window(struct lkst_err *e, const char *text, struct lkst_analyze *a)
{
	const char *p = text;
	u64 start, duration;
	int err = lkst_decimal_parse(&p, LKST_NS_PER_S, &start);

	if (!err && *p == '+') {
		p++;
		err = lkst_decimal_parse(&p, LKST_NS_PER_S, &duration);
	} else {
		err = err ? err : -EINVAL;
	}
	if (!err && *p)
		err = -EINVAL;
	if (!err && __builtin_add_overflow(start, duration, &a->to_ns))
		err = -ERANGE;
	if (err)
		return lkst_err_set(e, err,
				    "\"%s\" is no window: write seconds and seconds, as in "
				    "1108.676061557+0.014634865",
				    text);
	a->from_ns = start;
	return 0;
}

static int lkstla_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkstla_options *o = options;
	struct lkst_analyze a = {
		.names = args[0],
		.which = { .key = o->key },
		.to_ns = UINT64_MAX,
		.is_list = o->list,
		.format = LKST_TABLE_TEXT,
	};
	int err = o->time ? lkstla_parse_window(e, o->time, &a) : 0;

	return err ? err : lkst_analyze_run(e, &a, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_lkstla = {
	.name = "lkstla",
	.summary = "the analyses as lkstlogtools had them",
	.args = "ANALYZER LOGFILE...",
	.is_link = true,
	.help = "Analyzes a trace. LOGFILE is its directory, or files in it. Times are seconds of\n"
		"CLOCK_MONOTONIC. `lkst analyze` does the same and more.",
	.print_more = lkst_analyze_print_names,
	.examples = "  lkstla syscall -l trace/* > syscall.log\n"
		    "  lkstla syscall -k read -t1108.676061557+0.014634865 trace\n",
	.options = rows,
	.options_size = sizeof(struct lkstla_options),
	.min_args = 2,
	.max_args = LKST_ARGS_MAX,
	.run = lkstla_run,
};
