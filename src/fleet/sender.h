/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends what a spool has, and removes what has arrived. Rows arrive once: an item is asked for before it is sent again,
 * and has a name by which the server refuses it while an earlier try is still at work. What cannot be sent now is tried
 * again, ever more rarely, and at times that machines do not have in common.
 */
#ifndef LKST_FLEET_SENDER_H
#define LKST_FLEET_SENDER_H

#include "fleet/client.h"
#include "fleet/spool.h"
#include "fleet/store.h"

struct lkst_sender_options {
	struct lkst_spool *spool;
	struct lkst_fleet *fleet; /* gets rows; NULL: this sends bundles */
	struct lkst_store *store; /* gets bundles; NULL: this sends rows */
	int wake_fd; /* becomes readable when there is something new; at its end the sender ends */
	u64 pause_ns, pause_max_ns; /* after a failure: the first pause, and the longest */
	/* Called with what is wrong, and with NULL when it is no longer. */
	void (*say)(void *ctx, const struct lkst_err *why);
	void *ctx;
};

/* Sends until `wake_fd` is at its end. */
int lkst_sender_run(struct lkst_err *e, const struct lkst_sender_options *options);

/* How long to wait after the @nr-th failure in a row, from 1: at random, from half to all of a time that doubles. */
u64 lkst_sender_pause_ns(const struct lkst_sender_options *options, unsigned int nr, u64 random);

#endif
