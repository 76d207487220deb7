/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cuts a trace by time or by size into traces that can be read alone: the records of a span, exactly, and
 * the state as it was when the span began. Pieces that are cut at the same time fit together again.
 */
#ifndef LKST_TRACE_WRITE_CUT_H
#define LKST_TRACE_WRITE_CUT_H

#include "trace/read/reader.h"

struct lkst_access;

/*
 * Writes the records of @t from @from_ns to @to_ns, both included, to a new trace @path. The ledger,
 * which belongs to no time, is written too if the span reaches to the trace's end. @access: who may read it
 * (base/create.h).
 */
int lkst_cut_time(struct lkst_err *e, const struct lkst_access *access, struct lkst_trace *t, u64 from_ns,
		  u64 to_ns, const char *path);

/*
 * The same, as numbered traces in directory @path, of about @bytes each; one may be larger by a block of
 * each stream and the names of new threads. *@ret_nr: how many.
 */
int lkst_cut_size(struct lkst_err *e, const struct lkst_access *access, struct lkst_trace *t, u64 from_ns,
		  u64 to_ns, u64 bytes, const char *path, unsigned int *ret_nr);

#endif
