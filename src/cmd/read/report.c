/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst report: an overview of a trace, for readers who have not seen it before. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/frame/cmd.h"
#include "cmd/read/joined_tables.h"
#include "cmd/readers/traces.h"
#include "print/table_text.h"
#include "trace/read/reader.h"

enum { ROWS_STANDARD = 8 };

struct report_options {
	unsigned int format;
	const char *from, *to, *comm, *cgroup;
	s64 rows, tid;
	bool all;
};

static const struct report_options defaults = { .rows = ROWS_STANDARD, .tid = -1 };

static const struct lkst_option rows[] = {
	LKST_RANGE_ROWS(struct report_options, "from this time on", "up to this time"),
	LKST_OPTION(NUMBER, struct report_options, tid, .name = "tid", .letter = 't', .argument = "N",
		    .max = INT32_MAX, .help = "only this thread, and a chart of what it did"),
	LKST_OPTION(TEXT, struct report_options, comm, .name = "comm", .letter = 'c', .argument = "NAME",
		    .help = "the same of threads that are called so; a shell pattern"),
	LKST_OPTION(TEXT, struct report_options, cgroup, .name = "cgroup", .argument = "GLOB",
		    .help = "the same of threads in a cgroup whose path, or whose container,\n"
			    "matches this shell pattern"),
	LKST_OPTION(FLAG, struct report_options, all, .name = "all", .letter = 'a',
		    .help = "all tables in text: also CPUs, threads, interrupts, who woke whom, page\n"
			    "faults, disks and spans"),
	LKST_OPTION(NUMBER, struct report_options, rows, .name = "rows", .letter = 'n', .argument = "N",
		    .max = INT32_MAX, .standard = "8",
		    .help = "rows of each table that text shows; 0: all"),
	LKST_OPTION(CHOICE, struct report_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_table_format_choices),
	{},
};

/* The analyses that are run, in the order of their tables. */
static const struct lkst_analysis *const asked[] = {
	&lkst_analysis_waiting, &lkst_analysis_hung,	&lkst_analysis_summary, &lkst_analysis_chart,
	&lkst_analysis_cpu,
	&lkst_analysis_thread,	&lkst_analysis_irq,	&lkst_analysis_wakeups,
	&lkst_analysis_fault,	&lkst_analysis_biotime, &lkst_analysis_span,
};
enum { NR_ASKED = sizeof(asked) / sizeof(asked[0]) };

/* The tables that are shown; what else the analyses have is left to `lkst analyze`. */
static const char *const to_show[] = { "waiting", "hung", "summary", "chart",	       "limited",    "findings",
				       "cpu",	  "thread",  "thread_longest", "irq",	     "wakeups",
				       "fault",	  "biotime", "span",	       "span_worst", "span_states" };

static bool is_of_threads(const struct report_options *o)
{
	return o->tid >= 0 || o->comm || o->cgroup;
}

static bool report_is_shown(const struct lkst_table *t, const struct report_options *o)
{
	bool is_of_thread = is_of_threads(o);
	size_t i;

	/* What concerns the whole machine is not shown for some threads, and a chart only for those. */
	if (!strcmp(t->name, "chart") ? !is_of_thread
				      : is_of_thread && (!strcmp(t->name, "summary") || !strcmp(t->name, "findings") ||
							 !strcmp(t->name, "hung") || !strcmp(t->name, "cpu")))
		return false;
	/* That nothing hangs is what a reader expects. */
	if (!strcmp(t->name, "hung"))
		return t->nr_rows;
	for (i = 0; i < sizeof(to_show) / sizeof(to_show[0]); i++)
		if (!strcmp(t->name, to_show[i]))
			return t->nr_rows || t->notes.nr;
	return false;
}

/* How many rows of @t text shows; 0: all. Those of the first four analyses are short, but for what was left out. */
static u64 report_rows_of(const struct lkst_table *t, unsigned int analysis, const struct report_options *o)
{
	return analysis > 3 || !strcmp(t->name, "limited") ? (u64)o->rows : 0;
}

