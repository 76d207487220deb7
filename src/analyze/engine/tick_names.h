/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a record `tick` says that its thread was, in words: what it did, and in which function. Those who count ticks,
 * as a table or in a sentence, say the same.
 */
#ifndef LKST_ANALYZE_ENGINE_TICK_NAMES_H
#define LKST_ANALYZE_ENGINE_TICK_NAMES_H

#include "analyze/engine/feed.h"
#include "analyze/engine/frame_names.h"
#include "base/cleanup.h"

enum {
	LKST_TICK_TEXT = 64,
	LKST_TICK_NO_FUNCTION = UINT32_MAX, /* nothing is known of the code that was interrupted */
};

/* What a thread did at a tick. */
struct lkst_tick_doing {
	u8 where; /* enum lkst_where */
	bool may_be_over; /* the call */
	s16 call; /* as LKST_MEANING_CALL has it; -1: none */
};

struct lkst_tick_names;

/*
 * Subscribes to mappings in @feed. @symbols names functions of the kernel and must stay, @namer those of programs;
 * without a namer their file and the place in it are shown. 0 or a negative errno.
 */
int lkst_tick_names_new(struct lkst_err *e, struct lkst_feed *feed, struct lkst_symbols *symbols,
			struct lkst_code_namer namer, struct lkst_tick_names **ret_names);
void lkst_tick_names_free(struct lkst_tick_names *n);
LKST_GUARD(lkst_tick_names_free, struct lkst_tick_names)

/*
 * For a feed that begins at @ns: takes in the mappings that the trace has from before, in the buffers beside main. 0 or
 * a negative errno.
 */
int lkst_tick_names_know_before(struct lkst_err *e, struct lkst_tick_names *n, u64 ns);

/* What a record with these values says. */
struct lkst_tick_doing lkst_tick_doing_of(u8 where, u8 flags, s16 call);

/*
 * The number of the function that was interrupted, or LKST_TICK_NO_FUNCTION, for a record that is read now; @pid: its
 * thread's process. Places of a file that are in no function with a name are one. -ENOMEM.
 */
s64 lkst_tick_names_function(struct lkst_tick_names *n, const struct lkst_record *r, const struct lkst_rec_tick *record,
			     s32 pid);
const struct lkst_frame_name *lkst_tick_names_at(const struct lkst_tick_names *n, u32 function);

/*
 * "its program", "read()", "the way out of read()", "a fault or interrupt", ... Where registers do not tell a call that
 * goes on from one that is over, as on arm64, it is "read() or behind it".
 */
void lkst_tick_put(const struct lkst_tick_doing *doing, bool is_arm64, char text[LKST_TICK_TEXT]);

/* Whether @name is that of a function, and not a place in a file. */
bool lkst_tick_is_named(const struct lkst_frame_name *name);

#endif
