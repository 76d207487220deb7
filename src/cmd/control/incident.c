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
#include "cmd/control/incident.h"
#include "cmd/frame/access.h"
#include "cmd/frame/answer.h"

struct incident_options {
	u64 post_ns;
	const char *reason, *output;
	struct lkst_access_options access;
	struct lkst_answer_form form;
	bool drop, quiet, bundle;
	bool is_private; /* nobody else may read what is saved */
	struct lkst_access saved; /* who may: what `access` says */
};

static const struct incident_options defaults = { .reason = "command" };

static const struct lkst_option rows[] = {
	LKST_OPTION(DURATION, struct incident_options, post_ns, .name = "after", .letter = 'a',
		    .argument = "TIME", .standard = "0",
		    .help = "with keep: go on for so long: 200ms, 2s"),
	LKST_OPTION(TEXT, struct incident_options, reason, .name = "reason", .letter = 'r',
		    .argument = "TEXT", .standard = "command",
		    .help = "with keep: why, for the list"),
	LKST_OPTION(TEXT, struct incident_options, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .standard = ".",
		    .help = "with save and watch: the directory that the traces are made in"),
	LKST_OPTION(FLAG, struct incident_options, drop, .name = "drop", .letter = 'd',
		    .help = "with save: give its memory back when it is saved"),
	LKST_OPTION(FLAG, struct incident_options, bundle, .name = "bundle", .letter = 'b',
		    .help = "with save and watch: a bundle of each, one file that says all of\n"
			    "the moment; see lkst-bundle(1)"),
	LKST_ACCESS_ROWS(struct incident_options, access),
	LKST_ANSWER_ROWS(struct incident_options, form, "with list: how to print it"),
	LKST_OPTION(FLAG, struct incident_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct incident_options *incident_options_of(const struct lkst_job *job)
{
	return job->options;
}

/* ---- list and keep ---------------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "number", "ID", LKST_COLUMN_COUNT, "its number" },
	{ "at", "AT", LKST_COLUMN_TEXT, "when, as the time of day" },
	{ "at_ns", NULL, LKST_COLUMN_TIME, "when" },
	{ "until_ns", NULL, LKST_COLUMN_TIME, "how far it goes" },
	{ "before_s", NULL, LKST_COLUMN_RATIO, "how far it reaches back" },
	{ "after_s", NULL, LKST_COLUMN_RATIO, "how long it went on" },
	{ NULL, "BEFORE", LKST_COLUMN_DURATION, "how far it reaches back" },
	{ NULL, "AFTER", LKST_COLUMN_DURATION, "how long it went on" },
	{ "over", NULL, LKST_COLUMN_FLAG, "it is over" },
	{ "trigger", NULL, LKST_COLUMN_COUNT, "the number of the trigger, 0: none" },
	{ "event", NULL, LKST_COLUMN_TEXT, "the event that caused it" },
	{ "tid", "TID", LKST_COLUMN_TID, "its thread" },
	{ "value", NULL, LKST_COLUMN_COUNT, "what the trigger has measured" },
	{ "reason", NULL, LKST_COLUMN_TEXT, "why" },
	{ NULL, "REASON", LKST_COLUMN_TEXT, "why, at what, and whether it goes on" },
};

static const char *incident_event_of(const struct lkst_job *job, const struct lkst_incident *i)
{
	const struct lkst_event_class *event =
		i->cause.id && i->cause.id <= LKST_ID_MAX
			? lkst_session_catalog(job->s)->classes[i->cause.id]
			: NULL;

	return event ? event->name : "";
}

/* Rounded: programs read seconds with six digits. */
static u64 in_us(u64 ns)
{
	return (ns + 500) / 1000;
}

static void incident_list_one(const struct lkst_job *job, const struct lkst_incident *i,
			      struct lkst_table *t)
{
	const u64 before_ns =
		i->begin_ns && i->begin_ns < i->cause.ns ? i->cause.ns - i->begin_ns : 0;
	const char *event = incident_event_of(job, i);
	char day[LKST_INCIDENT_DAY];

	lkst_incident_format_day(i, day);
	lkst_table_row(t);
	lkst_table_u64(t, i->number);
	lkst_table_str(t, day);
	lkst_table_u64(t, i->cause.ns);
	lkst_table_u64(t, i->until_ns);
	lkst_table_double(t, in_us(before_ns) / 1e6);
	lkst_table_double(t, in_us(i->cause.post_ns) / 1e6);
	lkst_table_u64(t, before_ns);
	lkst_table_u64(t, i->cause.post_ns);
	lkst_table_bool(t, i->is_over);
	lkst_table_u64(t, i->cause.trigger);
	lkst_table_str(t, event);
	lkst_table_s64(t, i->cause.tid);
	lkst_table_u64(t, i->cause.value);
	lkst_table_str(t, i->cause.reason);
	lkst_table_printf(t, "%s%s%s%s", i->cause.reason, event[0] ? " at " : "", event,
			  i->is_over ? "" : " (goes on)");
}

static int incident_list(struct lkst_job *job, struct lkst_answer *a)
{
	const struct lkst_banks *banks = &lkst_session_control(job->s)->banks;
	_cleanup_free_ struct lkst_incident *list = NULL;
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	u32 nr = 0, nr_free, room = lkst_incidents_room(job->s, &nr_free), i;
	int err = lkst_incidents_list(job->e, job->s, &list, &nr);

	if (err)
		return err;
	lkst_table_init_of(&t, "incidents", "", columns);
	for (i = 0; i < nr; i++)
		incident_list_one(job, &list[i], &t);
	lkst_answer_table(a, &t);
	if (a->format == LKST_TABLE_TEXT)
		lkst_out_printf(a->out,
				"room for %u more of %u; %" PRIu64
				" causes came while an incident was not "
				"over, %" PRIu64 " found no room\n",
				nr_free, room, banks->joined, banks->missed);
	return 0;
}

static int incident_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_answer a;
	int err = lkst_answer_begin(job->e, &incident_options_of(job)->form, &a) ?: incident_list(job, &a);

	return lkst_answer_end(&a, err);
}

static int verb_keep(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 number;
	int err = lkst_incident_keep(job->e, job->s, incident_options_of(job)->post_ns,
				     incident_options_of(job)->reason, &number);

	if (err || incident_options_of(job)->quiet)
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
	const struct incident_options *o = incident_options_of(job);

	return (struct lkst_incident_saving){ .dir = o->output ?: ".",
					      .drop = o->drop,
					      .quiet = o->quiet,
					      .is_bundle = o->bundle,
					      .is_private = o->is_private,
					      .access = &o->saved };
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

static void incident_take_failure(struct failures *f, const struct lkst_err *e, int err)
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
			incident_take_failure(f, job->e, err);
	}
	if (!found)
		incident_take_failure(
			f, job->e,
			lkst_err_set(job->e, -ENOENT,
				     "there is no incident %s; `lkst incident list` shows them",
				     what));
}

