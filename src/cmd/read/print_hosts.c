/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of several hosts in one order of time. Each host has a view of its own, with its own names of threads and
 * functions; all write to one output.
 */
#include "cmd/read/print_hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cmd/traces.h"
#include "hosts/hosts_merge.h"
#include "trace/threads_before.h"

struct printed {
	struct lkst_printing printing;
	u64 from_ns; /* its own time */
	bool is_begun, has_names;
};

struct print {
	const struct lkst_print_hosts *what;
	const struct lkst_hosts *hosts;
	u64 from_ns, to_ns, begin_ns; /* common times */
	u64 skip, max; /* wanted records that are not printed first, and that are then */
	u64 nr;	       /* wanted ones so far */
	bool reads_all;
	struct lkst_out *out;
	struct printed *list;
};

static int begin_host(struct lkst_err *e, struct print *p, unsigned int i, unsigned int width)
{
	const struct lkst_host *host = &p->hosts->list[i];
	const struct lkst_printing_host as = { .name = host->name, .width = width, .out = p->out };
	struct printed *one = &p->list[i];

	one->is_begun = true;
	one->from_ns = lkst_hosts_own_ns(host, p->from_ns);
	one->has_names = p->reads_all;
	return lkst_printing_begin_host(e, p->what->options, lkst_trace_catalog(host->trace),
					p->begin_ns - host->offset_ns, one->from_ns,
					lkst_hosts_own_ns(host, p->to_ns), &as, &one->printing) ?:
	       lkst_symbols_load(e, one->printing.symbols, host->trace) ?:
	       lkst_printing_code(e, &one->printing, host->trace) ?:
	       lkst_printing_files(e, &one->printing, host->trace);
}

static bool is_over(const struct print *p)
{
	return p->nr >= p->skip && p->nr - p->skip >= p->max;
}

static int print_gaps(struct print *p, struct lkst_hosts_merge *t, unsigned int i)
{
	struct printed *one = &p->list[i];
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_hosts_merge_gap(t, i, &gap) > 0)
		if (gap.to_ns >= one->from_ns && p->nr >= p->skip)
			err = lkst_printing_gap(&one->printing, &gap);
		else
			lkst_printing_note_gap(&one->printing, &gap);
	return err;
}

static int print_record(struct lkst_err *e, struct print *p, struct lkst_hosts_merge *t,
			unsigned int i, const struct lkst_record *r)
{
	struct printed *one = &p->list[i];
	const u64 nr = one->printing.nr;
	int err = 0;

	if (!one->has_names && r->event->group != LKST_GROUP_STATE) {
		one->has_names = true;
		err = lkst_printing_before(e, &one->printing, p->hosts->list[i].trace, one->from_ns);
	}
	/* What is skipped is of all hosts together. */
	one->printing.skip = p->nr < p->skip ? nr + 1 : nr;
	err = err ?: print_gaps(p, t, i) ?: lkst_printing_record(&one->printing, r);
	p->nr += one->printing.nr - nr;
	return err;
}

static int print_all(struct lkst_err *e, struct print *p)
{
	_cleanup_(lkst_hosts_merge_freep) struct lkst_hosts_merge *t = NULL;
	struct lkst_record r;
	unsigned int i;
	int err = lkst_hosts_merge_new(e, p->hosts, p->from_ns, p->to_ns, p->reads_all, &t);

	while (!err && !is_over(p) && lkst_hosts_merge_next(t, &i, &r) > 0)
		err = print_record(e, p, t, i, &r);
	for (i = 0; i < p->hosts->nr && !err && !is_over(p); i++)
		err = print_gaps(p, t, i);
	return err;
}

/* One pass; p->nr is then how many were wanted. */
static int pass(struct lkst_err *e, struct print *p)
{
	unsigned int i, width = 0;
	int err = 0;

	p->nr = 0;
	p->list = calloc(p->hosts->nr, sizeof(*p->list));
	if (!p->list)
		return lkst_err_sys(e, -ENOMEM, "printing");
	for (i = 0; i < p->hosts->nr; i++)
		if (strlen(p->hosts->list[i].name) > width)
			width = (unsigned int)strlen(p->hosts->list[i].name);
	for (i = 0; i < p->hosts->nr && !err; i++)
		err = begin_host(e, p, i, width);
	err = err ?: print_all(e, p);
	for (i = 0; i < p->hosts->nr; i++)
		if (p->list[i].is_begun)
			err = lkst_printing_end(e, &p->list[i].printing, err);
	free(p->list);
	p->list = NULL;
	return err;
}

/* Whether something needs what was before the first record that is printed. */
static bool needs_all(const struct print *p)
{
	unsigned int i;

	for (i = 0; i < p->hosts->nr; i++)
		if (!lkst_trace_keeps_names(p->hosts->list[i].trace))
			return true;
	return p->what->options->files || lkst_view_of_choice(p->what->options->format)->needs_past;
}

int lkst_print_hosts(struct lkst_err *e, const struct lkst_print_hosts *what,
		     const struct lkst_hosts *h)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct print p = {
		.what = what, .hosts = h, .to_ns = UINT64_MAX, .out = out, .max = UINT64_MAX
	};
	u64 end_ns;
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "printing");
	lkst_out_init(out, STDOUT_FILENO);
	lkst_hosts_range(h, &p.begin_ns, &end_ns);
	err = lkst_cmd_hosts_range(e, h, what->from, what->to, &p.from_ns, &p.to_ns);
	if (err)
		return err;
	p.reads_all = needs_all(&p);
	if (what->last) {
		/* They are counted first. */
		p.skip = UINT64_MAX;
		err = pass(e, &p);
		p.skip = p.nr > what->last ? p.nr - what->last : 0;
	}
	if (what->first)
		p.max = what->first;
	err = err ?: pass(e, &p);
	if (lkst_out_flush(out) && !err)
		err = lkst_err_sys(e, out->error, "writing");
	return err;
}
