/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst probe: hooks anywhere, in the language of perf probe and in that of kprobe_events. */
#include "cmd/probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/frame/cmd.h"

static const struct lkst_option rows[] = {
	LKST_OPTION(LIST, struct lkst_probe_options, add, .name = "add", .letter = 'a',
		    .argument = "PROBE", .help = "set a probe"),
	LKST_OPTION(LIST, struct lkst_probe_options, del, .name = "del", .letter = 'd',
		    .argument = "GLOB",
		    .help = "remove the probes whose event, or GROUP:EVENT, matches; before\n"
			    "anything is set"),
	LKST_OPTION(TEXT, struct lkst_probe_options, file, .name = "file", .argument = "FILE",
		    .help = "set what a file in the language of kprobe_events has; -: standard\n"
			    "input"),
	LKST_OPTION(TEXT, struct lkst_probe_options, save, .name = "save", .argument = "FILE",
		    .help = "set nothing, and write what the probes have become to a file, to be\n"
			    "set where there is no debug information; -: standard output"),
	LKST_OPTION(TEXT, struct lkst_probe_options, saved, .name = "saved", .argument = "FILE",
		    .help = "set what such a file has of the kernel, of PROGRAM or of MODULE, if it\n"
			    "has the build-id; -: standard input"),
	LKST_OPTION(
		LIST, struct lkst_probe_options, definition, .name = "definition", .letter = 'D',
		.argument = "PROBE",
		.help = "print the lines of kprobe_events that a probe becomes, and set nothing"),
	LKST_OPTION(FLAG, struct lkst_probe_options, list, .name = "list", .letter = 'l',
		    .help = "list the probes that are set, or those that match an argument"),
	LKST_OPTION(TEXT, struct lkst_probe_options, lines, .name = "line", .letter = 'L',
		    .argument = "LINES",
		    .help = "show a function or a source, FUNC[:FIRST[+NUMBER|-LAST]] or\n"
			    "SRC[:...]: lines that can be probed have a number"),
	LKST_OPTION(TEXT, struct lkst_probe_options, vars, .name = "vars", .letter = 'V',
		    .argument = "PLACE", .help = "show the variables that can be fetched there"),
	LKST_OPTION(FLAG, struct lkst_probe_options, funcs, .name = "funcs", .letter = 'F',
		    .help = "show the functions, or those that match an argument"),
	LKST_OPTION(TEXT, struct lkst_probe_options, program, .name = "exec", .letter = 'x',
		    .argument = "PROGRAM", .help = "look in this program or library"),
	LKST_OPTION(TEXT, struct lkst_probe_options, module, .name = "module", .letter = 'm',
		    .argument = "MODULE", .help = "look in this module of the kernel, or its file"),
	LKST_OPTION(TEXT, struct lkst_probe_options, vmlinux, .name = "vmlinux", .letter = 'k',
		    .argument = "FILE",
		    .help = "the kernel with its debug information, if it is not where\n"
			    "distributions install it"),
	LKST_OPTION(TEXT, struct lkst_probe_options, source, .name = "source", .letter = 's',
		    .argument = "DIR", .help = "the sources are below this directory"),
	LKST_OPTION(FLAG, struct lkst_probe_options, force, .name = "force", .letter = 'f',
		    .help = "where there is an event of that name, set EVENT_1, EVENT_2 ..."),
	LKST_OPTION(FLAG, struct lkst_probe_options, dry_run, .name = "dry-run", .letter = 'n',
		    .help = "check everything and change nothing"),
	LKST_OPTION(FLAG, struct lkst_probe_options, verbose, .name = "verbose", .letter = 'v',
		    .help = "print definitions, hits and how the kernel gets there, too"),
	LKST_ANSWER_ROWS(struct lkst_probe_options, form, "with --list: how to print it"),
	LKST_OPTION(FLAG, struct lkst_probe_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

/* One thing at a time: each is a way to say what the arguments are. */
static int probe_check(struct lkst_err *e, const struct lkst_probe_options *o, unsigned int nr_args)
{
	bool is_change = o->add.nr || o->del.nr || o->file || o->saved;
	bool is_show = o->lines || o->vars || o->funcs;

	if (o->list + is_change + is_show + (o->definition.nr != 0) > 1 ||
	    (o->lines != NULL) + (o->vars != NULL) + o->funcs > 1)
		return lkst_err_set(
			e, -EINVAL,
			"--list, --definition, --line, --vars, --funcs, and what changes probes go "
			"one at a time");
	if (o->save && (o->list || is_show || o->definition.nr || o->del.nr))
		return lkst_err_set(e, -EINVAL, "--save takes what is to be set, and nothing else");
	if ((o->lines || o->vars) && nr_args)
		return lkst_err_set(e, -EINVAL, "--line and --vars take one place");
	if (o->list || is_change || is_show || o->definition.nr || nr_args)
		return 0;
	return lkst_err_set(e, -EINVAL, "a probe is missing; see --help");
}

static int probe_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct lkst_probe_options o = *(const struct lkst_probe_options *)options;
	int err = probe_check(e, &o, nr_args);

	if (err)
		return err;
	if (o.list)
		return lkst_probe_list(e, &o, args, nr_args);
	if (o.lines || o.vars || o.funcs)
		return lkst_probe_show(e, &o, args, nr_args);
	/* As perf probe has it: a first word that is a path says where to look. */
	if (nr_args && args[0][0] == '/' && !o.program && !o.module) {
		o.program = *args++;
		nr_args--;
	}
	if (nr_args == 1 && !strcmp(args[0], "-") && !o.file) {
		o.file = *args++;
		nr_args--;
	}
	if (!nr_args && !o.add.nr && !o.del.nr && !o.file && !o.saved && !o.definition.nr)
		return lkst_err_set(e, -EINVAL, "a probe is missing after %s; see --help", o.program);
	return lkst_probe_change(e, &o, args, nr_args);
}

const struct lkst_cmd lkst_cmd_probe = {
	.name = "probe",
	.summary = "set hooks in functions, at lines and in programs",
	.args = "[PROBE...]",
	.help = "A probe is an event of the running recording at a place that you name. It is recorded as\n"
		"any other: masksets, handlers and triggers take it by its name, GROUP:EVENT. PROBE is\n"
		"written as for perf probe, or as a line of the kernel's kprobe_events and uprobe_events:\n"
		"\n"
		"  [[GROUP:]EVENT=]FUNC[@SRC][+OFFSET|:LINE|;PATTERN|%return|%next] [ARG ...] [if CONDITION]\n"
		"  [[GROUP:]EVENT=]SRC:LINE|SRC;PATTERN|%PROVIDER:MARK [ARG ...] [if CONDITION]\n"
		"  p|r[MAX][:[GROUP/]EVENT] [MODULE:]SYMBOL[+OFFSET]|ADDRESS|PATH:OFFSET [ARG ...]\n"
		"  p|r[:[GROUP/]EVENT] [MODULE:]GLOB[,GLOB...] [ARG ...]    one event at all that match\n"
		"  w[:[GROUP/]EVENT] w|rw@ADDRESS|SYMBOL[:LENGTH] [ARG ...]  memory that is written, or accessed\n"
		"  -:[GROUP/]EVENT\n"
		"\n"
		"Use single quotes: $ ; > * % mean something to the shell. All is checked before anything is\n"
		"changed. doc/probes.md has the two languages, and what is refused.",
	.examples = "  lkst probe 'vfs_read count file->f_mode'\n"
		    "  lkst probe -x /usr/bin/bash 'readline%return +0($retval):string'\n"
		    "  lkst probe 'p:slow vfs_read len=%dx:u64 if len > 1M'\n"
		    "  lkst probe 'r:my/failed vfs_* ret=$retval:s32 if ret < 0'\n"
		    "  lkst probe 'w:my/who w@jiffies_64:8 $backtrace'\n"
		    "  lkst probe -fnv 'schedule;cpu=*'      test before you execute\n"
		    "  lkst probe --line vfs_read:0+7\n"
		    "  lkst probe --save probes -a 'vfs_read:4 file' -a 'schedule;cpu=*'\n"
		    "  lkst probe --saved probes             on a machine with the same kernel\n"
		    "  lkst probe --list\n"
		    "  lkst probe --del '*'\n",
	.options = rows,
	.options_size = sizeof(struct lkst_probe_options),
	.dashed = "-:",
	.max_args = LKST_ARGS_MAX,
	.run = probe_run,
};
