/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst completion: what a shell completes, as a script for it. */
#include "cmd/completion/completion.h"

#include <errno.h>
#include <string.h>

const struct lkst_cmd *const lkst_completion_commands[] = {
#define COMMAND(name) &lkst_cmd_##name,
#define LINK(name)
#include "cmd/frame/commands.def"
	NULL,
};

const struct lkst_cmd *const lkst_completion_links[] = {
#define COMMAND(name)
#define LINK(name) &lkst_cmd_##name,
#include "cmd/frame/commands.def"
	NULL,
};

enum lkst_completion_kind lkst_completion_of_value(const struct lkst_option *o)
{
	static const struct {
		const char *argument;
		enum lkst_completion_kind kind;
	} kinds[] = {
		{ "FILE", LKST_COMPLETION_FILES },	 { "PATH", LKST_COMPLETION_FILES },
		{ "PREFIX", LKST_COMPLETION_FILES },	 { "TRACE", LKST_COMPLETION_FILES },
		{ "DIR", LKST_COMPLETION_DIRECTORIES },	 { "GROUP", LKST_COMPLETION_GROUPS },
		{ "PID", LKST_COMPLETION_PROCESSES },	 { "MODULE", LKST_COMPLETION_MODULES },
		{ "PROGRAM", LKST_COMPLETION_PROGRAMS },
	};
	size_t i;

	if (o->choices)
		return LKST_COMPLETION_WORDS;
	if (!strcmp(o->name, "event"))
		return LKST_COMPLETION_EVENTS;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (o->argument && !strcmp(o->argument, kinds[i].argument))
			return kinds[i].kind;
	return LKST_COMPLETION_TEXT;
}

enum lkst_completion_kind lkst_completion_of_args(const char *args)
{
	if (!args)
		return LKST_COMPLETION_TEXT;
	if (!strcmp(args, "PID"))
		return LKST_COMPLETION_PROCESSES;
	if (strstr(args, "CMD"))
		return LKST_COMPLETION_PROGRAMS;
	if (strstr(args, "TRACE") || strstr(args, "FILE") || strstr(args, "DUMP"))
		return LKST_COMPLETION_FILES;
	return LKST_COMPLETION_TEXT;
}

static bool shell_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	static const struct lkst_choice shells[] = {
		{ "bash", "bash 4.2 or later" },
		{ "zsh", "zsh 5 or later" },
	};

	if (i >= sizeof(shells) / sizeof(shells[0]))
		return false;
	*ret_choice = shells[i];
	return true;
}

static int completion_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	char list[LKST_CHOICES_TEXT];

	switch (lkst_choices_find(shell_choices, args[0])) {
	case 0:
		lkst_completion_print_bash();
		return 0;
	case 1:
		lkst_completion_print_zsh();
		return 0;
	}
	lkst_choices_list(shell_choices, list);
	return lkst_err_set(e, -EINVAL, "there is no completion for \"%s\", but for %s", args[0],
			    list);
}

const struct lkst_cmd lkst_cmd_completion = {
	.name = "completion",
	.summary = "print completion scripts for bash and zsh",
	.args = "SHELL",
	.help = "Prints a script for the shell SHELL, bash or zsh, which completes the commands of lkst and of\n"
		"the original, their options, and what these may be. `make install` and the packages put both\n"
		"where the shells look for them.",
	.examples = "  source <(lkst completion bash)\n"
		    "  lkst completion zsh >~/.zsh/functions/_lkst\n",
	.first = shell_choices,
	.min_args = 1,
	.max_args = 1,
	.run = completion_run,
};
