/* SPDX-License-Identifier: GPL-2.0-only */
/* Analyses along one axis of time, for `lkst analyze`: as a table, or as a picture. */
#ifndef LKST_CMD_ANALYZE_ALONG_H
#define LKST_CMD_ANALYZE_ALONG_H

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/read/analyze.h"

struct lkst_analyze_along;

/*
 * Asks @nr analyses @found of @t, which must stay open, as @a says: in stretches of its interval, or if it has none,
 * so many that a picture has room for. `chart` draws the threads that are asked for, or the CPUs. @options is
 * changed. -EINVAL: too many analyses or stretches, or nothing is in the window.
 */
int lkst_analyze_along_new(struct lkst_err *e, const struct lkst_analyze *a, struct lkst_trace *t,
			   struct lkst_analysis_options *options,
			   const struct lkst_analysis *const *found, unsigned int nr,
			   struct lkst_analyze_along **ret_along);
void lkst_analyze_along_free(struct lkst_analyze_along *x);
LKST_GUARD(lkst_analyze_along_free, struct lkst_analyze_along)

/* Makes @table of it, which is then for lkst_table_fini() before @x is freed: a row for each stretch. 0 or -ENOMEM. */
int lkst_analyze_along_tell(const struct lkst_analyze_along *x, struct lkst_table *table);

/* Draws it at the end of @out, as SVG. 0 or -ENOMEM. */
int lkst_analyze_along_draw(const struct lkst_analyze_along *x, struct lkst_out *out);

#endif
