/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst trigger: conditions that the kernel looks for while recording goes on, and what they cause. */
#include "live/probes/trigger_probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/control/handler.h"
#include "cmd/frame/answer.h"
#include "cmd/recorders/verbs.h"

enum {
	POST_MAX_S = 3600,
	WORDS_MAX = LKST_TRIGGER_CONDITION,
};

struct trigger_options {
	struct lkst_answer_form form;
	bool once, quiet;
	const char *name, *rate, *maskset, *reason;
	u64 post_ns, switch_ns;
};

static const struct trigger_options defaults = {
	.rate = "1/1s",
	.reason = "lkst trigger fire",
	.switch_ns = 10 * LKST_NS_PER_S,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct trigger_options, name, .name = "name", .letter = 'n', .argument = "NAME",
		    .standard = "the condition", .help = "with add: what it is to be called"),
	LKST_OPTION(DURATION, struct trigger_options, post_ns, .name = "post", .letter = 'p',
		    .argument = "DURATION", .max = POST_MAX_S * (s64)LKST_NS_PER_S, .standard = "0",
		    .help = "with add and fire: so much after the event is kept too"),
	LKST_OPTION(TEXT, struct trigger_options, rate, .name = "rate", .letter = 'r',
		    .argument = "N/DURATION", .standard = "1/1s",
		    .help = "with add: it fires no more often, evenly spread"),
	LKST_OPTION(FLAG, struct trigger_options, once, .name = "once", .help = "with add: it fires once"),
	LKST_OPTION(TEXT, struct trigger_options, maskset, .name = "switch", .letter = 's',
		    .argument = "MASKSET", .standard = "none",
		    .help = "with add: activates it when the trigger fires, for a time"),
	LKST_OPTION(DURATION, struct trigger_options, switch_ns, .name = "for", .letter = 'f',
		    .argument = "DURATION", .min = 1000000, .max = 86400 * (s64)LKST_NS_PER_S,
		    .standard = "10s", .help = "with --switch: how long"),
	LKST_OPTION(TEXT, struct trigger_options, reason, .name = "reason", .argument = "TEXT",
		    .standard = "lkst trigger fire",
		    .help = "with fire: why; it is shown in the trace"),
	LKST_ANSWER_ROWS(struct trigger_options, form, "with list: how to print it"),
	LKST_OPTION(FLAG, struct trigger_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct trigger_options *trigger_options_of(const struct lkst_job *job)
{
	return job->options;
}

/* ---- add -------------------------------------------------------------------------------------- */

/* "1/10s": the time between two. */
static int parse_rate(struct lkst_err *e, const char *text, u64 *ret_pause_ns)
{
	char *slash;
	unsigned long nr = strtoul(text, &slash, 10);
	u64 ns;
	int err;

	if (text[0] < '0' || text[0] > '9' || *slash != '/' || !nr || nr > 1000000000)
		return lkst_err_set(e, -EINVAL,
				    "--rate takes a number and a duration, as in 1/10s, not \"%s\"",
				    text);
	err = lkst_duration_parse(e, slash + 1, &ns);
	if (err)
		lkst_err_add(e, "--rate");
	else
		*ret_pause_ns = ns / nr;
	return err;
}

/* The words of a condition, with blanks between them. */
static int trigger_join(struct lkst_err *e, char **args, unsigned int nr_args, char text[WORDS_MAX])
{
	size_t used = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; i < nr_args; i++) {
		int n = snprintf(text + used, WORDS_MAX - used, "%s%s", i ? " " : "", args[i]);

		used += (size_t)n;
		if (used >= WORDS_MAX)
			return lkst_err_set(e, -E2BIG, "a condition has at most %d characters",
					    WORDS_MAX - 1);
	}
	return 0;
}

