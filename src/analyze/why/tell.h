/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sentences of `lkst why`: what is known of a stretch, put into a step of an account, with the
 * events that it rests on. Private to why.c.
 */
#ifndef LKST_ANALYZE_WHY_TELL_H
#define LKST_ANALYZE_WHY_TELL_H

#include "analyze/why/wake_cause.h"
#include "base/account.h"

struct lkst_tell {
	const struct lkst_excerpt *w;
	struct lkst_account *account;
	u64 min_ns; /* shorter stretches are told as a sum */
};

/* Cites moment @i, unless it is nowhere. */
void lkst_tell_cite(struct lkst_tell *t, struct lkst_account_step *s, u32 i);

/* ---- tell.c: stretches -------------------------------------------------------------- */

void lkst_tell_interval(struct lkst_tell *t, struct lkst_account_step *s,
			const struct lkst_stretches *line);
void lkst_tell_ran(struct lkst_tell *t, struct lkst_account_step *s,
		   const struct lkst_stretch *stretch);

/* @nr stretches from @first to @last, with nothing of length between them. */
void lkst_tell_ran_often(struct lkst_tell *t, struct lkst_account_step *s, u32 nr, u64 ran_ns,
			 const struct lkst_stretch *first, const struct lkst_stretch *last);
void lkst_tell_ready(struct lkst_tell *t, struct lkst_account_step *s,
		     const struct lkst_stretch *stretch);
void lkst_tell_rest(struct lkst_tell *t, struct lkst_account_step *s, u32 nr, const u64 *sum_ns);
void lkst_tell_gap(struct lkst_tell *t, struct lkst_account_step *s, const struct lkst_gap *gap);

/* ---- tell_wait.c: what was waited for, and what ended it ------------------------------ */

/* The wake-up that ended a wait, LKST_NOWHERE: none is recorded. */
u32 lkst_tell_waking(const struct lkst_tell *t, const struct lkst_stretch *stretch);

/* The system call in which thread @tid waited, "" : none or not known. */
const char *lkst_tell_call_name(const struct lkst_tell *t, s32 tid,
				const struct lkst_stretch *stretch);

void lkst_tell_wait(struct lkst_tell *t, struct lkst_account_step *s,
		    const struct lkst_stretch *stretch);
void lkst_tell_trigger(struct lkst_tell *t, struct lkst_account_step *s,
		       const struct lkst_wake_cause *trigger);

/* Adds a step below @s for the request or packet and returns it; returns @s if not much is known. */
struct lkst_account_step *lkst_tell_request(struct lkst_tell *t, struct lkst_account_step *s,
					    const struct lkst_wake_cause *trigger);
void lkst_tell_packet(struct lkst_tell *t, struct lkst_account_step *s,
		      const struct lkst_wake_cause *trigger);

/* Short waits of one kind. @waking: of the longest. */
void lkst_tell_many(struct lkst_tell *t, struct lkst_account_step *s, const char *call, u8 trigger,
		    s32 waker, u32 nr, u64 sum_ns, u64 longest_ns, u32 waking);

#endif
