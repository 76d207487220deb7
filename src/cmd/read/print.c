/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lkst print: a trace as text, CSV, JSON or in the flight recorder's form. The records of several hosts are printed in
 * one order of time. Each host has a view of its own, with its own names of threads and functions; all write to one
 * output.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/readers/printing.h"
#include "cmd/readers/traces.h"
#include "hosts/reading.h"
#include "hosts/reading_merge.h"
#include "trace/known/threads_before.h"

struct read_print_options {
	struct lkst_printing_options options;
	const char *from, *to; /* NULL: from the beginning; to the end */
	s64 first, last;       /* so many of the wanted records, 0: no limit */
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

/* What is printed: up to @max of the wanted records between two times, after the first @skip of them. */
struct print_part {
	u64 from_ns, to_ns;
	u64 skip, max; /* UINT64_MAX: all others */
	u64 nr;	       /* wanted ones so far */
};

static bool print_part_is_over(const struct print_part *part)
{
	return part->nr >= part->skip && part->nr - part->skip >= part->max;
}

struct printed {
	struct lkst_printing printing;
	u64 from_ns; /* its own time */
	bool is_begun, has_names;
};

struct print {
	const struct read_print_options *asked;
	const struct lkst_reading *reading;
	u64 begin_ns, end_ns; /* of all of them. All times here are common ones */
	struct print_part part;
	bool reads_all;
	struct lkst_out *out; /* that several hosts share */
	struct printed *list;
};

static int print_records_begin_host(struct lkst_err *e, struct print *p, unsigned int i, unsigned int width)
{
	const struct lkst_host *host = &p->reading->list[i];
	const struct lkst_printing_host as = { .name = host->name, .width = width, .out = p->out };
	struct printed *one = &p->list[i];

	one->is_begun = true;
	one->from_ns = lkst_host_own_ns(host, p->part.from_ns);
	one->has_names = p->reads_all;
	return lkst_printing_begin(e, &p->asked->options, lkst_trace_catalog(host->trace),
				   p->begin_ns - host->offset_ns, one->from_ns, lkst_host_own_ns(host, p->part.to_ns),
				   p->reading->nr > 1 ? &as : NULL, &one->printing) ?:
	       lkst_symbols_load(e, one->printing.symbols, host->trace) ?:
	       lkst_printing_code(e, &one->printing, host->trace) ?:
	       lkst_printing_files(e, &one->printing, host->trace);
}

/* Of host @i, before its record @r, or, NULL, at the end. */
static int print_records_print_gaps(struct print *p, struct lkst_reading_merge *t, unsigned int i,
				    const struct lkst_record *r)
{
	struct printed *one = &p->list[i];
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_reading_merge_gap(t, i, &gap) > 0)
		if (gap.to_ns < one->from_ns)
			lkst_printing_note_gap(&one->printing, &gap);
		else if (p->part.nr < p->part.skip)
			lkst_printing_hold_gap(&one->printing, &gap, r && r->buffer != LKST_BUFFER_STATE ? r->ns : 0);
		else
			err = lkst_printing_gap(&one->printing, &gap);
	return err;
}

/* Those that reach beyond the first record that is printed, @r of host @host. */
static int print_held_gaps(struct print *p, unsigned int host, const struct lkst_record *r)
{
	const u64 ns = r->ns + p->reading->list[host].offset_ns;
	unsigned int i;
	int err = 0;

	for (i = 0; i < p->reading->nr && !err; i++)
		err = lkst_printing_held_gaps(&p->list[i].printing, lkst_host_own_ns(&p->reading->list[i], ns),
					      i == host ? r : NULL);
	return err;
}

static int print_records_print_record(struct lkst_err *e, struct print *p, struct lkst_reading_merge *t,
				      unsigned int i, const struct lkst_record *r)
{
	struct print_part *part = &p->part;
	struct printed *one = &p->list[i];
	bool is_printed;
	int err = 0;

	if (!one->has_names && r->event->group != LKST_GROUP_STATE) {
		one->has_names = true;
		err = lkst_printing_before(e, &one->printing, p->reading->list[i].trace, one->from_ns);
	}
	err = err ?: print_records_print_gaps(p, t, i, r);
	is_printed = lkst_printing_wants(&one->printing, r) && part->nr++ >= part->skip;
	if (!err && is_printed && part->nr == part->skip + 1)
		err = print_held_gaps(p, i, r);
	return err ?: lkst_printing_take(&one->printing, r, is_printed);
}