static int verb_add(struct lkst_job *job, char **args, unsigned int nr_args)
{
	char path[LKST_HANDLER_PATH_MAX], text[WORDS_MAX];
	struct lkst_trigger_options options = {
		.file = path,
		.text = text,
		.name = trigger_options_of(job)->name,
		.post_ns = trigger_options_of(job)->post_ns,
		.once = trigger_options_of(job)->once,
		.maskset = trigger_options_of(job)->maskset,
		.switch_ns = trigger_options_of(job)->switch_ns,
	};
	u32 number;
	int err = parse_rate(job->e, trigger_options_of(job)->rate, &options.pause_ns) ?:
		  trigger_join(job->e, args, nr_args, text) ?:
		  lkst_handler_object(job->e, LKST_TRIGGER_HANDLER, path) ?:
		  lkst_trigger_add_text(job->e, job->s, &options, &job->notes, &number);

	if (!err && !trigger_options_of(job)->quiet)
		printf("trigger %u (%s)\n", number, trigger_options_of(job)->name ?: text);
	return err;
}

/* ---- list ------------------------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "id", "ID", LKST_COLUMN_COUNT, "its number" },
	{ "name", "NAME", LKST_COLUMN_TEXT, "what it is called" },
	{ "condition", NULL, LKST_COLUMN_TEXT, "when it fires" },
	{ "fired", "FIRED", LKST_COLUMN_COUNT, "how often it has" },
	{ "held_back", "HELD BACK", LKST_COLUMN_COUNT,
	  "how often it would have, but for --rate or --once" },
	{ "last_ns", NULL, LKST_COLUMN_TIME, "when it fired last, 0: never" },
	{ "once", NULL, LKST_COLUMN_FLAG, "it fires once" },
	{ "pause_ns", NULL, LKST_COLUMN_DURATION, "between two" },
	{ "post_ns", NULL, LKST_COLUMN_DURATION, "so much after the event is kept too" },
	{ "switch_ns", NULL, LKST_COLUMN_DURATION, "how long the maskset is active, 0: none" },
	{ "switch_to", NULL, LKST_COLUMN_TEXT, "that maskset" },
	{ NULL, "CONDITION", LKST_COLUMN_TEXT, "when it fires, if it is not called so" },
	{ NULL, "ACTIVATES", LKST_COLUMN_TEXT, "the maskset, and how long" },
	{ NULL, "LAST", LKST_COLUMN_TEXT, "how long ago it fired" },
};

struct lister {
	const struct lkst_job *job;
	struct lkst_table *t;
};

static void put_last(struct lkst_table *t, u64 last_ns)
{
	char text[LKST_DURATION_TEXT];

	if (!last_ns) {
		lkst_table_str(t, "never");
		return;
	}
	lkst_duration_format(lkst_time_since(lkst_monotonic_ns(), last_ns), text);
	lkst_table_printf(t, "%s ago", text);
}

static void put_switch(struct lkst_table *t, const char *maskset, u64 ns)
{
	char text[LKST_DURATION_TEXT];

	if (!ns) {
		lkst_table_none(t);
		return;
	}
	lkst_duration_format(ns, text);
	lkst_table_printf(t, "%s for %s", maskset, text);
}

static int trigger_list_one(void *ctx, u32 number, const struct lkst_trigger *trigger)
{
	const struct lister *l = ctx;
	const char *maskset =
		trigger->switch_ns ? l->job->c->name[trigger->switch_to & (LKST_MASKSETS - 1)] : "";

	lkst_table_row(l->t);
	lkst_table_u64(l->t, number);
	lkst_table_str(l->t, trigger->name);
	lkst_table_str(l->t, trigger->condition);
	lkst_table_u64(l->t, trigger->fired);
	lkst_table_u64(l->t, trigger->held_back);
	lkst_table_u64(l->t, trigger->last_ns);
	lkst_table_bool(l->t, trigger->once);
	lkst_table_u64(l->t, trigger->pause_ns);
	lkst_table_u64(l->t, trigger->post_ns);
	lkst_table_u64(l->t, trigger->switch_ns);
	lkst_table_str(l->t, maskset);
	if (strcmp(trigger->name, trigger->condition))
		lkst_table_str(l->t, trigger->condition);
	else
		lkst_table_none(l->t);
	put_switch(l->t, maskset, trigger->switch_ns);
	put_last(l->t, trigger->last_ns);
	return 0;
}

static void trigger_answer_list(struct lkst_answer *a, const struct lkst_session *s, const struct lkst_table *t)
{
	const u64 forgotten = lkst_trigger_forgotten(s);

	if (a->format == LKST_TABLE_JSON) {
		lkst_json_object(&a->json, NULL);
		lkst_json_array(&a->json, "triggers");
		lkst_answer_table(a, t);
		lkst_json_end(&a->json);
		lkst_json_u64(&a->json, "forgotten", forgotten);
		lkst_json_end(&a->json);
		return;
	}
	if (a->format == LKST_TABLE_TEXT && !t->nr_rows) {
		lkst_out_str(a->out, "there are no triggers\n");
		return;
	}
	lkst_answer_table(a, t);
	if (a->format == LKST_TABLE_TEXT && forgotten)
		lkst_out_printf(a->out,
				"%llu intervals were forgotten because too many went on at once\n",
				(unsigned long long)forgotten);
}

static int trigger_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	struct lister l = { .job = job, .t = &t };
	struct lkst_answer a;
	int err = lkst_answer_begin(job->e, &trigger_options_of(job)->form, &a);

	lkst_table_init_of(&t, "triggers", "", columns);
	if (!err)
		err = lkst_trigger_each(job->e, job->s, trigger_list_one, &l);
	if (!err)
		trigger_answer_list(&a, job->s, &t);
	return lkst_answer_end(&a, err);
}

/* ---- the others ------------------------------------------------------------------------------- */

