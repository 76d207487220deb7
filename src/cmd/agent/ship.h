/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The service that sends what a machine says of itself to a server of many. This process counts the records of the
 * running recording and puts rows into the spool; processes of their own send what is there (fleet/sender.h), and one
 * explains each incident. Nothing of it is in the way of the recording, which it only reads.
 */
#ifndef LKST_CMD_AGENT_SHIP_H
#define LKST_CMD_AGENT_SHIP_H

#include "cmd/fleet/fleet_server.h"
#include "cmd/frame/cmd.h"
#include "fleet/packed_rows.h"
#include "fleet/peer_request.h"
#include "fleet/ship_rows.h"
#include "fleet/spool.h"
#include "live/drain/incidents.h"
#include "live/session/session.h"

struct lkst_ship_options {
	struct lkst_fleet_options server;
	const char *config, *url, *spool, *store, *store_credentials, *cgroup;
	struct lkst_list labels, peers, peer_labels;
	u64 spool_bytes, every_ns;
	bool quiet;
};

/* A stretch of time that an incident has, which may be on its way to the store already. */
struct lkst_ship_stretch {
	u32 number;
	u64 begin_ns, until_ns;
};

enum {
	LKST_SHIP_RECENT = 16,	 /* stretches that are remembered */
	LKST_SHIP_ANSWERED = 64, /* moments that were */
};

/* What is known of moments that peers asked for; of one recording. */
struct lkst_ship_moments {
	struct lkst_ship_stretch recent[LKST_SHIP_RECENT];
	char answered[LKST_SHIP_ANSWERED][LKST_MOMENT_NAME];
	u32 nr_recent, nr_answered; /* so far; the newest overwrite the oldest */
};

struct lkst_ship {
	struct lkst_err *e;
	const struct lkst_ship_options *options;
	struct lkst_spool *spool;
	struct lkst_spool_position position;
	struct lkst_spool_missing missing;
	struct lkst_session *session; /* NULL: nothing is being recorded */
	struct lkst_ship_moments moments;
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

/* Has s->position be that of a recording: one of another is forgotten, for incidents have numbers in each recording. */
void lkst_ship_take_position(struct lkst_ship *s, const u8 trace[16]);

/* Has a sender look. */
void lkst_ship_wake(int fd);

/* ---- counting -------------------------------------------------------------------------------- */

struct lkst_counting;

/*
 * Measure "limited" of the time from @from_ns to @to_ns, which has just passed: how many kinds the cost limit left out
 * of some of it, and as parts for how long those were that were longest. The names are @v's. 0 or -ENOMEM.
 */
struct lkst_budget_view;
int lkst_ship_limited(const struct lkst_budget_view *v, u64 from_ns, u64 to_ns,
		      struct lkst_fleet_figures *ret_figures);

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
	u32 number; /* of that one, or of the last one */
	u32 nr_failed, nr_killed; /* tries to explain that one */
	u64 next_ns;		  /* of CLOCK_MONOTONIC: before that it is not tried again */
};

/* Has those bundles sent that a process before this one had made, and removes what it has left of others. */
void lkst_ship_incidents_recover(struct lkst_ship *s);

/* What a row's texts are in, besides those of the incident. */
struct lkst_ship_texts {
	char comm[17], moment[LKST_MOMENT_NAME];
};

/* A new row with that number, of that time (CLOCK_MONOTONIC), in which nothing else is said. */
struct lkst_fleet_incident lkst_ship_row(u32 number, u64 ns);

/* The row of an incident that is new; the session is open. */
struct lkst_fleet_incident lkst_ship_incident_row(const struct lkst_ship *s, const struct lkst_incident *i,
						  struct lkst_ship_texts *texts);

/* Puts it as an item of that kind. */
int lkst_ship_put_incident(struct lkst_ship *s, const struct lkst_fleet_incident *i, enum lkst_spool_kind kind);

/* Puts a row for each incident that is new, and has those explained that are over. */
int lkst_ship_incidents_step(struct lkst_ship *s, struct lkst_ship_incidents *i);

/* Ends the process that explains one, which is done again later. */
void lkst_ship_incidents_end(struct lkst_ship_incidents *i);

/* ---- moments of several machines ------------------------------------------------------------- */

/* Whether there are peers: their moments are kept here, and they are asked to keep this machine's. */
bool lkst_ship_has_peers(const struct lkst_ship_options *o);

/*
 * In a process of its own: asks the server again and again for what peers ask, and writes each struct lkst_peer_request
 * to @fd. Returns only if it cannot begin.
 */
int lkst_ship_ask_peers(struct lkst_ship *s, int fd, void (*say)(void *ctx, const struct lkst_err *why), void *ctx);

/* Keeps what was asked for since the last time, which is read from @fd, as far as it is still there. */
void lkst_ship_peers_step(struct lkst_ship *s, int fd);

/* Remembers the stretch of an incident. */
void lkst_ship_peers_note(struct lkst_ship *s, const struct lkst_incident *i);

#endif
