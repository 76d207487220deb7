/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst analyze: how long things take and how often they happen, by the analyses of analyze/measures/analysis.h. */
#include "cmd/read/analyze.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/measures/between.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/read/analyze_along.h"

enum {
	ANALYSES_MAX = 64,
	NAME_MAX_LENGTH = 32,
	ROWS_STANDARD = 20,
};

struct options {
	unsigned int format;
	const char *key, *comm, *cgroup, *from, *to;
	bool list;
	s64 tid, cpu, rows;
	u64 interval;
};

static const struct options defaults = {
	.tid = -1,
	.cpu = -1,
	.rows = ROWS_STANDARD,
};

/* Those of tables, and a picture. */
static bool format_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i == LKST_ANALYZE_SVG)
		*ret_choice = (struct lkst_choice){ "svg", "a picture of them all along one axis of time" };
	return i == LKST_ANALYZE_SVG || lkst_table_format_choices(i, ret_choice);
}

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct options, list, .name = "list", .letter = 'l',
		    .help = "every value by itself, in order of their ends: key, thread, start\n"
			    "in seconds, value (times in seconds), CPU, name"),
	LKST_OPTION(TEXT, struct options, key, .name = "key", .letter = 'k', .argument = "KEY",
		    .help = "only keys that match this shell pattern, or have this number"),
	LKST_RANGE_ROWS(struct options, "only what begins at this time or later", "only what ends up to this time"),
	LKST_OPTION(NUMBER, struct options, tid, .name = "tid", .letter = 't', .argument = "N",
		    .max = INT32_MAX, .help = "only this thread"),
	LKST_OPTION(TEXT, struct options, comm, .name = "comm", .letter = 'c', .argument = "NAME",
		    .help = "only threads that are called so at the time; a shell pattern"),
	LKST_OPTION(TEXT, struct options, cgroup, .name = "cgroup", .argument = "GLOB",
		    .help = "only threads in a cgroup whose path, or whose container, matches\n"
			    "this shell pattern"),
	LKST_OPTION(NUMBER, struct options, cpu, .name = "cpu", .letter = 'C', .argument = "N",
		    .max = INT32_MAX, .help = "only what began on this CPU"),
	LKST_OPTION(CHOICE, struct options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = format_choices),
	LKST_OPTION(DURATION, struct options, interval, .name = "interval", .letter = 'i',
		    .argument = "D", .min = 1, .max = INT64_MAX,
		    .help = "along the time: a row for each stretch of this length, with the number,\n"
			    "mean and greatest of the values that began in it, of all analyses;\n"
			    "of chart, the share of each state"),
	LKST_OPTION(NUMBER, struct options, rows, .name = "rows", .letter = 'n', .argument = "N",
		    .max = INT32_MAX, .standard = "20",
		    .help = "rows of each table that text shows; 0: all"),
	{},
};

void lkst_analyze_print_names(void)
{
	const struct lkst_analysis *const *a;

	printf("\nAnalyses:\n");
	for (a = lkst_analyses; *a; a++)
		printf("  %-14s%s\n", (*a)->name, (*a)->help);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The analyses that @names names, without doubles. */
static int find_analyses(struct lkst_err *e, const char *names,
			 const struct lkst_analysis *found[ANALYSES_MAX], unsigned int *ret_nr)
{
	const struct lkst_analysis *const *all;
	unsigned int nr = 0, i;

	if (!strcmp(names, "all")) {
		for (all = lkst_analyses; *all && nr < ANALYSES_MAX; all++)
			if (!(*all)->is_of_named)
				found[nr++] = *all;
		*ret_nr = nr;
		return 0;
	}
	for (;;) {
		size_t length = strcspn(names, ",");
		char name[NAME_MAX_LENGTH];
		const struct lkst_analysis *a;

		snprintf(name, sizeof(name), "%.*s", length > INT_MAX ? 0 : (int)length, names);
		a = length < sizeof(name) ? lkst_analysis_find(name) : NULL;
		if (!a)
			return lkst_err_set(e, -EINVAL,
					    "there is no analysis \"%s\"; `lkst analyze --help` "
					    "lists them",
					    name);
		if (a->is_of_named)
			return lkst_err_set(e, -EINVAL,
					    "%s measures the time between two events: name them in its place, "
					    "as 'EVENT .. EVENT'",
					    name);
		for (i = 0; i < nr && found[i] != a; i++)
			;
		if (i == nr && nr < ANALYSES_MAX)
			found[nr++] = a;
		if (!names[length])
			break;
		names += length + 1;
	}
	*ret_nr = nr;
	return 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_tables(const struct lkst_analyze *a, struct lkst_table_printer *p,
			 const struct lkst_analysis_run *s, unsigned int nr)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(s, i);

		for (k = 0; k < set->nr; k++) {
			lkst_table_print(p, set->items[k]);
			lkst_answer_notes(a->format, set->items[k]);
		}
	}
}

/* The analyses that are asked for; of two events, what @between then says. */
static int choose(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
		  const struct lkst_analysis *found[ANALYSES_MAX], unsigned int *ret_nr,
		  struct lkst_between *between, struct lkst_analysis_options *options)
{
	if (!strstr(a->names, ".."))
		return find_analyses(e, a->names, found, ret_nr);
	found[0] = &lkst_analysis_between;
	*ret_nr = 1;
	options->between = between;
	return lkst_between_find(e, lkst_trace_catalog(t), a->names, between);
}

