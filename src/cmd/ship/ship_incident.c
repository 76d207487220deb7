/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of incidents, and their bundles. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "bundle/bundle_text.h"
#include "cmd/bundle/bundle_save.h"
#include "cmd/ship/ship.h"
#include "cmd/ship/ship_waits.h"
#include "cmd/turn.h"
#include "cmd/version.h"
#include "live/drain/incident_write.h"
#include "live/recording/incidents.h"
#include "trace/publish.h"

/* Revisions of an incident's row: that it is there; what is known of it; where its bundle is. */
enum { REVISION_NEW = 1, REVISION_EXPLAINED, REVISION_SENT };

enum { NICE = 10, ACCOUNT_MAX = 1 << 20, COMM_MAX = 16 };

/* ---- rows ------------------------------------------------------------------------------------ */

/* The thread's name, as far as it still lives; "": it does not. */
static void name_thread(s32 tid, char comm[COMM_MAX + 1])
{
	_cleanup_free_ char *text = NULL;
	char path[64];
	size_t length;

	comm[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (tid > 0 && !lkst_read_file(NULL, AT_FDCWD, path, 4096, &text, &length))
		snprintf(comm, COMM_MAX + 1, "%.*s", (int)strcspn(text, "\n"), text);
}

/*
 * The moment of several machines that an incident is of: that of a peer which asked for it, or where there are peers,
 * its own, by which they are asked.
 */
static void name_moment(const struct lkst_ship *s, const struct lkst_incident *i, char moment[LKST_MOMENT_NAME])
{
	moment[0] = 0;
	if (lkst_moment_is_name(i->cause.reason))
		snprintf(moment, LKST_MOMENT_NAME, "%.23s", i->cause.reason);
	else if (lkst_ship_has_peers(s->options))
		lkst_moment_name(lkst_session_catalog(s->session)->uuid, i->number, moment);
}

struct lkst_fleet_incident lkst_ship_incident_row(const struct lkst_ship *s, const struct lkst_incident *i,
						  struct lkst_ship_texts *texts)
{
	const struct lkst_catalog *c = lkst_session_catalog(s->session);
	const struct lkst_incident_cause *cause = &i->cause;
	const struct lkst_event_class *event =
		cause->id && cause->id <= LKST_ID_MAX ? c->classes[cause->id] : NULL;

	name_thread(cause->tid, texts->comm);
	name_moment(s, i, texts->moment);
	return (struct lkst_fleet_incident){ .number = i->number,
					     .revision = REVISION_NEW,
					     .trigger = cause->trigger,
					     .time_ns = cause->ns,
					     .offset_ns = (s64)lkst_clock_offset_ns(),
					     .tid = cause->tid,
					     .value = (s64)cause->value,
					     .event = event ? event->name : "",
					     .comm = texts->comm,
					     .reason = lkst_moment_is_name(cause->reason) ? "peer" : cause->reason,
					     .version = LKST_VERSION,
					     .account = "",
					     .bundle = "",
					     .moment = texts->moment,
					     .note = "" };
}

int lkst_ship_put_incident(struct lkst_ship *s, const struct lkst_fleet_incident *i, enum lkst_spool_kind kind)
{
	_cleanup_free_ struct lkst_packed_rows *rows = calloc(1, sizeof(*rows));
	struct lkst_spool_item item = { .kind = (u8)kind,
					.first = i->number,
					.count = i->revision };
	const struct lkst_catalog *c = lkst_session_catalog(s->session);
	int err;

	if (!rows || lkst_packed_rows_init(rows))
		return lkst_err_sys(s->e, -ENOMEM, "sending an incident");
	memcpy(item.trace, c->uuid, sizeof(item.trace));
	lkst_fleet_put_incident(rows, c, i);
	err = lkst_ship_put(s, &item, rows);
	lkst_packed_rows_fini(rows);
	return err;
}

/* ---- explaining ------------------------------------------------------------------------------ */

struct explaining {
	struct lkst_ship *ship;
	const struct lkst_incident *incident;
	struct lkst_fleet_incident row;
	struct lkst_bundle_text account;
	struct lkst_ship_texts texts;
	char bundle[PATH_MAX]; /* its URL */
	bool has_bundle;
};

static struct lkst_moment moment_of(const struct explaining *x)
{
	const struct lkst_incident_cause *cause = &x->incident->cause;
	struct lkst_moment m = { .is_incident = true,
				 .number = x->incident->number,
				 .trigger = cause->trigger,
				 .tid = cause->tid,
				 .at_ns = cause->ns,
				 .value = cause->value };

	snprintf(m.reason, sizeof(m.reason), "%s", cause->reason);
	snprintf(m.event, sizeof(m.event), "%s", x->row.event);
	return m;
}

static int read_trace(struct lkst_err *e, struct explaining *x, const char *dir)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	const struct lkst_moment moment = moment_of(x);
	int err = lkst_trace_open(e, dir, &t) ?: lkst_bundle_tell_why(e, &moment, t, &x->account);

	if (err)
		return err;
	x->row.account = x->account.bytes;
	if (x->account.length > ACCOUNT_MAX)
		x->account.bytes[ACCOUNT_MAX] = 0;
	return lkst_ship_find_waits(e, t, &x->row);
}

