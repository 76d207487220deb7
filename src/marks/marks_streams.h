/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks as blocks of a trace's streams, of buffer LKST_BUFFER_MARKS, one for each CPU. */
#ifndef LKST_MARKS_MARKS_STREAMS_H
#define LKST_MARKS_MARKS_STREAMS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "liblkst/mark_format.h"

/* A record as the program has made it: its bytes have the CPU, which is not given out. */
struct lkst_marks_taken {
	u64 ns;
	const u8 *bytes; /* borrowed */
	u32 cpu;
	u16 size;
	u16 id; /* of its event in the trace */
};

/* Takes whole blocks of one stream, in order. -EAGAIN: it does not take them, and they are lost. */
typedef int lkst_marks_give(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
			    size_t length);

struct lkst_marks_taker {
	struct lkst_err *e;
	lkst_marks_give *give;
	void *ctx;
};

struct lkst_marks_streams;

/* @uuid: of the trace, borrowed. */
int lkst_marks_streams_new(struct lkst_err *e, u32 nr_cpus, u32 block_shift, const u8 *uuid,
			   struct lkst_marks_streams **ret_streams);
void lkst_marks_streams_free(struct lkst_marks_streams *s);
LKST_GUARD(lkst_marks_streams_free, struct lkst_marks_streams)

/*
 * Puts a record into a stream, and gives out blocks that are full. A record that is older than those before of its CPU
 * goes to a stream of another level; 1: there is none any more, and it is lost.
 */
int lkst_marks_streams_put(struct lkst_marks_streams *s, const struct lkst_marks_taker *to,
			   const struct lkst_marks_taken *t);

/* Gives out all that was put, in blocks that may not be full. */
int lkst_marks_streams_flush(struct lkst_marks_streams *s, const struct lkst_marks_taker *to);

/* Calls @each for every stream that has had a block. */
int lkst_marks_streams_each(const struct lkst_marks_streams *s, int (*each)(void *ctx, u64 instance), void *ctx);

#endif
