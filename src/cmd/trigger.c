/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst trigger: conditions that the kernel looks for while recording goes on, and what they cause. */
#include "live/recording/triggers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/handler.h"
#include "cmd/verbs.h"

enum {
	POST_MAX_S = 3600,
	WORDS_MAX = LKST_TRIGGER_CONDITION,
};

struct options {
	bool once, json, quiet;
	const char *name, *rate, *maskset, *reason;
	u64 post_ns, switch_ns;
};

static const struct options defaults = {
	.rate = "1/1s",
	.reason = "lkst trigger fire",
	.switch_ns = 10 * LKST_NS_PER_S,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct options, name, .name = "name", .letter = 'n', .argument = "NAME",
		    .standard = "the condition", .help = "with add: what it is to be called"),
	LKST_OPTION(DURATION, struct options, post_ns, .name = "post", .letter = 'p',
		    .argument = "DURATION", .max = POST_MAX_S * (s64)LKST_NS_PER_S, .standard = "0",
		    .help = "with add and fire: so much after the event is kept too"),
	LKST_OPTION(TEXT, struct options, rate, .name = "rate", .letter = 'r',
		    .argument = "N/DURATION", .standard = "1/1s",
		    .help = "with add: it fires no more often, evenly spread"),
	LKST_OPTION(FLAG, struct options, once, .name = "once", .help = "with add: it fires once"),
	LKST_OPTION(TEXT, struct options, maskset, .name = "switch", .letter = 's',
		    .argument = "MASKSET", .standard = "none",
		    .help = "with add: activates it when the trigger fires, for a time"),
	LKST_OPTION(DURATION, struct options, switch_ns, .name = "for", .letter = 'f',
		    .argument = "DURATION", .min = 1000000, .max = 86400 * (s64)LKST_NS_PER_S,
		    .standard = "10s", .help = "with --switch: how long"),
	LKST_OPTION(TEXT, struct options, reason, .name = "reason", .argument = "TEXT",
		    .standard = "lkst trigger fire",
		    .help = "with fire: why; it is shown in the trace"),
	LKST_OPTION(FLAG, struct options, json, .name = "json",
		    .help = "with list: JSON, for programs"),
	LKST_OPTION(FLAG, struct options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct options *options_of(const struct lkst_job *job)
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
static int join(struct lkst_err *e, char **args, unsigned int nr_args, char text[WORDS_MAX])
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
	_cleanup_free_ struct lkst_condition *condition = NULL;
	char path[LKST_HANDLER_PATH_MAX], text[WORDS_MAX];
	struct lkst_trigger_options options = {
		.file = path,
		.text = text,
		.name = options_of(job)->name,
		.post_ns = options_of(job)->post_ns,
		.once = options_of(job)->once,
		.maskset = options_of(job)->maskset,
		.switch_ns = options_of(job)->switch_ns,
	};
	u32 number;
	int err = parse_rate(job->e, options_of(job)->rate, &options.pause_ns);

	if (!err)
		err = join(job->e, args, nr_args, text);
	if (!err)
		err = lkst_condition_parse(job->e, lkst_session_catalog(job->s), text, &condition);
	if (!err)
		err = lkst_handler_object(job->e, LKST_TRIGGER_HANDLER, path);
	if (!err)
		err = lkst_trigger_add(job->e, job->s, condition, &options, &job->notes, &number);
	if (!err && !options_of(job)->quiet)
		printf("trigger %u (%s)\n", number, options_of(job)->name ?: text);
	return err;
}

/* ---- list ------------------------------------------------------------------------------------- */

struct lister {
	const struct lkst_job *job;
	unsigned int nr;
};

static const char *maskset_name(const struct lister *l, const struct lkst_trigger *t)
{
	return lkst_session_control(l->job->s)->name[t->switch_to & (LKST_MASKSETS - 1)];
}

static void list_json(const struct lister *l, u32 number, const struct lkst_trigger *t)
{
	printf("%s{\"id\":%u,\"name\":", l->nr ? "," : "", number);
	lkst_print_json(stdout, t->name);
	printf(",\"condition\":");
	lkst_print_json(stdout, t->condition);
	printf(",\"fired\":%llu,\"held_back\":%llu,\"last_ns\":%llu,\"once\":%s,\"pause_ns\":%llu,"
	       "\"post_ns\":%llu,\"switch_ns\":%llu,\"switch_to\":",
	       (unsigned long long)t->fired, (unsigned long long)t->held_back,
	       (unsigned long long)t->last_ns, t->once ? "true" : "false",
	       (unsigned long long)t->pause_ns, (unsigned long long)t->post_ns,
	       (unsigned long long)t->switch_ns);
	lkst_print_json(stdout, t->switch_ns ? maskset_name(l, t) : "");
	putchar('}');
}