static int verb_remove(struct lkst_job *job, char **args, unsigned int nr_args)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_args && !err; i++)
		err = lkst_trigger_remove_all(job->e, job->s, args[i], &job->notes);
	return err;
}

static int verb_fire(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return lkst_trigger_fire(job->e, job->s, trigger_options_of(job)->reason, trigger_options_of(job)->post_ns);
}

/* ---- the command ------------------------------------------------------------------------------ */

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "add", .args = "CONDITION", .min_args = 1, .max_args = LKST_ARGS_MAX,
		  .turn = LKST_TURN_CHANGE, .run = verb_add,
		  .help = "adds one: fields by their names (`lkst event show EVENT`), latency (since\n"
			  "what the event ends began), wait (of a sched_switch: how long the next\n"
			  "thread was ready), comm, next_comm, tid, pid, cpu"),
	LKST_VERB(.name = "list", .turn = LKST_TURN_LOOK, .run = trigger_verb_list,
		  .help = "all triggers, how often each has fired, and how often it was\n"
			  "held back by --rate or --once"),
	LKST_VERB(.name = "remove", .args = "NAME...", .min_args = 1, .max_args = LKST_ARGS_MAX,
		  .turn = LKST_TURN_CHANGE, .run = verb_remove,
		  .help = "removes triggers; after the last one they cost nothing any more"),
	LKST_VERB(.name = "fire", .turn = LKST_TURN_URGENT, .run = verb_fire,
		  .help = "fires at once, for a reason that you give"),
	{},
};

static int trigger_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct trigger_options *o = options;

	return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_trigger = {
	.name = "trigger",
	.summary = "act when a condition holds: keep the moment, switch masksets",
	.help = "A trigger is a condition on an event, which the kernel checks when it records the event:\n"
		"an event, then comparisons with \"and\" between them. When all hold, the trigger fires: a\n"
		"record trigger_fired reports it, the moment is kept if the recording has banks for that\n"
		"(`lkst start --incidents`, `lkst incident`), waiting commands are woken (`lkst handler wait\n"
		"trigger`), and, if that was asked for, another maskset is activated for a time. No\n"
		"process is needed. `errors FUNCTIONS [if ...]` is one on functions of the kernel that\n"
		"return an error. doc/triggers.md has the words of a condition.",
	.examples = "  lkst trigger add 'block_rq_complete latency > 50ms'\n"
		    "  lkst trigger add 'sched_switch next_comm == \"db\" and wait > 10ms'\n"
		    "  lkst trigger add 'syscall:* result == -EIO' --rate 1/1m\n"
		    "  lkst trigger add 'syscall_entry_fsync .. syscall_exit_fsync > 100ms'\n"
		    "  lkst trigger add 'errors vfs_* if ret == -ENOSPC'\n"
		    "  lkst trigger add oom_kill --name memory --switch RALL --for 5s\n"
		    "  lkst trigger fire --reason 'the page took 9 s'\n"
		    "  lkst trigger remove memory\n",
	.options = rows,
	.options_size = sizeof(struct trigger_options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = trigger_run,
};
