/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of threads at a time, out of the streams that have hardly anything else. */
#include "trace/threads_before.h"

#include <errno.h>

bool lkst_trace_keeps_names(const struct lkst_trace *t)
{
	unsigned int i;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *s = lkst_trace_stream(t, i);

		if (s->buffer != 0 && s->buffer != LKST_BUFFER_STATE)
			return true;
	}
	return false;
}

int lkst_threads_feed_before(struct lkst_err *e, struct lkst_threads *threads, struct lkst_trace *t,
			     u64 ns)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	int err = ns ? lkst_merge_new_beside_main(e, t, ns - 1, &m) : 0;

	/* Damage is skipped: whoever reads the rest reports it. */
	while (!err && m && lkst_merge_next(m, &r) > 0)
		err = lkst_threads_feed(threads, &r);
	return err == -ENOMEM ? lkst_err_sys(e, err, "reading the names of threads") : err;
}
