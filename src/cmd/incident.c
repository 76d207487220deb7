/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst incident: moments that a recording keeps. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/time.h"
#include "cmd/access.h"
#include "cmd/incident.h"

struct options {
	u64 post_ns;
	const char *reason, *output;
	struct lkst_access_options access;
	bool drop, json, quiet;
};

static const struct options defaults = { .reason = "command" };

static const struct lkst_option rows[] = {
	LKST_OPTION(DURATION, struct options, post_ns, .name = "after", .letter = 'a',
		    .argument = "TIME", .standard = "0",
		    .help = "with keep: go on for so long: 200ms, 2s"),
	LKST_OPTION(TEXT, struct options, reason, .name = "reason", .letter = 'r',
		    .argument = "TEXT", .standard = "command",
		    .help = "with keep: why, for the list"),
	LKST_OPTION(TEXT, struct options, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .standard = ".",
		    .help = "with save and watch: the directory that the traces are made in"),
	LKST_OPTION(FLAG, struct options, drop, .name = "drop", .letter = 'd',
		    .help = "with save: give its memory back when it is saved"),
	LKST_ACCESS_ROWS(struct options, access),
	LKST_OPTION(FLAG, struct options, json, .name = "json",
		    .help = "with list: one JSON object per line, for programs"),
	LKST_OPTION(FLAG, struct options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct options *options_of(const struct lkst_job *job)
{
	return job->options;
}

/* ---- list and keep ---------------------------------------------------------------------------- */

static void list_one(const struct lkst_job *job, const struct lkst_incident *i)
{
	double before =
		i->begin_ns && i->begin_ns < i->cause.ns ? (i->cause.ns - i->begin_ns) / 1e9 : 0;
	char day[LKST_INCIDENT_DAY], reason[4 * LKST_INCIDENT_REASON], *end;
	const char *event = "";

	lkst_incident_format_day(i, day);
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

	if (err || options_of(job)->quiet)
		return err;
	if (number)
		printf("incident %u; `lkst incident save %u` saves it\n", number, number);
	else
		printf("part of an incident that is not over yet\n");
	return 0;
}

/* ---- save and drop ---------------------------------------------------------------------------- */

static struct lkst_incident_saving saving_of(const struct lkst_job *job)
{
	const struct options *o = options_of(job);

	return (struct lkst_incident_saving){ o->output ?: ".", o->drop, o->quiet };
}

static int save_one(struct lkst_job *job, const struct lkst_incident *i)
{
	const struct lkst_incident_saving how = saving_of(job);

	return lkst_incident_publish(job, i, &how);
}

/* What has failed of several incidents: the first is the command's error, each further one is printed at once. */
struct failures {
	struct lkst_err first;
	int err;
};

static void take_failure(struct failures *f, const struct lkst_err *e, int err)
{
	if (f->err) {
		lkst_print_message(stderr, "lkst: %s", e->text);
		return;
	}
	f->first = *e;
	f->err = err;
}

/* Calls @each for the incidents of @list that @what names, by number or as "all". */
static void for_named(struct lkst_job *job, const struct lkst_incident *list, u32 nr,
		      const char *what, struct failures *f,
		      int (*each)(struct lkst_job *job, const struct lkst_incident *i))
{
	bool all = !strcmp(what, "all"), found = all;
	u32 i;

	for (i = 0; i < nr; i++) {
		char number[16];
		int err;

		snprintf(number, sizeof(number), "%u", list[i].number);
		if (all ? !list[i].is_over : strcmp(number, what) != 0)
			continue;
		found = true;
		err = each(job, &list[i]);
		if (err)
			take_failure(f, job->e, err);
	}
	if (!found)
		take_failure(
			f, job->e,
			lkst_err_set(job->e, -ENOENT,
				     "there is no incident %s; `lkst incident list` shows them",
				     what));
}

static int for_each(struct lkst_job *job, char **args, unsigned int nr_args,
		    int (*each)(struct lkst_job *job, const struct lkst_incident *i))
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	struct failures f = { .err = 0 };
	u32 nr = 0, n;
	int err = lkst_job_open(job, LKST_TURN_LOOK);

	if (!err)
		err = lkst_incidents_list(job->e, job->s, &list, &nr);
	if (err)
		return err;
	lkst_job_let_go(job);
	for (n = 0; n < nr_args; n++)
		for_named(job, list, nr, args[n], &f, each);
	if (f.err)
		*job->e = f.first;
	return f.err;
}

static int verb_save(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return for_each(job, args, nr_args, save_one);
}

static int verb_drop(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return for_each(job, args, nr_args, lkst_incident_give_up);
}

static int verb_watch(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_incident_saving how = saving_of(job);

	how.drop = true;
	return lkst_incident_watch(job, &how);
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .turn = LKST_TURN_LOOK, .run = verb_list,
		  .help = "what is kept: number, when, how far it reaches back, how long it went on\n"
			  "after that, the thread, and why"),
	LKST_VERB(.name = "keep", .turn = LKST_TURN_CHANGE, .run = verb_keep,
		  .help = "keeps this moment"),
	LKST_VERB(.name = "save", .args = "NUMBER...", .min_args = 1,
		  .max_args = LKST_INCIDENTS_MAX, .run = verb_save,
		  .help = "makes a trace of it, DIR/incident-NUMBER-TIME, which has this name when all of\n"
			  "it is on the disk"),
	LKST_VERB(.name = "drop", .args = "NUMBER...", .min_args = 1,
		  .max_args = LKST_INCIDENTS_MAX, .run = verb_drop,
		  .help = "gives its memory back, for another one"),
	LKST_VERB(.name = "watch", .run = verb_watch,
		  .help = "stays, and saves and drops each one when it is over; what cannot be saved now\n"
			  "stays in memory and is tried again"),
	{},
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	int err = lkst_access_apply(e, &o->access);

	return err ? err : lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_incident = {
	.name = "incident",
	.summary = "moments that the recording keeps",
	.help = "A recording that was started with `lkst start --incidents NUMBER` has so many more banks of\n"
		"the size of its main buffer. When a moment is to be kept, all CPUs switch to a free bank,\n"
		"each with its next record: the one that they leave is the incident, and nothing overwrites\n"
		"it. A trigger does that (`lkst trigger`), in the kernel and at the event; so does `keep`.\n"
		"NUMBER is an incident's number, or all.",
	.examples = "  lkst start --incidents 4\n"
		    "  lkst incident keep --after 200ms --reason 'the page was slow'\n"
		    "  lkst incident list\n"
		    "  lkst incident save --drop all\n"
		    "  lkst incident watch --output /var/log/lkst\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_INCIDENTS_MAX + 1,
	.run = run,
};
