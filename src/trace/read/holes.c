// SPDX-License-Identifier: GPL-2.0-only
/* Holes in CPUs' histories that the ledger and the end marks say there are. */
#include "trace/read/holes.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/control.h"
#include "base/bsearch.h"
#include "base/vec.h"
#include "trace/read/lost.h"
#include "trace/read/state_walk.h"
#include "trace/read/trace.h"

enum { HOLES_MAX = 1 << 16 }; /* beyond, they are added up in the last one */

static u64 holes_field(const struct lkst_record *r, const char *name, bool *has)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	*has = *has && f;
	return f ? lkst_record_int(r, f) : 0;
}

/* What a record of state_overwritten says; false: it does not say when that was. */
static bool holes_parse(const struct lkst_record *ledger, struct lkst_hole *ret_hole)
{
	bool has = true;
	struct lkst_hole hole = {
		.gap = { .cpu = (u32)holes_field(ledger, "loss_cpu", &has),
			 .buffer = (u32)holes_field(ledger, "buffer", &has),
			 .blocks = holes_field(ledger, "blocks", &has),
			 .from_ns = holes_field(ledger, "from", &has),
			 .to_ns = holes_field(ledger, "to", &has),
			 .why = "blocks were overwritten before the trace was saved" },
	};

	hole.instance = lkst_stream_instance(hole.gap.cpu, hole.gap.buffer,
					     (u32)holes_field(ledger, "level", &has));
	*ret_hole = hole;
	return has && hole.gap.to_ns;
}

/* The first stream of @cpu, or of a higher one: they are in that order. */
static unsigned int first_stream(const struct lkst_trace *t, u32 cpu)
{
	return lkst_lower_bound(i, t->nr_streams, t->streams[i]->info.cpu < cpu);
}

/* Stream @instance, or NULL if nothing is left of it. */
static struct lkst_stream *holes_find_stream(const struct lkst_trace *t, u64 instance)
{
	u32 cpu = lkst_instance_cpu(instance);
	unsigned int i;

	for (i = first_stream(t, cpu); i < t->nr_streams && t->streams[i]->info.cpu == cpu; i++)
		if (t->streams[i]->info.instance == instance && t->streams[i]->info.nr_blocks)
			return t->streams[i];
	return NULL;
}

bool lkst_trace_cpu_begin(const struct lkst_trace *t, u32 cpu, u64 *ret_begin_ns)
{
	unsigned int i = first_stream(t, cpu);
	bool has = false;

	for (; i < t->nr_streams && t->streams[i]->info.cpu == cpu; i++) {
		const struct lkst_stream *s = t->streams[i];

		if (!s->has_records || !lkst_lost_from_history(s->info.instance) ||
		    (has && s->begin_ns >= *ret_begin_ns))
			continue;
		*ret_begin_ns = s->begin_ns;
		has = true;
	}
	return has;
}

bool lkst_trace_tells_holes(const struct lkst_trace *t)
{
	const struct lkst_event_class *c = lkst_catalog_find(t->catalog, "state_overwritten");

	return c && lkst_class_field(c, "from") && lkst_class_field(c, "to");
}

/*
 * Cuts off what is not a hole: time in which the trace has nothing of the CPU, and what the blocks'
 * numbers show anyway.
 */
static bool confine(const struct lkst_trace *t, struct lkst_hole *hole)
{
	const struct lkst_stream *s = holes_find_stream(t, hole->instance);
	struct lkst_gap *gap = &hole->gap;
	u64 begin_ns;

	if (!lkst_trace_cpu_begin(t, gap->cpu, &begin_ns))
		return false;
	if (gap->from_ns < begin_ns) {
		/* How many of its blocks are younger is not known. */
		gap->from_ns = begin_ns;
		gap->blocks = 0;
	}
	if (gap->to_ns > t->end_ns)
		gap->to_ns = t->end_ns;
	if (s && lkst_stream_begin(s, 0) < gap->to_ns)
		gap->to_ns = lkst_stream_begin(s, 0);
	return gap->from_ns < gap->to_ns;
}

/* Has the stream know since when it has lost records. */
static void tell_stream(const struct lkst_trace *t, const struct lkst_hole *hole)
{
	struct lkst_stream *s = holes_find_stream(t, hole->instance);

	if (s && hole->gap.from_ns < s->info.lost_from_ns)
		s->info.lost_from_ns = hole->gap.from_ns;
}

int lkst_holes_add(struct lkst_err *e, struct lkst_holes *holes, const struct lkst_hole *hole)
{
	struct lkst_hole *added;

	if (holes->nr == HOLES_MAX) {
		lkst_gap_include(&holes->list[holes->nr - 1].gap, &hole->gap);
		return 0;
	}
	added = lkst_vec_add(holes->list, holes->nr);
	if (!added)
		return lkst_err_sys(e, -ENOMEM, "looking for gaps");
	*added = *hole;
	return 0;
}

static int holes_take(struct lkst_err *e, void *ctx, const struct lkst_block *block,
		      const struct lkst_record *r)
{
	struct lkst_trace *t = ctx;
	struct lkst_hole hole;

	if (r->event->index != LKST_EV_state_overwritten || !holes_parse(r, &hole))
		return 0;
	tell_stream(t, &hole);
	return confine(t, &hole) ? lkst_holes_add(e, &t->holes, &hole) : 0;
}

static int holes_by_stream(const void *a, const void *b)
{
	const struct lkst_hole *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return (x->gap.from_ns > y->gap.from_ns) - (x->gap.from_ns < y->gap.from_ns);
}

static int holes_by_time(const void *a, const void *b)
{
	const struct lkst_hole *x = a, *y = b;

	if (x->gap.from_ns != y->gap.from_ns)
		return x->gap.from_ns < y->gap.from_ns ? -1 : 1;
	return (x->instance > y->instance) - (x->instance < y->instance);
}

/* Whether @next, of the same stream, begins within @last and is missing for the same reason. */
static bool is_more_of(const struct lkst_hole *last, const struct lkst_hole *next)
{
	return last->instance == next->instance && last->gap.why == next->gap.why &&
	       last->gap.to_ns > next->gap.from_ns;
}

void lkst_holes_unite(struct lkst_holes *holes)
{
	unsigned int i, nr = 0;

	if (!holes->nr)
		return;
	qsort(holes->list, holes->nr, sizeof(*holes->list), holes_by_stream);
	for (i = 0; i < holes->nr; i++) {
		struct lkst_hole *last = nr ? &holes->list[nr - 1] : NULL, *hole = &holes->list[i];

		if (!last || !is_more_of(last, hole)) {
			holes->list[nr++] = *hole;
			continue;
		}
		if (hole->gap.to_ns > last->gap.to_ns)
			last->gap.to_ns = hole->gap.to_ns;
		if (hole->gap.blocks > last->gap.blocks)
			last->gap.blocks = hole->gap.blocks;
	}
	holes->nr = nr;
	qsort(holes->list, holes->nr, sizeof(*holes->list), holes_by_time);
}

int lkst_holes_find(struct lkst_err *e, struct lkst_trace *t)
{
	return lkst_trace_tells_holes(t) ? lkst_state_walk(e, t, holes_take, t, NULL) : 0;
}

void lkst_holes_fini(struct lkst_holes *holes)
{
	free(holes->list);
}
