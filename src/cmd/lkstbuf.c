/* SPDX-License-Identifier: GPL-2.0-only */
/* lkstbuf: the original's command for buffers, and for what was saved of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

struct options {
	const char *file;
	bool csv, seconds, verbose, records;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct options, file, .name = "file", .letter = 'f', .argument = "FILE",
		    .help = "the file to write or to print"),
	LKST_OPTION(FLAG, struct options, csv, .name = "csv", .letter = 'C',
		    .help = "print as comma-separated values"),
	LKST_OPTION(FLAG, struct options, seconds, .name = "seconds", .letter = 'S',
		    .help = "print seconds and nanoseconds: of the time of day (since\n"
			    "1970) in CSV, of CLOCK_MONOTONIC in text; without it CSV\n"
			    "counts from the first record, and text has the time of day"),
	LKST_OPTION(FLAG, struct options, verbose, .name = "verbose", .letter = 'V',
		    .help = "print a description of each argument in CSV; text has them"),
	LKST_OPTION(FLAG, struct options, records, .name = "records", .letter = 'r',
		    .help = "print records only: no line where some are missing"),
	{},
};

static int print(struct lkst_err *e, const struct options *o)
{
	const char *words[10] = { "--format", o->csv ? "csv" : "text", "--time" };
	unsigned int nr = 3;

	if (o->csv)
		words[nr++] = o->seconds ? "day" : "rel";
	else
		words[nr++] = o->seconds ? "mono" : "day";
	if (o->csv && !o->verbose)
		words[nr++] = "--brief";
	if (o->records)
		words[nr++] = "--no-gaps";
	words[nr++] = o->file;
	return lkst_cmd_run(e, &lkst_cmd_print, words);
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	static const char *const list[] = { "list", NULL };
	const struct options *o = options;
	const char *const save[] = { "--quiet", "--file", o->file, NULL };

	(void)nr_args;
	if (!strcmp(args[0], "list"))
		return lkst_cmd_run(e, &lkst_cmd_buffer, list);
	if (strcmp(args[0], "read") && strcmp(args[0], "print"))
		return lkst_err_set(e, -EINVAL, "there is no \"%s\"; see --help", args[0]);
	if (!o->file)
		return lkst_err_set(e, -EINVAL, "-f says which file; see --help");
	return args[0][0] == 'r' ? lkst_cmd_run(e, &lkst_cmd_snapshot, save) : print(e, o);
}

const struct lkst_cmd lkst_cmd_lkstbuf = {
	.name = "lkstbuf",
	.is_link = true,
	.summary = "buffers, as the original LKST spelled it",
	.usage = "lkstbuf [-f FILE] [-r] [-C] [-S] [-V] list | read | print",
	.help = "Does the same as `lkst buffer`, `lkst snapshot` and `lkst print`, with the options of\n"
		"the original LKST of 2002 to 2006.\n"
		"\n"
		"  list          the buffers of each CPU\n"
		"  read          saves what they hold to FILE; recording goes on\n"
		"  print         prints FILE; `lkst print FILE` takes it, too",
	.examples = "  lkstbuf read -f trace.log\n"
		    "  lkstbuf print -r -C -S -V -f trace.log > trace.csv\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
