/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of one host or several in one order of time. Each host has a view of its own, with its own names of
 * threads and functions; those of several write to one output.
 */
#include "cmd/read/print_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/read/print_last.h"
#include "cmd/readers/traces.h"
#include "hosts/reading_merge.h"
#include "trace/known/threads_before.h"

struct printed {
	struct lkst_printing printing;
	u64 from_ns; /* its own time */
	bool is_begun, has_names;
};

struct print {
	const struct lkst_print_records *what;
	const struct lkst_reading *reading;
	u64 begin_ns, end_ns; /* of all of them. All times here are common ones */
	struct lkst_print_part part;
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
	return lkst_printing_begin(e, p->what->options, lkst_trace_catalog(host->trace), p->begin_ns - host->offset_ns,
				   one->from_ns, lkst_host_own_ns(host, p->part.to_ns),
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
	struct lkst_print_part *part = &p->part;
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

	while (!err && !lkst_print_part_is_over(&p->part) && lkst_reading_merge_next(t, &i, &r) > 0)
		err = print_records_print_record(e, p, t, i, &r);
	for (i = 0; i < p->reading->nr && !err && !lkst_print_part_is_over(&p->part); i++)
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

/* Whether that is so of any. */
static bool count_needs_all(const struct print *p)
{
	unsigned int i;

	for (i = 0; i < p->reading->nr; i++)
		if (lkst_print_count_needs_all(p->what->options, p->reading->list[i].trace))
			return true;
	return false;
}

static int print_records_count_all(struct lkst_err *e, const struct print *p, const struct lkst_print_part *part,
				   bool is_whole, struct lkst_print_count *list)
{
	_cleanup_(lkst_reading_merge_freep) struct lkst_reading_merge *t = NULL;
	struct lkst_record r;
	unsigned int i;
	int err = 0;

	for (i = 0; i < p->reading->nr && !err; i++) {
		const struct lkst_host *host = &p->reading->list[i];

		err = lkst_print_count_begin(e, p->what->options, host->trace,
					     lkst_host_own_ns(host, part->from_ns),
					     lkst_host_own_ns(host, part->to_ns), is_whole, &list[i]);
	}
	err = err ?: lkst_reading_merge_new(e, p->reading, part->from_ns, part->to_ns, is_whole, &t);
	while (!err && lkst_reading_merge_next(t, &i, &r) > 0)
		err = lkst_print_count_record(e, &list[i], &r);
	return err;
}

static int print_records_count(struct lkst_err *e, const void *ctx, const struct lkst_print_part *part, u64 *ret_nr,
			       u64 *ret_nr_state)
{
	const struct print *p = ctx;
	_cleanup_free_ struct lkst_print_count *list = calloc(p->reading->nr, sizeof(*list));
	unsigned int i;
	int err;

	*ret_nr = *ret_nr_state = 0;
	if (!list)
		return lkst_err_sys(e, -ENOMEM, "counting");
	err = print_records_count_all(e, p, part, count_needs_all(p), list);
	for (i = 0; i < p->reading->nr; i++) {
		*ret_nr += list[i].nr;
		*ret_nr_state += list[i].nr_state;
		lkst_print_count_end(&list[i]);
	}
	return err;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* Whether something needs what was before the first record that is printed, other than the names of threads. */
static bool needs_all(const struct print *p)
{
	unsigned int i;

	for (i = 0; i < p->reading->nr; i++)
		if (!lkst_trace_keeps_names(p->reading->list[i].trace))
			return true;
	return p->what->options->files || lkst_view_of_choice(p->what->options->format)->needs_past;
}

int lkst_print_records(struct lkst_err *e, const struct lkst_print_records *what, const struct lkst_reading *r)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct print p = { .what = what,
			   .reading = r,
			   .part = { .to_ns = UINT64_MAX, .max = what->first ?: UINT64_MAX },
			   .out = out };
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "printing");
	lkst_out_init(out, STDOUT_FILENO);
	lkst_reading_range(r, &p.begin_ns, &p.end_ns);
	err = lkst_cmd_reading_range(e, r, what->from, what->to, &p.part.from_ns, &p.part.to_ns);
	if (err)
		return err;
	p.reads_all = needs_all(&p);
	if (what->last)
		err = lkst_print_find_last(e, &p.part, p.begin_ns, p.end_ns, what->last, count_needs_all(&p),
					   print_records_count, &p);
	err = err ?: print_records_print_part(e, &p);
	if (lkst_out_flush(out) && !err)
		err = lkst_err_sys(e, out->error, "writing");
	return err;
}
