/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst errors: which functions of the kernel said no, and why system calls failed. */
#include "cmd/probe/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/out.h"

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct lkst_errors_options, module, .name = "module", .letter = 'm',
		    .argument = "MODULE",
		    .help = "watch the functions of this module of the kernel"),
	LKST_OPTION(LIST, struct lkst_errors_options, functions, .name = "path", .argument = "FUNC",
		    .standard = "those that system calls go through",
		    .help = "watch this function, or those that match the glob; several with ,\n"
			    "between them; may be repeated; with --module, of that alone"),
	LKST_OPTION(TEXT, struct lkst_errors_options, call, .name = "call", .letter = 'c',
		    .argument = "GLOB", .standard = "all",
		    .help = "show only system calls of such a name"),
	LKST_OPTION(NUMBER, struct lkst_errors_options, pid, .name = "pid", .letter = 'p',
		    .argument = "PID", .min = 1, .max = INT32_MAX,
		    .help = "show only this process and those that it creates; without CMD,\n"
			    "watch until it ends"),
	LKST_OPTION(DURATION, struct lkst_errors_options, for_ns, .name = "for", .argument = "TIME",
		    .help = "end after this time: 10s, 5min ..."),
	LKST_OPTION(FLAG, struct lkst_errors_options, with_arguments, .name = "arguments",
		    .letter = 'a',
		    .help = "also show what the first function was called with; that is a\n"
			    "record for each call of each function"),
	LKST_OPTION(TEXT, struct lkst_errors_options, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .help = "keep the trace in this directory, which is made"),
	LKST_ANSWER_ROWS(struct lkst_errors_options, form, ""),
	LKST_OPTION(FLAG, struct lkst_errors_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors and the answer"),
	{},
};

static int errors_check(struct lkst_err *e, const struct lkst_errors_options *o, unsigned int nr_args)
{
	if (geteuid())
		return lkst_err_set(e, -EPERM,
				    "probing the kernel needs root; try again with sudo");
	if (o->output && strchr(o->output, '%'))
		return lkst_err_set(e, -EINVAL,
				    "--output takes the name of a directory, without %%");
	if (o->pid && nr_args)
		return lkst_err_set(e, -EINVAL, "--pid and a command exclude each other");
	if (o->pid && kill((pid_t)o->pid, 0) && errno == ESRCH)
		return lkst_err_set(e, -ESRCH, "there is no process %lld", (long long)o->pid);
	return 0;
}

/* Watches, answers, and removes the trace if nobody wants it. */
static int watch_and_answer(struct lkst_err *e, const struct lkst_errors_options *o, char **args,
			    unsigned int nr_args, struct lkst_errors_watched *watched)
{
	char base[PATH_MAX] = "", dir[PATH_MAX + sizeof("/trace")];
	_cleanup_close_ int lock = -1;
	int err = o->output ? 0 : lkst_create_dir_beside(e, NULL, "/tmp/lkst-errors", base, &lock);

	if (err)
		return err;
	snprintf(dir, sizeof(dir), "%s%s", o->output ?: base, o->output ? "" : "/trace");
	err = lkst_errors_watch(e, o, dir, args, nr_args, watched)
		      ?: lkst_errors_answer(e, o, dir, watched);
	if (!o->output) {
		lkst_remove_made_dir(lock, AT_FDCWD, base);
	} else if (!err && !o->quiet) {
		lkst_print_message(stderr, "%s: `lkst analyze errors %s` shows it again", dir, dir);
	}
	return err;
}

static int errors_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkst_errors_options *o = options;
	struct lkst_errors_watched *watched = calloc(1, sizeof(*watched));
	int err = watched ? errors_check(e, o, nr_args) : lkst_err_sys(e, -ENOMEM, "watching");

	if (!err)
		err = watch_and_answer(e, o, args, nr_args, watched);
	if (!err)
		err = watched->result;
	free(watched);
	return err;
}

const struct lkst_cmd lkst_cmd_errors = {
	.name = "errors",
	.summary = "find which kernel function made a system call fail",
	.args = "[--] [CMD...]",
	.help = "Sets probes at the returns of functions of the kernel that can return an error, runs CMD,\n"
		"and shows for each way in which a system call failed: the functions that passed the error\n"
		"on, from the call inwards to the one that returned it first, with its line of source if\n"
		"the kernel's debug information is there, and what such a call was made with. Without CMD\n"
		"it watches all of the machine, or a process, until SIGINT or SIGTERM. It joins the running\n"
		"recording; if there is none it starts one, and ends it. The exit status is that of CMD.\n"
		"doc/probes.md says which functions are watched.",
	.examples = "  lkst errors cat /no/such/file\n"
		    "  lkst errors --call 'open*' -- make          only calls of such a name\n"
		    "  lkst errors -m ext4 -- touch /mnt/x         functions of a module\n"
		    "  lkst errors --path 'tcp_*,inet_*' -p 1234   a process, until Ctrl-C\n"
		    "  lkst errors --for 10s --format json         all of the machine\n",
	.options = rows,
	.options_size = sizeof(struct lkst_errors_options),
	.max_args = UINT_MAX,
	.run = errors_run,
};