static int print_records_print_all(struct lkst_err *e, struct print *p)
{
	_cleanup_(lkst_reading_merge_freep) struct lkst_reading_merge *t = NULL;
	struct lkst_record r;
	unsigned int i;
	int err = lkst_reading_merge_new(e, p->reading, p->part.from_ns, p->part.to_ns, p->reads_all, &t);

	while (!err && !print_part_is_over(&p->part) && lkst_reading_merge_next(t, &i, &r) > 0)
		err = print_records_print_record(e, p, t, i, &r);
	for (i = 0; i < p->reading->nr && !err && !print_part_is_over(&p->part); i++)
		err = print_records_print_gaps(p, t, i, NULL);
	return err;
}

static int print_records_print_part(struct lkst_err *e, struct print *p)
{
	unsigned int i, width = 0;
	int err = 0;

	p->list = calloc(p->reading->nr, sizeof(*p->list));
	if (!p->list)
		return lkst_err_sys(e, -ENOMEM, "printing");
	for (i = 0; i < p->reading->nr; i++)
		if (strlen(p->reading->list[i].name) > width)
			width = (unsigned int)strlen(p->reading->list[i].name);
	for (i = 0; i < p->reading->nr && !err; i++)
		err = print_records_begin_host(e, p, i, width);
	err = err ?: print_records_print_all(e, p);
	for (i = 0; i < p->reading->nr; i++)
		if (p->list[i].is_begun)
			err = lkst_printing_end(e, &p->list[i].printing, err);
	free(p->list);
	return err;
}

/* ---- the last ones ---------------------------------------------------------------------------- */

/* The wanted records of one trace, counted as they come. */
struct print_count {
	struct lkst_trace *trace;
	u64 from_ns;
	bool has_names; /* what was before from_ns is known */
	struct lkst_threads *threads;
	struct lkst_select *select;
	u64 nr, nr_state; /* of them, records of state, which have no place in time */
};

enum {
	STEP_NS = 1000000, /* how far it looks back first, and how much further each time */
	STEP_FACTOR = 4,
};

/*
 * Times are those of @trace. @is_whole: the records are counted, as far as they are wanted, from the trace's beginning
 * on. print_count_end() is to be called in any case.
 */
static int print_count_begin(struct lkst_err *e, const struct lkst_printing_options *options,
			     struct lkst_trace *trace, u64 from_ns, u64 to_ns, bool is_whole,
			     struct print_count *c)
{
	*c = (struct print_count){
		.trace = trace, .from_ns = from_ns, .has_names = is_whole, .threads = lkst_threads_new()
	};
	if (!c->threads)
		return lkst_err_sys(e, -ENOMEM, "counting");
	return lkst_printing_select(e, options, lkst_trace_catalog(trace), c->threads, from_ns, to_ns,
				    &c->select);
}

static int print_count_record(struct lkst_err *e, struct print_count *c, const struct lkst_record *r)
{
	int err = 0;

	if (!c->has_names && r->event->group != LKST_GROUP_STATE) {
		c->has_names = true;
		err = lkst_threads_feed_before(e, c->threads, c->trace, c->from_ns);
	}
	if (lkst_select_matches(c->select, r)) {
		c->nr++;
		c->nr_state += r->buffer == LKST_BUFFER_STATE;
	}
	return err ?: lkst_threads_feed(c->threads, r);
}

static void print_count_end(struct print_count *c)
{
	lkst_select_free(c->select);
	lkst_threads_free(c->threads);
	*c = (struct print_count){};
}

/* Whether which records of @t are wanted is known only to who has read it from its beginning. */
static bool print_count_needs_all(const struct lkst_printing_options *options, const struct lkst_trace *t)
{
	const struct lkst_choosing_options *which = &options->which;

	return (which->comm || which->cgroup || which->pid >= 0) && !lkst_trace_keeps_names(t);
}

/* Whether that is so of any. */
static bool count_needs_all(const struct print *p)
{
	unsigned int i;

	for (i = 0; i < p->reading->nr; i++)
		if (print_count_needs_all(&p->asked->options, p->reading->list[i].trace))
			return true;
	return false;
}

static int print_records_count_all(struct lkst_err *e, const struct print *p, bool is_whole,
				   struct print_count *list)
{
	const struct print_part *part = &p->part;
	_cleanup_(lkst_reading_merge_freep) struct lkst_reading_merge *t = NULL;
	struct lkst_record r;
	unsigned int i;
	int err = 0;

