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
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/verbs.h"
#include "live/incidents.h"
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

static const struct options *options_of(const struct lkst_job *job)
{
	return job->options;
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

static void list_one(const struct lkst_job *job, const struct lkst_incident *i)
{
	double before =
		i->begin_ns && i->begin_ns < i->cause.ns ? (i->cause.ns - i->begin_ns) / 1e9 : 0;
	char day[64], reason[4 * LKST_INCIDENT_REASON], *end;
	const char *event = "";

	format_day(i->cause.ns, day, sizeof(day));
	if (i->cause.id && i->cause.id <= LKST_ID_MAX &&
	    lkst_session_catalog(job->s)->classes[i->cause.id])
		event = lkst_session_catalog(job->s)->classes[i->cause.id]->name;
	if (options_of(job)->json) {
		printf("{\"number\":%u,\"at\":\"%s\",\"at_ns\":%" PRIu64 ",\"until_ns\":%" PRIu64
		       ",\"before_s\":%.6f,\"after_s\":%.6f,\"over\":%s,\"trigger\":%u,"
		       "\"event\":\"%s\",\"tid\":%d,\"value\":%" PRIu64 ",\"reason\":",
		       i->number, day, i->cause.ns, i->until_ns, before, i->cause.post_ns / 1e9,
		       i->is_over ? "true" : "false", i->cause.trigger, event, i->cause.tid,
		       i->cause.value);
		lkst_print_json(stdout, i->cause.reason);
		printf("}\n");
		return;
	}
	printf("%4u  %s %10.3f %9.3f  %7d  ", i->number, day, before, i->cause.post_ns / 1e9,
	       i->cause.tid);
	/* It may hold anything. */
	end = lkst_put_escaped(reason, i->cause.reason, strlen(i->cause.reason), "");
	printf("%.*s%s%s%s\n", (int)(end - reason), reason, event[0] ? " at " : "", event,
	       i->is_over ? "" : " (goes on)");
}

static int verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_banks *banks = &lkst_session_control(job->s)->banks;
	_cleanup_free_ struct lkst_incident *list = NULL;
	u32 nr = 0, nr_free, room = lkst_incidents_room(job->s, &nr_free), i;
	int err = lkst_incidents_list(job->e, job->s, &list, &nr);

	(void)args, (void)nr_args;
	if (err)
		return err;
	if (!options_of(job)->json)
		printf("%4s  %-19s %10s %9s  %7s  %s\n", "ID", "AT", "BEFORE s", "AFTER s", "TID",
		       "REASON");
	for (i = 0; i < nr; i++)
		list_one(job, &list[i]);
	if (!options_of(job)->json)
		printf("room for %u more of %u; %" PRIu64 " causes came while an incident was not "
		       "over, %" PRIu64 " found no room\n",
		       nr_free, room, banks->joined, banks->missed);
	return 0;
}

static int verb_keep(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 number;
	int err = lkst_incident_keep(job->e, job->s, options_of(job)->post_ns,
				     options_of(job)->reason, &number);

	(void)args, (void)nr_args;
	if (err || options_of(job)->quiet)
		return err;
	if (number)
		printf("incident %u; `lkst incident save %u` saves it\n", number, number);
	else
		printf("part of an incident that is not over yet\n");
	return 0;
}

/* ---- save and drop ---------------------------------------------------------------------------- */

static int save_one(struct lkst_job *job, const struct lkst_incident *i)
{
	char day[64], dir[4096], size[LKST_SIZE_TEXT];
	struct lkst_writer *w = NULL;
	int err;

	format_day(i->cause.ns, day, sizeof(day));
	if (snprintf(dir, sizeof(dir), "%s/incident-%u-%s", options_of(job)->output ?: ".",
		     i->number, day) >= (int)sizeof(dir))
		return lkst_err_sys(job->e, -ENAMETOOLONG, "%s", options_of(job)->output);
	err = lkst_writer_open(job->e, dir, lkst_session_catalog(job->s), &w);
	if (err)
		return err;
	err = lkst_writer_mark_partial(job->e, w);
	if (!err)
		err = lkst_incident_save(job->e, job->s, i, w);
	lkst_size_format(lkst_writer_bytes(w), size);
	err = lkst_writer_close(job->e, w, err);
	if (err)
		return err;
	if (!options_of(job)->quiet)
		printf("%s: %s; `lkst print %s` shows it\n", dir, size, dir);
	return 0;
}

static int save_and_drop(struct lkst_job *job, const struct lkst_incident *i)
{
	int err = save_one(job, i);

	return err ? err : lkst_incident_drop(job->e, job->s, i);
}

static int drop_one(struct lkst_job *job, const struct lkst_incident *i)
{
	return lkst_incident_drop(job->e, job->s, i);
}

/* Calls @each for the incidents that @args name, by number or as "all". */
static int for_each(struct lkst_job *job, char **args, unsigned int nr_args,
		    int (*each)(struct lkst_job *job, const struct lkst_incident *i))
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

static int verb_save(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return for_each(job, args, nr_args, options_of(job)->drop ? save_and_drop : save_one);
}

static int verb_drop(struct lkst_job *job, char **args, unsigned int nr_args)
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
static int verb_watch(struct lkst_job *job, char **args, unsigned int nr_args)
{
	char all[] = "all", *each[] = { all };
	int err = 0;

	(void)args, (void)nr_args;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	while (!is_told_to_end && !err) {
		err = for_each(job, each, 1, save_and_drop);
		lkst_job_close(job);
		fflush(stdout);
		if (!err && !is_told_to_end)
			usleep(500 * 1000);
		if (!err)
			err = lkst_job_open(job);
	}
	return err;
}

static const struct lkst_verb verbs[] = {
	{ "list", 0, 0, false, verb_list },
	{ "keep", 0, 0, false, verb_keep },
	{ "save", 1, LKST_INCIDENTS_MAX, false, verb_save },
	{ "drop", 1, LKST_INCIDENTS_MAX, false, verb_drop },
	{ "watch", 0, 0, false, verb_watch },
	{ 0 },
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;

	return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
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
