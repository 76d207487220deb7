// SPDX-License-Identifier: GPL-2.0-only
/* The end marks of a trace, and what they show to be missing. */
#include "trace/read/ends.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/control.h"
#include "base/bsearch.h"
#include "base/vec.h"
#include "trace/read/holes.h"
#include "trace/read/lost.h"
#include "trace/read/state_walk.h"
#include "trace/read/trace.h"

enum { ENDS_MAX = 1 << 20 }; /* beyond, a trace makes no sense */

/* ---- reading ------------------------------------------------------------------------ */

static u64 ends_field(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static int ends_add(struct lkst_err *e, struct lkst_ends *ends, struct lkst_stream_end end)
{
	struct lkst_stream_end *added;

	if (lkst_instance_cpu(end.instance) >= LKST_CPUS_MAX || ends->nr == ENDS_MAX)
		return 0;
	added = lkst_vec_add(ends->list, ends->nr);
	if (!added)
		return lkst_err_sys(e, -ENOMEM, "reading the trace's end");
	*added = end;
	return 0;
}

static int ends_add_stream(struct lkst_err *e, struct lkst_ends *ends, const struct lkst_record *r)
{
	u64 cpu = ends_field(r, "stream_cpu"), buffer = ends_field(r, "buffer"), level = ends_field(r, "level");

	/* A time that no block may have is not the end of one. */
	if (cpu >= LKST_CPUS_MAX || buffer >= LKST_BUFFER_STATE || level >= LKST_LEVELS ||
	    ends_field(r, "begin") >= LKST_TIME_MAX || ends_field(r, "end") >= LKST_TIME_MAX ||
	    ends_field(r, "covered") >= LKST_TIME_MAX)
		return 0;
	return ends_add(e, ends,
			(struct lkst_stream_end){
			   .instance = lkst_stream_instance((u32)cpu, (u32)buffer, (u32)level),
			   .first = ends_field(r, "first"),
			   .last = ends_field(r, "last"),
			   .begin_ns = ends_field(r, "begin"),
			   .end_ns = ends_field(r, "end"),
			   .covered_ns = ends_field(r, "covered"),
			   .left = ends_field(r, "left"),
			});
}

/* A CPU that is online has these streams, though they may have no block yet. */
static int ends_add_cpu(struct lkst_err *e, struct lkst_ends *ends, const struct lkst_record *r)
{
	u64 cpu = ends_field(r, "state_cpu");
	struct lkst_stream_end none = { .first = 1 };
	int err;

	if (!ends_field(r, "online") || cpu >= LKST_CPUS_MAX)
		return 0;
	none.instance = lkst_stream_instance((u32)cpu, LKST_BUFFER_MAIN, 0);
	err = ends_add(e, ends, none);
	none.instance = lkst_stream_instance((u32)cpu, LKST_BUFFER_LIFE, 0);
	return err ? err : ends_add(e, ends, none);
}

/* A part has ended with @r, which is in @block. If parts were cut one by one, the latest says how all end. */
static void take_end(struct lkst_ends *ends, const struct lkst_block *block,
		     const struct lkst_record *r)
{
	u32 how = (u32)ends_field(r, "how");
	u64 ended_ns = ends_field(r, "ended");

	if (ended_ns >= LKST_TIME_MAX)
		ended_ns = 0;
	if (ended_ns >= ends->ended_ns) {
		ends->how = how;
		ends->ended_ns = ended_ns;
	}
	if (how == LKST_ENDING_GOES_ON)
		ends->next_seq = block->seq + 1;
}

static int ends_take(struct lkst_err *e, void *ctx, const struct lkst_block *block,
		     const struct lkst_record *r)
{
	struct lkst_ends *ends = ctx;

	/* Records after an end belong to a further part. */
	ends->is_closed = r->event->index == LKST_EV_state_end;
	if (ends->next_seq && block->seq > ends->next_seq)
		ends->skips_part = true;
	ends->next_seq = 0;
	if (r->event->index == LKST_EV_state_stream)
		return ends_add_stream(e, ends, r);
	if (r->event->index == LKST_EV_state_cpu)
		return ends_add_cpu(e, ends, r);
	if (ends->is_closed)
		take_end(ends, block, r);
	return 0;
}

static int ends_by_stream(const void *a, const void *b)
{
	const struct lkst_stream_end *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static bool ends_has_blocks(const struct lkst_stream_end *end)
{
	return end->last >= end->first;
}

/* Makes one of the marks that parts, or several snapshots, have of a stream. */
static void ends_join(struct lkst_stream_end *end, const struct lkst_stream_end *next)
{
	if (ends_has_blocks(next) && (!ends_has_blocks(end) || next->first < end->first)) {
		end->first = next->first;
		end->begin_ns = next->begin_ns;
	}
	if (ends_has_blocks(next) && (!ends_has_blocks(end) || next->last >= end->last)) {
		end->last = next->last;
		end->end_ns = next->end_ns > end->end_ns ? next->end_ns : end->end_ns;
	}
	if (next->covered_ns > end->covered_ns)
		end->covered_ns = next->covered_ns;
	end->left = next->left > end->left ? next->left : end->left;
}

static void ends_unite(struct lkst_ends *ends)
{
	unsigned int i, nr = 0;

	if (ends->nr)
		qsort(ends->list, ends->nr, sizeof(*ends->list), ends_by_stream);
	for (i = 0; i < ends->nr; i++)
		if (nr && ends->list[nr - 1].instance == ends->list[i].instance)
			ends_join(&ends->list[nr - 1], &ends->list[i]);
		else
			ends->list[nr++] = ends->list[i];
	ends->nr = nr;
}

static bool has_stream(const struct lkst_trace *t, u64 instance)
{
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++)
		if (t->streams[i]->info.instance == instance)
			return true;
	return false;
}

/* Whether the last part says that the recording goes on in one that should be read with it. */
static bool lacks_next(const struct lkst_trace *t)
{
	return t->has_parts && t->ends.is_closed && t->ends.how == LKST_ENDING_GOES_ON;
}

/* Whether more was recorded to the streams than the end marks say. */
static bool is_open(const struct lkst_trace *t)
{
	return !t->ends.is_closed || lacks_next(t);
}

int lkst_ends_find(struct lkst_err *e, struct lkst_trace *t)
{
	struct lkst_ends *ends = &t->ends;
	unsigned int i;
	bool is_cut = false;
	int err = 0;

	ends->is_expected = lkst_catalog_find(t->catalog, "state_end") != NULL;
	if (ends->is_expected)
		err = lkst_state_walk(e, t, ends_take, ends, &is_cut);
	/* Blocks that cannot be read may have been those of a further part. */
	if (is_cut)
		ends->is_closed = false;
	ends_unite(ends);
	for (i = 0; i < ends->nr && !err; i++)
		if ((ends_has_blocks(&ends->list[i]) || ends->list[i].left || is_open(t)) &&
		    !has_stream(t, ends->list[i].instance))
			err = lkst_trace_add_missing(e, t, ends->list[i].instance);
	return err;
}

void lkst_ends_fini(struct lkst_ends *ends)
{
	free(ends->list);
}

const struct lkst_stream_end *lkst_ends_of(const struct lkst_ends *ends, u64 instance)
{
	size_t at = lkst_lower_bound(i, ends->nr, ends->list[i].instance < instance);

	return at < ends->nr && ends->list[at].instance == instance ? &ends->list[at] : NULL;
}

/* ---- what is missing ---------------------------------------------------------------- */

static int ends_add_hole(struct lkst_err *e, struct lkst_trace *t, const struct lkst_stream *s,
			 struct lkst_gap gap)
{
	gap.cpu = s->info.cpu;
	gap.buffer = s->info.buffer;
	if (gap.to_ns < gap.from_ns)
		gap.to_ns = gap.from_ns;
	/* A gap after the last record is a part of the trace's time. */
	if (gap.to_ns > t->end_ns)
		t->end_ns = gap.to_ns;
	return lkst_holes_add(
		e, &t->holes,
		&(struct lkst_hole){ .instance = s->info.instance, .gap = gap, .is_end = true });
}

/* Those of @missing blocks that are there and cannot be read are shown as damage. */
static u64 unexplained(u64 missing, u64 bad)
{
	return missing > bad ? missing - bad : 0;
}

/* Nothing is left of the stream. */
static int note_absent(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s,
		       const struct lkst_stream_end *end)
{
	u64 missing = unexplained(end->last - end->first + 1, s->info.nr_bad_blocks);

	s->info.nr_missing_blocks += missing;
	return missing ? ends_add_hole(e, t, s,
				       (struct lkst_gap){ .from_ns = end->begin_ns,
						     .to_ns = end->covered_ns,
						     .blocks = missing,
						     .is_damage = true,
						     .why = "the stream is missing" })
		       : 0;
}

static int note_head(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s,
		     const struct lkst_stream_end *end)
{
	u64 bad = s->nr_bad_extra > s->nr_bad_tail ? s->nr_bad_extra - s->nr_bad_tail : 0, missing;
	struct lkst_block first;

	lkst_stream_block(s, 0, &first);
	missing = first.seq > end->first ? unexplained(first.seq - end->first, bad) : 0;
	s->info.nr_missing_blocks += missing;
	return missing ? ends_add_hole(e, t, s,
				       (struct lkst_gap){
					  .from_ns = end->begin_ns,
					  .to_ns = first.begin_ns,
					  .blocks = missing,
					  .is_damage = true,
					  .why = "the beginning of the stream is missing" })
		       : 0;
}

static int note_tail(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s,
		     const struct lkst_stream_end *end)
{
	u64 bad = s->nr_bad_tail < s->nr_bad_extra ? s->nr_bad_tail : s->nr_bad_extra;
	struct lkst_block last;
	u64 missing = 0;

	lkst_stream_block(s, s->info.nr_blocks - 1, &last);
	if (last.seq < end->last)
		missing = end->last - last.seq;
	else if (last.seq == end->last && last.end_ns < end->end_ns)
		missing = 1; /* a piece of the last one */
	missing = unexplained(missing, bad);
	s->info.nr_missing_blocks += missing;
	return missing ? ends_add_hole(e, t, s,
				       (struct lkst_gap){ .from_ns = last.end_ns,
						     .to_ns = end->covered_ns,
						     .blocks = missing,
						     .is_damage = true,
						     .why = "the end of the stream is missing" })
		       : 0;
}

static int note_left(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s,
		     const struct lkst_stream_end *end)
{
	s->info.nr_missing_blocks += end->left;
	return end->left
		       ? ends_add_hole(e, t, s,
				       (struct lkst_gap){
					  .from_ns = end->covered_ns ?: t->begin_ns,
					  .to_ns = t->ends.ended_ns,
					  .blocks = end->left,
					  .why = "the disk was full: blocks could not be written" })
		       : 0;
}

/* What is missing by the mark of stream @s. */
static int note_marked(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s,
		       const struct lkst_stream_end *end)
{
	int err = 0;

	if (ends_has_blocks(end) && !s->info.nr_blocks)
		err = note_absent(e, t, s, end);
	else if (ends_has_blocks(end))
		err = note_head(e, t, s, end) ?: note_tail(e, t, s, end);
	return err ? err : note_left(e, t, s, end);
}

/*
 * A stream of a trace that nobody has closed, or whose last part is missing: what else its ring had is not known.
 * Streams of interrupting writers have records so seldom that their last record says nothing.
 */
static int note_open(struct lkst_err *e, struct lkst_trace *t, const struct lkst_stream *s)
{
	struct lkst_gap gap = { .from_ns = s->has_records ? s->end_ns : t->begin_ns,
				.to_ns = t->end_ns,
				.why = "there is no end mark: what came later is not known" };

	if (lkst_instance_level(s->info.instance))
		return 0;
	if (s->covered_ns != UINT64_MAX && s->covered_ns > gap.from_ns)
		gap.from_ns = s->covered_ns;
	if (!lacks_next(t))
		return gap.from_ns < gap.to_ns ? ends_add_hole(e, t, s, gap) : 0;
	/* When the part was closed, recording went on. */
	if (gap.to_ns < t->ends.ended_ns)
		gap.to_ns = t->ends.ended_ns;
	gap.why = "the next part is missing: what came later is not known";
	return ends_add_hole(e, t, s, gap);
}

int lkst_ends_add_holes(struct lkst_err *e, struct lkst_trace *t)
{
	const struct lkst_ends *ends = &t->ends;
	unsigned int i;
	int err = 0;

	for (i = 0; i < t->nr_streams && !err && ends->is_expected; i++) {
		struct lkst_stream *s = t->streams[i];
		const struct lkst_stream_end *end = lkst_ends_of(ends, s->info.instance);

		if (s->info.buffer == LKST_BUFFER_STATE)
			continue;
		if (end) {
			s->covered_ns = end->covered_ns ?: UINT64_MAX;
			err = note_marked(e, t, s, end);
		}
		if (!err && is_open(t))
			err = note_open(e, t, s);
	}
	return err;
}

/* ---- asking ------------------------------------------------------------------------- */

enum lkst_trace_ending lkst_trace_ending(const struct lkst_trace *t)
{
	if (!t->ends.is_expected)
		return LKST_TRACE_UNPROVEN;
	if (!t->ends.is_closed)
		return LKST_TRACE_UNFINISHED;
	switch (t->ends.how) {
	case LKST_ENDING_DISK_FULL:
		return LKST_TRACE_DISK_FULL;
	case LKST_ENDING_UNKNOWN:
		return LKST_TRACE_UNPROVEN;
	case LKST_ENDING_GOES_ON:
		return LKST_TRACE_GOES_ON;
	default:
		return LKST_TRACE_COMPLETE;
	}
}

const char *lkst_trace_ending_text(enum lkst_trace_ending ending)
{
	switch (ending) {
	case LKST_TRACE_DISK_FULL:
		return "the disk was full: its end could not be written";
	case LKST_TRACE_UNFINISHED:
		return "it has no end mark: what wrote it was killed, or its state stream is cut off";
	case LKST_TRACE_UNPROVEN:
		return "it is of a program that wrote no end marks: that nothing is missing at its end "
		       "cannot be proven";
	case LKST_TRACE_GOES_ON:
		return "the recording goes on in the next part";
	default:
		return "it was closed";
	}
}

/* Whether numbers of state are missing that no damaged block explains. */
static bool lacks_state(const struct lkst_trace *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++)
		if (t->streams[i]->info.buffer == LKST_BUFFER_STATE &&
		    t->streams[i]->info.nr_missing_blocks)
			return true;
	return false;
}