static int incident_for_each(struct lkst_job *job, char **args, unsigned int nr_args,
			     int (*each)(struct lkst_job *job, const struct lkst_incident *i))
{
	_cleanup_free_ struct lkst_incident *list = NULL;
	struct failures f = { .err = 0 };
	u32 nr = 0, n;
	int err = lkst_job_open(job, LKST_TURN_LOOK)
			  ?: lkst_incidents_list(job->e, job->s, &list, &nr);

	if (err)
		return err;
	lkst_job_give_turn(job);
	for (n = 0; n < nr_args; n++)
		for_named(job, list, nr, args[n], &f, each);
	if (f.err)
		*job->e = f.first;
	return f.err;
}

static int verb_save(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return incident_for_each(job, args, nr_args, save_one);
}

static int verb_drop(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return incident_for_each(job, args, nr_args, lkst_incident_give_up);
}

static int verb_watch(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_incident_saving how = saving_of(job);

	how.drop = true;
	return lkst_incident_watch(job, &how);
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .turn = LKST_TURN_LOOK, .run = incident_verb_list,
		  .help = "what is kept: number, when, how far it reaches back, how long it went on\n"
			  "after that, the thread, and why"),
	LKST_VERB(.name = "keep", .turn = LKST_TURN_CHANGE, .run = verb_keep,
		  .help = "keeps this moment"),
	LKST_VERB(.name = "save", .args = "NUMBER...", .min_args = 1,
		  .max_args = LKST_INCIDENTS_MAX, .run = verb_save,
		  .help = "makes a trace of it, DIR/incident-NUMBER-TIME, which has this name when all of\n"
			  "it is on the disk; with --bundle the file DIR/incident-NUMBER-TIME.bundle"),
	LKST_VERB(.name = "drop", .args = "NUMBER...", .min_args = 1,
		  .max_args = LKST_INCIDENTS_MAX, .run = verb_drop,
		  .help = "gives its memory back, for another one"),
	LKST_VERB(.name = "watch", .run = verb_watch,
		  .help = "stays, and saves and drops each one when it is over; what cannot be saved now\n"
			  "stays in memory and is tried again"),
	{},
};

static int incident_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct incident_options o = *(const struct incident_options *)options;
	int err = o.bundle ? lkst_access_parse_private(e, &o.access, &o.saved, &o.is_private)
			   : lkst_access_parse(e, &o.access, &o.saved);

	return err ? err : lkst_verbs_run(e, verbs, args[0], &o, o.quiet, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_incident = {
	.name = "incident",
	.summary = "list, save or drop the moments that were kept",
	.help = "A recording that was started with `lkst start --incidents NUMBER` has so many more banks of\n"
		"the size of its main buffer. When a moment is to be kept, all CPUs switch to a free bank,\n"
		"each with its next record: the one that they leave is the incident, and nothing overwrites\n"
		"it. A trigger does that (`lkst trigger`), in the kernel and at the event; so does `keep`.\n"
		"NUMBER is an incident's number, or all.",
	.examples = "  lkst start --incidents 4\n"
		    "  lkst incident keep --after 200ms --reason 'the page was slow'\n"
		    "  lkst incident list\n"
		    "  lkst incident save --drop all\n"
		    "  lkst incident save --bundle --drop 3\n"
		    "  lkst incident watch --output /var/log/lkst\n",
	.options = rows,
	.options_size = sizeof(struct incident_options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_INCIDENTS_MAX + 1,
	.run = incident_run,
};
