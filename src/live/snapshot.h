/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording holds at one moment, as a trace. */
#ifndef LKST_LIVE_SNAPSHOT_H
#define LKST_LIVE_SNAPSHOT_H

#include "live/session.h"
#include "trace/writer.h"

/*
 * Writes to @w what the rings of @s hold, only the last @last_ns of it if that is not 0, and how
 * things stood on the machine when that begins. Recording goes on meanwhile; what is overwritten before
 * it is copied is missing, and shows as a gap. It only reads, and so takes no lock (live/pins.h).
 */
int lkst_snapshot_write(struct lkst_err *e, const struct lkst_session *s, u64 last_ns,
			struct lkst_writer *w);

#endif
