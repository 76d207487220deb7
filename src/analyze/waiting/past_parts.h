/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of past.h share: what is known of each thread meanwhile, and who asks whom. Private to them. */
#ifndef LKST_ANALYZE_WAITING_PAST_PARTS_H
#define LKST_ANALYZE_WAITING_PAST_PARTS_H

#include <string.h>

#include "analyze/waiting/past.h"

enum { LKST_NR_WOKEN = 4 }; /* threads that one woke last */

struct lkst_past_thread {
	u32 nr_past;   /* the number of its last wait, plus 1; 0: it had none */
	u32 lock_past; /* the same of its last wait for a futex */
	bool is_condition; /* whether that may be a condition of glibc, by its operation */
	u64 call_ns;   /* the beginning of the call that it waited in then */
	u64 entry_ns;  /* when it last began a system call, and which one */
	s16 entry_row;
	u64 waited_ns; /* when its last wait was over */
	u64 signal_ns; /* since when it handles a signal that was sent to it alone; 0: it does not, or not any more */
	u32 woken[LKST_NR_WOKEN]; /* whom it woke last, by life, plus 1 */
	u64 woken_ns[LKST_NR_WOKEN];
	unsigned int nr_woken;
	u32 partner;	/* with whom it has made a round trip, by life, plus 1; and on which descriptor */
	s32 partner_fd;
	u64 connecting; /* its last connect(2), as lkst_connections_connect() calls it */
	bool has_accepted; /* it was woken in accept(2) by whose connection it has */
	s32 asked_fd;	/* the socket on which it has sent last and not received since, plus 1; 0: there is none */
	s32 plain_fd;	/* a descriptor that is no end of a connection, plus 1: it was looked up last */
	u32 unanswered; /* its wait in poll(2) for an answer there, that was in vain, by place, plus 1 */
	u32 thawed;	/* its wait that a write to a freezer has ended, by place, plus 1; and to which, as `about` */
	u32 thawed_about;
};

/* NULL: no memory, which `error` of @h says. */
struct lkst_past_thread *lkst_past_thread_of(struct lkst_pasts *h, u32 life);

/* That of @r; NULL: none is known, or there is no memory. */
struct lkst_past_thread *lkst_past_thread_at(struct lkst_pasts *h, const struct lkst_record *r,
					     const struct lkst_thread_life **ret_life);

/* Whether the name of @call, a row or -1, begins with @name. */
static inline bool lkst_past_is_in(s16 call, const char *name)
{
	return call >= 0 && !strncmp(lkst_syscalls[call].name, name, strlen(name));
}

static inline bool lkst_past_sends(s16 call)
{
	return call >= 0 && lkst_syscall_sends(&lkst_syscalls[call]);
}

static inline bool lkst_past_is_heard(s16 call)
{
	return call >= 0 && lkst_syscall_is_heard(&lkst_syscalls[call]);
}

/* ---- who asks whom (past_asking.c) ---------------------------------------------------------------- */

/*
 * Which waits are for answers on connections, whose answers these are, and which do not come: has the pass of @f fill
 * it. 1, 0 or a negative errno.
 */
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
