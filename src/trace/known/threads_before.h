/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of threads, and of their code, at a time, without reading all that was recorded before it. */
#ifndef LKST_TRACE_KNOWN_THREADS_BEFORE_H
#define LKST_TRACE_KNOWN_THREADS_BEFORE_H

#include "trace/known/threads.h"
#include "trace/read/reader.h"

/*
 * Whether the trace has streams of buffers other than main. The masksets that come with the program record there what
 * gives threads their names: fork, exec, exit and rename.
 */
bool lkst_trace_keeps_names(const struct lkst_trace *t);

/*
 * Has @feed take in the records of these streams, and of the state, before @ns. 0, or a negative errno and a sentence;
 * -ENOMEM of @feed gets one.
 */
int lkst_feed_before(struct lkst_err *e, struct lkst_trace *t, u64 ns,
		     int (*feed)(void *ctx, const struct lkst_record *r), void *ctx);

/* The same, to know the threads by. */
int lkst_threads_feed_before(struct lkst_err *e, struct lkst_threads *threads, struct lkst_trace *t,
			     u64 ns);

#endif
