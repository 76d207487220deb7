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
#include "base/version.h"
#include "bundle/bundle_save.h"
#include "bundle/bundle_text.h"
#include "bundle/bundle_why.h"
#include "cmd/agent/ship.h"
#include "cmd/agent/ship_waits.h"
#include "cmd/recorders/turn.h"
#include "live/drain/incident_write.h"
#include "live/drain/incidents.h"
#include "trace/write/publish.h"

/* Revisions of an incident's row: that it is there; what is known of it; where its bundle is. */
enum { REVISION_NEW = 1, REVISION_EXPLAINED, REVISION_SENT };

enum {
	NICE = 10,
	ACCOUNT_MAX = 1 << 20,
	COMM_MAX = 16,
	KILLS_MAX = 3, /* of processes that explain one incident: something in it may kill each */
	DOUBLINGS_MAX = 6,
	NOTE_MAX = 160,
};

/* How the trace of an incident is called while it is read. */
#define TRACE_PREFIX "incident-"

/* Before an incident is tried again; ever more rarely. */
#define PAUSE_NS LKST_NS_PER_S

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

struct lkst_fleet_incident lkst_ship_row(u32 number, u64 ns)
{
	return (struct lkst_fleet_incident){ .number = number,
					     .revision = REVISION_NEW,
					     .time_ns = ns,
					     .offset_ns = (s64)lkst_clock_offset_ns(),
					     .event = "",
					     .comm = "",
					     .reason = "",
					     .version = LKST_VERSION,
					     .account = "",
					     .bundle = "",
					     .moment = "",
					     .note = "" };
}

struct lkst_fleet_incident lkst_ship_incident_row(const struct lkst_ship *s, const struct lkst_incident *i,
						  struct lkst_ship_texts *texts)
{
	const struct lkst_catalog *c = lkst_session_catalog(s->session);
	const struct lkst_incident_cause *cause = &i->cause;
	const struct lkst_event_class *event =
		cause->id && cause->id <= LKST_ID_MAX ? c->classes[cause->id] : NULL;
	struct lkst_fleet_incident row = lkst_ship_row(i->number, cause->ns);

	name_thread(cause->tid, texts->comm);
	name_moment(s, i, texts->moment);
	row.trigger = cause->trigger;
	row.tid = cause->tid;
	row.value = (s64)cause->value;
	row.event = event ? event->name : "";
	row.comm = texts->comm;
	row.reason = lkst_moment_is_name(cause->reason) ? "peer" : cause->reason;
	row.moment = texts->moment;
	return row;
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

/* Says that incidents from @first to @last are known by nothing but their numbers, in the row of the last one. */
static int put_gone(struct lkst_ship *s, u32 first, u32 last)
{
	struct lkst_fleet_incident row = lkst_ship_row(last, lkst_monotonic_ns());
	char note[NOTE_MAX];

	row.note = note;
	if (first == last)
		snprintf(note, sizeof(note),
			 "it had left memory before this time, when it was looked for");
	else
		snprintf(
			note, sizeof(note),
			"incidents %u to %u had left memory before this time, when they were looked for",
			first, last);
	return lkst_ship_put_incident(s, &row, LKST_SPOOL_INCIDENT);
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

static int ship_incident_read_trace(struct lkst_err *e, struct explaining *x, const struct lkst_moment *moment,
				    const char *dir)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	int err = lkst_trace_open(e, dir, &t) ?: lkst_bundle_tell_why(e, moment, t, &x->account);

	return err ?: lkst_ship_find_waits(e, t, &x->row);
}

static struct lkst_spool_item item_of(const struct lkst_ship *s, u32 number,
				      enum lkst_spool_kind kind, u32 revision)
{
	struct lkst_spool_item item = { .kind = (u8)kind, .first = number, .count = revision };