bool lkst_trace_lacks_part(const struct lkst_trace *t)
{
	return lacks_next(t) || (t->has_parts && t->ends.skips_part && lacks_state(t));
}

const char *lkst_trace_lacks_part_text(void)
{
	return "a part is missing, or was never begun: the one before it says that the recording goes on";
}

bool lkst_trace_cpu_end(const struct lkst_trace *t, u32 cpu, u64 *ret_end_ns)
{
	bool has = false;
	unsigned int i;

	for (i = 0; i < t->nr_streams && t->ends.is_expected; i++) {
		const struct lkst_stream *s = t->streams[i];

		if (s->info.cpu != cpu || !lkst_lost_from_history(s->info.instance) ||
		    s->covered_ns == UINT64_MAX || (has && s->covered_ns >= *ret_end_ns))
			continue;
		*ret_end_ns = s->covered_ns;
		has = true;
	}
	return has;
}

u64 lkst_trace_goes_on_ns(const struct lkst_trace *t)
{
	u64 first_ns = UINT64_MAX, ns;
	unsigned int i;

	if (lkst_trace_ending(t) != LKST_TRACE_GOES_ON)
		return UINT64_MAX;
	for (i = 0; i < t->nr_streams; i++)
		if (lkst_trace_cpu_end(t, t->streams[i]->info.cpu, &ns) && ns < first_ns)
			first_ns = ns;
	return first_ns;
}

const char *lkst_trace_goes_on_text(void)
{
	return "the next part has some of the records made before their last reading";
}
