/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst diff: what changed from one trace, or window of a trace, to another. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "cmd/frame/cmd.h"
#include "cmd/read/diff_report.h"

enum {
	EXIT_FAILED = 1,  /* a criterion is met */
	EXIT_TROUBLE = 2, /* nothing could be compared */
	EXIT_UNKNOWN = 3, /* no criterion is met, but one is of a row that there is not */
	ROWS_STANDARD = 20,
	WHYS_STANDARD = 2,
	LEVEL_STANDARD = 10000, /* millionths */
	LEAST_STANDARD = 50000,
	MILLION = 1000000,
	TIME_TEXT = 128, /* characters of a time in a window */
};

struct diff_options {
	const char *window, *against, *comm, *per;
	struct lkst_list fail_if;
	unsigned int group, format;
	u64 level, least;
	s64 rows, why;
	bool all;
};

static const struct diff_options defaults = {
	.level = LEVEL_STANDARD,
	.least = LEAST_STANDARD,
	.rows = ROWS_STANDARD,
	.why = WHYS_STANDARD,
};

static bool group_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	static const struct lkst_choice choices[] = {
		[LKST_DIFF_BY_PROCESS] = { "process", "by the name of their process" },
		[LKST_DIFF_BY_THREAD] = { "thread",
					  "by their own, with a * in place of each number" },
	};

	if (i < sizeof(choices) / sizeof(choices[0]))
		*ret_choice = choices[i];
	return i < sizeof(choices) / sizeof(choices[0]);
}

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct diff_options, window, .name = "window", .letter = 'w',
		    .argument = "FROM..TO", .standard = "all",
		    .help = "what is to be compared, of TRACE or of B: times as 12:14:05.5,\n"
			    "@1234.5 monotonic seconds, +1.5s after the beginning, -2s before\n"
			    "the end; one that is left out is the trace's own"),
	LKST_OPTION(TEXT, struct diff_options, against, .name = "against", .letter = 'a',
		    .argument = "FROM..TO", .standard = "all",
		    .help = "with what, of TRACE or of A"),
	LKST_OPTION(LIST, struct diff_options, fail_if, .name = "fail-if", .argument = "CRITERION",
		    .help = "exit with status 1 if this has changed, significantly: 'p99 of\n"
			    "syscall:fsync +20%'; may be repeated. With status 3 if no row\n"
			    "is called so"),
	LKST_OPTION(TEXT, struct diff_options, per, .name = "per", .letter = 'p', .argument = "KEY",
		    .standard = "seconds",
		    .help = "divide times and counts by how often this happened, a row's name:\n"
			    "for traces of different amounts of the same work"),
	LKST_OPTION(CHOICE, struct diff_options, group, .name = "group", .letter = 'g', .argument = "BY",
		    .standard = "process",
		    .help = "which threads are one group:", .choices = group_choices),
	LKST_OPTION(TEXT, struct diff_options, comm, .name = "comm", .letter = 'c', .argument = "NAME",
		    .help = "only threads that are called so at the time; a shell pattern"),
	LKST_OPTION(SHARE, struct diff_options, level, .name = "level", .argument = "SHARE", .min = 1,
		    .max = MILLION / 2, .standard = "1%",
		    .help = "how likely it may be that anything is called significant, or\n"
			    "fails, by accident"),
	LKST_OPTION(SHARE, struct diff_options, least, .name = "least", .argument = "SHARE",
		    .max = MILLION, .standard = "5%",
		    .help = "do not call significant what has changed by less"),
	LKST_OPTION(FLAG, struct diff_options, all, .name = "all",
		    .help = "show rows that are not significantly different, too"),
	LKST_OPTION(NUMBER, struct diff_options, why, .name = "why", .argument = "N",
		    .max = LKST_DIFF_WHYS_MAX, .standard = "2",
		    .help = "explain a typical slow one and a typical fast one of so many rows"),
	LKST_OPTION(CHOICE, struct diff_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_table_format_choices),
	LKST_OPTION(NUMBER, struct diff_options, rows, .name = "rows", .letter = 'n', .argument = "N",
		    .max = INT32_MAX, .standard = "20", .help = "rows that text shows; 0: all"),
	{},
};

/* ---- what is compared ------------------------------------------------------------------------ */

/* One of the two: the trace it is of, and its window. */
struct half {
	struct lkst_trace *trace;
	char name[LKST_ERR_LINE];
	u64 from_ns, to_ns;
};

