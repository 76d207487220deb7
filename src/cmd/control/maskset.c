/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst maskset: which events are recorded, and by which handler; changed during recording. */
#include "cmd/control/maskset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "base/out.h"
#include "live/hooks/pins.h"
#include "live/masks/handlers.h"
#include "live/session/buffers.h"
#include "masks/mask.h"
#include "masks/mask_text.h"
#include "masks/shipped_masks.h"
#include "trace/format/event_types.h"

enum { GLOBS_MAX = 60, GLOB_TEXT = 160, STATE_TEXT = 32 };

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct lkst_maskset_options, armed, .name = "armed",
		    .help = "with set: keep its hooks attached when another one is set"),
	LKST_OPTION(TEXT, struct lkst_maskset_options, handler, .name = "handler", .letter = 'H',
		    .argument = "HANDLER", .standard = "DEFAULT",
		    .help = "with +=: the handler that the events go to"),
	LKST_OPTION(TEXT, struct lkst_maskset_options, buffer, .name = "buffer", .letter = 'b',
		    .argument = "BUFFER", .standard = "each event's usual one",
		    .help = "with +=: the buffer that the events go to"),
	LKST_ANSWER_ROWS(struct lkst_maskset_options, form,
			 "with list and show, and JSON with set: how to print it"),
	LKST_OPTION(FLAG, struct lkst_maskset_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

/* ---- list ------------------------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "id", "ID", LKST_COLUMN_COUNT, "its number" },
	{ "name", "NAME", LKST_COLUMN_TEXT, "its name" },
	{ "events", "EVENTS", LKST_COLUMN_COUNT, "how many it records" },
	{ NULL, "STATE", LKST_COLUMN_TEXT, "the next three" },
	{ "active", NULL, LKST_COLUMN_FLAG, "it decides what is recorded" },
	{ "armed", NULL, LKST_COLUMN_FLAG, "its hooks stay attached" },
	{ "reserved", NULL, LKST_COLUMN_FLAG, "it cannot be changed" },
};

/* "active, armed" */
static const char *maskset_state_of(const struct lkst_control *c, u32 set, char text[STATE_TEXT])
{
	snprintf(text, STATE_TEXT, "%s%s%s", c->active == set ? ", active" : "",
		 c->armed >> set & 1 ? ", armed" : "",
		 lkst_maskset_is_reserved(set) ? ", reserved" : "");
	return text[0] ? text + 2 : "";
}

static void list_recording(const struct lkst_job *job, struct lkst_table *t)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(job->s);
	const struct lkst_control *c = job->c;
	char state[STATE_TEXT];
	u32 set;

	for (set = 0; set < LKST_MASKSETS; set++) {
		if (!lkst_maskset_exists(c, set))
			continue;
		lkst_table_row(t);
		lkst_table_u64(t, set);
		lkst_table_str(t, c->name[set]);
		lkst_table_u64(t, lkst_mask_count(c->route[set], catalog));
		lkst_table_str(t, maskset_state_of(c, set, state));
		lkst_table_bool(t, c->active == set);
		lkst_table_bool(t, c->armed >> set & 1);
		lkst_table_bool(t, lkst_maskset_is_reserved(set));
	}
}

static void list_shipped(struct lkst_out *out)
{
	const struct lkst_shipped_mask *shipped;

	lkst_out_str(out, "\nShipped, and made when they are first named:\n");
	for (shipped = lkst_shipped_masks; shipped->name; shipped++)
		lkst_out_printf(out, "  %-10s %s\n", shipped->name, shipped->help);
}

static void maskset_answer_list(const struct lkst_job *job, struct lkst_answer *a,
				const struct lkst_table *t)
{
	if (a->format == LKST_TABLE_JSON) {
		lkst_json_object(&a->json, NULL);
		lkst_json_array(&a->json, "masksets");
	}
	if (a->format != LKST_TABLE_TEXT || job->s)
		lkst_answer_table(a, t);
	else
		lkst_out_str(a->out, "nothing is being recorded\n");
	if (a->format == LKST_TABLE_JSON) {
		lkst_json_end(&a->json);
		lkst_json_end(&a->json);
	} else if (a->format == LKST_TABLE_TEXT) {
		list_shipped(a->out);
	}
}

