/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst event: the catalogue: what can be recorded, and on this kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "base/glob.h"
#include "cmd/control/event_probe.h"
#include "cmd/frame/answer.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/verbs.h"
#include "live/hooks/hooks.h"
#include "live/kernel/kernel_types.h"
#include "live/kernel/plan.h"
#include "live/kernel/tracefs.h"
#include "live/programs/floor.h"
#include "live/programs/needs.h"
#include "live/programs/programs.h"
#include "trace/format/event_types.h"
#include "trace/format/half.h"

struct event_options {
	const char *btf;
	struct lkst_answer_form form;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct event_options, btf, .name = "btf", .argument = "FILE",
		    .help = "with list: what would be recorded on the kernel that has these types,\n"
			    "/sys/kernel/btf/vmlinux of it or its ELF file, and why not the rest;\n"
			    "it need not run, and nobody has to be root"),
	LKST_ANSWER_ROWS(struct event_options, form, "with list: how to print it"),
	{},
};

static const char *const hook_kinds[] = {
	[LKST_HOOK_TP] = "tracepoint",
	[LKST_HOOK_KPROBE] = "kprobe",
	[LKST_HOOK_KRETPROBE] = "kretprobe",
	[LKST_HOOK_USER] = "user space",
	[LKST_HOOK_NONE] = "none",
	[LKST_HOOK_ALSO_KPROBE] = "kprobe",
	[LKST_HOOK_ALSO_KRETPROBE] = "kretprobe",
	[LKST_HOOK_PERF] = "perf event",
	[LKST_HOOK_TP_TOO] = "tracepoint",
	[LKST_HOOK_ALSO_TP_TOO] = "tracepoint",
};

static const char *const type_names[][9] = {
	[LKST_TYPE_UINT] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
	[LKST_TYPE_SINT] = { [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" },
};

static const char *event_type_name(const struct lkst_field_desc *f)
{
	if (f->type == LKST_TYPE_STRING)
		return "string";
	if (f->type == LKST_TYPE_CHARS)
		return "name";
	if (f->type == LKST_TYPE_WORDS)
		return "u64[]";
	return type_names[f->type][f->size];
}

/* The kernel may be missing (a laptop without BTF): then nothing is said about it. */
static const char *describe_hook(const struct lkst_kernel *k, enum lkst_event_index i,
				 struct lkst_err *why)
{
	int row;

	why->text[0] = 0;
	if (lkst_events[i].group == LKST_GROUP_STATE)
		return "written with every trace";
	if (lkst_events[i].group == LKST_GROUP_RECORDER)
		return "the recorder itself";
	if (lkst_events[i].group == LKST_GROUP_MARK)
		return "a program that has liblkst";
	if (!k)
		return "";
	row = lkst_plan_choose_hook(why, k, i);
	return row < 0 ? "not on this kernel" : hook_kinds[lkst_events[i].hooks[row].kind];
}

static const struct lkst_column columns[] = {
	{ "name", "EVENT", LKST_COLUMN_TEXT, "its name" },
	{ "group", "GROUP", LKST_COLUMN_TEXT, "its group" },
	{ "mnemonic", NULL, LKST_COLUMN_TEXT, "what the original called it" },
	{ NULL, "LKST", LKST_COLUMN_TEXT, "the same" },
	{ "lkst_id", NULL, LKST_COLUMN_COUNT, "the original's number for it" },
	{ "bytes", NULL, LKST_COLUMN_BYTES, "the size of a record" },
	{ "hook", "HOOK", LKST_COLUMN_TEXT, "how this kernel lets it be recorded" },
	{ "help", "WHAT", LKST_COLUMN_TEXT, "what has happened" },
};

static void list_event(const struct lkst_kernel *k, enum lkst_event_index i, struct lkst_table *t)
{
	const struct lkst_event_desc *d = &lkst_events[i];
	struct lkst_err why;

	lkst_table_row(t);
	lkst_table_str(t, d->name);
	lkst_table_str(t, lkst_group_names[d->group]);
	lkst_table_str(t, d->mnemonic ?: "");
	lkst_table_str(t, d->mnemonic ?: "-");
	lkst_table_u64(t, d->lkst_id);
	lkst_table_u64(t, d->size);
	lkst_table_str(t, describe_hook(k, i, &why));
	lkst_table_str(t, d->help);
}

static bool event_is_named(const char *glob, enum lkst_event_index i)
{
	const struct lkst_event_desc *d = &lkst_events[i];
	const struct lkst_represented *other = lkst_represented_by(i);

	return lkst_glob_matches(glob, lkst_group_names[d->group], d->name, d->mnemonic) ||
	       (other &&
		lkst_glob_matches(glob, lkst_group_names[d->group], d->name, other->mnemonic));
}

static void event_list(const struct lkst_kernel *k, const char *glob, struct lkst_answer *a)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	unsigned int i;

	lkst_table_init_of(&t, "events", "", columns);
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!glob || event_is_named(glob, i))
			list_event(k, i, &t);
	lkst_event_list_probes(glob, &t);
	lkst_answer_table(a, &t);
	if (a->format == LKST_TABLE_TEXT)
		lkst_out_printf(
			a->out,
			"%zu events. Besides: every system call by its own name, syscall_entry_NAME and\n"
			"syscall_exit_NAME (%u of them; \"syscall:NAME\" selects both), and any tracepoint of\n"
			"the kernel as system:name.\n",
			t.nr_rows, lkst_nr_syscalls);
}