struct halves {
	struct lkst_trace *traces[2]; /* that are open; the second NULL: both are of the first */
	struct half of[2];
};

static void halves_fini(struct halves *h)
{
	lkst_trace_close(h->traces[0]);
	lkst_trace_close(h->traces[1]);
}

/* The time at @text, of @length bytes; empty: *@ns stays. */
static int diff_parse_time(struct lkst_err *e, const struct lkst_time_range *range, const char *text,
			   size_t length, u64 *ns)
{
	char time[TIME_TEXT];

	if (!length)
		return 0;
	if (length >= sizeof(time))
		return lkst_err_set(e, -EINVAL, "\"%.20s...\" is too long for a time", text);
	memcpy(time, text, length);
	time[length] = 0;
	return lkst_time_parse(e, time, range, ns);
}

/* Restricts @h to window @text, called --@option. */
static int diff_parse_window(struct lkst_err *e, const char *option, const char *text, struct half *h)
{
	struct lkst_time_range range = { .clock_offset_ns =
						 lkst_trace_catalog(h->trace)->clock_offset_ns };
	const char *dots = strstr(text, "..");
	u64 begin_ns = h->from_ns, end_ns = h->to_ns;
	int err;

	if (!dots)
		return lkst_err_set(e, -EINVAL,
				    "--%s is FROM..TO, two times with .. between, not \"%s\"",
				    option, text);
	lkst_trace_range(h->trace, &range.begin_ns, &range.end_ns);
	err = diff_parse_time(e, &range, text, (size_t)(dots - text), &h->from_ns)
		      ?: diff_parse_time(e, &range, dots + 2, strlen(dots + 2), &h->to_ns);
	if (err) {
		lkst_err_add(e, "--%s", option);
		return err;
	}
	h->from_ns = h->from_ns > begin_ns ? h->from_ns : begin_ns;
	h->to_ns = h->to_ns < end_ns ? h->to_ns : end_ns;
	if (h->from_ns >= h->to_ns)
		return lkst_err_set(e, -EINVAL, "--%s %s has nothing of the trace", option, text);
	return 0;
}

/* Half @i: @path NULL: of the trace that is open already. */
static int open_half(struct lkst_err *e, struct halves *h, unsigned int i, char *path,
		     const char *window)
{
	static const char *const options[] = { "against", "window" };
	struct half *half = &h->of[i];
	int err = 0;

	if (path)
		err = lkst_cmd_open_trace(e, &path, 1, &h->traces[i]);
	if (err)
		return err;
	half->trace = h->traces[i] ?: h->traces[0];
	lkst_trace_range(half->trace, &half->from_ns, &half->to_ns);
	snprintf(half->name, sizeof(half->name), "%s%s%s", path ?: "the same", window ? " " : "",
		 window ?: "");
	if (half->from_ns >= half->to_ns)
		return lkst_err_set(e, -ENOENT, "%s has no records to compare", half->name);
	return window ? diff_parse_window(e, options[i], window, half) : 0;
}

static int open_halves(struct lkst_err *e, const struct diff_options *o, char **args,
		       unsigned int nr_args, struct halves *h)
{
	if (nr_args == 1 && (!o->window || !o->against))
		return lkst_err_set(
			e, -EINVAL,
			"with what is %s to be compared? Give a second trace, or --window and "
			"--against",
			args[0]);
	return open_half(e, h, 0, args[0], o->against)
		       ?: open_half(e, h, 1, nr_args > 1 ? args[1] : NULL, o->window);
}

static int diff_compare(struct lkst_err *e, const struct diff_options *o, const struct halves *h,
			struct lkst_diff **ret_diff)
{
	const struct lkst_diff_options options = { .level = (double)o->level / MILLION,
						   .least = (double)o->least / MILLION,
						   .per = o->per };
	const struct half *a = &h->of[0], *b = &h->of[1];
	struct lkst_diff_side *sides[2] = {};
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		const struct lkst_diff_side_options side = {
			.from_ns = h->of[i].from_ns,
			.to_ns = h->of[i].to_ns,
			.step_ns = lkst_diff_step_ns(a->to_ns - a->from_ns, b->to_ns - b->from_ns),
			.group = o->group,
			.comm = o->comm,
		};

