/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last seconds of the running recording, again and again, each time as a trace. Nothing in the recording changes:
 * they are snapshots, or for a user without root what the service sends. A process of its own takes each, so that
 * nobody waits for it, and only when somebody asks.
 */
#ifndef LKST_CMD_VIEW_LIVE_H
#define LKST_CMD_VIEW_LIVE_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

struct lkst_trace;
struct lkst_view_live;

/*
 * Takes the first, of the last @last_ns. @socket: of the service; NULL: root looks itself, others ask the usual one.
 * From now on signals that end a command are blocked (cmd/frame/end_signals.h); -EINTR: one has come.
 */
int lkst_view_live_new(struct lkst_err *e, const char *socket, u64 last_ns,
		       struct lkst_view_live **ret_live, struct lkst_trace **ret_trace);

/*
 * The next one, if it is there (@ctx is the struct lkst_view_live): 1 and *@ret_trace, 0, or a negative errno. Where
 * none is being taken, one is begun, but not more than one in a second.
 */
int lkst_view_live_next(struct lkst_err *e, void *ctx, struct lkst_trace **ret_trace);

/* Ends what is being taken, and removes it. */
void lkst_view_live_free(struct lkst_view_live *live);
LKST_GUARD(lkst_view_live_free, struct lkst_view_live)

#endif
