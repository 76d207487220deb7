/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst incident: moments that a recording keeps. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/recording.h"
#include "live/incidents.h"
#include "live/pins.h"
#include "live/state.h"

struct options {
	u64 post_ns;
	const char *reason, *output;
	bool drop, json, quiet;
};

static const struct options defaults = { .reason = "command" };

static const struct lkst_option rows[] = {
	{ "after", 'a', LKST_OPTION_DURATION, "TIME", offsetof(struct options, post_ns), 0, 0, "0",
	  "with keep: go on for so long: 200ms, 2s" },
	{ "reason", 'r', LKST_OPTION_TEXT, "TEXT", offsetof(struct options, reason), 0, 0,
	  "command", "with keep: why, for the list" },
	{ "output", 'o', LKST_OPTION_TEXT, "DIR", offsetof(struct options, output), 0, 0, ".",
	  "with save and watch: the directory that the traces are made in" },
	{ "drop", 'd', LKST_OPTION_FLAG, NULL, offsetof(struct options, drop), 0, 0, NULL,
	  "with save: give its memory back when it is saved" },
	{ "json", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, json), 0, 0, NULL,
	  "with list: one JSON object per line, for programs" },
	{ "quiet", 'q', LKST_OPTION_FLAG, NULL, offsetof(struct options, quiet), 0, 0, NULL,
	  "say nothing but errors" },
	{ 0 },
};

struct job {
	struct lkst_err *e;
	const struct options *o;
	struct lkst_session *s;
	int lock;
};

static int open_job(struct job *job)
{
	job->lock = lkst_pins_lock(job->e);
	return job->lock < 0 ? job->lock : lkst_session_open(job->e, &job->s);
}

static void close_job(struct job *job)
{
	lkst_session_close(job->s);
	job->s = NULL;
	lkst_closep(&job->lock);
	job->lock = -1;
}

/* ---- list and keep ---------------------------------------------------------------------------- */

/* The time of day of moment @ns of CLOCK_MONOTONIC. */
static void format_day(u64 ns, char *text, size_t size)
{
	struct timespec real, mono;
	struct tm tm;
	time_t when;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	when = (time_t)(((u64)real.tv_sec * 1000000000 + real.tv_nsec -
			 ((u64)mono.tv_sec * 1000000000 + mono.tv_nsec) + ns) /
			1000000000);
	localtime_r(&when, &tm);
	strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
}

/* A reason may hold anything. */
static void print_reason(const char *reason, bool json)
{
	for (; *reason; reason++)
		if (json && (*reason == '"' || *reason == '\\'))
			printf("\\%c", *reason);
		else
			putchar((unsigned char)*reason < ' ' ? ' ' : *reason);
}

static void list_one(const struct job *job, const struct lkst_incident *i)
{
	double before =
		i->begin_ns && i->begin_ns < i->cause.ns ? (i->cause.ns - i->begin_ns) / 1e9 : 0;
	const char *event = "";
	char day[64];

	format_day(i->cause.ns, day, sizeof(day));
	if (i->cause.id && i->cause.id <= LKST_ID_MAX &&
	    lkst_session_catalog(job->s)->classes[i->cause.id])
		event = lkst_session_catalog(job->s)->classes[i->cause.id]->name;
	if (job->o->json) {
		printf("{\"number\":%u,\"at\":\"%s\",\"at_ns\":%" PRIu64 ",\"until_ns\":%" PRIu64
		       ",\"before_s\":%.6f,\"after_s\":%.6f,\"over\":%s,\"trigger\":%u,"
		       "\"event\":\"%s\",\"tid\":%d,\"value\":%" PRIu64 ",\"reason\":\"",
		       i->number, day, i->cause.ns, i->until_ns, before, i->cause.post_ns / 1e9,
		       i->is_over ? "true" : "false", i->cause.trigger, event, i->cause.tid,
		       i->cause.value);
		print_reason(i->cause.reason, true);
		printf("\"}\n");
		return;
	}
	printf("%4u  %s %10.3f %9.3f  %7d  ", i->number, day, before, i->cause.post_ns / 1e9,
	       i->cause.tid);
	print_reason(i->cause.reason, false);
	printf("%s%s%s\n", event[0] ? " at " : "", event, i->is_over ? "" : " (goes on)");
}

