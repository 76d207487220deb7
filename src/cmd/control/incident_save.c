/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving and dropping incidents. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/control/incident.h"
#include "cmd/recording.h"
#include "trace/publish.h"

enum {
	PAUSE_MS = 500,
	PAUSE_MAX_MS = 16000,
};

void lkst_incident_format_day(const struct lkst_incident *i, char text[LKST_INCIDENT_DAY])
{
	time_t when = (time_t)((lkst_clock_offset_ns() + i->cause.ns) / LKST_NS_PER_S);
	struct tm tm;

	localtime_r(&when, &tm);
	strftime(text, LKST_INCIDENT_DAY, "%Y-%m-%dT%H:%M:%S", &tm);
}

/* ---- one ---------------------------------------------------------------------------- */

static int write_trace(struct lkst_job *job, const struct lkst_incident *i, const char *dir,
		       char ret_name[LKST_PUBLISH_NAME], u64 *ret_bytes)
{
	char day[LKST_INCIDENT_DAY], name[LKST_PUBLISH_NAME];
	struct lkst_publication *p = NULL;
	int err;

	lkst_incident_format_day(i, day);
	snprintf(name, sizeof(name), "incident-%u-%s", i->number, day);
	err = lkst_publish_open(job->e, dir, name, lkst_session_catalog(job->s), &p);
	if (err)
		return err;
	err = lkst_incident_save(job->e, job->s, i, lkst_publish_writer(p));
	*ret_bytes = lkst_writer_bytes(lkst_publish_writer(p));
	return lkst_publish_close(job->e, p, err, ret_name);
}

static int make_trace(struct lkst_job *job, const struct lkst_incident *i,
		      const struct lkst_incident_saving *how)
{
	char name[LKST_PUBLISH_NAME], prefix[32], size[LKST_SIZE_TEXT];
	u64 bytes = 0;
	int err;

	/* The time in the name changes when the clock is set; number and UUID say which it is. */
	snprintf(prefix, sizeof(prefix), "incident-%u-", i->number);
	err = lkst_publish_find(job->e, how->dir, prefix, lkst_session_catalog(job->s)->uuid, name);
	if (err < 0)
		return err;
	if (err) {
		if (!how->quiet)
			lkst_print_message(stdout, "%s/%s: was saved before", how->dir, name);
		return 0;
	}
	err = write_trace(job, i, how->dir, name, &bytes) ?:
	      lkst_recording_check_symbols(job->e, job->s, false, how->quiet);
	if (err || how->quiet)
		return err;
	lkst_size_format(bytes, size);
	lkst_print_message(stdout, "%s/%s: %s; `lkst print %s/%s` shows it", how->dir, name, size,
			   how->dir, name);
	return 0;
}

static int drop(struct lkst_job *job, const struct lkst_incident *i)
{
	int err = lkst_job_take_turn(job, LKST_TURN_SOON);

	if (err)
		return err;
	err = lkst_incident_drop(job->e, job->s, i);
	lkst_job_let_go(job);
	return err;
}

int lkst_incident_publish(struct lkst_job *job, const struct lkst_incident *i,
			  const struct lkst_incident_saving *how)
{
	_cleanup_close_ int claim = lkst_incident_claim(job->e, job->s, i);
	int err = claim < 0 ? claim : make_trace(job, i, how);

	if (!err && how->drop)
		err = drop(job, i);
	if (err && claim >= 0)
		lkst_err_add(job->e, "incident %u", i->number);
	return err;
}

int lkst_incident_give_up(struct lkst_job *job, const struct lkst_incident *i)
{
	_cleanup_close_ int claim = lkst_incident_claim(job->e, job->s, i);

	return claim < 0 ? claim : drop(job, i);
}

/* ---- watching ----------------------------------------------------------------------- */

struct watch {
	struct lkst_job *job;
	const struct lkst_incident_saving *how;
	unsigned int nr_failed;		/* in this round */
	char said[LKST_ERR_MAX];	/* what was said last of a failure */
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
static void take_failure(struct watch *w, int err)
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
	err = lkst_incidents_list(w->job->e, w->job->s, &list, &nr);
	lkst_job_let_go(w->job);
	w->nr_failed = 0;
	for (i = 0; i < nr && !err; i++) {
		int failed = list[i].is_over ? lkst_incident_publish(w->job, &list[i], w->how) : 0;

		if (is_for_good(failed)) {
			fatal = failed;
			why = *w->job->e;
		} else if (failed) {
			take_failure(w, failed);
		}
	}
	if (fatal)
		*w->job->e = why;
	if (!w->nr_failed)
		w->said[0] = 0;
	lkst_job_close(w->job);
	fflush(stdout);
	return fatal ?: is_for_good(err) ? err : 0;
}

/* The incidents are kept by the kernel, so nothing depends on how soon. */
static bool is_told_to_end(const sigset_t *signals, unsigned int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	int got;

	do
		got = sigtimedwait(signals, NULL, &time);
	while (got < 0 && errno == EINTR);
	return got > 0;
}

int lkst_incident_watch(struct lkst_job *job, const struct lkst_incident_saving *how)
{
	struct watch w = { .job = job, .how = how };
	unsigned int pause_ms = PAUSE_MS;
	sigset_t signals;
	int err;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	do {
		err = save_all(&w);
		pause_ms = !w.nr_failed ? PAUSE_MS : pause_ms < PAUSE_MAX_MS ? 2 * pause_ms : pause_ms;
	} while (!err && !is_told_to_end(&signals, pause_ms));
	return err;
}