/* Along the time: a table or a picture. */
static int print_along(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
		       struct lkst_analysis_options *options,
		       const struct lkst_analysis *const *found, unsigned int nr,
		       struct lkst_out *out)
{
	_cleanup_(lkst_analyze_along_freep) struct lkst_analyze_along *along = NULL;
	struct lkst_table_printer p;
	struct lkst_table table = {};
	int err;

	if (a->is_list)
		return lkst_err_set(e, -EINVAL,
				    "--list has every value by itself: --interval and svg do not go with it");
	err = lkst_analyze_along_new(e, a, t, options, found, nr, &along);
	if (err)
		return err;
	if (a->format == LKST_ANALYZE_SVG)
		err = lkst_analyze_along_draw(along, out);
	else
		err = lkst_analyze_along_tell(along, &table);
	if (!err && a->format != LKST_ANALYZE_SVG) {
		lkst_table_printer_init(&p, out, a->format,
					lkst_trace_catalog(t)->clock_offset_ns);
		p.max_rows = a->rows;
		lkst_table_print(&p, &table);
		lkst_answer_notes(a->format, &table);
		lkst_table_printer_end(&p);
	}
	lkst_table_fini(&table);
	return err ? lkst_err_sys(e, err, "analyzing") : 0;
}

static int print_values(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
			const struct lkst_analysis_options *options,
			const struct lkst_analysis *const *found, unsigned int nr,
			struct lkst_out *out)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *s = NULL;
	struct lkst_analysis_options asked = *options;
	struct lkst_table_printer p;
	int err;

	if (a->is_list && nr != 1)
		return lkst_err_set(e, -EINVAL, "--list takes one analysis, not %u", nr);
	lkst_table_printer_init(&p, out, a->format, lkst_trace_catalog(t)->clock_offset_ns);
	p.max_rows = a->is_list ? 0 : a->rows;
	p.is_plain = a->is_list;
	if (a->is_list) {
		asked.list = lkst_table_print_rows;
		asked.list_arg = &p;
	}
	err = lkst_analysis_run_new(e, t, &asked, found, nr, &s) ?: lkst_analysis_run_pass(e, s);
	if (err)
		return err;
	if (a->is_list) {
		lkst_table_print_end(&p, lkst_analysis_run_list(s));
		lkst_answer_notes(a->format, lkst_analysis_run_list(s));
	} else {
		print_tables(a, &p, s, nr);
	}
	lkst_table_printer_end(&p);
	return 0;
}

static int print_study(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
		       struct lkst_out *out)
{
	const struct lkst_analysis *found[ANALYSES_MAX];
	struct lkst_analysis_options options = { .from_ns = a->from_ns,
						 .to_ns = a->to_ns,
						 .which = a->which };
	struct lkst_between between;
	unsigned int nr = 0;
	int err = choose(e, a, t, found, &nr, &between, &options) ?:
		  lkst_cmd_parse_range(e, t, a->from, a->to, &options.from_ns, &options.to_ns);

	if (err)
		return err;
	return a->interval_ns || a->format == LKST_ANALYZE_SVG
		       ? print_along(e, a, t, &options, found, nr, out)
		       : print_values(e, a, t, &options, found, nr, out);
}

int lkst_analyze_run(struct lkst_err *e, const struct lkst_analyze *a, char **paths,
		     unsigned int nr_paths)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err, flush_err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "analyzing %s", paths[0]);
	err = lkst_cmd_open_trace(e, paths, nr_paths, &t);
	if (err)
		return err;
	/* `lkst analyze … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	lkst_out_init(out, STDOUT_FILENO);
	err = print_study(e, a, t, out);
	flush_err = lkst_out_flush(out);
	if (!err && flush_err)
		err = lkst_err_sys(e, flush_err, "writing");
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	struct lkst_analyze a = {
		.names = args[0],
		.which = { .key = o->key,
			   .comm = o->comm,
			   .cgroup = o->cgroup,
			   .has_tid = o->tid >= 0,
			   .has_cpu = o->cpu >= 0,
			   .tid = (s32)o->tid,
			   .cpu = (u32)o->cpu },
		.from = o->from,
		.to = o->to,
		.to_ns = UINT64_MAX,
		.is_list = o->list,
		.interval_ns = o->interval,
		.format = o->format,
		.rows = (u64)o->rows,
	};

	return lkst_analyze_run(e, &a, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_analyze = {
	.name = "analyze",
	.summary = "how long things take and how often they happen",
	.args = "NAME[,NAME...]|all|'EVENT .. EVENT [key=FIELD]' TRACE...",
	.help = "Measures the trace directory TRACE: counts, totals, mean, quantiles and longest of\n"
		"what the analyses look at, a histogram, and the worst ten with time and thread. One\n"
		"pass over the trace answers any number of analyses. Two events in place of names: the\n"
		"time from one to the other, of the same thread or with the same value of FIELD. TRACE may\n"
		"also be given by the files in it. It needs no root and works on any machine.",
	.print_more = lkst_analyze_print_names,
	.examples = "  lkst analyze syscall slow-tx\n"
		    "  lkst analyze waitdelay,runqueue --comm db --from -2s slow-tx\n"
		    "  lkst analyze biotime --list --key 'sda:*' slow-tx > bio.log\n"
		    "  lkst analyze 'block_rq_insert .. block_rq_issue key=sector' slow-tx\n"
		    "  lkst analyze all --format json slow-tx\n"
		    "  lkst analyze runqueue,biotime --interval 10ms slow-tx\n"
		    "  lkst analyze chart,biotime --comm db --format svg slow-tx > db.svg\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.min_args = 2,
	.max_args = LKST_ARGS_MAX,
	.run = run,
};
