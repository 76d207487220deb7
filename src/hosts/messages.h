/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packets that hosts sent each other, as far as both have recorded them: which were sent when, and received when,
 * each by its own clock. Bounded: of too many, a sample is kept, the same ones on all hosts.
 */
#ifndef LKST_HOSTS_MESSAGES_H
#define LKST_HOSTS_MESSAGES_H

#include "base/err.h"
#include "trace/read/reader.h"

struct lkst_messages;

/* At most @max are kept, 0: the usual. NULL: no memory. */
struct lkst_messages *lkst_messages_new(u32 max);
void lkst_messages_free(struct lkst_messages *m);
LKST_GUARD(lkst_messages_free, struct lkst_messages)

/* Takes in what trace @t of host number @host has sent and received. @offset_ns: its time of day less its times. */
int lkst_messages_read(struct lkst_err *e, struct lkst_messages *m, struct lkst_trace *t,
		       unsigned int host, u64 offset_ns);

/*
 * Calls @each for every one that host @from sent and @to received, each by its own time of day. Where a packet passed a
 * host more than once in a short time, as on its way through a bridge, it is the first time. What was seen again later
 * may have been sent again, and is left out, and so is what two hosts passed on, of which the order is not known.
 */
typedef void lkst_messages_each(void *ctx, unsigned int from, unsigned int to, u64 sent_ns,
				u64 received_ns);
void lkst_messages_walk(const struct lkst_messages *m, unsigned int nr_hosts,
			lkst_messages_each *each, void *ctx);

#endif
