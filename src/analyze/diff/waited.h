/* SPDX-License-Identifier: GPL-2.0-only */
/* What kept threads waiting in one of two windows and not in the other, or much more: the findings of `lkst why`. */
#ifndef LKST_ANALYZE_DIFF_WAITED_H
#define LKST_ANALYZE_DIFF_WAITED_H

#include "analyze/diff/diff.h"
#include "result/table.h"
#include "trace/read/reader.h"

/*
 * Fills @t, which the caller frees, also on failure: a row for each group of threads and kind of wait that stands out
 * in either, the greatest harm in B first, then what is of A alone. @traces are those of the sides of @d. @comm: only
 * threads that are called so, NULL: all. Without @has_all what is about as much in both is left out, and counted.
 */
int lkst_diff_waited(struct lkst_err *e, const struct lkst_diff *d, struct lkst_trace *const traces[2],
		      const char *comm, bool has_all, struct lkst_table *t);

#endif