	for (i = 0; i < p->reading->nr && !err; i++) {
		const struct lkst_host *host = &p->reading->list[i];

		err = print_count_begin(e, &p->asked->options, host->trace,
					lkst_host_own_ns(host, part->from_ns),
					lkst_host_own_ns(host, part->to_ns), is_whole, &list[i]);
	}
	err = err ?: lkst_reading_merge_new(e, p->reading, part->from_ns, part->to_ns, is_whole, &t);
	while (!err && lkst_reading_merge_next(t, &i, &r) > 0)
		err = print_count_record(e, &list[i], &r);
	return err;
}

/* Counts the wanted records between the times of @p's part. */
static int print_records_count(struct lkst_err *e, const struct print *p, u64 *ret_nr, u64 *ret_nr_state)
{
	_cleanup_free_ struct print_count *list = calloc(p->reading->nr, sizeof(*list));
	unsigned int i;
	int err;

	*ret_nr = *ret_nr_state = 0;
	if (!list)
		return lkst_err_sys(e, -ENOMEM, "counting");
	err = print_records_count_all(e, p, count_needs_all(p), list);
	for (i = 0; i < p->reading->nr; i++) {
		*ret_nr += list[i].nr;
		*ret_nr_state += list[i].nr_state;
		print_count_end(&list[i]);
	}
	return err;
}

/*
 * Makes @p's part begin at or before the last @nr wanted records, and skip those before them: looks back from its end
 * in longer and longer steps, or at once to its beginning. Where it does not skip any, the part is as long as it was.
 */
static int print_find_last(struct lkst_err *e, struct print *p, u64 nr)
{
	struct print_part *part = &p->part;
	const u64 from_ns = part->from_ns;
	const u64 first_ns = from_ns > p->begin_ns ? from_ns : p->begin_ns;
	const u64 last_ns = part->to_ns < p->end_ns ? part->to_ns : p->end_ns;
	const bool at_once = count_needs_all(p);
	u64 step_ns, nr_wanted, nr_state;

	for (step_ns = STEP_NS;; step_ns *= STEP_FACTOR) {
		bool is_rest = at_once || last_ns < first_ns || step_ns >= last_ns - first_ns ||
			       step_ns > UINT64_MAX / STEP_FACTOR;
		int err;

		part->from_ns = is_rest ? from_ns : last_ns - step_ns;
		err = print_records_count(e, p, &nr_wanted, &nr_state);
		if (err)
			return err;
		/* With one before them it is known what is missing between. */
		if (is_rest || nr_wanted - nr_state > nr)
			break;
	}
	part->skip = nr_wanted > nr ? nr_wanted - nr : 0;
	return 0;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* Whether something needs what was before the first record that is printed, other than the names of threads. */
static bool needs_all(const struct print *p)
{
	unsigned int i;

	for (i = 0; i < p->reading->nr; i++)
		if (!lkst_trace_keeps_names(p->reading->list[i].trace))
			return true;
	return p->asked->options.files || lkst_view_of_choice(p->asked->options.format)->needs_past;
}

/* Prints to standard output. Each line of several hosts names its host. */
static int print_reading(struct lkst_err *e, const struct read_print_options *o, const struct lkst_reading *r)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct print p = { .asked = o,
			   .reading = r,
			   .part = { .to_ns = UINT64_MAX, .max = (u64)o->first ?: UINT64_MAX },
			   .out = out };
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "printing");
	lkst_out_init(out, STDOUT_FILENO);
	lkst_reading_range(r, &p.begin_ns, &p.end_ns);
	err = lkst_cmd_reading_range(e, r, o->from, o->to, &p.part.from_ns, &p.part.to_ns);
	if (err)
		return err;
	p.reads_all = needs_all(&p);
	if (o->last)
		err = print_find_last(e, &p, (u64)o->last);
	err = err ?: print_records_print_part(e, &p);
	if (lkst_out_flush(out) && !err)
		err = lkst_err_sys(e, out->error, "writing");
	return err;
}

static int print_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	const struct read_print_options *o = options;
	int err;

	if (o->first && o->last)
		return lkst_err_set(e, -EINVAL, "--first and --last exclude each other");
	/* `lkst print … | head` ends quietly. */
	signal(SIGPIPE, SIG_DFL);
	err = lkst_cmd_open_reading(e, args, nr_args, &reading);
	return err ?: print_reading(e, o, &reading);
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