static struct lkst_spool_item bundle_item(const struct explaining *x, enum lkst_spool_kind kind)
{
	struct lkst_spool_item item = { .kind = (u8)kind,
					.first = x->incident->number,
					.count = REVISION_SENT };

	memcpy(item.trace, lkst_session_catalog(x->ship->session)->uuid, sizeof(item.trace));
	return item;
}

/* The bundle gets a name by which it is sent when all else of the incident is in the spool. */
static int make_bundle(struct lkst_err *e, struct explaining *x, const char *dir)
{
	const struct lkst_bundle_saving what = { .moment = moment_of(x), .is_private = true };
	const struct lkst_spool_item made = bundle_item(x, LKST_SPOOL_MADE);
	struct lkst_ship *s = x->ship;
	char path[PATH_MAX], name[LKST_SPOOL_NAME];
	u64 bytes = 0;
	int err = lkst_spool_path(e, s->spool, &made, path, sizeof(path)) ?:
		  lkst_bundle_save(e, &what, dir, path, &bytes) ?:
		  lkst_spool_make_room(e, s->spool, 0);

	if (err) {
		lkst_spool_remove(s->spool, &made);
		return err;
	}
	lkst_spool_bundle_name(&made, name);
	snprintf(x->bundle, sizeof(x->bundle), "%s/%s", s->options->store, name);
	x->row.bundle_bytes = bytes;
	x->has_bundle = true;
	return 0;
}

static int use_trace(struct lkst_err *e, void *ctx, const char *dir)
{
	struct explaining *x = ctx;
	int err = read_trace(e, x, dir);

	return err || !x->ship->options->store ? err : make_bundle(e, x, dir);
}

static int save(struct explaining *x)
{
	struct lkst_ship *s = x->ship;
	struct lkst_publication *p = NULL;
	char name[LKST_PUBLISH_NAME], found[LKST_PUBLISH_NAME];
	_cleanup_close_ int claim = lkst_incident_claim(s->e, s->session, x->incident);
	int err;

	if (claim < 0)
		return claim;
	snprintf(name, sizeof(name), "incident-%u-", x->incident->number);
	/* Removes what a process that was killed has left. */
	err = lkst_publish_find(s->e, s->options->spool, name,
				lkst_session_catalog(s->session)->uuid, found);
	if (err < 0)
		return err;
	err = lkst_publish_open(s->e, s->options->spool, name, lkst_session_catalog(s->session),
				&p);
	if (err)
		return err;
	err = lkst_incident_save(s->e, s->session, x->incident, lkst_publish_writer(p));
	return lkst_publish_use(s->e, p, err, use_trace, x);
}

