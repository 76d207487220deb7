/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an opened trace consists of. Private to src/trace.
 */
#ifndef LKST_TRACE_TRACE_H
#define LKST_TRACE_TRACE_H

#include "trace/holes.h"
#include "trace/stream.h"

struct lkst_trace {
	struct lkst_catalog *catalog;
	struct lkst_stream **streams; /* in order of CPU, then buffer, then file name */
	unsigned int nr_streams;
	u64 begin_ns, end_ns;
	bool is_partial; /* what made it was broken off */
	struct lkst_holes holes;
};

#endif
