/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From rings to a trace directory: once (a snapshot), or again and again while recording goes on.
 */
#ifndef LKST_LIVE_DRAIN_H
#define LKST_LIVE_DRAIN_H

#include "live/rings.h"
#include "live/session.h"
#include "trace/writer.h"

struct lkst_drain;

/*
 * Prepares to copy the rings of @s to @w; both stay the caller's. Blocks older than @since_ns (0:
 * none) are left out, but not those of the life buffer: names come from there.
 */
int lkst_drain_new(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
		   u64 since_ns, struct lkst_drain **ret_stream);
void lkst_drain_free(struct lkst_drain *st);
void lkst_drain_freep(struct lkst_drain **st);

/* Copies all blocks that are closed now. *@ret_bytes: how much that was. */
int lkst_drain_copy(struct lkst_err *e, struct lkst_drain *st, u64 *ret_bytes);

/* Copies what the blocks that are being filled hold so far. The last call. */
int lkst_drain_finish(struct lkst_err *e, struct lkst_drain *st);

/*
 * How long one may sleep before the fullest ring has taken in a quarter of its size at the rate
 * that the last two copies saw: between 1 and 100 ms.
 */
unsigned int lkst_drain_pause_ms(const struct lkst_drain *st);

/* Blocks that the writers overwrote before they could be copied. */
u64 lkst_drain_overtaken(const struct lkst_drain *st);

#endif
