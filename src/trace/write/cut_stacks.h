/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of samples in a trace that is cut. A stack is written once, before the first sample that refers to it; so
 * a part has, as state, those from before it that its samples refer to. Private to cut.c.
 */
#ifndef LKST_TRACE_WRITE_CUT_STACKS_H
#define LKST_TRACE_WRITE_CUT_STACKS_H

#include "base/map.h"
#include "trace/known/kept.h"
#include "trace/write/writer.h"

/* All zero is an empty one. */
struct lkst_cut_stacks {
	struct lkst_kept kept;	/* of what has been read, each once */
	struct lkst_map known;	/* numbers of these */
	struct lkst_map wanted; /* numbers of those that the part refers to */
};

void lkst_cut_stacks_fini(struct lkst_cut_stacks *s);

/*
 * Keeps @r if it is a stack: 1, 0, or -ENOMEM. Beyond 64 MiB of them none is kept: samples are without, and readers say
 * so.
 */
int lkst_cut_stacks_take(struct lkst_cut_stacks *s, const struct lkst_record *r);

/* Begins with another part; a record of it. 0 or -ENOMEM. */
void lkst_cut_stacks_begin(struct lkst_cut_stacks *s);
int lkst_cut_stacks_want(struct lkst_cut_stacks *s, const struct lkst_record *r);

/* Writes those that the part refers to, as of @ns. */
int lkst_cut_stacks_write(struct lkst_err *e, struct lkst_cut_stacks *s, u64 ns, struct lkst_writer *w);

#endif
