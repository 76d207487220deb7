/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where records are missing in the middle of a CPU's history that no hole in the numbers of blocks shows: a
 * ring had overwritten them before the trace was saved, while another ring of the CPU reaches further back.
 * The ledger says when that was. And where a stream should go further than it does, as the end marks say.
 * Private to src/trace.
 */
#ifndef LKST_TRACE_HOLES_H
#define LKST_TRACE_HOLES_H

#include "trace/reader.h"

struct lkst_hole {
	u64 instance; /* of the stream */
	struct lkst_gap gap;
	bool is_end; /* the end marks say so (trace/ends.h), not the ledger */
};

/* In order of when they begin. */
struct lkst_holes {
	struct lkst_hole *list;
	unsigned int nr;
};

/* Finds those of @t, of which all else has been opened. */
int lkst_holes_find(struct lkst_err *e, struct lkst_trace *t);
int lkst_holes_add(struct lkst_err *e, struct lkst_holes *holes, const struct lkst_hole *hole);
void lkst_holes_fini(struct lkst_holes *holes);

#endif