/* ---- a kernel that runs elsewhere -------------------------------------------------------------- */

struct elsewhere {
	struct lkst_kernel *kernel;
	struct lkst_needs *needs;
	/* What is the same for every recording; "": it has all. */
	struct lkst_err no_recorder, no_threads, no_calls;
	unsigned int nr, nr_recorded; /* of those that the kernel has something to do with */
	bool is_older;		      /* it takes the second build of the programs (live/programs/floor.h) */
};

static const struct lkst_column elsewhere_columns[] = {
	{ "name", "EVENT", LKST_COLUMN_TEXT, "its name" },
	{ "group", "GROUP", LKST_COLUMN_TEXT, "its group" },
	{ "hook", "HOOK", LKST_COLUMN_TEXT, "how that kernel lets it be recorded" },
	{ "why", "WHY NOT", LKST_COLUMN_TEXT, "what that kernel lacks for it, or for a part of it" },
};

/* Whether that kernel has what the program of @hook needs. */
static int check_program(struct lkst_err *e, const struct elsewhere *w, const struct lkst_hook_desc *hook)
{
	const enum lkst_hook_kind kind = lkst_hook_kind(hook);
	char name[LKST_HOOK_NAME_MAX];

	if (w->is_older && (kind == LKST_HOOK_KPROBE || kind == LKST_HOOK_KRETPROBE) &&
	    !lkst_floor_has_functions(w->kernel))
		return lkst_err_set(e, -ENOENT, "this kernel is too old to keep programs at functions");
	lkst_hook_name(kind, hook->target, name);
	return lkst_needs_check(e, w->needs, name);
}

/* The further places of event @i that it is not recorded at: it is in part. */
static void check_further(struct lkst_err *e, const struct elsewhere *w, enum lkst_event_index i)
{
	u32 also = lkst_plan_choose_also(w->kernel, i);
	unsigned int row;

	for (row = 0; row < lkst_events[i].nr_hooks; row++) {
		const struct lkst_hook_desc *hook = &lkst_events[i].hooks[row];

		if (also & 1U << row && check_program(e, w, hook)) {
			lkst_err_add(e, "not at %s", hook->target);
			return;
		}
	}
}

