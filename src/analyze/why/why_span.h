/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a span of a program took as long as it did. */
#ifndef LKST_ANALYZE_WHY_WHY_SPAN_H
#define LKST_ANALYZE_WHY_WHY_SPAN_H

#include "analyze/model/spans.h"
#include "analyze/why/why.h"

/* Which span: the longest of those that are meant. */
struct lkst_why_span_options {
	const char *name; /* a glob, NULL: any */
	bool has_id, has_request;
	u64 id, trace_high, trace_low;
	s32 tid;	    /* which began it, 0: any */
	u64 from_ns, to_ns; /* within which it lies */
};

/*
 * One pass over @t. Spans that are not ended, and those within which marks are missing, count only if there is no
 * other. *@ret_nr: how many are meant. -ENOENT: none is.
 */
int lkst_why_span_find(struct lkst_err *e, struct lkst_trace *t,
		       const struct lkst_why_span_options *options, struct lkst_span *ret_span,
		       u64 *ret_nr);

/* Explains @span out of @w, which reaches as far around it as lkst_why_explain() says. */
int lkst_why_span_explain(struct lkst_err *e, const struct lkst_excerpt *w,
			  const struct lkst_span *span, u64 nr, unsigned int depth,
			  struct lkst_account **ret_account);

#endif
