/* SPDX-License-Identifier: GPL-2.0-only */
/* lkstbuf: the original's command for buffers, and for what was saved of them. */
#include <errno.h>
#include <stdio.h>

#include "cmd/recorders/verbs.h"

struct lkstbuf_options {
	const char *file;
	bool csv, seconds, verbose, records;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct lkstbuf_options, file, .name = "file", .letter = 'f', .argument = "FILE",
		    .help = "the file to write or to print"),
	LKST_OPTION(FLAG, struct lkstbuf_options, csv, .name = "csv", .letter = 'C',
		    .help = "print as comma-separated values"),
	LKST_OPTION(FLAG, struct lkstbuf_options, seconds, .name = "seconds", .letter = 'S',
		    .help = "print seconds and nanoseconds: of the time of day (since\n"
			    "1970) in CSV, of CLOCK_MONOTONIC in text; without it CSV\n"
			    "counts from the first record, and text has the time of day"),
	LKST_OPTION(FLAG, struct lkstbuf_options, verbose, .name = "verbose", .letter = 'V',
		    .help = "print a description of each argument in CSV; text has them"),
	LKST_OPTION(FLAG, struct lkstbuf_options, records, .name = "records", .letter = 'r',
		    .help = "print records only: no line where some are missing"),
	{},
};

static int lkstbuf_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	static const char *const words[] = { "list", NULL };

	return lkst_cmd_run(job->e, &lkst_cmd_buffer, words);
}

static int lkstbuf_check_file(struct lkst_err *e, const struct lkstbuf_options *o)
{
	return o->file ? 0 : lkst_err_set(e, -EINVAL, "-f says which file; see --help");
}

static int verb_read(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkstbuf_options *o = job->options;
	const char *const words[] = { "--quiet", "--file", o->file, NULL };
	int err = lkstbuf_check_file(job->e, o);

	return err ? err : lkst_cmd_run(job->e, &lkst_cmd_snapshot, words);
}

static int verb_print(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkstbuf_options *o = job->options;
	const char *words[10] = { "--format", o->csv ? "csv" : "text", "--time" };
	unsigned int nr = 3;
	int err = lkstbuf_check_file(job->e, o);

	if (err)
		return err;
	if (o->csv)
		words[nr++] = o->seconds ? "day" : "rel";
	else
		words[nr++] = o->seconds ? "mono" : "day";
	if (o->csv && !o->verbose)
		words[nr++] = "--brief";
	if (o->records)
		words[nr++] = "--no-gaps";
	words[nr++] = o->file;
	return lkst_cmd_run(job->e, &lkst_cmd_print, words);
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .run = lkstbuf_verb_list, .help = "the buffers of each CPU"),
	LKST_VERB(.name = "read", .run = verb_read,
		  .help = "saves what they hold to FILE; recording goes on"),
	LKST_VERB(.name = "print", .run = verb_print,
		  .help = "prints FILE; `lkst print FILE` takes it, too"),
	{},
};

static int lkstbuf_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	return lkst_verbs_run(e, verbs, args[0], options, true, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_lkstbuf = {
	.name = "lkstbuf",
	.is_link = true,
	.summary = "buffers, as the original LKST spelled it",
	.help = "Does the same as `lkst buffer`, `lkst snapshot` and `lkst print`, with the options of\n"
		"the original LKST of 2002 to 2006.",
	.examples = "  lkstbuf read -f trace.log\n"
		    "  lkstbuf print -r -C -S -V -f trace.log > trace.csv\n",
	.options = rows,
	.options_size = sizeof(struct lkstbuf_options),
	.verbs = verbs,
	.min_args = 1,
	.max_args = 1,
	.run = lkstbuf_run,
};
