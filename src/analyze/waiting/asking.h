/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has asked whom: which waits are for answers on connections, whose answers these are, and which do not come. Private
 * to src/analyze/waiting.
 */
#ifndef LKST_ANALYZE_WAITING_ASKING_H
#define LKST_ANALYZE_WAITING_ASKING_H

#include "analyze/waiting/past_thread.h"

/* Has the pass of @f fill it. 1, 0 or a negative errno. */
int lkst_asking_subscribe(struct lkst_pasts *h, struct lkst_feed *f);

/* LKST_PAST_IS_CONNECTED, IS_ROUND_TRIP and MAY_ASK of @p, a wait of @t that is over, in a call that receives. */
u32 lkst_asking_flags(struct lkst_pasts *h, const struct lkst_interval *i, struct lkst_past_thread *t,
		      const struct lkst_past *p);

/* The other end of the connection that @p waits at, where a thread has not ended the wait itself. */
void lkst_asking_set_peer(struct lkst_pasts *h, struct lkst_past *p, const struct lkst_interval *i);

/* @waker has ended wait @p. */
void lkst_asking_woken(struct lkst_pasts *h, const struct lkst_past_thread *waker, const struct lkst_past *p);

/* Wait @p of @t is in the list, and over. */
void lkst_asking_waited(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_interval *i,
			const struct lkst_past *p);

/* A system call has ended. */
void lkst_asking_ended(struct lkst_pasts *h, const struct lkst_call_interval *c);

/* After the pass: whether a wait that MAY_ASK did. */
void lkst_asking_settle(const struct lkst_pasts *h, struct lkst_past *p);

#endif