/* How event @i is recorded there; @why: "", or what it lacks. */
static const char *event_elsewhere_hook(struct elsewhere *w, enum lkst_event_index i, struct lkst_err *why)
{
	static const char none[] = "not on that kernel";
	const struct lkst_event_desc *d = &lkst_events[i];
	int row;

	*why = (struct lkst_err){};
	if (d->group == LKST_GROUP_MARK)
		return describe_hook(w->kernel, i, why);
	if (d->group == LKST_GROUP_STATE || d->group == LKST_GROUP_RECORDER) {
		*why = d->group == LKST_GROUP_STATE ? w->no_threads : w->no_recorder;
		return why->text[0] ? none : describe_hook(w->kernel, i, why);
	}
	w->nr++;
	row = lkst_plan_choose_hook(why, w->kernel, i);
	if (row < 0 || check_program(why, w, &d->hooks[row]))
		return none;
	w->nr_recorded++;
	check_further(why, w, i);
	return describe_hook(w->kernel, i, &(struct lkst_err){});
}

static void event_elsewhere_row(struct elsewhere *w, enum lkst_event_index i, struct lkst_table *t)
{
	struct lkst_err why;
	const char *hook = event_elsewhere_hook(w, i, &why);

	lkst_table_row(t);
	lkst_table_str(t, lkst_events[i].name);
	lkst_table_str(t, lkst_group_names[lkst_events[i].group]);
	lkst_table_str(t, hook);
	lkst_table_str(t, why.text);
}

/* What no event is recorded without, and the programs of system calls, which have no row. */
static void check_common(struct elsewhere *w)
{
	static const char *const calls[] = { "sys_enter", "sys_exit" };
	unsigned int i;
	char name[LKST_HOOK_NAME_MAX];

	/* An older one does without. */
	for (i = 0; i < LKST_NR_COMMANDS && !w->is_older && !w->no_recorder.text[0]; i++)
		lkst_needs_check(&w->no_recorder, w->needs, lkst_command_programs[i]);
	lkst_needs_check(&w->no_threads, w->needs, "iter__threads");
	for (i = 0; i < 2 && !w->no_calls.text[0]; i++) {
		lkst_hook_name(LKST_HOOK_TP, calls[i], name);
		if (!lkst_kernel_check_tracepoint(&w->no_calls, w->kernel, calls[i], "struct pt_regs *, s64"))
			lkst_needs_check(&w->no_calls, w->needs, name);
	}
}

static void print_elsewhere(const struct elsewhere *w, struct lkst_out *out)
{
	const char *why = w->no_recorder.text[0] ? w->no_recorder.text : w->no_threads.text;

	lkst_out_printf(out, "%u of %u events can be recorded, and system calls by their names %s%s.\n", w->nr_recorded,
			w->nr, w->no_calls.text[0] ? "cannot: " : "can", w->no_calls.text);
	if (why[0])
		lkst_out_printf(out, "But LKST does not start there: %s.\n", why);
	else if (w->is_older)
		lkst_out_str(out, "It is older than Linux 5.18: there is no cost limit, and there are no handlers.\n");
	lkst_out_str(out, "Types do not tell what the verifier rejects there, and how that kernel was configured and\n"
			  "locked down: `lkst doctor` on it does.\n");
}

static void event_elsewhere_close(struct elsewhere *w)
{
	lkst_needs_close(w->needs);
	lkst_kernel_close(w->kernel);
}

static int event_list_elsewhere(struct lkst_err *e, const char *file, const char *glob, struct lkst_answer *a)
{
	_cleanup_(event_elsewhere_close) struct elsewhere w = {};
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	const void *elf;
	unsigned int i;
	size_t size;
	int err = lkst_kernel_open_elsewhere(e, file, &w.kernel);

	w.is_older = !err && lkst_floor_is_needed(w.kernel);
	elf = w.is_older ? lkst_floor_elf(&size) : lkst_programs_elf(&size);
	err = err ?: lkst_needs_open(e, elf, size, lkst_kernel_btf(w.kernel), &w.needs);
	if (err)
		return err;
	check_common(&w);
	lkst_table_init_of(&t, "events", "", elsewhere_columns);
	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!glob || event_is_named(glob, i))
			event_elsewhere_row(&w, i, &t);
	lkst_answer_table(a, &t);
	if (a->format == LKST_TABLE_TEXT)
		print_elsewhere(&w, a->out);
	return 0;
}

/* ---- one event --------------------------------------------------------------------------------- */

