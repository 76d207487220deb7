/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one process that a recording with a cost limit has: the controller in the kernel
 * (src/bpf/budget/budget.bpf.c) asks it to detach hooks of what is left out, and to attach them again. It sleeps in
 * between.
 *
 * It holds no hook itself, since the pins do: so `lkst stop` detaches everything whatever becomes of it. If
 * it is killed, recording goes on, and what is detached then stays so until there is another such process.
 */
#ifndef LKST_LIVE_RECORDING_LIMIT_H
#define LKST_LIVE_RECORDING_LIMIT_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "live/session/session.h"

/* How often it is to be called at least, to keep readings of the kernel's counters (live/state/readings.h). */
enum { LKST_LIMIT_READINGS_MS = 5000 };

struct lkst_limit;

enum { LKST_LIMIT_RETRY_MAX_S = 3600 };

/*
 * Becomes that process for the pinned recording, and does what was asked for before. What is left out from now on
 * is tried again after @retry_s seconds at the latest. -ENOENT: nothing is
 * recorded. -ENODATA: the recording has no limit. -EBUSY: there is such a process already.
 */
int lkst_limit_open(struct lkst_err *e, u32 retry_s, struct lkst_limit **ret_limit);

/* Attaches what is detached, if the recording is still there, and closes. */
void lkst_limit_close(struct lkst_limit *l);
LKST_GUARD(lkst_limit_close, struct lkst_limit)

/* A descriptor that poll(2) finds readable when lkst_limit_serve() has something to do. */
int lkst_limit_fd(const struct lkst_limit *l);

/* Does what is asked for. 1: the recording has ended. */
int lkst_limit_serve(struct lkst_err *e, struct lkst_limit *l);

/* Whether there is such a process for @s, a pinned recording. */
bool lkst_limit_is_kept(const struct lkst_session *s);

#endif
