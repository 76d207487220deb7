// SPDX-License-Identifier: GPL-2.0-only
/* lkst top: what threads, interrupts and disks did in the last second, again and again. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "cmd/frame/cmd.h"
#include "cmd/recorders/remote.h"
#include "cmd/top/top_look.h"
#include "cmd/top/top_screen.h"
#include "cmd/top/top_tables.h"
#include "print/table_text.h"
#include "trace/read/reader.h"

enum { ROWS_STANDARD = 20 };

/* The service answers no more than one request a second. */
#define DELAY_REMOTE_NS LKST_NS_PER_S

struct top_options {
	bool is_batch, is_by_process, no_color;
	s64 count, pid, rows;
	u64 delay_ns;
	unsigned int format, sort;
	const char *comm, *cgroup, *from, *to, *socket;
};

static const struct top_options defaults = {
	.delay_ns = LKST_NS_PER_S,
	.rows = ROWS_STANDARD,
	.sort = LKST_TOP_RUNNING,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct top_options, is_batch, .name = "batch", .letter = 'b',
		    .help = "print each look one after another, for a file or a pipe"),
	LKST_OPTION(NUMBER, struct top_options, count, .name = "count", .letter = 'n', .argument = "N",
		    .max = INT32_MAX, .standard = "0, without an end", .help = "end after N looks"),
	LKST_OPTION(DURATION, struct top_options, delay_ns, .name = "delay", .letter = 'd',
		    .argument = "TIME", .min = LKST_TOP_DELAY_MIN_NS, .max = LKST_TOP_DELAY_MAX_NS,
		    .standard = "1s",
		    .help = "how long to wait between two looks, which is what each shows"),
	LKST_OPTION(CHOICE, struct top_options, sort, .name = "sort", .letter = 's',
		    .argument = "COLUMN", .standard = "running",
		    .help = "what threads are sorted by:", .choices = lkst_top_column_choices),
	LKST_OPTION(FLAG, struct top_options, is_by_process, .name = "processes", .letter = 'H',
		    .help = "a row for each process, not for each thread"),
	LKST_OPTION(NUMBER, struct top_options, pid, .name = "pid", .letter = 'p', .argument = "N",
		    .min = 1, .max = INT32_MAX, .help = "only threads of this process"),
	LKST_OPTION(TEXT, struct top_options, comm, .name = "comm", .letter = 'c', .argument = "NAME",
		    .help = "only of such names: a shell pattern, or a part of the name"),
	LKST_OPTION(TEXT, struct top_options, cgroup, .name = "cgroup", .argument = "GLOB",
		    .help = "only in a cgroup whose path, or whose container, GLOB fits"),
	LKST_OPTION(CHOICE, struct top_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text",
		    .help = "with --batch:", .choices = lkst_table_format_choices),
	LKST_OPTION(NUMBER, struct top_options, rows, .name = "rows", .argument = "N", .max = INT32_MAX,
		    .standard = "20",
		    .help = "with --batch: rows of each table that text shows; 0: all"),
	LKST_OPTION(FLAG, struct top_options, no_color, .name = "no-color",
		    .help = "without colours, as with NO_COLOR in the environment"),
	LKST_RANGE_ROWS(struct top_options, "of TRACE from this time on", "up to this time"),
	LKST_OPTION_SOCKET_ROW(struct top_options, socket),
	{},
};

static struct lkst_top_wish wish_of(const struct top_options *o)
{
	return (struct lkst_top_wish){ .sort = (enum lkst_top_column)o->sort,
				       .is_by_process = o->is_by_process,
				       .pid = (s32)o->pid,
				       .name = o->comm,
				       .cgroup = o->cgroup };
}

/* ---- one after another ---------------------------------------------------------------------- */

static int print_look(struct lkst_err *e, const struct top_options *o, const struct lkst_top_look *look,
		      struct lkst_out *out)
{
	_cleanup_(lkst_tables_fini) struct lkst_tables set = {};
	_cleanup_(lkst_top_rows_fini) struct lkst_top_rows list = {};
	const struct lkst_top_wish wish = wish_of(o);
	struct lkst_table_printer p;
	unsigned int i;
	int err = lkst_top_rows_make(look->figures, &wish, &list)
			  ?: lkst_top_tables(look, &list, &set);

