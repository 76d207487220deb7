/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The service that sends what a machine says of itself to a server of many. This process counts the records of the
 * running recording and puts rows into the spool; processes of their own send what is there (fleet/sender.h), and one
 * explains each incident. Nothing of it is in the way of the recording, which it only reads.
 */
#ifndef LKST_CMD_SHIP_H
#define LKST_CMD_SHIP_H

#include "cmd/cmd.h"
#include "cmd/fleet_server.h"
#include "fleet/packed_rows.h"
#include "fleet/spool.h"
#include "live/recording/session.h"

struct lkst_ship_options {
	struct lkst_fleet_options server;
	const char *config, *url, *spool, *store, *store_credentials, *cgroup;
	struct lkst_list labels;
	u64 spool_bytes, every_ns;
	bool quiet;
};

struct lkst_ship {
	struct lkst_err *e;
	const struct lkst_ship_options *options;
	struct lkst_spool *spool;
	struct lkst_spool_position position;
	struct lkst_session *session; /* NULL: nothing is being recorded */
	int wake_rows,
		wake_bundles; /* written to when there is something to send; -1: nobody sends that */
	char said[LKST_ERR_MAX]; /* what was said last of a failure */
};

/* Puts an item, says if that fails, and has it sent. 0 or a negative errno that was said. */
int lkst_ship_put(struct lkst_ship *s, const struct lkst_spool_item *item,
		  struct lkst_packed_rows *rows);

/* Says what is wrong in s->e, once. */
void lkst_ship_say(struct lkst_ship *s, const char *so);

/* Keeps s->position; says if that fails. */
void lkst_ship_keep(struct lkst_ship *s);

/* Has a sender look. */
void lkst_ship_wake(int fd);

/* ---- counting -------------------------------------------------------------------------------- */

struct lkst_counting;

/* Has those seconds sent that a process before this one has put, and was killed before it had noted that. */
void lkst_counting_recover(struct lkst_ship *s);

/* Begins to count what s->session records, from where it was left, or from now on. */
int lkst_counting_new(struct lkst_ship *s, struct lkst_counting **ret_counting);
void lkst_counting_free(struct lkst_counting *c);
LKST_GUARD(lkst_counting_free, struct lkst_counting)

/* Counts what has come, and puts the seconds that are over. */
int lkst_counting_step(struct lkst_counting *c);

/* Puts the seconds that are over and their minute, although more would go with them. */
int lkst_counting_finish(struct lkst_counting *c);

/* How long one may wait until the next step, ms. */
unsigned int lkst_counting_pause_ms(const struct lkst_counting *c);

/* ---- incidents ------------------------------------------------------------------------------- */

struct lkst_ship_incidents {
	int child;  /* the process that explains one, 0: none */
	u32 number; /* of that one */
};

/* Puts a row for each incident that is new, and has those explained that are over. */
int lkst_ship_incidents_step(struct lkst_ship *s, struct lkst_ship_incidents *i);

/* Ends the process that explains one, which is done again later. */
void lkst_ship_incidents_end(struct lkst_ship_incidents *i);

#endif
