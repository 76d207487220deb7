/* SPDX-License-Identifier: GPL-2.0-only */
/* Moments of several machines: one process asks the server what peers ask for, the service keeps it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/size.h"
#include "base/time.h"
#include "base/version.h"
#include "cmd/agent/ship.h"
#include "cmd/recorders/turn.h"
#include "fleet/schema.h"
#include "fleet/sender.h"

/* How long a request is heeded: a machine that comes back later cannot have kept it. */
#define HEEDED_NS (3600 * LKST_NS_PER_S)
/* How far the clock of a peer may be ahead. */
#define AHEAD_NS (60 * LKST_NS_PER_S)
#define FAIL_PAUSE_MAX_NS (60 * LKST_NS_PER_S)

enum { REQUESTS_AT_ONCE = 16, NOTE_MAX = 256 };

bool lkst_ship_has_peers(const struct lkst_ship_options *o)
{
	return o->peers.nr || o->peer_labels.nr;
}

/* ---- asking ---------------------------------------------------------------------------------- */

struct ship_peers_asking {
	struct lkst_ship *ship;
	struct lkst_fleet *fleet;
	int fd;
	char self[LKST_PEER_HOST];
	u64 from_ns, to_ns; /* of the question that is being answered */
	bool has_checked;   /* the server's tables */
};

/* Gives the service the requests that are any; what its pipe has no room for comes again. */
static int pass_on(void *arg, const struct lkst_table *t)
{
	const struct ship_peers_asking *a = arg;
	struct lkst_peer_request request;
	size_t row;

	for (row = 0; row < t->nr_rows; row++)
		if (lkst_peer_request_of(t, row, a->from_ns, a->to_ns, &request) &&
		    write(a->fd, &request, sizeof(request)) < 0)
			return 0;
	return 0;
}

static int ship_peers_ask(struct ship_peers_asking *a)
{
	const struct lkst_ship_options *o = a->ship->options;
	const struct lkst_fleet_peers peers = { .hosts = o->peers.items,
					  .nr_hosts = o->peers.nr,
					  .labels = o->peer_labels.items,
					  .nr_labels = o->peer_labels.nr };
	const u64 now_ns = lkst_clock_ns(CLOCK_REALTIME);
	struct lkst_fleet_question q;
	int err = a->has_checked ? 0 : lkst_fleet_check_schema(a->ship->e, a->fleet);

	a->from_ns = now_ns - HEEDED_NS;
	a->to_ns = now_ns + AHEAD_NS;
	err = err ?: lkst_fleet_question_requests(a->ship->e, a->self, &peers, a->from_ns, a->to_ns, &q);
	if (err)
		return err;
	a->has_checked = true;
	err = lkst_fleet_ask_ready(a->ship->e, a->fleet, &q, pass_on, a, NULL);
	lkst_fleet_question_fini(&q);
	return err;
}

/* As a sender does after so many failures, at times that machines do not have in common. */
static void wait_ns(const struct lkst_ship_options *o, unsigned int nr)
{
	const struct lkst_sender_options pauses = { .pause_ns = o->every_ns,
						    .pause_max_ns = o->every_ns > FAIL_PAUSE_MAX_NS
									    ? o->every_ns
									    : FAIL_PAUSE_MAX_NS };
	u64 random = 0, ns;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = lkst_monotonic_ns() * 0x9e3779b97f4a7c15ULL;
	ns = lkst_sender_pause_ns(&pauses, nr, random);
	nanosleep(&(struct timespec){ .tv_sec = (time_t)(ns / LKST_NS_PER_S), .tv_nsec = (long)(ns % LKST_NS_PER_S) },
		  NULL);
}

int lkst_ship_ask_peers(struct lkst_ship *s, int fd, void (*say)(void *ctx, const struct lkst_err *why), void *ctx)
{
	struct ship_peers_asking a = { .ship = s, .fd = fd };
	unsigned int nr_failed = 0;
	struct utsname u = {};
	int err = lkst_fleet_server_open(s->e, &s->options->server, s->options->url, &a.fleet);

	uname(&u);
	snprintf(a.self, sizeof(a.self), "%s", u.nodename);
	while (!err || a.fleet) {
		err = ship_peers_ask(&a);
		if (err || nr_failed)
			say(ctx, err ? s->e : NULL);
		nr_failed = err ? nr_failed + 1 : 0;
		a.has_checked &= !err;
		wait_ns(s->options, nr_failed + 1);
	}
	return err;
}

/* ---- what is remembered ---------------------------------------------------------------------- */

void lkst_ship_peers_note(struct lkst_ship *s, const struct lkst_incident *i)
{
	struct lkst_ship_moments *m = &s->moments;
	u32 k;

	for (k = 0; k < LKST_SHIP_RECENT && m->recent[k].number != i->number; k++)
		;
	/* The first time it is whole: it may be seen while it is dropped. */
	if (k < LKST_SHIP_RECENT && m->recent[k].begin_ns)
		return;
	if (k == LKST_SHIP_RECENT)
		k = m->nr_recent++ % LKST_SHIP_RECENT;
	m->recent[k] = (struct lkst_ship_stretch){ i->number, i->begin_ns, i->until_ns };
}

static bool was_answered(const struct lkst_ship_moments *m, const char *moment)
{
	u32 k;

	for (k = 0; k < LKST_SHIP_ANSWERED && strcmp(m->answered[k], moment); k++)
		;
	return k < LKST_SHIP_ANSWERED;
}

static void note_answered(struct lkst_ship_moments *m, const char *moment)
{
	snprintf(m->answered[m->nr_answered++ % LKST_SHIP_ANSWERED], LKST_MOMENT_NAME, "%s", moment);
}