	if (err)
		return lkst_err_sys(e, err, "printing");
	lkst_table_printer_init(&p, out, o->format,
				lkst_trace_catalog(look->trace)->clock_offset_ns);
	p.max_rows = (u64)o->rows;
	p.max_text = LKST_CELL_TEXT_MAX;
	for (i = 0; i < set.nr; i++)
		if (set.items[i]->nr_rows || set.items[i]->notes.nr || o->format != LKST_TABLE_TEXT)
			lkst_table_print(&p, set.items[i]);
	if (look->waiting)
		lkst_table_print(&p, look->waiting);
	lkst_table_printer_end(&p);
	err = lkst_out_flush(out);
	return err ? lkst_err_sys(e, err, "writing") : 0;
}

static int run_batch(struct lkst_err *e, const struct top_options *o, struct lkst_top_source *source,
		     s64 count)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct lkst_top_look *look;
	s64 i;
	int err = 0;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "printing");
	/* `lkst top --batch | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	lkst_out_init(out, STDOUT_FILENO);
	for (i = 0; (!count || i < count) && !err; i++) {
		if (i)
			err = lkst_top_wait(e, source, o->delay_ns, NULL, 0);
		if (err >= 0)
			err = lkst_top_next(e, source, o->delay_ns, &look);
		if (!err && i && o->format != LKST_TABLE_JSON)
			lkst_out_str(out, "\n");
		err = err ?: print_look(e, o, look, out);
	}
	return err;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int show_trace(struct lkst_err *e, const struct top_options *o, char **args,
		      unsigned int nr_args)
{
	_cleanup_(lkst_top_closep) struct lkst_top_source *source = NULL;
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	u64 from_ns, to_ns;
	int err;

	if (o->count || o->socket || o->delay_ns != defaults.delay_ns)
		return lkst_err_set(e, -EINVAL,
				    "--count, --delay and --socket are for the running recording; "
				    "of a trace --from and --to choose the stretch");
	err = lkst_cmd_open_trace(e, args, nr_args, &t);
	if (err)
		return err;
	lkst_trace_range(t, &from_ns, &to_ns);
	err = lkst_cmd_parse_range(e, t, o->from, o->to, &from_ns, &to_ns)
		      ?: lkst_top_open_trace(e, t, from_ns, to_ns, &source);
	return err ?: run_batch(e, o, source, 1);
}

static int top_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_top_closep) struct lkst_top_source *source = NULL;
	const struct top_options *o = options;
	struct lkst_top_screen_options screen = { .wish = wish_of(o),
						  .delay_ns = o->delay_ns,
						  .count = o->count,
						  .min_delay_ns = LKST_TOP_DELAY_MIN_NS,
						  .no_color = o->no_color };
	int err;

	if (nr_args)
		return show_trace(e, o, args, nr_args);
	if (o->from || o->to)
		return lkst_err_set(e, -EINVAL,
				    "--from and --to are of a trace, which is not named");
	if (!o->is_batch && o->format != LKST_TABLE_TEXT)
		return lkst_err_set(e, -EINVAL, "--format is for --batch and for a trace");
	if (lkst_remote_is_wanted(o->socket)) {
		screen.min_delay_ns = DELAY_REMOTE_NS;
		if (o->delay_ns < DELAY_REMOTE_NS)
			return lkst_err_set(
				e, -EINVAL,
				"the service answers once a second: --delay 1s or more");
	}
	err = o->is_batch ? 0 : lkst_top_screen_check(e);
	err = err ?: lkst_top_open(e, o->socket, &source);
	if (err)
		return err;
	return o->is_batch ? run_batch(e, o, source, o->count)
			   : lkst_top_screen_run(e, source, &screen);
}

const struct lkst_cmd lkst_cmd_top = {
	.name = "top",
	.summary = "show what the machine does now, at a terminal",
	.args = "[TRACE...]",
	.help = "Shows the last second of the running recording, once a second: what each thread did\n"
		"of it, running, ready, or blocked for a disk, a lock or something else; interrupts and\n"
		"softirqs, disks, the worst wait and why it took so long, and what recording costs.\n"
		"The recording is not changed. Key h shows the keys. Without root it asks the service\n"
		"(lkst serve), which answers members of group lkst. Of a TRACE it prints a stretch the\n"
		"same way, as one look.",
	.examples = "  lkst top\n"
		    "  lkst top --sort ready --processes\n"
		    "  lkst top --batch --count 60 --format csv > top.csv\n"
		    "  lkst top --from -2s --to -1s slow-tx\n",
	.options = rows,
	.options_size = sizeof(struct top_options),
	.defaults = &defaults,
	.max_args = LKST_ARGS_MAX,
	.run = top_run,
};