static void show_hooks(const struct lkst_kernel *k, enum lkst_event_index i)
{
	const struct lkst_event_desc *d = &lkst_events[i];
	struct lkst_err why;
	unsigned int row;
	const char *here;

	for (row = 0; row < d->nr_hooks; row++) {
		const struct lkst_hook_desc *h = &d->hooks[row];

		if (h->kind == LKST_HOOK_NONE)
			printf("  hook      none: %s\n", h->proto);
		else if (h->kind != LKST_HOOK_USER)
			printf("  %s      %s %s(%s)\n",
			       h->kind == LKST_HOOK_ALSO_KPROBE ||
					       h->kind == LKST_HOOK_ALSO_KRETPROBE ||
					       h->kind == LKST_HOOK_ALSO_TP_TOO
				       ? "also"
				       : "hook",
			       hook_kinds[h->kind], h->target, h->proto);
	}
	here = describe_hook(k, i, &why);
	printf("  here      %s\n", here[0] ? here : "not known: this kernel has no type information");
	if (why.text[0])
		lkst_print_message(stdout, "            %s", why.text);
}

static void show_event(const struct lkst_kernel *k, enum lkst_event_index i)
{
	const struct lkst_event_desc *d = &lkst_events[i];
	unsigned int f;

	printf("%s: %s\n", d->name, d->help);
	printf("  group     %s\n", lkst_group_names[d->group]);
	if (d->mnemonic)
		printf("  LKST      %s", d->mnemonic);
	if (d->mnemonic)
		printf(" (0x%02x)", lkst_mnemonic_type(d->mnemonic));
	if (d->mnemonic)
		putchar('\n');
	show_hooks(k, i);
	printf("  record    %u bytes%s\n", d->size,
	       d->nr_fields && d->fields[d->nr_fields - 1].type == LKST_TYPE_STRING
		       ? " and the string"
		       : "");
	for (f = 0; f < d->nr_fields; f++)
		printf("    %-8s%-18s%s\n", event_type_name(&d->fields[f]), d->fields[f].name,
		       d->fields[f].help);
}

/* "syscall_entry_read", "syscall:read" or "read". */
static const struct lkst_syscall *find_syscall(const char *name)
{
	static const char both[] = "syscall:";
	struct lkst_call_name half;

	if (lkst_call_name_parse(name, &half))
		name = half.call;
	else if (!strncmp(name, both, strlen(both)))
		name += strlen(both);
	return lkst_syscall_find(false, name) ?: lkst_syscall_find(true, name);
}

static int show_syscall(const struct lkst_syscall *s)
{
	const char *prefix = s->is_compat ? "compat_" : "";
	int nr = lkst_syscall_nr_here(s);

	printf("%ssyscall_entry_%s, %ssyscall_exit_%s: ", prefix, s->name, prefix, s->name);
	if (nr < 0)
		printf("no system call of this machine\n");
	else
		printf("system call number %d\n", nr);
	printf("  group     syscall\n  LKST      SYSCALL_ENTRY (0x30), SYSCALL_EXIT (0x31)\n");
	printf("  entry     (%s)\n  exit      s64 ret\n", lkst_syscall_signature_here(s));
	return 0;
}

static int show_tracepoint(struct lkst_err *e, const char *full)
{
	_cleanup_close_ int tracefs = lkst_tracefs_open(e);
	struct lkst_tracepoint_plan plan;
	struct lkst_event_class event;
	char system[LKST_NAME_MAX];
	const char *colon = strchr(full, ':');
	struct lkst_tracefs_about about;
	int err, i;

	if (tracefs < 0)
		return tracefs;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - full), full);
	err = lkst_tracefs_describe(e, tracefs, system, colon + 1, &event, &plan, &about);
	if (err)
		return err;
	printf("%s: a tracepoint of this kernel, recorded by name\n", event.name);
	for (i = 0; i < event.nr_fields; i++)
		if (event.fields[i].meaning != LKST_MEANING_PAD)
			printf("    %s\n", event.fields[i].name);
	if (about.not_recorded[0])
		printf("What the probe fetches by its own arguments is not recorded: %s.\n",
		       about.not_recorded);
	free(event.fields);
	return 0;
}

