/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds at one moment. */
#include "live/snapshot.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "live/drain.h"
#include "live/life.h"
#include "live/state.h"
#include "live/symbols.h"
#include "trace/block.h"

struct saving {
	const struct lkst_session *s;
	struct lkst_writer *w;
	struct lkst_life *life;
	struct lkst_code *code;
	u64 until_ns;
	u8 *piece; /* room for a block */
};

/* Writes of one block what is not later than the end. */
static int write_until(struct lkst_err *e, const struct saving *saving, u64 instance,
		       const u8 *bytes, size_t size)
{
	struct lkst_block_cursor cursor, good;
	struct lkst_record record;
	struct lkst_block block;
	struct lkst_err ignored;

	if (lkst_block_parse(&ignored, bytes, size, NULL, &block) ||
	    block.end_ns <= saving->until_ns)
		return lkst_writer_append(e, saving->w, instance, bytes, size);
	lkst_block_cursor_init(&cursor, &block);
	for (good = cursor;
	     lkst_block_next(&ignored, &cursor, lkst_session_catalog(saving->s), &record) > 0 &&
	     record.ns <= saving->until_ns;
	     good = cursor)
		;
	if (good.offset == LKST_BLOCK_HEADER)
		return 0;
	lkst_block_piece(&block, LKST_BLOCK_HEADER, good.offset, block.begin_ns, good.ns,
			 saving->piece);
	return lkst_writer_append(e, saving->w, instance, saving->piece, size);
}

static int take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	const struct saving *saving = ctx;
	const size_t size = 1UL << lkst_session_rings(saving->s)->block_shift;
	const u8 *bytes = blocks;
	size_t at;
	int err = 0;

	if (lkst_instance_buffer(instance) == LKST_BUFFER_LIFE &&
	    lkst_life_feed(saving->life, blocks, length))
		return lkst_err_sys(e, -ENOMEM, "saving");
	lkst_code_feed(saving->code, blocks, length);
	if (!saving->until_ns)
		return lkst_writer_append(e, saving->w, instance, blocks, length);
	for (at = 0; at < length && !err; at += size)
		err = write_until(e, saving, instance, bytes + at, size);
	return err;
}

/* The state as it was when the trace begins, although it is taken now. */
static int save_state(struct lkst_err *e, const struct lkst_session *s, const struct saving *saving,
		      const struct lkst_drain *drain)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list threads = {};
	int err = lkst_state_list_threads(e, s, &threads);

	if (!err && lkst_life_undo(saving->life, &threads))
		err = lkst_err_sys(e, -ENOMEM, "saving");
	if (!err)
		err = lkst_state_write_machine(e, s, saving->w, &threads);
	if (!err)
		err = lkst_code_write(e, saving->code, saving->w);
	if (!err)
		err = lkst_drain_write_lost(e, drain, saving->w);
	return err ? err : lkst_state_write_ledger(e, s, saving->w, NULL);
}

int lkst_snapshot_write(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_snapshot_options *options, struct lkst_writer *w)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *drain = NULL;
	_cleanup_free_ u8 *piece = malloc(1UL << lkst_session_rings(s)->block_shift);
	struct saving saving = { s,
				 w,
				 lkst_life_new(lkst_session_catalog(s)),
				 lkst_code_new(s, options->symbols),
				 options->until_ns,
				 piece };
	u64 now = lkst_monotonic_ns(), last = options->last_ns;
	int err = saving.life && saving.code && piece ? 0 : lkst_err_sys(e, -ENOMEM, "saving");

	/* Events first: every moment that passes, the oldest are overwritten. */
	if (!err)
		err = lkst_drain_new(e, s, w, last && last < now ? now - last : 0, &drain);
	if (!err) {
		lkst_drain_set_taker(drain, take, &saving);
		if (options->buffers)
			lkst_drain_choose(drain, options->buffers);
		err = lkst_drain_finish(e, drain);
	}
	if (!err)
		err = save_state(e, s, &saving, drain);
	lkst_life_free(saving.life);
	lkst_code_free(saving.code);
	return err;
}