	memcpy(item.trace, lkst_session_catalog(s->session)->uuid, sizeof(item.trace));
	return item;
}

/* The bundle gets a name by which it is sent when all else of the incident is in the spool. */
static int make_bundle(struct lkst_err *e, struct explaining *x, const struct lkst_bundle_saving *what,
		       const char *dir)
{
	struct lkst_ship *s = x->ship;
	const struct lkst_spool_item made =
		item_of(s, x->incident->number, LKST_SPOOL_MADE, REVISION_SENT);
	char path[PATH_MAX], name[LKST_SPOOL_NAME];
	u64 bytes = 0;
	int err = lkst_spool_path(e, s->spool, &made, path, sizeof(path)) ?:
		  lkst_bundle_save(e, what, dir, path, &bytes) ?:
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
	const struct lkst_bundle_saving what = {
		.moment = lkst_moment_of_incident(lkst_session_catalog(x->ship->session), x->incident->number,
						  &x->incident->cause),
		.account = &x->account,
		.is_private = true,
	};
	int err = ship_incident_read_trace(e, x, &what.moment, dir);

	if (!err && x->ship->options->store)
		err = make_bundle(e, x, &what, dir);
	/* The row has the beginning of what the bundle has. */
	if (x->account.length > ACCOUNT_MAX)
		x->account.bytes[ACCOUNT_MAX] = 0;
	x->row.account = x->account.bytes ?: "";
	return err;
}

static int ship_incident_save(struct explaining *x)
{
	struct lkst_ship *s = x->ship;
	struct lkst_publication *p = NULL;
	_cleanup_close_ int claim = lkst_incident_claim(s->e, s->session, x->incident);
	char name[LKST_PUBLISH_NAME];
	int err;

	if (claim < 0)
		return claim;
	/* What a process that was killed has left. */
	lkst_publish_remove_left(s->options->spool, TRACE_PREFIX);
	snprintf(name, sizeof(name), TRACE_PREFIX "%u-", x->incident->number);
	err = lkst_publish_open(s->e, NULL, s->options->spool, name, lkst_session_catalog(s->session),
				&p);
	if (err)
		return err;
	err = lkst_incident_save(s->e, s->session, x->incident, lkst_publish_writer(p));
	return lkst_publish_use(s->e, p, err, use_trace, x);
}

/* All of it is on the disk: its memory is free for another. */
static int ship_incident_drop(struct lkst_ship *s, const struct lkst_incident *incident)
{
	struct lkst_turn turn = { .lock = -1 };
	_cleanup_close_ int claim = -1;
	int err = lkst_turn_take(s->e, LKST_TURN_SOON, &turn);

	/* Its bank may hold another by now. */
	if (!err)
		claim = lkst_incident_claim(s->e, s->session, incident);
	if (!err)
		err = claim < 0 ? claim : lkst_incident_drop(s->e, s->session, incident);
	lkst_turn_give(&turn);
	return err == -ESTALE ? 0 : err;
}

/* Lets the bundle be sent, if that was not done yet. */
static int release_bundle(struct lkst_ship *s, u32 number)
{
	const struct lkst_spool_item made = item_of(s, number, LKST_SPOOL_MADE, REVISION_SENT),
				     bundle = item_of(s, number, LKST_SPOOL_BUNDLE, REVISION_SENT);
	int err = lkst_spool_has(s->spool, &made) ? lkst_spool_rename(s->e, s->spool, &made, &bundle) : 0;

	err = err ?: lkst_spool_sync(s->e, s->spool);
	if (!err)
		lkst_ship_wake(s->wake_bundles);
	return err;
}

/* What is left to do when all of an incident that has a bundle is in the spool; as often as it takes. */
static int ship_incident_finish(struct lkst_ship *s, const struct lkst_incident *incident)
{
	return release_bundle(s, incident->number) ?: ship_incident_drop(s, incident);
}

/* Notes that all of it was put: from then on it is finished, and not explained again, whatever is killed. */
static int put_done(struct lkst_ship *s, u32 number, u32 revision)
{
	const struct lkst_spool_item done = item_of(s, number, LKST_SPOOL_DONE, revision);

	return lkst_spool_put(s->e, s->spool, &done, "", 0);
}

static bool ship_incident_is_done(const struct lkst_ship *s, u32 number, u32 revision)
{
	const struct lkst_spool_item done = item_of(s, number, LKST_SPOOL_DONE, revision);

	return lkst_spool_has(s->spool, &done);
}

/*
 * Puts the row of what is known, and the row with the bundle's place, which waits until that is sent. A row that comes
 * a second time, because a process was killed in here, is not sent twice.
 */
static int put_explained(struct explaining *x)
{
	struct lkst_ship *s = x->ship;
	int err;

	x->row.revision = REVISION_EXPLAINED;
	err = lkst_ship_put_incident(s, &x->row, LKST_SPOOL_INCIDENT);
	if (err || !x->has_bundle)
		return err ?: put_done(s, x->incident->number, REVISION_EXPLAINED);
	x->row.revision = REVISION_SENT;
	x->row.bundle = x->bundle;
	return lkst_ship_put_incident(s, &x->row, LKST_SPOOL_LATER)
		       ?: put_done(s, x->incident->number, REVISION_SENT);
}

static int ship_incident_explain(struct lkst_ship *s, const struct lkst_incident *incident)
{
	const struct lkst_spool_item made =
		item_of(s, incident->number, LKST_SPOOL_MADE, REVISION_SENT);
	struct explaining x = { .ship = s, .incident = incident };
	char note[LKST_ERR_MAX] = "";
	int err;

	if (ship_incident_is_done(s, incident->number, REVISION_EXPLAINED))
		return 0;
	if (ship_incident_is_done(s, incident->number, REVISION_SENT))
		return ship_incident_finish(s, incident);
	lkst_spool_remove(s->spool, &made);
	x.row = lkst_ship_incident_row(s, incident, &x.texts);
	x.row.note = note;
	err = ship_incident_save(&x);
	/* Another command has it, for a while. */
	if (err == -EBUSY)
		return err;
	if (err)
		snprintf(note, sizeof(note), "%s", s->e->text);
	err = put_explained(&x);
	return err || !x.has_bundle ? err : ship_incident_finish(s, incident);
}

static int explain_and_say(struct lkst_ship *s, const struct lkst_incident *incident)
{
	int err = ship_incident_explain(s, incident);

	if (err && err != -EBUSY)
		lkst_ship_say(s, "; it is tried again");
	return err;
}

/* Its row stays without an account. */
static int put_unexplained(struct lkst_ship *s, const struct lkst_incident *incident)
{
	char note[NOTE_MAX];
	struct lkst_ship_texts texts;
	struct lkst_fleet_incident row = lkst_ship_incident_row(s, incident, &texts);

	snprintf(note, sizeof(note),
		 "it is not explained: the process that does that was killed %d times", KILLS_MAX);
	row.revision = REVISION_EXPLAINED;
	row.note = note;
	lkst_err_set(s->e, -ECHILD, "incident %u: %s", incident->number, note);
	lkst_ship_say(s, "");
	return lkst_ship_put_incident(s, &row, LKST_SPOOL_INCIDENT);
}

/*
 * Each process that was to explain it was killed: the next incident is not to wait for that. Where only its memory is
 * left to be freed, this process does not: that may wait for another command.
 */
static int give_up(struct lkst_ship *s, const struct lkst_incident *incident)
{
	u32 number = incident->number;

	if (ship_incident_is_done(s, number, REVISION_EXPLAINED))
		return 0;
	if (!ship_incident_is_done(s, number, REVISION_SENT))
		return put_unexplained(s, incident);
	lkst_err_set(s->e, -ECHILD,
		     "all of incident %u is in the spool, and its memory is not freed: the process that does "
		     "that was killed %d times; `lkst incident drop %u` does it",
		     number, KILLS_MAX, number);
	lkst_ship_say(s, "");
	return release_bundle(s, number);
}

/* ---- the process that does it ---------------------------------------------------------------- */

/* Reading a trace takes memory and time, which the process that counts has not: another one does it. */
static int ship_incident_start(struct lkst_ship *s, struct lkst_ship_incidents *i,
			       const struct lkst_incident *incident)
{
	pid_t parent = getpid(), child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return lkst_err_sys(s->e, -errno, "explaining incident %u", incident->number);
	if (child) {
		if (i->number != incident->number)
			*i = (struct lkst_ship_incidents){ .number = incident->number };
		i->child = child;
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpriority(PRIO_PROCESS, 0, NICE);
	_exit(explain_and_say(s, incident) ? 1 : 0);
}

/* Up to @number they are. No process explains one meanwhile. */
static void note_explained(struct lkst_ship *s, u32 number)
{
	s->position.nr_explained = number;
	lkst_ship_keep(s);
	lkst_ship_incidents_recover(s);
}

static void ship_incident_collect(struct lkst_ship *s, struct lkst_ship_incidents *i)
{
	unsigned int doublings = i->nr_failed < DOUBLINGS_MAX ? i->nr_failed : DOUBLINGS_MAX;
	int status;

	if (!i->child || waitpid(i->child, &status, WNOHANG) != i->child)
		return;
	i->child = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status)) {
		note_explained(s, i->number);
		return;
	}
	i->nr_failed++;
	i->nr_killed += WIFSIGNALED(status);
	i->next_ns = lkst_monotonic_ns() + (PAUSE_NS << doublings);
}

