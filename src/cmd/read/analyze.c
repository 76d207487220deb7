/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst analyze: how long things take and how often they happen, by the analyses of analyze/analyses/analysis.h. */
#include "cmd/read/analyze.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/waiting/tree_rows.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/answer.h"
#include "cmd/frame/cmd.h"
#include "cmd/read/analyze_along.h"
#include "cmd/read/joined_tables.h"
#include "cmd/readers/code_naming.h"
#include "cmd/readers/traces.h"

enum {
	ANALYSES_MAX = 64,
	NAME_MAX_LENGTH = 32,
	ROWS_STANDARD = 20,
};

struct analyze_options {
	unsigned int format;
	const char *key, *comm, *cgroup, *span, *from, *to;
	bool list;
	s64 tid, pid, cpu, rows, tree;
	u64 interval;
};

static const struct analyze_options defaults = {
	.tid = -1,
	.pid = -1,
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
	LKST_OPTION(FLAG, struct analyze_options, list, .name = "list", .letter = 'l',
		    .help = "every value by itself, in order of their ends: key, thread, start\n"
			    "in seconds, value (times in seconds), CPU, name"),
	LKST_OPTION(TEXT, struct analyze_options, key, .name = "key", .letter = 'k', .argument = "KEY",
		    .help = "only keys that match this shell pattern, or have this number"),
	LKST_RANGE_ROWS(struct analyze_options, "only what begins at this time or later",
			"only what ends up to this time"),
	LKST_OPTION(NUMBER, struct analyze_options, tid, .name = "tid", .letter = 't', .argument = "N",
		    .max = INT32_MAX, .help = "only this thread"),
	LKST_OPTION(NUMBER, struct analyze_options, pid, .name = "pid", .letter = 'p', .argument = "N", .min = 1,
		    .max = INT32_MAX, .help = "only threads of this process"),
	LKST_OPTION(TEXT, struct analyze_options, comm, .name = "comm", .letter = 'c', .argument = "NAME",
		    .help = "only threads that are called so at the time; a shell pattern"),
	LKST_OPTION(TEXT, struct analyze_options, cgroup, .name = "cgroup", .argument = "GLOB",
		    .help = "only threads in a cgroup whose path, or whose container, matches\n"
			    "this shell pattern"),
	LKST_OPTION(TEXT, struct analyze_options, span, .name = "span", .argument = "GLOB",
		    .help = "of waiting: only while a thread has a span of such a name"),
	LKST_OPTION(NUMBER, struct analyze_options, cpu, .name = "cpu", .letter = 'C', .argument = "N",
		    .max = INT32_MAX, .help = "only what began on this CPU"),
	LKST_OPTION(CHOICE, struct analyze_options, format, .name = "format", .letter = 'f', .argument = "FORMAT",
		    .standard = "text", .help = "", .choices = format_choices),
	LKST_OPTION(DURATION, struct analyze_options, interval, .name = "interval", .letter = 'i', .argument = "D",
		    .min = 1, .max = INT64_MAX,
		    .help = "along the time: a row for each stretch of this length, with the number,\n"
			    "mean and greatest of the values that began in it, of all analyses;\n"
			    "of chart, the share of each state"),
	LKST_OPTION(NUMBER, struct analyze_options, tree, .name = "tree", .argument = "DEPTH", .min = 1,
		    .max = LKST_TREE_DEPTH_MAX,
		    .help = "of waiting: all waiting as a tree, so many levels: who waited, because of\n"
			    "whom or what, who did what meanwhile, and so on"),
	LKST_OPTION(NUMBER, struct analyze_options, rows, .name = "rows", .letter = 'n', .argument = "N",
		    .max = INT32_MAX, .standard = "20", .help = "rows of each table that text shows; 0: all"),
	{},
};

void lkst_analyze_print_names(void)
{
	const struct lkst_analysis *const *a;

	printf("\nAnalyses:\n");
	for (a = lkst_analyses; *a; a++)
		lkst_cmd_print_row((*a)->name, 14, (*a)->help);
}

/* For the first argument: "all", and the analyses that are part of it. */
static bool name_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	const struct lkst_analysis *const *a;

	*ret_choice = (struct lkst_choice){ "all", "all of these" };
	for (a = lkst_analyses; i && *a; a++)
		if (!(*a)->is_of_named) {
			*ret_choice = (struct lkst_choice){ (*a)->name, (*a)->help };
			i--;
		}
	return !i;
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

