/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a running recording in one order of time, as they come: what trace/read/reader.h does for a
 * trace, with an end that moves. A CPU's records are complete some microseconds after their time at the
 * latest, unless its writer is held up. So a caller that asks for records up to a little before now gets them
 * in order; a record that comes later than that comes out of order, but is not lost.
 */
#ifndef LKST_LIVE_DRAIN_FOLLOW_H
#define LKST_LIVE_DRAIN_FOLLOW_H

#include "base/cleanup.h"
#include "live/session/session.h"
#include "trace/read/reader.h"

struct lkst_follow;

/* Begins with what is in memory, but not older than @since_ns. The session must outlive it. */
int lkst_follow_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns,
		    struct lkst_follow **ret_follow);
void lkst_follow_free(struct lkst_follow *f);
LKST_GUARD(lkst_follow_free, struct lkst_follow)

/* Follows only the buffers of @buffers, a bit each, and no marks of programs. Before anything is taken. */
void lkst_follow_choose(struct lkst_follow *f, u32 buffers);

/* Takes what is new out of the rings. Memory is bounded: the rest stays there until the next time. */
int lkst_follow_fill(struct lkst_err *e, struct lkst_follow *f);

/*
 * The next record not younger than @until_ns: 1, or 0: there is none, or more must be taken out of the
 * rings first. The record is valid until lkst_follow_fill().
 */
int lkst_follow_next(struct lkst_follow *f, u64 until_ns, struct lkst_record *ret_record);

/* Gives out all of these, as lkst_merge_each() does. */
struct lkst_merge_calls;
int lkst_follow_each(struct lkst_follow *f, u64 until_ns, const struct lkst_merge_calls *calls,
		     void *ctx);

/* Whether the last lkst_follow_next() stopped for want of memory: fill again, without a pause. */
bool lkst_follow_has_more(const struct lkst_follow *f);

/* The next place where records are missing, met so far: 1, or 0. */
int lkst_follow_gap(struct lkst_follow *f, struct lkst_gap *ret_gap);

/*
 * How long one may sleep before the next fill; the same where a burst after a silence may be lost, as long as that is
 * counted; and the time of the first record that is there, 0: none.
 */
unsigned int lkst_follow_pause_ms(const struct lkst_follow *f);
unsigned int lkst_follow_quarter_ms(const struct lkst_follow *f);
u64 lkst_follow_begin_ns(const struct lkst_follow *f);

#endif
