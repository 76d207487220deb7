/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where records are missing in the middle of a CPU's history that no hole in the numbers of blocks shows: a
 * ring had overwritten them before the trace was saved, while another ring of the CPU reaches further back.
 * The ledger says when that was. And where a stream should go further than it does, as the end marks say.
 * Private to src/trace.
 */
#ifndef LKST_TRACE_READ_HOLES_H
#define LKST_TRACE_READ_HOLES_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_trace;

/*
 * When the history of @cpu begins: its first record, except those of the life buffer and of
 * writers that interrupted another, which may reach further back. False: there is none.
 */
bool lkst_trace_cpu_begin(const struct lkst_trace *t, u32 cpu, u64 *ret_begin_ns);

/* Whether the trace is of a program that notes when the records were made that rings had overwritten. */
bool lkst_trace_tells_holes(const struct lkst_trace *t);

/* ---- private to src/trace ---- */

struct lkst_hole;
struct lkst_holes;

/* Adds those of which the ledger of @t says to its holes; all else of it has been opened. */
int lkst_holes_find(struct lkst_err *e, struct lkst_trace *t);
int lkst_holes_add(struct lkst_err *e, struct lkst_holes *holes, const struct lkst_hole *hole);

/*
 * Puts them in order of time when all are added. Several snapshots of a recording, or pieces of a trace, may report the
 * same hole: that is one then.
 */
void lkst_holes_unite(struct lkst_holes *holes);
void lkst_holes_fini(struct lkst_holes *holes);

#endif
