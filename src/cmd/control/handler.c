/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst handler: what can be done with an event, also by user handlers. */
#include "cmd/control/handler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "cmd/recorders/verbs.h"
#include "live/hooks/pins.h"
#include "live/masks/variables.h"
#include "live/session/notices.h"

struct handler_options {
	struct lkst_answer_form form;
	bool force, quiet;
	const char *as;
	struct lkst_list events;
	u64 timeout_ns, every_ns;
	s64 count;
};

static const struct handler_options defaults = { .count = 1 };

static const struct lkst_option rows[] = {
	LKST_OPTION(LIST, struct handler_options, events, .name = "event", .letter = 'e',
		    .argument = "GLOB", .standard = "every event",
		    .help = "with load: the events that it is for; may be repeated"),
	LKST_OPTION(TEXT, struct handler_options, as, .name = "as", .argument = "NAME",
		    .standard = "as its source says", .help = "with load: what it is to be called"),
	LKST_OPTION(NUMBER, struct handler_options, count, .name = "count", .letter = 'n', .argument = "N",
		    .min = 1, .max = 1000000000, .standard = "1",
		    .help = "with wait: for so many notices"),
	LKST_OPTION(DURATION, struct handler_options, timeout_ns, .name = "timeout", .letter = 't',
		    .argument = "DURATION", .max = 86400000000000, .standard = "forever",
		    .help = "with wait: no longer than this"),
	LKST_OPTION(DURATION, struct handler_options, every_ns, .name = "every", .argument = "TIME",
		    .min = 1000000, .max = 86400000000000, .standard = "once",
		    .help = "with beat: again and again, until it is killed"),
	LKST_OPTION(FLAG, struct handler_options, force, .name = "force", .letter = 'f',
		    .help = "with unload: also if a maskset sends events to it; DEFAULT gets them"),
	LKST_ANSWER_ROWS(struct handler_options, form,
			 "with list, and text or json with show and wait: how to print it"),
	LKST_OPTION(FLAG, struct handler_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct handler_options *handler_options_of(const struct lkst_job *job)
{
	return job->options;
}

/* ---- list ------------------------------------------------------------------------------------- */

static const struct lkst_handler own[] = {
	{ LKST_HANDLER_DEFAULT, "DEFAULT",
	  "records the event in the buffer that the maskset names" },
	{ LKST_HANDLER_NOTHING, "NOTHING", "does nothing" },
};

/* How many events the active maskset sends to @handler. */
static unsigned int handler_count_events(const struct lkst_session *s, u8 handler)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_catalog *catalog = lkst_session_catalog(s);
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += catalog->classes[id] && lkst_class_is_maskable(catalog->classes[id]) &&
		      lkst_route_handler(c->route[c->active & (LKST_MASKSETS - 1)][id]) == handler;
	return nr;
}

static const struct lkst_column columns[] = {
	{ "id", "ID", LKST_COLUMN_COUNT, "its number" },
	{ NULL, "", LKST_COLUMN_TEXT, "the same, hexadecimal" },
	{ "name", "NAME", LKST_COLUMN_TEXT, "its name" },
	{ "events", "EVENTS", LKST_COLUMN_COUNT, "how many the active maskset sends to it" },
	{ "help", "WHAT", LKST_COLUMN_TEXT, "what it does" },
};

static void handler_list_one(const struct lkst_job *job, const struct lkst_handler *h, struct lkst_table *t)
{
	lkst_table_row(t);
	lkst_table_u64(t, h->number);
	lkst_table_printf(t, "(0x%02x)", h->number);
	lkst_table_str(t, h->name);
	lkst_table_u64(t, job->s ? handler_count_events(job->s, h->number) : 0);
	lkst_table_str(t, h->help);
}

static void handler_list(const struct lkst_job *job, struct lkst_answer *a)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	struct lkst_handler h;
	unsigned int number;

	lkst_table_init_of(&t, "handlers", "", columns);
	handler_list_one(job, &own[0], &t);
	for (number = LKST_HANDLER_FIRST; job->s && number <= LKST_HANDLER_LAST; number++)
		if (lkst_handler_get(lkst_session_own_pins(job->s), number, &h))
			handler_list_one(job, &h, &t);
	handler_list_one(job, &own[1], &t);
	lkst_answer_table(a, &t);
	if (a->format == LKST_TABLE_TEXT)
		lkst_handler_print_shipped(a->out);
}