static int verb_list(struct job *job, char **args, unsigned int nr_args)
{
	const struct lkst_banks *banks = &lkst_session_control(job->s)->banks;
	_cleanup_free_ struct lkst_incident *list = NULL;
	u32 nr = 0, nr_free, room = lkst_incidents_room(job->s, &nr_free), i;
	int err = lkst_incidents_list(job->e, job->s, &list, &nr);

	(void)args, (void)nr_args;
	if (err)
		return err;
	if (!job->o->json)
		printf("%4s  %-19s %10s %9s  %7s  %s\n", "ID", "AT", "BEFORE s", "AFTER s", "TID",
		       "REASON");
	for (i = 0; i < nr; i++)
		list_one(job, &list[i]);
	if (!job->o->json)
		printf("room for %u more of %u; %" PRIu64 " causes came while an incident was not "
		       "over, %" PRIu64 " found no room\n",
		       nr_free, room, banks->joined, banks->missed);
	return 0;
}

static int verb_keep(struct job *job, char **args, unsigned int nr_args)
{
	u32 number;
	int err = lkst_incident_keep(job->e, job->s, job->o->post_ns, job->o->reason, &number);

	(void)args, (void)nr_args;
	if (err || job->o->quiet)
		return err;
	if (number)
		printf("incident %u; `lkst incident save %u` saves it\n", number, number);
	else
		printf("part of an incident that is not over yet\n");
	return 0;
}

/* ---- save and drop ---------------------------------------------------------------------------- */

static int save_one(struct job *job, const struct lkst_incident *i)
{
	char day[64], dir[4096], size[LKST_SIZE_TEXT];
	struct lkst_writer *w = NULL;
	struct lkst_err ignored;
	int err, close_err;

	format_day(i->cause.ns, day, sizeof(day));
	if (snprintf(dir, sizeof(dir), "%s/incident-%u-%s", job->o->output ?: ".", i->number,
		     day) >= (int)sizeof(dir))
		return lkst_err_sys(job->e, -ENAMETOOLONG, "%s", job->o->output);
	err = lkst_writer_open(job->e, dir, lkst_session_catalog(job->s), &w);
	if (err)
		return err;
	err = lkst_incident_save(job->e, job->s, i, w);
	lkst_size_format(lkst_writer_bytes(w), size);
	close_err = lkst_writer_close(err ? &ignored : job->e, w);
	if (err || close_err)
		return err ?: close_err;
	if (!job->o->quiet)
		printf("%s: %s; `lkst print %s` shows it\n", dir, size, dir);
	return 0;
}

static int save_and_drop(struct job *job, const struct lkst_incident *i)
{
	int err = save_one(job, i);

	return err || !job->o->drop ? err : lkst_incident_drop(job->e, job->s, i);
}

static int drop_one(struct job *job, const struct lkst_incident *i)
{
	return lkst_incident_drop(job->e, job->s, i);
}

/* Calls @each for the incidents that @args name, by number or as "all". */
static int for_each(struct job *job, char **args, unsigned int nr_args,
		    int (*each)(struct job *job, const struct lkst_incident *i))
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	u32 nr = 0, i, n;
	int err = lkst_incidents_list(job->e, job->s, &list, &nr);

	for (n = 0; n < nr_args && !err; n++) {
		bool all = !strcmp(args[n], "all"), found = all;

		for (i = 0; i < nr && !err; i++) {
			char number[16];

			snprintf(number, sizeof(number), "%u", list[i].number);
			if (!all && strcmp(number, args[n]))
				continue;
			found = true;
			if (!all || list[i].is_over)
				err = each(job, &list[i]);
		}
		if (!found && !err)
			err = lkst_err_set(
				job->e, -ENOENT,
				"there is no incident %s; `lkst incident list` shows them",
				args[n]);
	}
	return err;
}

