/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of a trace as sources of a merge. */
#include <errno.h>
#include <stdlib.h>

#include "base/bsearch.h"
#include "base/cleanup.h"
#include "trace/read/merge.h"
#include "trace/read/trace.h"

struct merge_streams_source {
	struct lkst_merge_source base;
	const struct lkst_trace *trace;
	const struct lkst_stream *stream;
	u32 next_block;
	size_t passed; /* lkst_stream_pass() */
	bool has_begun, has_ended;
	bool has_given_first; /* the state of the first part, of a stream of state */
};

/* Blocks at the start or the end of the file that cannot be read and leave no hole in the numbers. */
static void note_bad(struct lkst_merge *m, const struct merge_streams_source *s, bool at_end)
{
	u64 tail = s->stream->nr_bad_tail, extra = s->stream->nr_bad_extra;
	u64 blocks = tail < extra ? tail : extra;
	struct lkst_gap gap = { .from_ns = s->base.read_ns, .to_ns = s->trace->end_ns };

	gap.blocks = at_end ? blocks : extra - blocks;
	gap.why = "blocks cannot be read";
	gap.is_damage = true;
	if (!s->base.cursor.block)
		gap.from_ns = s->trace->begin_ns;
	if (!at_end) {
		gap.to_ns =
			s->stream->info.nr_blocks ? lkst_stream_begin(s->stream, 0) : gap.from_ns;
		if (gap.from_ns > gap.to_ns)
			gap.from_ns = gap.to_ns;
	}
	if (gap.blocks)
		lkst_merge_add_gap(m, &s->base, gap);
}

/* The first part's state comes before all else, that of the others at its time. */
static bool ends_first(struct merge_streams_source *s)
{
	bool ends = s->base.comes_first && !s->has_given_first &&
		    s->next_block >= s->stream->nr_first &&
		    s->next_block < s->stream->info.nr_blocks;

	s->has_given_first |= ends;
	return ends;
}

static int merge_streams_next(struct lkst_merge *m, struct lkst_merge_source *source,
			      struct lkst_block *ret_block)
{
	struct merge_streams_source *s = (struct merge_streams_source *)source;

	if (!s->has_begun && !s->next_block)
		note_bad(m, s, false);
	s->has_begun = true;
	if (ends_first(s))
		return 0;
	if (s->next_block == s->stream->info.nr_blocks) {
		if (!s->has_ended)
			note_bad(m, s, true);
		s->has_ended = true;
		return 0;
	}
	lkst_stream_pass(s->stream, &s->passed, lkst_stream_offset(s->stream, s->next_block));
	lkst_stream_block(s->stream, s->next_block++, ret_block);
	return 1;
}

static void free_source(struct lkst_merge_source *source)
{
	free(source);
}

static const struct lkst_merge_source_ops ops = { merge_streams_next, free_source };

/* The number of the last block that begins before @ns, or 0. */
static u32 merge_streams_seek(const struct lkst_stream *s, u64 ns)
{
	u32 nr_before = lkst_lower_bound(i, s->info.nr_blocks, lkst_stream_begin(s, (u32)i) < ns);

	return nr_before ? nr_before - 1 : 0;
}

static int merge_streams_add_stream(struct lkst_err *e, struct lkst_merge *m, const struct lkst_trace *t,
				    const struct lkst_stream *stream, u64 from_ns)
{
	struct merge_streams_source *s = calloc(1, sizeof(*s));

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "cannot merge the streams");
	s->base.ops = &ops;
	s->base.instance = stream->info.instance;
	s->base.comes_first = stream->info.buffer == LKST_BUFFER_STATE;
	s->base.why_missing = stream->info.nr_bad_blocks ? "blocks are missing or cannot be read"
							 : "blocks are missing";
	s->base.has_damage = stream->info.nr_bad_blocks;
	s->trace = t;
	s->stream = stream;
	if (!s->base.comes_first && stream->info.nr_blocks)
		s->next_block = merge_streams_seek(stream, from_ns);
	return lkst_merge_add(e, m, &s->base);
}

static bool wants_all(const void *ctx, const struct lkst_stream_info *stream)
{
	return true;
}

static bool is_beside_main(const void *ctx, const struct lkst_stream_info *stream)
{
	return stream->buffer != 0;
}

int lkst_merge_new_of(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		      lkst_merge_wants *wants, const void *ctx, struct lkst_merge **ret_merge)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	unsigned int i;
	int err;

	err = lkst_merge_new_empty(e, t->catalog, from_ns, to_ns, &m);
	for (i = 0; !err && i < t->nr_streams; i++)
		if (wants(ctx, &t->streams[i]->info))
			err = merge_streams_add_stream(e, m, t, t->streams[i], from_ns);
	if (err)
		return err;
	for (i = 0; i < t->holes.nr; i++)
		lkst_merge_add_hole(m, &t->holes.list[i].gap);
	*ret_merge = lkst_take(m);
	return 0;
}

int lkst_merge_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		   struct lkst_merge **ret_merge)
{
	return lkst_merge_new_of(e, t, from_ns, to_ns, wants_all, NULL, ret_merge);
}

int lkst_merge_new_beside_main(struct lkst_err *e, struct lkst_trace *t, u64 to_ns,
			       struct lkst_merge **ret_merge)
{
	return lkst_merge_new_of(e, t, 0, to_ns, is_beside_main, NULL, ret_merge);
}