static int handler_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_answer a;
	/* The list needs no recording; a recording has further handlers, and shows how they are used. */
	int err = lkst_pins_exist() ? lkst_job_open(job, LKST_TURN_LOOK) : 0;

	if (err)
		return err;
	err = lkst_answer_begin(job->e, &handler_options_of(job)->form, &a);
	if (!err)
		handler_list(job, &a);
	return lkst_answer_end(&a, err);
}

/* ---- the others ------------------------------------------------------------------------------- */

static int verb_build(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return lkst_handler_build(job->e, args[0], nr_args > 1 ? args[1] : NULL,
				  handler_options_of(job)->quiet);
}

static int verb_load(struct lkst_job *job, char **args, unsigned int nr_args)
{
	char path[LKST_HANDLER_PATH_MAX];
	struct lkst_handler_options options = {
		.file = path,
		.name = handler_options_of(job)->as,
		.globs = handler_options_of(job)->events.items,
		.nr_globs = handler_options_of(job)->events.nr,
	};
	struct lkst_handler h = {};
	int err;

	err = lkst_handler_object(job->e, args[0], path) ?:
	      lkst_handler_load(job->e, job->s, &options, &h);
	if (!err && !handler_options_of(job)->quiet)
		lkst_print_message(stdout, "handler %u (%s)", h.number, h.name);
	return err;
}

static int handler_verb_show(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_handler h;
	int err = lkst_handler_find(job->e, lkst_session_own_pins(job->s), args[0], &h);

	return err ? err : lkst_handler_print(job->e, job->s, &h, &handler_options_of(job)->form);
}

static int verb_set(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_handler h;
	int err = lkst_handler_find(job->e, lkst_session_own_pins(job->s), args[0], &h);
	unsigned int i;

	for (i = 1; i < nr_args && !err; i++)
		err = lkst_handler_assign(job->e, job->s, &h, args[i]);
	return err;
}

static int verb_unload(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_handler h;
	int err = lkst_handler_find(job->e, lkst_session_own_pins(job->s), args[0], &h);

	return err ? err
		   : lkst_handler_unload(job->e, job->s, h.number, handler_options_of(job)->force,
					 &job->notes);
}

static int print_notice(const struct lkst_job *job, const struct lkst_notice *n)
{
	const struct lkst_event_class *event =
		n->id <= LKST_ID_MAX ? lkst_session_catalog(job->s)->classes[n->id] : NULL;
	const char *name = event ? event->name : "?";
	struct lkst_answer a;
	int err = lkst_answer_begin_tree(job->e, &handler_options_of(job)->form, &a);

	if (!err && a.format == LKST_TABLE_JSON) {
		lkst_json_object(&a.json, NULL);
		lkst_json_u64(&a.json, "time", n->time_ns);
		lkst_json_str(&a.json, "event", name);
		lkst_json_s64(&a.json, "tid", n->tid);
		lkst_json_u64(&a.json, "value", n->value);
		lkst_json_end(&a.json);
	} else if (!err) {
		lkst_out_printf(a.out, "%llu.%09llu %s: tid=%d value=%llu\n",
				(unsigned long long)n->time_ns / 1000000000,
				(unsigned long long)n->time_ns % 1000000000, name, n->tid,
				(unsigned long long)n->value);
	}
	err = lkst_answer_end(&a, err);
	fflush(stdout);
	return err;
}

/*
 * The next notice of @h. It checks every second whether the recording still exists: the descriptors that
 * waiting needs would keep all its memory.
 */
static int wait_for_notice(struct lkst_job *job, struct lkst_notices *notices,
			   const struct lkst_handler *h, struct lkst_notice *ret_notice)
{
	const u64 timeout_ns = handler_options_of(job)->timeout_ns, from_ns = lkst_monotonic_ns();
	int err = 0;

	while (!err) {
		u64 elapsed = lkst_monotonic_ns() - from_ns, left = LKST_NS_PER_S;

		if (timeout_ns && elapsed >= timeout_ns)
			return lkst_err_set(job->e, -ETIMEDOUT, "no notice from %s came", h->name);
		if (timeout_ns && timeout_ns - elapsed < left)
			left = timeout_ns - elapsed;
		err = lkst_notices_wait(job->e, notices, (int)(left / 1000000) + 1, ret_notice);
		if (!err && !lkst_session_is_current(job->s))
			return lkst_err_set(job->e, -ESHUTDOWN,
					    "the recording has ended; no notice from %s came",
					    h->name);
	}
	return err < 0 ? err : 0;
}

