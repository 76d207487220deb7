/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an opened trace consists of. Private to src/trace.
 */
#ifndef LKST_TRACE_TRACE_H
#define LKST_TRACE_TRACE_H

#include "trace/ends.h"
#include "trace/holes.h"
#include "trace/stream.h"

struct lkst_trace {
	struct lkst_catalog *catalog;
	struct lkst_stream **streams; /* in order of CPU, then buffer, then file name */
	unsigned int nr_streams;
	u64 begin_ns, end_ns;
	bool is_partial; /* what made it was broken off */
	bool has_parts;	 /* it was opened as several parts, or as the directory of all */
	struct lkst_holes holes;
	struct lkst_ends ends;
};

/* Adds stream @instance to @t as one of which there is nothing. */
int lkst_trace_add_missing(struct lkst_err *e, struct lkst_trace *t, u64 instance);

#endif