static int maskset_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	struct lkst_answer a;
	int err = lkst_pins_exist() ? lkst_job_open(job, LKST_TURN_LOOK) : 0;

	if (err)
		return err;
	err = lkst_answer_begin(job->e, &lkst_maskset_options(job)->form, &a);
	if (!err) {
		lkst_table_init_of(&t, "masksets", "", columns);
		if (job->s)
			list_recording(job, &t);
		maskset_answer_list(job, &a, &t);
	}
	return lkst_answer_end(&a, err);
}

/* ---- show ------------------------------------------------------------------------------------- */

static const struct lkst_column event_columns[] = {
	{ "event", "EVENT", LKST_COLUMN_TEXT, "its name" },
	{ "handler", "HANDLER", LKST_COLUMN_COUNT, "the number of the handler that it goes to" },
	{ "buffer", "BUFFER", LKST_COLUMN_TEXT, "the buffer that the record goes to" },
	{ "condition", "CONDITION", LKST_COLUMN_TEXT, "only if it holds" },
};

static bool maskset_is_recorded(const u16 *route, const struct lkst_event_class *event)
{
	return event && lkst_class_is_maskable(event) &&
	       (route[event->id] & 0xff) != LKST_HANDLER_NOTHING;
}

static void show_events(const struct lkst_job *job, u32 set, struct lkst_table *t)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(job->s);
	const u16 *route = job->c->route[set];
	struct lkst_mask mask;
	u32 id;

	lkst_maskset_read(job->s, set, &mask);
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = catalog->classes[id];

		if (!maskset_is_recorded(route, event))
			continue;
		lkst_table_row(t);
		lkst_table_str(t, event->name);
		lkst_table_u64(t, lkst_route_handler(route[id]));
		lkst_table_str(t, lkst_buffer_name(job->s, route[id] >> 8 & (LKST_NR_BUFFERS - 1)));
		lkst_table_str(t, lkst_mask_condition(&mask, id) ?: "");
	}
}

/* For programs: a row per event. */
static void answer_events(const struct lkst_job *job, u32 set, struct lkst_answer *a)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};

	lkst_table_init_of(&t, "events", "", event_columns);
	show_events(job, set, &t);
	if (a->format == LKST_TABLE_CSV) {
		lkst_answer_table(a, &t);
		return;
	}
	lkst_json_object(&a->json, NULL);
	lkst_json_u64(&a->json, "id", set);
	lkst_json_str(&a->json, "name", job->c->name[set]);
	lkst_json_array(&a->json, "events");
	lkst_answer_table(a, &t);
	lkst_json_end(&a->json);
	lkst_json_end(&a->json);
}

/* A line per group: all, none, or which. */
static void show_group(struct lkst_out *out, const struct lkst_job *job, u32 set, u8 group)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(job->s);
	const u16 *route = job->c->route[set];
	unsigned int nr = 0, nr_recorded = 0;
	u32 id, column = 0;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = catalog->classes[id];

		nr += event && event->group == group && lkst_class_is_maskable(event);
		nr_recorded += event && event->group == group && maskset_is_recorded(route, event);
	}
	if (!nr_recorded)
		return;
	lkst_out_printf(out, "  %-11s %4u of %4u", lkst_group_names[group], nr_recorded, nr);
	for (id = 0; id < LKST_EVENT_SPACE && nr_recorded < nr; id++) {
		const struct lkst_event_class *event = catalog->classes[id];

		if (!event || event->group != group || !maskset_is_recorded(route, event))
			continue;
		column += strlen(event->name) + 1;
		if (column > 72) {
			lkst_out_printf(out, "\n%26s", "");
			column = strlen(event->name) + 1;
		}
		lkst_out_printf(out, "%s%s", column == strlen(event->name) + 1 ? "  " : " ",
				event->name);
	}
	lkst_out_str(out, "\n");
}

/* A line per condition: the events that are recorded only if it holds. */
static void show_conditions(struct lkst_out *out, const struct lkst_job *job, u32 set)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(job->s);
	struct lkst_mask mask;
	u32 id;

	lkst_maskset_read(job->s, set, &mask);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_mask_condition(&mask, id) && catalog->classes[id])
			lkst_out_message(out, "  %s if %s", catalog->classes[id]->name,
					 lkst_mask_condition(&mask, id));
}

/* For people: a line per group. */
static void maskset_describe(struct lkst_out *out, const struct lkst_job *job, u32 set)
{
	char state[STATE_TEXT];
	u8 group;

	lkst_out_printf(out, "maskset %u, %s, %u events: %s\n", set, job->c->name[set],
			lkst_mask_count(job->c->route[set], lkst_session_catalog(job->s)),
			maskset_state_of(job->c, set, state));
	for (group = 0; group < LKST_NR_GROUPS; group++)
		show_group(out, job, set, group);
	show_conditions(out, job, set);
}