static int verb_wait(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_notices_closep) struct lkst_notices *notices = NULL;
	struct lkst_notice notice;
	struct lkst_handler h;
	s64 i;
	int err;

	err = lkst_handler_find(job->e, lkst_session_own_pins(job->s), args[0], &h) ?:
	      lkst_notices_open(job->e, job->s, h.number, &notices);
	if (err)
		return err;
	lkst_job_give_turn(job); /* others need not wait with us */
	for (i = 0; i < handler_options_of(job)->count; i++) {
		err = wait_for_notice(job, notices, &h, &notice) ?: print_notice(job, &notice);
		if (err)
			return err;
	}
	return 0;
}

/* 1: it was the variable for beats, and has the time now. */
static int store_beat(void *ctx, const struct lkst_variable *v)
{
	if (v->has_key || strcmp(v->name, "beat_ns") || v->size != sizeof(u64) || v->count != 1)
		return 0;
	__atomic_store_n((u64 *)v->bytes, lkst_monotonic_ns(), __ATOMIC_RELAXED);
	return 1;
}

static int verb_beat(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const u64 ns = handler_options_of(job)->every_ns;
	const struct timespec pause = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	struct lkst_handler h;
	int err = lkst_handler_find(job->e, lkst_session_own_pins(job->s), args[0], &h);

	if (err)
		return err;
	lkst_job_give_turn(job);
	for (;;) {
		err = lkst_variables_each(job->e, job->s, h.number, store_beat, NULL);
		if (!err)
			return lkst_err_set(
				job->e, -ENOENT,
				"handler %s has no variable beat_ns for beats, or is not "
				"loaded any more",
				h.name);
		if (err < 0 || !ns)
			return err < 0 ? err : 0;
		nanosleep(&pause, NULL);
	}
}

/* ---- the command ------------------------------------------------------------------------------ */

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .run = handler_verb_list,
		  .help = "all handlers: number, name, and how many events the active maskset\n"
			  "sends to each"),
	LKST_VERB(.name = "build", .args = "FILE.c [FILE.o]", .min_args = 1, .max_args = 2,
		  .run = verb_build,
		  .help = "compiles one; requires clang and the headers of libbpf"),
	LKST_VERB(.name = "load", .args = "FILE.o", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_load,
		  .help = "loads FILE.o, or one that comes with the program by its name: filter,\n"
			  "hist, sample, security, stack, watchdog; `lkst maskset --handler NAME\n"
			  "'MASKSET+=GLOB'` then sends events to it"),
	LKST_VERB(.name = "show", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_LOOK, .run = handler_verb_show,
		  .help = "its variables, and the maps it counts in"),
	LKST_VERB(.name = "set", .args = "NAME VARIABLE=VALUE...", .min_args = 2,
		  .max_args = LKST_ARGS_MAX, .turn = LKST_TURN_CHANGE, .run = verb_set,
		  .help = "changes variables, with effect at once"),
	LKST_VERB(.name = "wait", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_LOOK, .run = verb_wait,
		  .help = "waits until it sends a notice, and prints the notice"),
	LKST_VERB(.name = "beat", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_LOOK, .run = verb_beat,
		  .help = "tells a watchdog that all is well"),
	LKST_VERB(.name = "unload", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_unload, .help = "detaches and removes it"),
	{},
};

static int handler_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct handler_options *o = options;

	return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_handler = {
	.name = "handler",
	.summary = "load BPF code that decides about events",
	.help = "A handler is what a maskset sends an event to. DEFAULT records it. A user handler is\n"
		"some ten lines of C: it decides for each event whether it is recorded, counts, wakes a\n"
		"waiting process, or switches masksets. It is loaded, changed and unloaded during\n"
		"recording. NAME is its name or number.",
	.examples = "  lkst handler build only_thread.c\n"
		    "  lkst handler load only_thread.o --event sched_switch --event 'syscall:*'\n"
		    "  lkst handler set only_thread t_tid=1234\n"
		    "  lkst maskset copy RDEFAULT mine\n"
		    "  lkst maskset --handler only_thread 'mine+=syscall:*'\n"
		    "  lkst maskset set mine\n"
		    "  lkst handler unload only_thread --force\n",
	.options = rows,
	.options_size = sizeof(struct handler_options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = handler_run,
};

const struct lkst_cmd lkst_cmd_lksteh = {
	.name = "lksteh",
	.is_link = true,
	.summary = "event handlers, as the original LKST called the command",
	.help = "Does the same as `lkst handler`, under the command's name in the original LKST of 2002 to\n"
		"2006. How its options were spelled is not known.",
	.examples = "  lksteh list\n",
	.options = rows,
	.options_size = sizeof(struct handler_options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_ARGS_MAX,
	.run = handler_run,
};