static void list_text(const struct lister *l, u32 number, const struct lkst_trigger *t)
{
	char text[LKST_DURATION_TEXT];

	printf("%3u  %-24s %8llu %9llu  ", number, t->name, (unsigned long long)t->fired,
	       (unsigned long long)t->held_back);
	if (t->last_ns) {
		lkst_duration_format(lkst_time_since(lkst_monotonic_ns(), t->last_ns), text);
		printf("%s ago\n", text);
	} else {
		printf("never\n");
	}
	if (strcmp(t->name, t->condition))
		printf("     %s\n", t->condition);
	if (t->switch_ns) {
		lkst_duration_format(t->switch_ns, text);
		printf("     activates %s for %s\n", maskset_name(l, t), text);
	}
}

static int list_one(void *ctx, u32 number, const struct lkst_trigger *t)
{
	struct lister *l = ctx;

	if (options_of(l->job)->json)
		list_json(l, number, t);
	else if (!l->nr)
		printf("%3s  %-24s %8s %9s  %s\n", "ID", "NAME", "FIRED", "HELD BACK", "LAST");
	if (!options_of(l->job)->json)
		list_text(l, number, t);
	l->nr++;
	return 0;
}

static int verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lister l = { .job = job };
	int err;

	if (options_of(job)->json)
		printf("{\"triggers\":[");
	err = lkst_trigger_each(job->e, list_one, &l);
	if (options_of(job)->json)
		printf("],\"forgotten\":%llu}\n", (unsigned long long)lkst_trigger_forgotten());
	else if (!err && !l.nr)
		printf("there are no triggers\n");
	else if (!err && lkst_trigger_forgotten())
		printf("%llu intervals were forgotten because too many went on at once\n",
		       (unsigned long long)lkst_trigger_forgotten());
	return err;
}

/* ---- the others ------------------------------------------------------------------------------- */

static int verb_remove(struct lkst_job *job, char **args, unsigned int nr_args)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_args && !err; i++)
		err = lkst_trigger_remove(job->e, job->s, args[i], &job->notes);
	return err;
}

static int verb_fire(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return lkst_trigger_fire(job->e, job->s, options_of(job)->reason, options_of(job)->post_ns);
}

/* ---- the command ------------------------------------------------------------------------------ */

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "add", .args = "CONDITION", .min_args = 1, .max_args = LKST_ARGS_MAX,
		  .turn = LKST_TURN_CHANGE, .run = verb_add,
		  .help = "adds one: fields by their names (`lkst event show EVENT`), latency (since\n"
			  "what the event ends began), wait (of a sched_switch: how long the next\n"
			  "thread was ready), comm, next_comm, tid, pid, cpu"),
	LKST_VERB(.name = "list", .turn = LKST_TURN_LOOK, .run = verb_list,
		  .help = "all triggers, how often each has fired, and how often it was\n"
			  "held back by --rate or --once"),
	LKST_VERB(.name = "remove", .args = "NAME...", .min_args = 1, .max_args = LKST_ARGS_MAX,
		  .turn = LKST_TURN_CHANGE, .run = verb_remove,
		  .help = "removes triggers; after the last one they cost nothing any more"),
	LKST_VERB(.name = "fire", .turn = LKST_TURN_URGENT, .run = verb_fire,
		  .help = "fires at once, for a reason that you give"),
	{},
};

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;

	return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_trigger = {
	.name = "trigger",
	.summary = "what the kernel is to look for while it records, and what that causes",
	.help = "A trigger is a condition on an event, which the kernel checks when it records the event:\n"
		"an event, then comparisons with \"and\" between them. When all hold, the trigger fires: a\n"
		"record trigger_fired reports it, the moment is kept if the recording has banks for that\n"
		"(`lkst start --incidents`, `lkst incident`), waiting commands are woken (`lkst handler wait\n"
		"trigger`), and, if that was asked for, another maskset is activated for a time. No\n"
		"process is needed. doc/triggers.md has the words of a condition.",
	.examples = "  lkst trigger add 'block_rq_complete latency > 50ms'\n"
		    "  lkst trigger add 'sched_switch next_comm == \"db\" and wait > 10ms'\n"
		    "  lkst trigger add 'syscall:* result == -EIO' --rate 1/1m\n"
		    "  lkst trigger add 'syscall_entry_fsync .. syscall_exit_fsync > 100ms'\n"
		    "  lkst trigger add oom_kill --name memory --switch RALL --for 5s\n"
		    "  lkst trigger fire --reason 'the page took 9 s'\n"
		    "  lkst trigger remove memory\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = run,
};