/* The incident that has a time, 0: none. */
static u32 find_incident(const struct lkst_ship_moments *m, u64 ns)
{
	u32 k;

	for (k = 0; k < LKST_SHIP_RECENT; k++) {
		const struct lkst_ship_stretch *one = &m->recent[k];

		if (one->number && one->begin_ns && one->begin_ns <= ns && ns < one->until_ns)
			return one->number;
	}
	return 0;
}

/* ---- answering ------------------------------------------------------------------------------- */

/* Says what became of the moment, in a row of its own. @number: the incident that has it, 0: none. */
static void ship_peers_answer(struct lkst_ship *s, const struct lkst_peer_request *r, u64 own_ns, u32 number,
			      const char *note)
{
	const struct lkst_catalog *c = lkst_session_catalog(s->session);
	struct lkst_spool_item item = { .kind = LKST_SPOOL_BUNDLE, .first = number };
	char name[LKST_SPOOL_NAME], bundle[LKST_ERR_MAX] = "";
	struct lkst_fleet_incident row = lkst_ship_row(lkst_moment_answer_number(r->moment), own_ns);

	row.reason = "peer";
	row.bundle = bundle;
	row.moment = r->moment;
	row.note = note;
	memcpy(item.trace, c->uuid, sizeof(item.trace));
	lkst_spool_bundle_name(&item, name);
	if (number && s->options->store)
		snprintf(bundle, sizeof(bundle), "%s/%s", s->options->store, name);
	lkst_ship_put_incident(s, &row, LKST_SPOOL_INCIDENT);
}

static void answer_incident(struct lkst_ship *s, const struct lkst_peer_request *r, u64 own_ns, u32 number)
{
	const u8 *u = lkst_session_catalog(s->session)->uuid;
	char note[NOTE_MAX];

	snprintf(note, sizeof(note), "it is in incident %02x%02x%02x%02x.%u of this machine", u[0], u[1], u[2], u[3],
		 number);
	ship_peers_answer(s, r, own_ns, number, note);
}

/* The window is no longer in memory, since @begin_ns on is; 0: nothing is. */
static void answer_late(struct lkst_ship *s, const struct lkst_peer_request *r, u64 own_ns, u64 begin_ns)
{
	char by[LKST_DURATION_TEXT], note[NOTE_MAX];

	lkst_duration_format(begin_ns ? begin_ns - own_ns : 0, by);
	if (begin_ns)
		snprintf(note, sizeof(note), "the window had gone by %s", by);
	else
		snprintf(note, sizeof(note), "nothing was recorded then");
	ship_peers_answer(s, r, own_ns, 0, note);
}

/* Keeps what is in memory now, as an incident that is called by the moment. */
static void ship_peers_keep(struct lkst_ship *s, const struct lkst_peer_request *r, u64 own_ns)
{
	struct lkst_turn turn = { .lock = -1 };
	u32 number = 0;
	int err = lkst_turn_take(s->e, LKST_TURN_SOON, &turn) ?:
		  lkst_incident_keep(s->e, s->session, 0, r->moment, &number);

	lkst_turn_give(&turn);
	if (err)
		ship_peers_answer(s, r, own_ns, 0, s->e->text);
	else if (!number)
		answer_incident(s, r, own_ns, lkst_session_control(s->session)->banks.nr);
}

/* Whether an incident was kept for this moment already, by a process before this one. */
static bool is_kept(const struct lkst_incident *list, u32 nr, const char *moment)
{
	u32 k;

	for (k = 0; k < nr && strcmp(list[k].cause.reason, moment); k++)
		;
	return k < nr;
}

/*
 * Whether rows of incidents have not arrived: one of a process before this one may be the answer. As long as the server
 * has none, the request is given out again.
 */
static bool has_rows_waiting(const struct lkst_ship *s)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u32 nr = 0;

	return lkst_spool_list(s->e, s->spool, 1U << LKST_SPOOL_INCIDENT, &items, &nr) || nr;
}

static void ship_peers_heed(struct lkst_ship *s, const struct lkst_peer_request *r)
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	const u64 own_ns = r->time_ns - lkst_clock_offset_ns();
	u64 begin_ns;
	u32 nr = 0, k;

	if (was_answered(&s->moments, r->moment) ||
	    !strcmp(r->host, lkst_session_catalog(s->session)->hostname) || has_rows_waiting(s))
		return;
	if (lkst_incidents_list(s->e, s->session, &list, &nr)) {
		lkst_ship_say(s, "");
		return;
	}
	note_answered(&s->moments, r->moment);
	for (k = 0; k < nr; k++)
		lkst_ship_peers_note(s, &list[k]);
	if (is_kept(list, nr, r->moment))
		return;
	if (find_incident(&s->moments, own_ns)) {
		answer_incident(s, r, own_ns, find_incident(&s->moments, own_ns));
		return;
	}
	begin_ns = lkst_rings_covered_ns(lkst_session_rings(s->session),
					 lkst_session_control(s->session)->banks.active);
	if (!begin_ns || (s64)(own_ns - begin_ns) < 0)
		answer_late(s, r, own_ns, begin_ns);
	else
		ship_peers_keep(s, r, own_ns);
}

void lkst_ship_peers_step(struct lkst_ship *s, int fd)
{
	struct lkst_peer_request request;
	unsigned int nr;

	for (nr = 0; nr < REQUESTS_AT_ONCE && read(fd, &request, sizeof(request)) == sizeof(request); nr++)
		ship_peers_heed(s, &request);
}