/* A mnemonic of the original that today is several events, and these events. */
static void show_represented(const struct lkst_kernel *k, const struct lkst_represented *r)
{
	unsigned int i;

	printf("%s (0x%02x): no event of its own; it is %s\n", r->mnemonic, r->type, r->how);
	for (i = 0; i < 2; i++)
		if (r->events[i] >= 0)
			show_event(k, (enum lkst_event_index)r->events[i]);
}

static int event_show(struct lkst_err *e, const struct lkst_kernel *k, const char *name)
{
	const struct lkst_represented *other = lkst_represented_find(name);
	const struct lkst_syscall *s;
	char near[LKST_SUGGEST_TEXT];
	unsigned int i, nr = 0;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (!strcmp(lkst_events[i].name, name) ||
		    (lkst_events[i].mnemonic && !strcmp(lkst_events[i].mnemonic, name))) {
			show_event(k, i);
			nr++;
		}
	if (other)
		show_represented(k, other);
	if (nr || other)
		return 0;
	s = find_syscall(name);
	if (s)
		return show_syscall(s);
	if (strchr(name, ':'))
		return lkst_event_show_probe(name) ? 0 : show_tracepoint(e, name);
	return lkst_err_set(e, -ENOENT, "there is no event \"%s\"; `lkst event list` shows them%s", name,
			    lkst_event_near(NULL, name, near));
}

/* This machine's; NULL: it tells nothing about its types. */
static struct lkst_kernel *event_open_kernel(void)
{
	struct lkst_kernel *k = NULL;

	return lkst_kernel_open(NULL, getenv(LKST_BTF_VARIABLE), &k) ? NULL : k;
}

static void close_kernel(struct lkst_kernel **k)
{
	lkst_kernel_close(*k);
}

static int event_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct event_options *o = job->options;
	_cleanup_(close_kernel) struct lkst_kernel *k = o->btf ? NULL : event_open_kernel();
	struct lkst_answer a;
	int err = lkst_answer_begin(job->e, &o->form, &a);

	if (!err && o->btf)
		err = event_list_elsewhere(job->e, o->btf, nr_args ? args[0] : NULL, &a);
	else if (!err)
		event_list(k, nr_args ? args[0] : NULL, &a);
	return lkst_answer_end(&a, err);
}

static int event_verb_show(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct event_options *o = job->options;
	_cleanup_(close_kernel) struct lkst_kernel *k = event_open_kernel();

	if (o->btf)
		return lkst_err_set(job->e, -EINVAL, "--btf is for list: `lkst event list --btf %s %s`", o->btf,
				    args[0]);
	return event_show(job->e, k, args[0]);
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .args = "[GLOB]", .max_args = 1, .run = event_verb_list,
		  .help = "the events, or those that match; so without a verb"),
	LKST_VERB(.name = "show", .args = "NAME", .min_args = 1, .max_args = 1, .run = event_verb_show,
		  .help = "one, with its fields, where it hooks and whether this kernel has that\n"
			  "hook. NAME may also be an LKST mnemonic, a system call, a tracepoint\n"
			  "(system:name) or a probe that is set (GROUP:EVENT)"),
	{},
};

static int event_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	if (!nr_args)
		return lkst_verbs_run(e, verbs, "list", options, true, args, 0);
	return lkst_verbs_run(e, verbs, args[0], options, true, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_event = {
	.name = "event",
	.summary = "list events, with their fields and hooks",
	.help = "The catalogue: every event, by what it is recorded, and what its fields are.",
	.examples = "  lkst event list 'sched:*'\n"
		    "  lkst event list --btf vmlinux\n"
		    "  lkst event show PROCESS_CONTEXTSWITCH\n"
		    "  lkst event show openat\n",
	.options = rows,
	.options_size = sizeof(struct event_options),
	.verbs = verbs,
	.max_args = 2,
	.run = event_run,
};
