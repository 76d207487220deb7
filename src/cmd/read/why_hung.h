/* SPDX-License-Identifier: GPL-2.0-only */
/* `lkst why --hung`: what has not ended. */
#ifndef LKST_CMD_READ_WHY_HUNG_H
#define LKST_CMD_READ_WHY_HUNG_H

#include <errno.h>

#include "analyze/waiting/hung.h"
#include "cmd/read/tables.h"
#include "cmd/readers/traces.h"

struct lkst_why_hung_options {
	const char *from, *to; /* as --from and --to have them, NULL: not given */
	u64 least_ns;	       /* how long a wait is that is told */
	bool is_json;
	const struct lkst_hung_ask *ask; /* of a machine that runs; NULL: only the trace is there */
};

/* The tables of the analysis hung. @options: struct lkst_why_hung_options. */
int lkst_why_hung_tables(struct lkst_err *e, const void *options, struct lkst_trace *t,
			 struct lkst_shown_tables *shown);

/* Prints them to stdout; as text only the sentences. */
int lkst_why_hung_tell(struct lkst_err *e, const struct lkst_why_hung_options *o, const struct lkst_reading *r);

#ifdef __wasi__
/* A page has no machine. */
static inline int lkst_why_hung_live(struct lkst_err *e, const struct lkst_why_hung_options *o)
{
	return lkst_err_set(e, -EINVAL, "of which trace?");
}
#else
/* The same of the recording that runs: a snapshot of it, and what /proc shows beside it. */
int lkst_why_hung_live(struct lkst_err *e, const struct lkst_why_hung_options *o);
#endif

#endif
