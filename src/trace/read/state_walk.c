// SPDX-License-Identifier: GPL-2.0-only
/* The walk over the records of a trace's state. */
#include "trace/read/state_walk.h"

#include "abi/control.h"
#include "trace/format/block_walk.h"
#include "trace/read/trace.h"

static int walk_stream(struct lkst_err *e, const struct lkst_trace *t, const struct lkst_stream *s,
		       lkst_state_walk_each *each, void *ctx)
{
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	struct lkst_block block;
	size_t passed = 0;
	int err;
	u32 i;

	for (i = 0; i < s->info.nr_blocks; i++) {
		lkst_stream_pass(s, &passed, lkst_stream_offset(s, i));
		lkst_stream_block(s, i, &block);
		lkst_block_cursor_init(&cursor, &block);
		while (lkst_block_step(&cursor, t->catalog, &r) > 0) {
			err = each(e, ctx, &block, &r);
			if (err)
				return err;
		}
	}
	return 0;
}

int lkst_state_walk(struct lkst_err *e, const struct lkst_trace *t, lkst_state_walk_each *each,
		    void *ctx, bool *ret_is_cut)
{
	bool is_cut = false;
	unsigned int i;
	int err;

	for (i = 0; i < t->nr_streams; i++) {
		const struct lkst_stream *s = t->streams[i];

		if (s->info.buffer != LKST_BUFFER_STATE)
			continue;
		err = walk_stream(e, t, s, each, ctx);
		if (err)
			return err;
		is_cut = s->nr_bad_tail || (is_cut && !s->info.nr_blocks);
	}
	if (ret_is_cut)
		*ret_is_cut = is_cut;
	return 0;
}
