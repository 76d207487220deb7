/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving and dropping incidents. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "bundle/bundle_save.h"
#include "cmd/control/incident.h"
#include "cmd/recorders/recording.h"
#include "live/drain/incident_notices.h"
#include "trace/write/publish.h"

enum {
	PAUSE_MS = 500, /* after a failure, twice as long after each further one ... */
	PAUSE_MAX_MS = 16000,
	SAME_NAMES_MAX = 100,
};

void lkst_incident_format_day(const struct lkst_incident *i, char text[LKST_INCIDENT_DAY])
{
	time_t when = (time_t)((lkst_clock_offset_ns() + i->cause.ns) / LKST_NS_PER_S);
	struct tm tm;

	localtime_r(&when, &tm);
	strftime(text, LKST_INCIDENT_DAY, "%Y-%m-%dT%H:%M:%S", &tm);
}

/* ---- one ---------------------------------------------------------------------------- */

static int write_trace(struct lkst_job *job, const struct lkst_incident *i,
		       const struct lkst_incident_saving *how, char ret_name[LKST_PUBLISH_NAME],
		       u64 *ret_bytes)
{
	char day[LKST_INCIDENT_DAY], name[LKST_PUBLISH_NAME];
	struct lkst_publication *p = NULL;
	int err;

	lkst_incident_format_day(i, day);
	snprintf(name, sizeof(name), "incident-%u-%s", i->number, day);
	err = lkst_publish_open(job->e, how->access, how->dir, name, lkst_session_catalog(job->s), &p);
	if (err)
		return err;
	err = lkst_incident_save(job->e, job->s, i, lkst_publish_writer(p));
	*ret_bytes = lkst_writer_bytes(lkst_publish_writer(p));
	return lkst_publish_close(job->e, p, err, ret_name);
}

/* A bundle that is made of an incident. */
struct bundling {
	struct lkst_bundle_saving what;
	const char *file;
	u64 bytes; /* of the file, when it is made */
};

static int bundle_trace(struct lkst_err *e, void *ctx, const char *dir)
{
	struct bundling *b = ctx;

	return lkst_bundle_save(e, &b->what, dir, b->file, &b->bytes);
}

/* "NAME.bundle", or with ".2", ".3" and so on before the suffix. Nobody else makes one of the incident meanwhile. */
static int name_bundle(struct lkst_err *e, const char *dir, const char *name,
		       char ret_name[LKST_PUBLISH_NAME], char **ret_file)
{
	unsigned int n;

	for (n = 1; n <= SAME_NAMES_MAX; n++) {
		char suffix[16] = "";

		if (n > 1)
			snprintf(suffix, sizeof(suffix), ".%u", n);
		if (snprintf(ret_name, LKST_PUBLISH_NAME, "%s%s%s", name, suffix,
			     LKST_BUNDLE_SUFFIX) >= LKST_PUBLISH_NAME)
			return lkst_err_sys(e, -ENAMETOOLONG, "%s", name);
		if (asprintf(ret_file, "%s/%s", dir, ret_name) < 0) {
			*ret_file = NULL;
			return lkst_err_sys(e, -ENOMEM, "%s", name);
		}
		if (faccessat(AT_FDCWD, *ret_file, F_OK, AT_SYMLINK_NOFOLLOW))
			return 0;
		free(lkst_take(*ret_file));
	}
	return lkst_err_set(e, -EEXIST,
			    "%s/%s" LKST_BUNDLE_SUFFIX " is there, and so are all names like it",
			    dir, name);
}

/* The trace is written under a hidden name, of which the next call removes what a kill may leave. */
static int write_bundle(struct lkst_job *job, const struct lkst_incident *i,
			const struct lkst_incident_saving *how, char ret_name[LKST_PUBLISH_NAME],
			u64 *ret_bytes)
{
	struct bundling b = { .what = { .moment = lkst_moment_of_incident(lkst_session_catalog(job->s), i->number,
									   &i->cause),
					.access = how->access,
					.is_private = how->is_private } };
	char day[LKST_INCIDENT_DAY], name[LKST_PUBLISH_NAME];
	_cleanup_free_ char *file = NULL;
	struct lkst_publication *p = NULL;
	int err;

	lkst_incident_format_day(i, day);
	snprintf(name, sizeof(name), "incident-%u-%s", i->number, day);
	err = name_bundle(job->e, how->dir, name, ret_name, &file)
		      ?: lkst_publish_open(job->e, how->access, how->dir, name,
					   lkst_session_catalog(job->s), &p);
	if (err)
		return err;
	b.file = file;
	err = lkst_incident_save(job->e, job->s, i, lkst_publish_writer(p));
	err = lkst_publish_use(job->e, p, err, bundle_trace, &b);
	*ret_bytes = b.bytes;
	return err;
}

/* 1: it was saved before, as @ret_name. */
static int find_saved(struct lkst_job *job, const struct lkst_incident *i,
		      const struct lkst_incident_saving *how, char ret_name[LKST_PUBLISH_NAME])
{
	const u8 *uuid = lkst_session_catalog(job->s)->uuid;
	char prefix[32];
	int found;

	/* The time in the name changes when the clock is set; number and UUID say which it is. */
	snprintf(prefix, sizeof(prefix), "incident-%u-", i->number);
	found = lkst_publish_find(job->e, how->dir, prefix, uuid, ret_name);
	return found < 0 || !how->is_bundle
		       ? found
		       : lkst_bundle_find(job->e, how->dir, prefix, uuid, ret_name);
}

