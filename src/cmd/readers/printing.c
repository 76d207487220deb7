/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that print records have in common. */
#include "cmd/readers/printing.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/known/descriptors_before.h"
#include "trace/known/threads_before.h"

enum { HELD_MAX = 1 << 12 };

struct lkst_select_options lkst_choosing_which(const struct lkst_choosing_options *w, u64 from_ns,
					       u64 to_ns)
{
	return (struct lkst_select_options){
		.events = w->events.items,
		.nr_events = w->events.nr,
		.has_tid = w->tid >= 0,
		.has_pid = w->pid >= 0,
		.has_cpu = w->cpu >= 0,
		.has_to = to_ns != UINT64_MAX,
		.tid = w->tid,
		.pid = w->pid,
		.cpu = w->cpu,
		.comm = w->comm,
		.cgroup = w->cgroup,
		.from_ns = from_ns,
		.to_ns = to_ns,
	};
}

int lkst_printing_select(struct lkst_err *e, const struct lkst_printing_options *options,
			 const struct lkst_catalog *catalog, const struct lkst_threads *threads,
			 u64 from_ns, u64 to_ns, struct lkst_select **ret_select)
{
	const struct lkst_select_options which =
		lkst_choosing_which(&options->which, from_ns, to_ns);

	return lkst_select_new(e, catalog, threads, &which, ret_select);
}

int lkst_printing_begin(struct lkst_err *e, const struct lkst_printing_options *options,
			const struct lkst_catalog *catalog, u64 begin_ns, u64 from_ns, u64 to_ns,
			const struct lkst_printing_host *host, struct lkst_printing *p)
{
	struct lkst_view_config config = { .catalog = catalog,
					   .begin_ns = begin_ns,
					   .is_brief = options->brief,
					   .has_cgroups = options->cgroups,
					   .has_text = options->text,
					   .time = options->time };
	int err;

	*p = (struct lkst_printing){ .view = lkst_view_of_choice(options->format),
				     .no_gaps = options->no_gaps };
	if (host && p->view->is_of_one_host)
		return lkst_err_set(e, -EINVAL, "--format %s has no place for the names of several hosts",
				    p->view->name);
	p->is_host = host;
	p->threads = lkst_threads_new();
	p->out = host ? host->out : malloc(sizeof(*p->out));
	p->symbols = lkst_symbols_new();
	if (!p->threads || !p->symbols || !p->out || lkst_gaps_init(&p->held, HELD_MAX))
		return lkst_err_sys(e, -ENOMEM, "printing");
	if (options->files && !(p->descriptors = lkst_descriptors_new(p->threads)))
		return lkst_err_sys(e, -ENOMEM, "printing");
	config.descriptors = p->descriptors;
	if (host) {
		config.host = host->name;
		config.host_width = host->width;
	} else {
		lkst_out_init(p->out, STDOUT_FILENO);
	}
	config.threads = p->threads;
	config.symbols = p->symbols;
	config.code = &p->code;
	config.out = p->out;
	err = lkst_printing_select(e, options, catalog, p->threads, from_ns, to_ns, &p->select);
	return err ? err : p->view->begin(e, &config, &p->ctx);
}

int lkst_printing_files(struct lkst_err *e, struct lkst_printing *p, struct lkst_trace *t)
{
	return p->descriptors ? lkst_descriptors_tell_state(e, p->descriptors, t) : 0;
}

int lkst_printing_code(struct lkst_err *e, struct lkst_printing *p, const struct lkst_trace *t)
{
	int err;

	p->code.mappings = lkst_mappings_new();
	if (!p->code.mappings)
		return lkst_err_sys(e, -ENOMEM, "printing");
	err = lkst_mappings_load(e, p->code.mappings, t);
	return err ?: lkst_code_naming_begin(e, t, &p->code.namer);
}

/* What is known of threads and of their code. */
static int printing_take_in(void *ctx, const struct lkst_record *r)
{
	struct lkst_printing *p = ctx;

	return lkst_threads_feed(p->threads, r)
		       ?: (p->code.mappings ? lkst_mappings_feed(p->code.mappings, r) : 0);
}

int lkst_printing_before(struct lkst_err *e, struct lkst_printing *p, struct lkst_trace *t, u64 ns)
{
	return lkst_feed_before(e, t, ns, printing_take_in, p);
}

bool lkst_printing_wants(const struct lkst_printing *p, const struct lkst_record *r)
{
	return lkst_select_matches(p->select, r);
}

int lkst_printing_take(struct lkst_printing *p, const struct lkst_record *r, bool is_printed)
{
	int err = is_printed ? p->view->record(p->ctx, r) : 0;

	/* With the names as they were before this record. */
	err = err ? err : printing_take_in(p, r);
	return err || !p->descriptors ? err : lkst_descriptors_feed(p->descriptors, r);
}

int lkst_printing_record(struct lkst_printing *p, const struct lkst_record *r)
{
	return lkst_printing_take(p, r, lkst_printing_wants(p, r));
}

void lkst_printing_note_gap(struct lkst_printing *p, const struct lkst_gap *gap)
{
	if (p->descriptors)
		lkst_descriptors_gap(p->descriptors, gap);
}

int lkst_printing_gap(struct lkst_printing *p, const struct lkst_gap *gap)
{
	lkst_printing_note_gap(p, gap);
	return p->no_gaps ? 0 : p->view->gap(p->ctx, gap);
}

/* Drops the gaps that end before @ns. */
static void drop_held_gaps(struct lkst_gaps *held, u64 ns)
{
	struct lkst_gap gap;
	u32 i, nr = held->nr;

	for (i = 0; i < nr && lkst_gaps_take(held, &gap); i++)
		if (gap.to_ns >= ns)
			lkst_gaps_add(held, &gap);
}

void lkst_printing_hold_gap(struct lkst_printing *p, const struct lkst_gap *gap, u64 ns)
{
	lkst_printing_note_gap(p, gap);
	if (p->no_gaps)
		return;
	if (p->held.nr == p->held.max)
		drop_held_gaps(&p->held, ns);
	lkst_gaps_insert(&p->held, gap);
}

int lkst_printing_held_gaps(struct lkst_printing *p, u64 ns, const struct lkst_record *r)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_gaps_take(&p->held, &gap)) {
		bool ends_with_it = r && gap.to_ns == ns && gap.cpu == r->cpu && gap.buffer == r->buffer;

		if (gap.to_ns > ns || ends_with_it)
			err = p->view->gap(p->ctx, &gap);
	}
	return err;
}

int lkst_printing_end(struct lkst_err *e, struct lkst_printing *p, int err)
{
	int end_err = p->ctx ? p->view->end(p->ctx) : 0;
	int flush_err = p->out && !p->is_host ? lkst_out_flush(p->out) : 0;

	lkst_gaps_fini(&p->held);
	lkst_select_free(p->select);
	lkst_descriptors_free(p->descriptors);
	lkst_threads_free(p->threads);
	lkst_symbols_free(p->symbols);
	lkst_mappings_free(p->code.mappings);
	lkst_code_naming_end(&p->code.namer);
	if (!p->is_host)
		free(p->out);
	if (!err && flush_err)
		end_err = lkst_err_sys(e, flush_err, "writing");
	return err ? err : end_err;
}
