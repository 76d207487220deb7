/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of formats, and what they share. */
#include "export/export_format.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/time.h"
#include "trace/known/threads_before.h"

static const struct lkst_export_format *const formats[] = {
#define F(name) &lkst_export_##name,
	LKST_EXPORT_FORMATS(F)
#undef F
};

enum {
	NR_FORMATS = sizeof(formats) / sizeof(formats[0]),
	SHOW_NS = 100000000, /* between two looks at how far it has come */
};

bool lkst_export_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i < NR_FORMATS)
		*ret_choice = (struct lkst_choice){ formats[i]->name, formats[i]->help };
	return i < NR_FORMATS;
}

const char *lkst_export_advice(const char *tool)
{
	if (!strcmp(tool, "speedscope"))
		return "speedscope reads stacks: --format folded has those of samples, collapsed those of states and "
		       "calls, waiting because of whom threads waited";
	if (!strcmp(tool, "flamegraph"))
		return "flamegraph.pl draws stacks: --format folded has those of samples, collapsed those of states "
		       "and calls, waiting because of whom threads waited";
	return NULL;
}

const struct lkst_export_format *lkst_export_format(unsigned int i)
{
	assert(i < NR_FORMATS);
	return formats[i];
}

const char *lkst_export_extension(unsigned int i)
{
	return lkst_export_format(i)->extension;
}

/* ---- how far it has come --------------------------------------------------------------------- */

/* Bytes of the trace that it has read, as the time that it has come to shows. */
static u64 done_bytes(const struct lkst_export *x, u64 ns)
{
	u64 length_ns = x->end_ns - x->begin_ns;

	if (ns <= x->begin_ns || !length_ns)
		return 0;
	if (ns >= x->end_ns)
		return x->total_bytes;
	return (u64)((double)(ns - x->begin_ns) / (double)length_ns * (double)x->total_bytes);
}

int lkst_export_look(void *ctx, u64 ns)
{
	struct lkst_export *x = ctx;
	const volatile sig_atomic_t *stop = x->request->stop;
	u64 now_ns;

	if (stop && *stop)
		return -EINTR;
	if (x->out && x->out->error)
		return x->out->error;
	if (!x->total_bytes || !lkst_diag_has_progress())
		return 0;
	now_ns = lkst_monotonic_ns();
	if (now_ns - x->shown_ns < SHOW_NS)
		return 0;
	x->shown_ns = now_ns;
	x->has_shown = true;
	lkst_diag_progress("exporting", done_bytes(x, ns), x->total_bytes);
	return 0;
}

/* ---- filters --------------------------------------------------------------------------------- */

void lkst_export_gap(struct lkst_export *x, const struct lkst_gap *gap)
{
	if (gap->is_pause)
		return;
	x->result.nr_gaps++;
	x->result.nr_unreadable += gap->is_damage;
}

bool lkst_export_wants(const struct lkst_export *x, const struct lkst_model *model,
		       const struct lkst_thread_life *life)
{
	const struct lkst_select_options *which = &x->request->which;
	char name[17];

	if ((which->has_tid && life->tid != which->tid) ||
	    (which->has_pid && life->pid != which->pid))
		return false;
	if (which->comm) {
		snprintf(name, sizeof(name), "%.16s", life->comm);
		if (fnmatch(which->comm, name, 0))
			return false;
	}
	return !which->cgroup || lkst_cgroups_match(lkst_model_cgroups(model),
						    lkst_model_cgroup(model, life), which->cgroup);
}

/* ---- record by record ------------------------------------------------------------------------ */

static int export_format_take_gaps(struct lkst_export *x, struct lkst_merge *m,
				   const struct lkst_export_calls *calls, void *ctx)
{
	struct lkst_gap gap;
	int err = 0;

	while (!err && lkst_merge_gap(m, &gap) > 0) {
		if (gap.to_ns < x->from_ns)
			continue;
		lkst_export_gap(x, &gap);
		if (calls->gap)
			err = calls->gap(ctx, &gap);
	}
	return err;
}

/* What is known of threads and of their code. */
static int export_format_take_in(void *ctx, const struct lkst_record *r)
{
	struct lkst_export *x = ctx;

	return lkst_threads_feed(x->threads, r) ?: lkst_mappings_feed(x->code.mappings, r);
}

int lkst_export_each(struct lkst_err *e, struct lkst_export *x,
		     const struct lkst_export_calls *calls, void *ctx)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	/* Names are from records of before: those of the buffers that have them, or of all. */
	bool skips = x->from_ns > x->begin_ns && lkst_trace_keeps_names(x->trace);
	bool has_names = !skips;
	struct lkst_record r;
	int err;

	err = lkst_merge_new(e, x->trace, skips ? x->from_ns : 0, x->to_ns, &m);
	while (!err && lkst_merge_next(m, &r) > 0) {
		if (!has_names && r.event->group != LKST_GROUP_STATE) {
			has_names = true;
			err = lkst_feed_before(e, x->trace, x->from_ns, export_format_take_in, x);
		}
		if (!err)
			err = export_format_take_gaps(x, m, calls, ctx);
		if (!err && lkst_select_matches(x->select, &r))
			err = calls->record(ctx, &r);
		else if (!err && calls->left_out)
			calls->left_out(ctx, &r);
		/* With the names as they were before this record. */
		if (!err)
			err = export_format_take_in(x, &r) ?: lkst_export_step(x, r.ns);
	}
	return err ? err : export_format_take_gaps(x, m, calls, ctx);
}