void lkst_ship_incidents_end(struct lkst_ship_incidents *i)
{
	if (i->child) {
		kill(i->child, SIGKILL);
		waitpid(i->child, NULL, 0);
	}
	*i = (struct lkst_ship_incidents){};
}

void lkst_ship_incidents_recover(struct lkst_ship *s)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u32 nr = 0, i;

	lkst_publish_remove_left(s->options->spool, TRACE_PREFIX);
	if (lkst_spool_list(s->e, s->spool, 1U << LKST_SPOOL_MADE | 1U << LKST_SPOOL_DONE, &items,
			    &nr))
		lkst_ship_say(s, "");
	/* Bundles come first. */
	for (i = 0; i < nr; i++) {
		struct lkst_spool_item done = items[i], bundle = items[i];

		done.kind = LKST_SPOOL_DONE;
		bundle.kind = LKST_SPOOL_BUNDLE;
		if (items[i].kind == LKST_SPOOL_MADE && lkst_spool_has(s->spool, &done)) {
			if (lkst_spool_rename(s->e, s->spool, &items[i], &bundle))
				lkst_ship_say(s, "");
		} else if (items[i].kind == LKST_SPOOL_MADE ||
			   items[i].first <= s->position.nr_explained ||
			   memcmp(items[i].trace, s->position.trace, sizeof(items[i].trace))) {
			lkst_spool_remove(s->spool, &items[i]);
		}
	}
}