/* The analyses that are asked for; of two events, what @between then says. */
static int analyze_choose(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
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

/* What is to be answered: the analyses, and the window; and who names functions of programs. */
struct study {
	const struct lkst_analysis *found[ANALYSES_MAX];
	unsigned int nr;
	struct lkst_analysis_options options;
};

static void study_fini(struct study *study)
{
	lkst_code_naming_end(&study->options.namer);
}

/* Whether the analysis that has a tree is one of them, if it is asked for. */
static int check_tree(struct lkst_err *e, const struct lkst_analyze *a, const struct study *study)
{
	unsigned int i;

	for (i = 0; i < study->nr && a->tree_depth; i++)
		if (study->found[i] == &lkst_analysis_waiting)
			return 0;
	return a->tree_depth ? lkst_err_set(e, -EINVAL, "--tree is of the analysis waiting") : 0;
}

static int make_study(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
		      struct lkst_between *between, struct study *ret_study)
{
	*ret_study = (struct study){
		.options = { .from_ns = a->from_ns, .to_ns = a->to_ns, .which = a->which, .tree_depth = a->tree_depth }
	};
	return analyze_choose(e, a, t, ret_study->found, &ret_study->nr, between, &ret_study->options) ?:
	       check_tree(e, a, ret_study) ?:
	       lkst_cmd_parse_range(e, t, a->from, a->to, &ret_study->options.from_ns,
				    &ret_study->options.to_ns) ?:
	       lkst_code_naming_begin(e, t, &ret_study->options.namer);
}

/* Along the time, as a table. */
static int tell_along(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
		      struct study *study, struct lkst_shown_tables *shown)
{
	int err = lkst_analyze_along_new(e, a, t, &study->options, study->found, study->nr,
					 &shown->along);

	if (err)
		return err;
	err = lkst_analyze_along_tell(shown->along, &shown->along_table) ?:
	      lkst_shown_tables_add(shown, &shown->along_table, a->rows);
	return err ? lkst_err_sys(e, err, "analyzing") : 0;
}

/* All but lists and pictures. */
static int analyze_tell(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
			struct lkst_shown_tables *shown)
{
	_cleanup_(study_fini) struct study study = {};
	unsigned int i, k;
	int err = make_study(e, a, t, &shown->between, &study);

	if (err || a->interval_ns)
		return err ? err : tell_along(e, a, t, &study, shown);
	err = lkst_analysis_run_new(e, t, &study.options, study.found, study.nr, &shown->run) ?:
	      lkst_analysis_run_pass(e, shown->run);
	if (err)
		return err;
	for (i = 0; i < study.nr; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(shown->run, i);

		for (k = 0; k < set->nr && !err; k++)
			err = lkst_shown_tables_add(shown, set->items[k], a->rows);
	}
	return err ? lkst_err_sys(e, err, "analyzing") : 0;
}

static int print_picture(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
			 struct lkst_out *out)
{
	_cleanup_(lkst_analyze_along_freep) struct lkst_analyze_along *along = NULL;
	struct lkst_between between;
	_cleanup_(study_fini) struct study study = {};
	int err = make_study(e, a, t, &between, &study) ?:
		  lkst_analyze_along_new(e, a, t, &study.options, study.found, study.nr, &along);

	if (err)
		return err;
	err = lkst_analyze_along_draw(along, out);
	return err ? lkst_err_sys(e, err, "analyzing") : 0;
}

/* Every value, as it comes. */
static int print_list(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
		      struct lkst_out *out)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *s = NULL;
	struct lkst_between between;
	struct lkst_table_printer p;
	_cleanup_(study_fini) struct study study = {};
	int err = make_study(e, a, t, &between, &study);

	if (!err && study.nr != 1)
		err = lkst_err_set(e, -EINVAL, "--list takes one analysis, not %u", study.nr);
	if (err)
		return err;
	lkst_table_printer_init(&p, out, a->format, lkst_trace_catalog(t)->clock_offset_ns);
	p.is_plain = true;
	study.options.list = lkst_table_print_rows;
	study.options.list_arg = &p;
	err = lkst_analysis_run_new(e, t, &study.options, study.found, study.nr, &s) ?:
	      lkst_analysis_run_pass(e, s);
	if (err)
		return err;
	lkst_table_print_end(&p, lkst_analysis_run_list(s));
	lkst_answer_notes(a->format, lkst_analysis_run_list(s));
	lkst_table_printer_end(&p);
	return 0;
}

/* The answer of one host, a lkst_joined_answer. */
static int tell_host(struct lkst_err *e, const void *options, struct lkst_trace *t, struct lkst_shown_tables *shown)
{
	return analyze_tell(e, options, t, shown);
}

