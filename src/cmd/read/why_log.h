/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst why: what programs logged of the request that an explained span belongs to. */
#ifndef LKST_CMD_READ_WHY_LOG_H
#define LKST_CMD_READ_WHY_LOG_H

#include "result/account.h"
#include "trace/read/reader.h"

enum { LKST_WHY_LOG_LINES = 100 }; /* are shown, the first */

/* Where the lines are. */
struct lkst_why_log {
	const char *path; /* of the trace, if it is one: a bundle has lines of its own. Else NULL */
	bool is_of_machine; /* in the journal of this machine */
};

#ifdef __wasi__
/* A page has neither. */
static inline int lkst_why_add_log(struct lkst_err *e, struct lkst_account *a,
				   const struct lkst_trace *t, const struct lkst_why_log *log)
{
	return 0;
}
#else
/*
 * Adds to the account of a span, below it, a step "log" for each line that has the number of its request, with facts
 * who, priority and message. An account of something else stays as it is.
 */
int lkst_why_add_log(struct lkst_err *e, struct lkst_account *a, const struct lkst_trace *t,
		     const struct lkst_why_log *log);
#endif

#endif
