/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences of `lkst why` about waits: what was waited for, and what ended it. Private to why.c. */
#ifndef LKST_ANALYZE_WHY_NARRATE_WAIT_H
#define LKST_ANALYZE_WHY_NARRATE_WAIT_H

#include "analyze/why/narrate.h"
#include "analyze/why/peers.h"

/* The wake-up that ended a wait, LKST_NOWHERE: none is recorded. */
u32 lkst_narrate_waking(const struct lkst_narrator *t, const struct lkst_stretch *stretch);

/* The system call in which thread @tid waited, "" : none or not known. */
const char *lkst_narrate_call_name(const struct lkst_narrator *t, s32 tid,
				   const struct lkst_stretch *stretch);

void lkst_narrate_wait(struct lkst_narrator *t, struct lkst_account_step *s,
		       const struct lkst_stretch *stretch);
void lkst_narrate_trigger(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct lkst_wake_cause *trigger);

/* Adds a step below @s for the request or packet and returns it; returns @s if not much is known. */
struct lkst_account_step *lkst_narrate_request(struct lkst_narrator *t, struct lkst_account_step *s,
					       const struct lkst_wake_cause *trigger);
void lkst_narrate_packet(struct lkst_narrator *t, struct lkst_account_step *s,
			 const struct lkst_wake_cause *trigger);

/* The same for a packet that thread @sender of another host sent, 0: an interrupt. The step is that host's. */
struct lkst_account_step *lkst_narrate_peer_packet(struct lkst_narrator *t, struct lkst_account_step *s,
						   const struct lkst_peer_packet *packet, s32 sender);

/* Short waits of one kind. @waking: of the longest. */
void lkst_narrate_many(struct lkst_narrator *t, struct lkst_account_step *s, const char *call,
		       u8 trigger, s32 waker, u32 nr, u64 sum_ns, u64 longest_ns, u32 waking);

#endif
