/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk over the records of a trace's state. */
#ifndef LKST_TRACE_READ_STATE_WALK_H
#define LKST_TRACE_READ_STATE_WALK_H

#include "trace/format/block.h"

struct lkst_trace;

/*
 * Called with each record and the block that it is in, until it returns other than 0, which is passed on; @e is for
 * its failures.
 */
typedef int lkst_state_walk_each(struct lkst_err *e, void *ctx, const struct lkst_block *block,
				 const struct lkst_record *r);

/*
 * Walks over the good blocks of all streams of state of @t, in order, and releases their memory when they are read. A
 * block is left at the first record that makes no sense. *@ret_is_cut, which may be NULL: the last stream of them ends
 * in blocks that cannot be read.
 */
int lkst_state_walk(struct lkst_err *e, const struct lkst_trace *t, lkst_state_walk_each *each,
		    void *ctx, bool *ret_is_cut);

#endif