static int verb_save(struct job *job, char **args, unsigned int nr_args)
{
	return for_each(job, args, nr_args, save_and_drop);
}

static int verb_drop(struct job *job, char **args, unsigned int nr_args)
{
	return for_each(job, args, nr_args, drop_one);
}

/* ---- watch ------------------------------------------------------------------------------------ */

static volatile sig_atomic_t is_told_to_end;

static void on_signal(int signal)
{
	(void)signal;
	is_told_to_end = 1;
}

/*
 * Looks twice a second. The incident is kept by the kernel meanwhile, so nothing depends on how soon; and
 * other commands get their turn.
 */
static int verb_watch(struct job *job, char **args, unsigned int nr_args)
{
	char all[] = "all", *each[] = { all };
	int err = 0;

	(void)args, (void)nr_args;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	while (!is_told_to_end && !err) {
		err = for_each(job, each, 1, save_and_drop);
		close_job(job);
		fflush(stdout);
		if (!err && !is_told_to_end)
			usleep(500 * 1000);
		if (!err)
			err = open_job(job);
	}
	return err;
}

static const struct {
	const char *name;
	unsigned int min_args, max_args;
	bool drops; /* as with --drop */
	int (*run)(struct job *job, char **args, unsigned int nr_args);
} verbs[] = {
	{ "list", 0, 0, false, verb_list },
	{ "keep", 0, 0, false, verb_keep },
	{ "save", 1, LKST_INCIDENTS_MAX, false, verb_save },
	{ "drop", 1, LKST_INCIDENTS_MAX, false, verb_drop },
	{ "watch", 0, 0, true, verb_watch },
	{ NULL, 0, 0, false, NULL },
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct options o = *(const struct options *)options;
	struct job job = { .e = e, .o = &o, .lock = -1 };
	unsigned int i;
	int err;

	for (i = 0; verbs[i].name && strcmp(verbs[i].name, args[0]); i++)
		;
	if (!verbs[i].name)
		return lkst_err_set(e, -EINVAL, "there is no \"%s\"; see --help", args[0]);
	if (nr_args - 1 < verbs[i].min_args || nr_args - 1 > verbs[i].max_args)
		return lkst_err_set(e, -EINVAL,
				    "\"%s\" takes %u to %u arguments, not %u; see --help",
				    verbs[i].name, verbs[i].min_args, verbs[i].max_args,
				    nr_args - 1);
	o.drop |= verbs[i].drops;
	err = open_job(&job);
	if (!err)
		err = verbs[i].run(&job, args + 1, nr_args - 1);
	close_job(&job);
	return err;
}

const struct lkst_cmd lkst_cmd_incident = {
	.name = "incident",
	.summary = "moments that the recording keeps",
	.usage = "incident [OPTIONS] list | keep | save NUMBER... | drop NUMBER... | watch",
	.help = "A recording that was begun with `lkst start --incidents NUMBER` has so many further banks of\n"
		"the size of its main buffer. When a moment is to be kept, all CPUs go over to a free bank,\n"
		"each with its next record: the one that they leave is the incident, and nothing overwrites\n"
		"it. A trigger does that (`lkst trigger`), in the kernel and at the event; so does `keep`.\n"
		"NUMBER is an incident's number, or all.\n"
		"\n"
		"  list      what is kept: number, when, how far it reaches back, how long it went on\n"
		"            after that, the thread, and why\n"
		"  keep      keeps this moment\n"
		"  save      makes a trace of it, DIR/incident-NUMBER-TIME\n"
		"  drop      gives its memory back, for another one\n"
		"  watch     stays, and saves and drops each one when it is over",
	.examples = "  lkst start --incidents 4\n"
		    "  lkst incident keep --after 200ms --reason 'the page was slow'\n"
		    "  lkst incident list\n"
		    "  lkst incident save --drop all\n"
		    "  lkst incident watch --output /var/log/lkst\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.min_args = 1,
	.max_args = LKST_INCIDENTS_MAX + 1,
	.run = run,
};