static int analyze_print_tables(struct lkst_err *e, const struct lkst_analyze *a, const struct lkst_reading *r,
				struct lkst_out *out)
{
	struct lkst_analyze own = *a;
	const struct lkst_joined_question q = { .answer = tell_host,
						.options = &own,
						.from = &own.from,
						.to = &own.to,
						.format = a->format };

	return lkst_joined_tables_answer(e, &q, r, out);
}

static int print_study(struct lkst_err *e, const struct lkst_analyze *a, const struct lkst_reading *r,
		       struct lkst_out *out)
{
	struct lkst_trace *one = lkst_reading_one(r);

	if (!one && (a->is_list || a->format == LKST_ANALYZE_SVG))
		return lkst_err_set(e, -EINVAL, "--list and svg are of one host: name its trace alone");
	if (a->is_list && (a->interval_ns || a->format == LKST_ANALYZE_SVG))
		return lkst_err_set(e, -EINVAL,
				    "--list has every value by itself: --interval and svg do not go with it");
	if (a->is_list)
		return print_list(e, a, one, out);
	return a->format == LKST_ANALYZE_SVG ? print_picture(e, a, one, out) : analyze_print_tables(e, a, r, out);
}

int lkst_analyze_run(struct lkst_err *e, const struct lkst_analyze *a, char **paths,
		     unsigned int nr_paths)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err, flush_err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "analyzing %s", paths[0]);
	err = lkst_cmd_open_reading(e, paths, nr_paths, &reading);
	if (err)
		return err;
	/* `lkst analyze … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	lkst_out_init(out, STDOUT_FILENO);
	err = print_study(e, a, &reading, out);
	flush_err = lkst_out_flush(out);
	if (!err && flush_err)
		err = lkst_err_sys(e, flush_err, "writing");
	return err;
}

static struct lkst_analyze wanted(const struct analyze_options *o, const char *names)
{
	return (struct lkst_analyze){
		.names = names,
		.which = { .key = o->key,
			   .comm = o->comm,
			   .cgroup = o->cgroup,
			   .span = o->span,
			   .has_tid = o->tid >= 0,
			   .has_pid = o->pid >= 0,
			   .has_cpu = o->cpu >= 0,
			   .tid = (s32)o->tid,
			   .pid = (s32)o->pid,
			   .cpu = (u32)o->cpu },
		.from = o->from,
		.to = o->to,
		.to_ns = UINT64_MAX,
		.is_list = o->list,
		.interval_ns = o->interval,
		.format = o->format,
		.tree_depth = (unsigned int)o->tree,
		.rows = (u64)o->rows,
	};
}

int lkst_analyze_tables(struct lkst_err *e, const void *options, const char *names,
			struct lkst_trace *t, struct lkst_shown_tables *shown)
{
	const struct lkst_analyze a = wanted(options, names);

	if (a.is_list || a.format == LKST_ANALYZE_SVG)
		return lkst_err_set(e, -EINVAL, "a list of values and a picture are no tables");
	return analyze_tell(e, &a, t, shown);
}

static int analyze_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkst_analyze a = wanted(options, args[0]);

	return lkst_analyze_run(e, &a, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_analyze = {
	.name = "analyze",
	.summary = "measure how long things take, and how often they happen",
	.args = "NAME[,NAME...]|all|'EVENT .. EVENT [key=FIELD]' TRACE...",
	.help = "Measures the trace directory TRACE: counts, totals, mean, quantiles and longest of\n"
		"what the analyses look at, a histogram, and the worst ten with time and thread. One\n"
		"pass over the trace answers any number of analyses. Two events in place of names: the\n"
		"time from one to the other, of the same thread or with the same value of FIELD. TRACE may\n"
		"also be given by the files in it. It needs no root and works on any machine. Of traces of\n"
		"several hosts each row has its host.",
	.print_more = lkst_analyze_print_names,
	.first = name_choices,
	.examples = "  lkst analyze syscall slow-tx\n"
		    "  lkst analyze waitdelay,runqueue --comm db --from -2s slow-tx\n"
		    "  lkst analyze biotime --list --key 'sda:*' slow-tx > bio.log\n"
		    "  lkst analyze 'block_rq_insert .. block_rq_issue key=sector' slow-tx\n"
		    "  lkst analyze all --format json slow-tx\n"
		    "  lkst analyze runqueue,biotime --interval 10ms slow-tx\n"
		    "  lkst analyze chart,biotime --comm db --format svg slow-tx > db.svg\n",
	.options = rows,
	.options_size = sizeof(struct analyze_options),
	.defaults = &defaults,
	.min_args = 2,
	.max_args = LKST_ARGS_MAX,
	.run = analyze_run,
};