int lkst_report_tables(struct lkst_err *e, const void *options, struct lkst_trace *t,
		       struct lkst_shown_tables *shown)
{
	const struct report_options *o = options;
	struct lkst_analysis_options asked_for = {
		.to_ns = UINT64_MAX,
		.which = { .comm = o->comm,
			   .cgroup = o->cgroup,
			   .has_tid = o->tid >= 0,
			   .tid = (s32)o->tid },
	};
	unsigned int i, k;
	int err = lkst_cmd_parse_range(e, t, o->from, o->to, &asked_for.from_ns, &asked_for.to_ns) ?:
		  lkst_analysis_run_new(e, t, &asked_for, asked, NR_ASKED, &shown->run) ?:
		  lkst_analysis_run_pass(e, shown->run);

	if (err)
		return err;
	for (i = 0; i < NR_ASKED; i++) {
		const struct lkst_tables *set = lkst_analysis_run_tables(shown->run, i);

		for (k = 0; k < set->nr && !err; k++)
			if (report_is_shown(set->items[k], o))
				err = lkst_shown_tables_add(shown, set->items[k], report_rows_of(set->items[k], i, o));
	}
	return err ? lkst_err_sys(e, err, "reporting") : 0;
}

/* The tables that text shows first: they fit a screen. */
static bool is_first(const struct lkst_table *t)
{
	return !strcmp(t->name, "waiting") || !strcmp(t->name, "hung") || !strcmp(t->name, "summary") ||
	       !strcmp(t->name, "limited") || !strcmp(t->name, "findings");
}

static int print_report(struct lkst_err *e, const struct report_options *o, const struct lkst_reading *r,
			struct lkst_out *out)
{
	const bool is_short = r->nr == 1 && o->format == LKST_TABLE_TEXT && !o->all && !is_of_threads(o);
	struct report_options own = *o;
	const struct lkst_joined_question q = { .answer = lkst_report_tables,
						.options = &own,
						.from = &own.from,
						.to = &own.to,
						.format = o->format,
						.is_shown = is_short ? is_first : NULL };
	int err = lkst_joined_tables_answer(e, &q, r, out);

	if (!err && is_short)
		lkst_out_str(
			out,
			"\n`lkst report --all` has the CPUs, threads, interrupts, page faults, disks and spans, too; "
			"`lkst why '#1'`\nexplains a row of the first table.\n");
	return err;
}

static int report_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err, flush_err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "reporting on %s", args[0]);
	/* `lkst report … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	if (err)
		return err;
	lkst_out_init(out, STDOUT_FILENO);
	err = print_report(e, options, &reading, out);
	flush_err = lkst_out_flush(out);
	if (!err && flush_err)
		err = lkst_err_sys(e, flush_err, "writing");
	return err;
}

const struct lkst_cmd lkst_cmd_report = {
	.name = "report",
	.summary = "sum up what a machine did, and what stands out",
	.args = "TRACE...",
	.help = "Reports from the trace directory TRACE where the waiting went, as `lkst why TRACE` does;\n"
		"what has not ended, as `lkst why --hung TRACE`; what the machine did; and what stands out: the\n"
		"longest waits for a CPU, in system calls, for disks and locks, and what is missing. With --all\n"
		"also by CPU, thread, interrupt, and who woke whom. What is not known is shown as unknown and\n"
		"not guessed. It needs no root and works on any machine. `lkst analyze` has more of each. Traces\n"
		"of several hosts are reported on together: the clocks first, and each row with its host.",
	.examples = "  lkst report slow-tx\n"
		    "  lkst report --all --from -500ms --rows 20 slow-tx\n"
		    "  lkst report --comm postgres slow-tx\n"
		    "  lkst report web1 db1\n"
		    "  lkst report --format json slow-tx > report.json\n",
	.options = rows,
	.options_size = sizeof(struct report_options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = report_run,
};