static int maskset_verb_show(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_answer a;
	u32 set;
	int err = lkst_maskset_open(job, args[0], &set);

	if (err)
		return err;
	err = lkst_answer_begin(job->e, &lkst_maskset_options(job)->form, &a);
	if (!err && a.format == LKST_TABLE_TEXT)
		maskset_describe(a.out, job, set);
	else if (!err)
		answer_events(job, set, &a);
	return lkst_answer_end(&a, err);
}

/* ---- edit ------------------------------------------------------------------------------------- */

/* Runs the user's editor on @path and waits for it. */
static int run_editor(struct lkst_err *e, const char *path)
{
	const char *editor = getenv("VISUAL") ?: getenv("EDITOR") ?: "vi";
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return lkst_err_sys(e, -errno, "running %s", editor);
	if (!pid) {
		/* The variable may hold several words: the shell splits them, as for every program. */
		setenv("LKST_EDITOR", editor, 1);
		execl("/bin/sh", "sh", "-c", "eval \"$LKST_EDITOR\" '\"$1\"'", "sh", path, NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return lkst_err_set(e, -EIO, "the editor \"%s\" failed; nothing is changed",
				    editor);
	return 0;
}

/* Writes the maskset's text to a temporary file. */
static int put_file(struct lkst_job *job, const char *word, char *path)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct lkst_mask mask;
	u32 set;
	int err;

	err = lkst_maskset_get(job->e, job->s, word, &job->notes, &set) ?:
	      lkst_maskset_place(job->e, job->c, word, &set);
	if (err)
		return err;
	lkst_maskset_read(job->s, set, &mask);
	err = lkst_mask_format(job->e, &mask, set, lkst_session_catalog(job->s), &text);
	if (err)
		return err;
	err = lkst_create_temporary(job->e, "/tmp/lkst-maskset-", path, &fd);
	if (err)
		return err;
	err = lkst_write_all(fd, text, strlen(text));
	return err ? lkst_err_sys(job->e, err, "%s", path) : 0;
}

static int verb_edit(struct lkst_job *job, char **args, unsigned int nr_args)
{
	char path[PATH_MAX] = "";
	char *write_args[] = { args[0], path };
	int err;

	err = lkst_job_open(job, LKST_TURN_CHANGE);
	if (err)
		return err;
	err = put_file(job, args[0], path);
	lkst_job_close(job); /* others need not wait for the editor */
	if (!err)
		err = run_editor(job->e, path);
	if (!err) {
		err = lkst_maskset_verb_write(job, write_args, 2);
		if (err) {
			lkst_err_add(job->e, "%s is kept; fix it and `lkst maskset write %s %s`",
				     path, args[0], path);
			return err;
		}
	}
	unlink(path);
	return err;
}

/* ---- NAME+=GLOB, NAME-=GLOB ------------------------------------------------------------------- */

/* The maskset to be changed: one that is there, a shipped one, or, to add to, an empty one. */
static int open_mask(struct lkst_job *job, const char *word, bool adds, struct lkst_mask *mask,
		     u32 *ret_set)
{
	struct lkst_err why = {};
	int err = lkst_maskset_get(&why, job->s, word, &job->notes, ret_set);

	if (!err) {
		lkst_maskset_read(job->s, *ret_set, mask);
		return lkst_maskset_place(job->e, job->c, word, ret_set);
	}
	if (!adds)
		return lkst_err_set(job->e, err, "%s", why.text);
	err = lkst_maskset_place(job->e, job->c, word, ret_set);
	if (err)
		return err;
	lkst_mask_init(mask, word, lkst_session_catalog(job->s));
	if (*word >= '0' && *word <= '9')
		snprintf(mask->name, sizeof(mask->name), "maskset%u", *ret_set);
	return 0;
}

/* Records what @glob names only if @condition holds. *@ret_nr: how many events those are. */
static int add_if(struct lkst_job *job, struct lkst_mask *mask, const char *glob, u8 handler,
		  int buffer, const char *condition, unsigned int *ret_nr)
{
	if (handler != LKST_HANDLER_DEFAULT)
		return lkst_err_set(
			job->e, -EINVAL,
			"a condition (\"%s\") is for what DEFAULT records, and can't be "
			"taken away or sent to another handler",
			condition);
	return lkst_mask_set_glob_if(job->e, mask, lkst_session_catalog(job->s), glob, buffer,
				     condition, ret_nr);
}

/* Splits @word, a glob and perhaps a condition after a blank, in place. A system call's name alone names that call. */
static char *split_condition(char *word, char glob[GLOB_TEXT])
{
	char *blank = strpbrk(word, " \t");

	if (blank)
		*blank++ = 0;
	snprintf(glob, GLOB_TEXT, "%s%.150s", lkst_syscall_find(false, word) ? "syscall:" : "",
		 word);
	return blank && blank[strspn(blank, " \t")] ? blank : NULL;
}

static int change_mask(struct lkst_job *job, struct lkst_mask *mask, char *word, u8 handler,
		       int buffer)
{
	char glob[GLOB_TEXT];
	const char *condition = split_condition(word, glob);
	char near[LKST_SUGGEST_TEXT];
	unsigned int nr = 0;
	int err = 0;

	if (condition)
		err = add_if(job, mask, glob, handler, buffer, condition, &nr);
	else
		nr = lkst_mask_set_glob(mask, lkst_session_catalog(job->s), glob, handler, buffer);
	if (err || nr)
		return err;
	return lkst_err_set(
		job->e, -ENOENT,
		"no event of this recording matches \"%s\"; `lkst event list` shows the "
		"catalogue, and a tracepoint by name must be named as recording starts: "
		"`lkst start --event`%s",
		glob, lkst_event_near(lkst_session_catalog(job->s), glob, near));
}

/* Where the records of what is added go: --handler and --buffer. */
static int parse_target(const struct lkst_job *job, u8 *ret_handler, int *ret_buffer)
{
	const struct lkst_maskset_options *o = lkst_maskset_options(job);
	u32 buffer;
	int err = lkst_handler_parse(job->e, lkst_session_own_pins(job->s), o->handler ?: "DEFAULT", ret_handler);

	if (err || !o->buffer)
		return err;
	err = lkst_buffer_find(job->e, job->s, o->buffer, &buffer);
	if (!err)
		*ret_buffer = (int)buffer;
	return err;
}

/* @args: the name, "+=" or "-=", globs. */
static int verb_change(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const bool adds = args[1][0] == '+';
	u8 handler = LKST_HANDLER_NOTHING;
	int err, buffer = LKST_BUFFER_USUAL;
	struct lkst_mask mask;
	unsigned int i;
	u32 set;

	err = open_mask(job, args[0], adds, &mask, &set) ?:
	      (adds ? parse_target(job, &handler, &buffer) : 0);
	for (i = 2; i < nr_args && !err; i++)
		err = change_mask(job, &mask, args[i], handler, buffer);
	err = err ?: lkst_maskset_write(job->e, job->s, set, &mask, &job->notes);
	if (!err && !lkst_maskset_options(job)->quiet)
		printf("maskset %u (%s): %u events\n", set, mask.name,
		       lkst_mask_count(mask.route, lkst_session_catalog(job->s)));
	return err;
}

/* ---- the command ------------------------------------------------------------------------------ */

static int maskset_arm(struct lkst_job *job, const char *word, bool on)
{
	u32 set;
	int err = on ? lkst_maskset_get(job->e, job->s, word, &job->notes, &set)
		     : lkst_maskset_find(job->e, job->c, word, &set);

	return err ? err : lkst_maskset_arm(job->e, job->s, set, on, &job->notes);
}

static int verb_arm(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return maskset_arm(job, args[0], true);
}

static int verb_disarm(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return maskset_arm(job, args[0], false);
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .run = maskset_verb_list,
		  .help = "all masksets: name, number of events, which one is active"),
	LKST_VERB(.name = "show", .args = "NAME", .min_args = 1, .max_args = 1, .run = maskset_verb_show,
		  .help = "what it records"),
	LKST_VERB(.name = "read", .args = "NAME", .min_args = 1, .max_args = 1,
		  .run = lkst_maskset_verb_read,
		  .help = "its text: a row per event, number, name, handler"),
	LKST_VERB(.name = "write", .args = "NAME [FILE]", .min_args = 1, .max_args = 2,
		  .run = lkst_maskset_verb_write,
		  .help = "makes or replaces it from FILE or standard input, a text like that"),
	LKST_VERB(.name = "edit", .args = "NAME", .min_args = 1, .max_args = 1, .run = verb_edit,
		  .help = "opens the text in $VISUAL or $EDITOR, then writes it"),
	LKST_VERB(.name = "config", .args = "NAME EVENT HANDLER [BUFFER]", .min_args = 3,
		  .max_args = 4, .turn = LKST_TURN_CHANGE, .run = lkst_maskset_verb_config,
		  .help = "sends one event, by name or number, to a handler: 1 records, 255 not"),
	LKST_VERB(.name = "copy", .args = "FROM TO", .min_args = 2, .max_args = 2,
		  .turn = LKST_TURN_CHANGE, .run = lkst_maskset_verb_copy,
		  .help = "makes or replaces TO, which then records what FROM does"),
	LKST_VERB(.name = "delete", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = lkst_maskset_verb_delete,
		  .help = "removes it; the active one can't be deleted"),
	LKST_VERB(.name = "set", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = lkst_maskset_verb_set,
		  .help = "activates it: hooks that it needs are attached, one store switches\n"
			  "all events at once, hooks that nobody needs any more are detached"),
	LKST_VERB(.name = "arm", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_arm,
		  .help = "keeps its hooks attached while another one is active: activating it\n"
			  "is no more than the store"),
	LKST_VERB(.name = "disarm", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_disarm, .help = "no longer"),
	LKST_VERB(.name = "+=", .args = "NAME+='GLOB [CONDITION]'...", .is_infix = true,
		  .min_args = 3, .max_args = GLOBS_MAX + 2, .turn = LKST_TURN_CHANGE,
		  .run = verb_change,
		  .help = "also records what matches, as in `lkst start --event`; a NAME that does\n"
			  "not exist is made. With a CONDITION after it, as in a trigger, only the\n"
			  "records for which it holds: 'mine+=syscall:openat ret < 0'"),
	LKST_VERB(.name = "-=", .args = "NAME-=GLOB...", .is_infix = true, .min_args = 3,
		  .max_args = GLOBS_MAX + 2, .turn = LKST_TURN_CHANGE, .run = verb_change,
		  .help = "no longer records what matches"),
	{},
};

