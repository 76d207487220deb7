/* SPDX-License-Identifier: GPL-2.0-only */
/* The script for zsh: what _arguments(1) of its completion system takes, a case for each command. */
#include <stdio.h>
#include <string.h>

#include "abi/events.h"
#include "cmd/completion/completion.h"
#include "cmd/frame/verb.h"

static const char *const actions[] = {
	[LKST_COMPLETION_TEXT] = "",
	[LKST_COMPLETION_WORDS] = "",
	[LKST_COMPLETION_EVENTS] = "($_lkst_events)",
	[LKST_COMPLETION_FILES] = "_files",
	[LKST_COMPLETION_DIRECTORIES] = "_files -/",
	[LKST_COMPLETION_GROUPS] = "_groups",
	[LKST_COMPLETION_PROCESSES] = "_pids",
	[LKST_COMPLETION_MODULES] = "(${(f)\"$(cut -d \" \" -f 1 /proc/modules 2>/dev/null)\"})",
	[LKST_COMPLETION_PROGRAMS] = "{_command_names -e; _files}",
};

/* In single quotes, on one line; with a backslash before those of @escaped, which _arguments would take as ends. */
static void completion_zsh_print_text(const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (*text == '\n')
			putchar(' ');
		else
			printf("%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	}
}

static void print_word(const char *name, const char *help, bool is_first)
{
	printf("%s%s\\:\"", is_first ? "" : " ", name);
	completion_zsh_print_text(help, "\\\":()`$");
	putchar('"');
}

static void print_choices(lkst_choices_fn *choices)
{
	struct lkst_choice choice;
	unsigned int i;

	printf("((");
	for (i = 0; choices(i, &choice); i++)
		print_word(choice.name, choice.help, !i);
	printf("))");
}

static void print_help(const struct lkst_option *o)
{
	putchar('[');
	completion_zsh_print_text(*o->help ? o->help : o->argument, "[]\\");
	putchar(']');
	if (o->type == LKST_OPTION_FLAG)
		return;
	putchar(':');
	completion_zsh_print_text(o->argument, ":\\");
	putchar(':');
	if (o->choices)
		print_choices(o->choices);
	else
		printf("%s", actions[lkst_completion_of_value(o)]);
}

static void completion_zsh_print_option(const struct lkst_option *o)
{
	const char *again = o->type == LKST_OPTION_LIST ? "*" : "";
	const char *value = o->type == LKST_OPTION_FLAG ? "" : "=";

	printf(" \\\n\t\t\t'%s--%s%s", again, o->name, value);
	print_help(o);
	putchar('\'');
	if (!o->letter)
		return;
	printf(" \\\n\t\t\t'%s-%c%s", again, o->letter, *value ? "+" : "");
	print_help(o);
	putchar('\'');
}

static void completion_zsh_print_arguments(const struct lkst_cmd *cmd)
{
	const struct lkst_verb *v;
	bool is_first = true;

	if (cmd->verbs) {
		printf(" \\\n\t\t\t'1:verb:((");
		for (v = cmd->verbs; v->name; v++) {
			if (v->is_infix)
				continue;
			print_word(v->name, v->help, is_first);
			is_first = false;
		}
		printf("))' '*:file:_files'");
	} else if (cmd->args) {
		if (cmd->first) {
			printf(" \\\n\t\t\t'1:");
			completion_zsh_print_text(cmd->args, ":\\");
			putchar(':');
			print_choices(cmd->first);
			putchar('\'');
		}
		printf(" \\\n\t\t\t'*:");
		completion_zsh_print_text(cmd->args, ":\\");
		printf(":%s'", actions[lkst_completion_of_args(cmd->args)]);
	}
}

static void print_command(const struct lkst_cmd *cmd)
{
	const struct lkst_option *o;

	printf("\t%s)\n\t\t_arguments -s -S '(- *)'{-h,--help}'[this text]'", cmd->name);
	for (o = cmd->options; o && o->name; o++)
		completion_zsh_print_option(o);
	completion_zsh_print_arguments(cmd);
	printf("\n\t\t;;\n");
}

void lkst_completion_print_zsh(void)
{
	const struct lkst_cmd *const *c;
	unsigned int i;

	printf("#compdef lkst");
	for (c = lkst_completion_links; *c; c++)
		printf(" %s", (*c)->name);
	printf("\n# zsh completion of lkst. `lkst completion zsh` has made it.\n\n"
	       "local curcontext=$curcontext state line command=$service\n"
	       "typeset -A opt_args\nlocal -a commands _lkst_events\n\n_lkst_events=(");
	for (i = 0; i < LKST_NR_EVENTS; i++)
		printf("%s%s", i ? " " : "", lkst_events[i].name);
	printf(")\ncommands=(\n");
	for (c = lkst_completion_commands; *c; c++) {
		printf("\t'%s:", (*c)->name);
		completion_zsh_print_text((*c)->summary, ":\\");
		printf("'\n");
	}
	printf(")\nif [[ $service == lkst ]]; then\n"
	       "\t_arguments -C '(- *)'{-h,--help}'[the commands]' '(- *)'{-V,--version}'[the version]' \\\n"
	       "\t\t'1:command:->command' '*::argument:->argument' && return\n"
	       "\tif [[ $state == command ]]; then\n"
	       "\t\t_describe -t commands command commands\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcommand=$words[1]\n"
	       "fi\ncase $command in\nhelp) _describe -t commands command commands ;;\n");
	for (c = lkst_completion_commands; *c; c++)
		print_command(*c);
	for (c = lkst_completion_links; *c; c++)
		print_command(*c);
	printf("esac\n");
}