static int make_trace(struct lkst_job *job, const struct lkst_incident *i,
		      const struct lkst_incident_saving *how)
{
	char name[LKST_PUBLISH_NAME], size[LKST_SIZE_TEXT];
	u64 bytes = 0;
	int err = find_saved(job, i, how, name);

	if (err < 0)
		return err;
	if (err) {
		if (!how->quiet)
			lkst_print_message(stdout, "%s/%s: was saved before", how->dir, name);
		return 0;
	}
	err = how->is_bundle ? write_bundle(job, i, how, name, &bytes)
			     : write_trace(job, i, how, name, &bytes);
	if (!err)
		err = lkst_recording_check_symbols(job->e, job->s, false, how->quiet);
	if (err || how->quiet)
		return err;
	lkst_size_format(bytes, size);
	lkst_print_message(stdout, "%s/%s: %s; `lkst %s %s/%s` shows it", how->dir, name, size,
			   how->is_bundle ? "bundle show" : "print", how->dir, name);
	return 0;
}

static int incident_save_drop(struct lkst_job *job, const struct lkst_incident *i)
{
	int err = lkst_job_take_turn(job, LKST_TURN_SOON);

	if (err)
		return err;
	err = lkst_incident_drop(job->e, job->s, i);
	lkst_job_give_turn(job);
	return err;
}

int lkst_incident_publish(struct lkst_job *job, const struct lkst_incident *i,
			  const struct lkst_incident_saving *how)
{
	_cleanup_close_ int claim = lkst_incident_claim(job->e, job->s, i);
	int err = claim < 0 ? claim : make_trace(job, i, how);

	if (!err && how->drop)
		err = incident_save_drop(job, i);
	if (err && claim >= 0)
		lkst_err_add(job->e, "incident %u", i->number);
	return err;
}

int lkst_incident_give_up(struct lkst_job *job, const struct lkst_incident *i)
{
	_cleanup_close_ int claim = lkst_incident_claim(job->e, job->s, i);

	return claim < 0 ? claim : incident_save_drop(job, i);
}

/* ---- watching ----------------------------------------------------------------------- */

struct watch {
	struct lkst_job *job;
	const struct lkst_incident_saving *how;
	struct lkst_incident_notices *notices; /* of the recording that was looked at last; NULL: none was */
	int signals;		 /* that end it, as a descriptor */
	unsigned int nr_failed;	 /* in this round */
	char said[LKST_ERR_MAX]; /* what was said last of a failure */
};

/* Errors that persist until somebody removes the cause and restarts the service. */
static bool is_for_good(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
	case -EACCES:
	case -EPERM:
	case -EROFS:
	case -ELOOP:
	case -ENAMETOOLONG:
		return true;
	default:
		return false;
	}
}

/* The incident is still kept: others may succeed, and this one the next time. Reports each cause once. */
static void incident_save_take_failure(struct watch *w, int err)
{
	/* Another command is saving it, or has saved it. */
	if (err == -EBUSY || err == -ESTALE)
		return;
	w->nr_failed++;
	if (!strcmp(w->said, w->job->e->text))
		return;
	snprintf(w->said, sizeof(w->said), "%s", w->job->e->text);
	lkst_print_message(stderr, "lkst: %s; it stays in memory, and is tried again", w->said);
}

/* Saves what there is. A negative errno: an error that no retry can fix. */
static int save_all(struct watch *w)
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	int err = lkst_job_open(w->job, LKST_TURN_LOOK), fatal = 0;
	struct lkst_err why;
	u32 nr = 0, i;

	if (err)
		return err;
	lkst_incident_notices_close(w->notices);
	w->notices = NULL;
	err = lkst_incident_notices_open(w->job->e, w->job->s, &w->notices)
		      ?: lkst_incidents_list(w->job->e, w->job->s, &list, &nr);
	lkst_job_give_turn(w->job);
	w->nr_failed = 0;
	for (i = 0; i < nr && !err; i++) {
		int failed = list[i].is_over ? lkst_incident_publish(w->job, &list[i], w->how) : 0;

		if (is_for_good(failed)) {
			fatal = failed;
			why = *w->job->e;
		} else if (failed) {
			incident_save_take_failure(w, failed);
		}
	}
	if (fatal)
		*w->job->e = why;
	if (!w->nr_failed)
		w->said[0] = 0;
	lkst_job_close(w->job);
	fflush(stdout);
	return fatal ?: is_for_good(err) || !w->notices ? err : 0;
}

static int incident_save_open_signals(struct lkst_err *e)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return fd < 0 ? lkst_err_sys(e, -errno, "waiting for incidents") : fd;
}

/* Saves what there is, and waits for more, until it is told to end. */
static int incident_save_watch(struct watch *w)
{
	int pause_ms = PAUSE_MS, err;

	do {
		err = !w->notices || lkst_incident_notices_are_due(w->notices) ? save_all(w) : 0;
		if (err)
			return err;
		pause_ms = !w->nr_failed ? PAUSE_MS : pause_ms < PAUSE_MAX_MS ? 2 * pause_ms : pause_ms;
		err = lkst_incident_notices_wait(w->job->e, w->notices, w->signals, pause_ms);
	} while (!err);
	return err < 0 ? err : 0;
}

int lkst_incident_watch(struct lkst_job *job, const struct lkst_incident_saving *how)
{
	struct watch w = { .job = job, .how = how, .signals = incident_save_open_signals(job->e) };
	int err = w.signals < 0 ? w.signals : incident_save_watch(&w);

	lkst_incident_notices_close(w.notices);
	lkst_closep(&w.signals);
	return err;
}
