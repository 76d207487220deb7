/* SPDX-License-Identifier: GPL-2.0-only */
/* The marks of programs, as long as a recording is copied: programs are asked for them, and they are read. */
#ifndef LKST_LIVE_DRAIN_DRAIN_MARKS_H
#define LKST_LIVE_DRAIN_DRAIN_MARKS_H

#include "base/cleanup.h"
#include "live/session/session.h"
#include "marks/marks_gather.h"
#include "trace/write/writer.h"

struct lkst_drain_marks;

/*
 * Asks programs to mark. Those before @since_ns (0: those before the recording) are left out. @ring_bytes: as of
 * lkst_marks_options.
 */
int lkst_drain_marks_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns, u64 ring_bytes,
			 struct lkst_drain_marks **ret_marks);
void lkst_drain_marks_free(struct lkst_drain_marks *m);
LKST_GUARD(lkst_drain_marks_free, struct lkst_drain_marks)

/* As lkst_marks_set_time(). */
void lkst_drain_marks_set_time(struct lkst_drain_marks *m, u64 since_ns, u64 until_ns);

/* Reads what there is, unless that was just done and another look follows. */
int lkst_drain_marks_look(struct lkst_err *e, struct lkst_drain_marks *m, const struct lkst_marks_look *look);

/* Writes to @w how far the streams of marks go, but not beyond @until_ns. */
int lkst_drain_marks_claim(struct lkst_err *e, const struct lkst_drain_marks *m, struct lkst_writer *w, u64 until_ns);

/* Writes to @w what is missing since lkst_drain_marks_keep_told(). */
int lkst_drain_marks_write_lost(struct lkst_err *e, const struct lkst_drain_marks *m, struct lkst_writer *w);
void lkst_drain_marks_keep_told(struct lkst_drain_marks *m);

#endif