		err = lkst_diff_side_new(e, h->of[i].trace, &side, &sides[i]);
		if (err) {
			lkst_diff_side_free(sides[0]);
			return err;
		}
	}
	return lkst_diff_new(e, sides[0], sides[1], &options, ret_diff);
}

/* ---- criteria -------------------------------------------------------------------------------- */

struct judged {
	struct lkst_criterion criteria[LKST_LIST_MAX];
	struct lkst_verdict verdicts[LKST_LIST_MAX];
	bool has_failed, has_unknown;
};

static int diff_judge(struct lkst_err *e, const struct lkst_diff *d, unsigned int nr, struct judged *j)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		err = lkst_criterion_judge(d, &j->criteria[i], nr, &j->verdicts[i]);
		j->has_failed |= j->verdicts[i].is_met && j->verdicts[i].is_sure;
		j->has_unknown |= !err && j->verdicts[i].is_unknown;
	}
	return err ? lkst_err_sys(e, err, "judging") : 0;
}

static int diff_answer(struct lkst_err *e, const struct diff_options *o, const struct halves *h,
		       struct judged *j, struct lkst_out *out)
{
	_cleanup_(lkst_diff_freep) struct lkst_diff *d = NULL;
	struct lkst_diff_report report;
	int err = diff_compare(e, o, h, &d) ?: diff_judge(e, d, o->fail_if.nr, j);

	if (err)
		return err;
	report = (struct lkst_diff_report){ .diff = d,
					    .names = { h->of[0].name, h->of[1].name },
					    .traces = { h->of[0].trace, h->of[1].trace },
					    .criteria = j->criteria,
					    .verdicts = j->verdicts,
					    .criterion_texts = o->fail_if.items,
					    .nr_criteria = o->fail_if.nr,
					    .comm = o->comm,
					    .has_all = o->all,
					    .max_rows = (u64)o->rows,
					    .max_whys = (u64)o->why,
					    .format = o->format };
	lkst_out_init(out, STDOUT_FILENO);
	err = lkst_diff_report_print(e, &report, out);
	if (!err && lkst_out_flush(out))
		err = lkst_err_sys(e, out->error, "writing");
	return err;
}

static int run_all(struct lkst_err *e, const struct diff_options *o, char **args, unsigned int nr_args)
{
	_cleanup_(halves_fini) struct halves h = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_free_ struct judged *j = calloc(1, sizeof(*j));
	unsigned int i;
	int err = 0;

	if (!out || !j)
		return lkst_err_sys(e, -ENOMEM, "comparing");
	for (i = 0; i < o->fail_if.nr && !err; i++)
		err = lkst_criterion_parse(e, o->fail_if.items[i], &j->criteria[i]);
	/* `lkst diff … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = err ?: open_halves(e, o, args, nr_args, &h) ?: diff_answer(e, o, &h, j, out);
	if (err)
		return err;
	return j->has_failed ? EXIT_FAILED : j->has_unknown ? EXIT_UNKNOWN : 0;
}

static int diff_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	int status = run_all(e, options, args, nr_args);

	/* 1 is for a criterion that is met, so failures have a status of their own, as those of diff(1). */
	if (status >= 0)
		return status;
	lkst_cmd_print_error(&lkst_cmd_diff, e, status);
	return EXIT_TROUBLE;
}

const struct lkst_cmd lkst_cmd_diff = {
	.name = "diff",
	.summary = "compare two traces, or two parts of one",
	.args = "A B|TRACE",
	.help = "Compares trace B with trace A, or window --window of TRACE with window --against: what\n"
		"groups of threads did, and system calls, locks, disks, interrupts and packets, by time and\n"
		"by count, the largest change first. Changes that accident explains, or what two recordings\n"
		"of the same load differ by, are not shown. Then where the waiting went, as far as it\n"
		"changed. Of the first rows, a typical slow one is explained beside a typical fast one. The\n"
		"exit status is 1 if a criterion is met, 2 if nothing could be compared, and 3 if a criterion\n"
		"is of a row that there is not.",
	.examples =
		"  lkst diff before after\n"
		"  lkst diff slow --window 12:14:05..12:14:07 --against ..12:14:05\n"
		"  lkst diff --per syscall:fsync before after\n"
		"  lkst diff --fail-if 'p99 of syscall:fsync +20%' --format json before after\n",
	.options = rows,
	.options_size = sizeof(struct diff_options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = 2,
	.run = diff_run,
};
