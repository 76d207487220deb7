/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of threads, fed by a trace made of text. */
#include "lib/fed_threads.h"

#include <stdlib.h>

#include "lib/make_trace.h"
#include "trace/read/merge.h"
#include "trace/read/reader.h"

struct lkst_threads *fed_threads(const char *text)
{
	struct lkst_threads *threads = lkst_threads_new();
	struct lkst_record record;
	struct lkst_trace *t;
	struct lkst_merge *m;
	struct lkst_err e;
	char dir[64];

	make_scratch(dir);
	if (!threads || make_trace(dir, 4096, text) || lkst_trace_open(&e, dir, &t) ||
	    lkst_merge_new(&e, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &record))
		if (lkst_threads_feed(threads, &record))
			abort();
	lkst_merge_free(m);
	lkst_trace_close(t);
	make_scratch_remove(dir);
	return threads;
}
