/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From rings to wherever their blocks are wanted: once (a snapshot), or again and again while recording
 * goes on. Each record is given out once, even if a block that is being filled is cut in two.
 */
#ifndef LKST_LIVE_DRAIN_DRAIN_H
#define LKST_LIVE_DRAIN_DRAIN_H

#include "base/cleanup.h"
#include "live/rings/rings.h"
#include "live/session/session.h"
#include "trace/write/writer.h"

struct lkst_drain;

/*
 * Prepares to copy the rings of @s to @w, NULL if there is another taker; both stay the caller's. Blocks older
 * than @since_ns (0: none) are left out, but not those of the life buffer: names come from there.
 */
int lkst_drain_new(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
		   u64 since_ns, struct lkst_drain **ret_drain);
void lkst_drain_free(struct lkst_drain *d);
LKST_GUARD(lkst_drain_free, struct lkst_drain)

/*
 * Has each ring that begins at lkst_drain_new()'s @since_ns begin one block earlier, if there is one: so the blocks
 * show that nothing is missing since then, although no record may have been made just then.
 */
void lkst_drain_reach_back(struct lkst_drain *d);

/*
 * Gives blocks to @take in place of a writer: whole ones of one stream, in order. If it fails they are
 * given again. -EAGAIN: this stream's later, the others' now.
 */
typedef int lkst_drain_take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
			    size_t length);
void lkst_drain_set_taker(struct lkst_drain *d, lkst_drain_take *take, void *ctx);

/*
 * For a taker, while it is given @blocks: has the memory that they are in be its own, *@ret_memory, to be freed.
 * Returns where they are then. NULL: they are few, or there is no memory for others, and they have to be copied.
 */
const void *lkst_drain_keep(struct lkst_drain *d, const void *blocks, size_t length,
			    void **ret_memory);

/*
 * Copies only the buffers of @buffers, a bit each, and the marks made since @marks_ns, UINT64_MAX: none, and until
 * @until_ns, 0: any time. To be called before anything is copied.
 */
void lkst_drain_choose(struct lkst_drain *d, u32 buffers, u64 marks_ns, u64 until_ns);

/* Copies at most @bytes from now on; UINT64_MAX: any number. */
void lkst_drain_set_room(struct lkst_drain *d, u64 bytes);

/*
 * Copies all blocks that are closed now. *@ret_bytes: how much that was. 1: there is no room for more, 0:
 * all is copied. What cannot be written stays in the rings.
 */
int lkst_drain_copy(struct lkst_err *e, struct lkst_drain *d, u64 *ret_bytes);

/*
 * Copies, as far as there is room, all that there is now, the records of the blocks that are being filled, too: what
 * comes later into such a block is a block of its own. Where a ring has more than there is room for, the time that is
 * covered (lkst_drain_write_end()) ends with what was copied.
 */
int lkst_drain_cut(struct lkst_err *e, struct lkst_drain *d);

/* How much room a cut takes when all closed blocks have been copied. */
u64 lkst_drain_cut_bytes(const struct lkst_drain *d);

/* Copies what the life buffers have now, as far as there is room. */
int lkst_drain_life(struct lkst_err *e, struct lkst_drain *d);

/* Copies all that there is, whatever the room. */
int lkst_drain_finish(struct lkst_err *e, struct lkst_drain *d);

/*
 * Writes to @w, as its last records, how far each stream goes that it has been given, but not beyond @until_ns
 * (UINT64_MAX: any time), and how it ends (enum lkst_ending).
 */
int lkst_drain_write_end(struct lkst_err *e, const struct lkst_drain *d, struct lkst_writer *w,
			 u32 how, u64 until_ns);

/* How long until the fullest ring has taken in a quarter of its size at the rate that the last two copies saw, ms. */
unsigned int lkst_drain_quarter_ms(const struct lkst_drain *d);

/* How long one may sleep before that, and before a burst could fill half of the largest: 1 to 100 ms. */
unsigned int lkst_drain_pause_ms(const struct lkst_drain *d);

/* Blocks that the writers overwrote before they could be copied. */
u64 lkst_drain_overtaken(const struct lkst_drain *d);

/* The same for ring number @source, after the first block of it that was given out. */
unsigned int lkst_drain_nr_sources(const struct lkst_drain *d);
u64 lkst_drain_overtaken_of(const struct lkst_drain *d, unsigned int source, u64 *ret_instance);

/*
 * What each ring had overwritten before the first block that was given out of it, and when that was recorded.
 * It is reported once: lkst_drain_keep_told() says that it was, for those rings that have given out a block.
 */
typedef int lkst_drain_lost(void *ctx, u64 instance, const struct lkst_lost *lost);
int lkst_drain_each_lost(const struct lkst_drain *d, lkst_drain_lost *call, void *ctx);
void lkst_drain_keep_told(struct lkst_drain *d);

/* The same as lines of the ledger in @w, and what is missing of programs' marks. */
int lkst_drain_write_lost(struct lkst_err *e, const struct lkst_drain *d, struct lkst_writer *w);

#endif