/* The row with the bundle's place waits until that is sent. */
static int put_bundle(struct explaining *x)
{
	const struct lkst_spool_item made = bundle_item(x, LKST_SPOOL_MADE),
				     bundle = bundle_item(x, LKST_SPOOL_BUNDLE);
	struct lkst_ship *s = x->ship;
	struct lkst_turn turn = { .lock = -1 };
	int err;

	x->row.revision = REVISION_SENT;
	x->row.bundle = x->bundle;
	err = lkst_ship_put_incident(s, &x->row, LKST_SPOOL_LATER)
		      ?: lkst_spool_rename(s->e, s->spool, &made, &bundle)
		      ?: lkst_spool_sync(s->e, s->spool);
	if (err)
		return err;
	lkst_ship_wake(s->wake_bundles);
	/* All of it is on the disk: its memory is free for another. */
	err = lkst_turn_take(s->e, LKST_TURN_SOON, &turn)
		      ?: lkst_incident_drop(s->e, s->session, x->incident);
	lkst_turn_give(&turn);
	return err;
}

static int explain(struct lkst_ship *s, const struct lkst_incident *incident)
{
	struct explaining x = { .ship = s, .incident = incident };
	char note[LKST_ERR_MAX] = "";
	int err;

	x.row = lkst_ship_incident_row(s, incident, &x.texts);
	err = save(&x);
	if (err)
		snprintf(note, sizeof(note), "%s", s->e->text);
	x.row.revision = REVISION_EXPLAINED;
	x.row.note = note;
	err = lkst_ship_put_incident(s, &x.row, LKST_SPOOL_INCIDENT);
	if (!err && x.has_bundle)
		err = put_bundle(&x);
	if (err)
		lkst_ship_say(s, "");
	return err;
}

/* ---- the process that does it ---------------------------------------------------------------- */

/* Reading a trace takes memory and time, which the process that counts has not: another one does it. */
static int start(struct lkst_ship *s, struct lkst_ship_incidents *i,
		 const struct lkst_incident *incident)
{
	pid_t parent = getpid(), child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return lkst_err_sys(s->e, -errno, "explaining incident %u", incident->number);
	if (child) {
		i->child = child;
		i->number = incident->number;
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpriority(PRIO_PROCESS, 0, NICE);
	_exit(explain(s, incident) ? 1 : 0);
}

static void collect(struct lkst_ship *s, struct lkst_ship_incidents *i)
{
	int status;

	if (!i->child || waitpid(i->child, &status, WNOHANG) != i->child)
		return;
	if (!WIFEXITED(status)) {
		lkst_err_set(s->e, -ECHILD,
			     "incident %u could not be explained: its process was killed",
			     i->number);
		lkst_ship_say(s, "");
	}
	i->child = 0;
	s->position.nr_explained = i->number;
	lkst_ship_keep(s);
}

void lkst_ship_incidents_end(struct lkst_ship_incidents *i)
{
	if (!i->child)
		return;
	kill(i->child, SIGKILL);
	waitpid(i->child, NULL, 0);
	i->child = 0;
}

int lkst_ship_incidents_step(struct lkst_ship *s, struct lkst_ship_incidents *i)
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	struct lkst_ship_texts texts;
	struct lkst_fleet_incident row;
	u32 nr = 0, k;
	int err;

	collect(s, i);
	err = lkst_incidents_list(s->e, s->session, &list, &nr);
	for (k = 0; k < nr && !err; k++) {
		lkst_ship_peers_note(s, &list[k]);
		if (list[k].number > s->position.nr_told) {
			row = lkst_ship_incident_row(s, &list[k], &texts);
			err = lkst_ship_put_incident(s, &row, LKST_SPOOL_INCIDENT);
			s->position.nr_told = list[k].number;
			lkst_ship_keep(s);
		}
		if (!err && list[k].number > s->position.nr_explained && list[k].is_over &&
		    !i->child)
			err = start(s, i, &list[k]);
	}
	return err;
}
