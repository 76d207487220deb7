/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the end marks of a trace (state_stream and state_end) say, and what they show to be missing: the end
 * of a stream, its beginning, or all of it. Private to src/trace.
 */
#ifndef LKST_TRACE_ENDS_H
#define LKST_TRACE_ENDS_H

#include "trace/reader.h"
#include "trace/writer.h"

struct lkst_ends {
	struct lkst_stream_end *list; /* by stream, one for each; see lkst_ends_find() */
	unsigned int nr;
	bool is_expected; /* the trace is of a program that writes them */
	bool is_closed;	  /* nothing follows on the last state_end */
	u32 how;	  /* enum lkst_ending, if is_closed: of the latest state_end */
	u64 ended_ns;	  /* its time */
	u64 next_seq;	  /* after a part that goes on: the number of the next part's first block of state, else 0 */
	bool skips_part;  /* some part did not go on with that number */
};

/* Reads them from @t, of which all else has been opened, and opens streams that are missing as a whole. */
int lkst_ends_find(struct lkst_err *e, struct lkst_trace *t);
void lkst_ends_fini(struct lkst_ends *ends);

/* Adds what they show to be missing to the holes of @t. */
int lkst_ends_add_holes(struct lkst_err *e, struct lkst_trace *t);

/* The mark of stream @instance, or NULL. */
const struct lkst_stream_end *lkst_ends_of(const struct lkst_ends *ends, u64 instance);

#endif