/* Splits "NAME+=GLOB" or "NAME+=" into @words; 0: it is neither. */
static unsigned int maskset_split(char *word, char **words)
{
	static char add[] = "+=", drop[] = "-=";
	char *at = strstr(word, add) ?: strstr(word, drop);

	if (!at || at == word)
		return 0;
	words[0] = word;
	words[1] = *at == '+' ? add : drop;
	*at = 0;
	words[2] = at + 2;
	return at[2] ? 3 : 2;
}

static int maskset_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkst_maskset_options *o = options;
	char *words[GLOBS_MAX + 3], **verb = args;
	unsigned int nr = maskset_split(args[0], words);

	if (!nr)
		return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
	while (++verb < args + nr_args && nr < GLOBS_MAX + 2)
		words[nr++] = *verb;
	return lkst_verbs_run(e, verbs, words[1], o, o->quiet, words, nr);
}

const struct lkst_cmd lkst_cmd_maskset = {
	.name = "maskset",
	.summary = "choose the events that are recorded, at any time",
	.help = "A maskset says for every event what is done with it: which handler gets it, and which\n"
		"buffer the record goes to. A recording has up to 16 masksets; one is active. NAME is\n"
		"a maskset's name or number, or a shipped one's name. 0 (RNOTHING), 1 (RALL) and 2\n"
		"(RDEFAULT: all but locks taken) are reserved and can't be changed; 3 to 15 are free.\n"
		"The lives of threads (fork, exec, rename, exit) are recorded in every one.",
	.examples =
		"  lkst maskset list\n"
		"  lkst maskset set flight               system calls, switches and wake-ups only\n"
		"  lkst maskset copy RDEFAULT mine\n"
		"  lkst maskset 'mine-=memory:*' 'net:*' all but locks taken, memory, network\n"
		"  lkst maskset set mine\n"
		"  lkst maskset 'mine+=syscall:mmap'     changes it while it is active\n"
		"  lkst maskset 'mine+=sched_switch next_prio < 100'   only switches to real-time threads\n"
		"  lkst maskset read mine > mine.txt     keep it; `lkst start -m ./mine.txt` takes it\n",
	.options = rows,
	.options_size = sizeof(struct lkst_maskset_options),
	.verbs = verbs,
	.min_args = 1,
	.max_args = GLOBS_MAX,
	.run = maskset_run,
};