static void note_told(struct lkst_ship *s, u32 number)
{
	s->position.nr_told = number;
	lkst_ship_keep(s);
}

/* Puts a row of those before @number that came and went unseen. */
static int tell_gone(struct lkst_ship *s, u32 number)
{
	int err;

	if (number <= s->position.nr_told + 1)
		return 0;
	err = put_gone(s, s->position.nr_told + 1, number - 1);
	if (!err)
		note_told(s, number - 1);
	return err;
}

/* Puts a row of each that is new, and of those that came and went unseen; up to @last there are any. */
static int ship_incident_tell(struct lkst_ship *s, const struct lkst_incident *list, u32 nr, u32 last)
{
	struct lkst_ship_texts texts;
	struct lkst_fleet_incident row;
	int err = 0;
	u32 k;

	/* One that was kept since is told the next time: of those before it all are in the list, or gone. */
	for (k = 0; k < nr && list[k].number <= last && !err; k++) {
		if (list[k].number <= s->position.nr_told)
			continue;
		row = lkst_ship_incident_row(s, &list[k], &texts);
		err = tell_gone(s, list[k].number) ?: lkst_ship_put_incident(s, &row, LKST_SPOOL_INCIDENT);
		if (!err)
			note_told(s, list[k].number);
	}
	return err ?: tell_gone(s, last + 1);
}

/*
 * One that has left memory is explained, or never will be. The process that had done all of it may have been killed
 * before that was noted; up to @last there are any.
 */
static void note_gone(struct lkst_ship *s, const struct lkst_incident *list, u32 nr, u32 last)
{
	u32 gone = nr && list[0].number <= last ? list[0].number - 1 : last;

	if (gone > s->position.nr_explained)
		note_explained(s, gone);
}

/* Has one explained that is over, unless it failed a moment ago. */
static int explain_one(struct lkst_ship *s, struct lkst_ship_incidents *i,
		       const struct lkst_incident *incident)
{
	bool is_again = i->number == incident->number;
	int err;

	if (is_again && i->nr_killed >= KILLS_MAX) {
		err = give_up(s, incident);
		if (!err)
			note_explained(s, incident->number);
		return err;
	}
	return is_again && lkst_monotonic_ns() < i->next_ns ? 0 : ship_incident_start(s, i, incident);
}

int lkst_ship_incidents_step(struct lkst_ship *s, struct lkst_ship_incidents *i)
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	u32 nr = 0, last = lkst_incidents_last(s->session), k;
	int err;

	ship_incident_collect(s, i);
	err = lkst_incidents_list(s->e, s->session, &list, &nr);
	for (k = 0; k < nr && !err; k++)
		lkst_ship_peers_note(s, &list[k]);
	err = err ?: ship_incident_tell(s, list, nr, last);
	if (!err && !i->child)
		note_gone(s, list, nr, last);
	/* One after the other: how far they are explained is one number. */
	for (k = 0; k < nr && list[k].number <= s->position.nr_explained; k++)
		;
	return err || k == nr || !list[k].is_over || i->child ? err : explain_one(s, i, &list[k]);
}
