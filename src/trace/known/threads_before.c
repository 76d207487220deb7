/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads and their code at a time, out of the streams that have hardly anything else. */
#include "trace/known/threads_before.h"

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

int lkst_feed_before(struct lkst_err *e, struct lkst_trace *t, u64 ns,
		     int (*feed)(void *ctx, const struct lkst_record *r), void *ctx)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	int err = ns ? lkst_merge_new_beside_main(e, t, ns - 1, &m) : 0;

	/* Damage is skipped: whoever reads the rest reports it. */
	while (!err && m && lkst_merge_next(m, &r) > 0)
		err = feed(ctx, &r);
	return err == -ENOMEM ? lkst_err_sys(e, err, "reading what was before") : err;
}

static int threads_before_feed_threads(void *ctx, const struct lkst_record *r)
{
	return lkst_threads_feed(ctx, r);
}

int lkst_threads_feed_before(struct lkst_err *e, struct lkst_threads *threads, struct lkst_trace *t,
			     u64 ns)
{
	return lkst_feed_before(e, t, ns, threads_before_feed_threads, threads);
}
