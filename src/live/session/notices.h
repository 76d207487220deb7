/* SPDX-License-Identifier: GPL-2.0-only */
/* What a handler tells user space by lkst_notify(). */
#ifndef LKST_LIVE_SESSION_NOTICES_H
#define LKST_LIVE_SESSION_NOTICES_H

#include "abi/handler.h"
#include "base/cleanup.h"
#include "base/err.h"

struct lkst_session;
struct lkst_notices;

/* Opens those of handler @number. One process should read them: each notice goes to one reader only. */
int lkst_notices_open(struct lkst_err *e, const struct lkst_session *s, u8 number,
		      struct lkst_notices **ret_notices);
void lkst_notices_close(struct lkst_notices *n);
LKST_GUARD(lkst_notices_close, struct lkst_notices)

/*
 * Waits for the next one, at most @timeout_ms (-1: forever). 1: it is in *@ret_notice; 0: none came, or
 * a signal did.
 */
int lkst_notices_wait(struct lkst_err *e, struct lkst_notices *n, int timeout_ms,
		      struct lkst_notice *ret_notice);

#endif
