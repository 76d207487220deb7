/* SPDX-License-Identifier: GPL-2.0-only */
/* The script for bash: rows of words, and a function that looks for the row of the place where the cursor is. */
#include <stdio.h>

#include "abi/events.h"
#include "cmd/completion/completion.h"
#include "cmd/frame/verb.h"

/* What a row says of a value or an argument: the first word of `follows` in the script. */
static const char *const kinds[] = {
	[LKST_COMPLETION_TEXT] = "text",
	[LKST_COMPLETION_WORDS] = "words",
	[LKST_COMPLETION_EVENTS] = "words $_lkst_events",
	[LKST_COMPLETION_FILES] = "files",
	[LKST_COMPLETION_DIRECTORIES] = "directories",
	[LKST_COMPLETION_GROUPS] = "groups",
	[LKST_COMPLETION_PROCESSES] = "processes",
	[LKST_COMPLETION_MODULES] = "modules",
	[LKST_COMPLETION_PROGRAMS] = "programs",
};

static const char *const rest =
	"# Completes the word $1 as what $2... says.\n"
	"_lkst_complete()\n"
	"{\n"
	"\tlocal word=$1 kind=$2\n"
	"\n"
	"\tshift 2\n"
	"\tcase $kind in\n"
	"\twords) mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$word\") ;;\n"
	"\tfiles | directories)\n"
	"\t\tcompopt -o filenames\n"
	"\t\t[ \"$kind\" = files ] || set -- -d\n"
	"\t\tmapfile -t COMPREPLY < <(compgen \"${1:--f}\" -- \"$word\")\n"
	"\t\t;;\n"
	"\tgroups) mapfile -t COMPREPLY < <(compgen -g -- \"$word\") ;;\n"
	"\tprocesses) mapfile -t COMPREPLY < <(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$word\") ;;\n"
	"\tmodules)\n"
	"\t\tset -- \"$(cut -d ' ' -f 1 /proc/modules 2>/dev/null)\"\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\")\n"
	"\t\t;;\n"
	"\tprograms)\n"
	"\t\tcompopt -o filenames\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -f -- \"$word\" | sort -u)\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"_lkst()\n"
	"{\n"
	"\tlocal command=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]} i=1 word=''\n"
	"\tlocal follows options before='' previous=''\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif [ \"$command\" = lkst ]; then\n"
	"\t\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	"\t\t\t_lkst_complete \"$current\" words \"$_lkst_commands help --help --version\"\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\tcommand=${COMP_WORDS[1]}\n"
	"\t\ti=2\n"
	"\tfi\n"
	"\t# Before it: an option that waits for its value, or the first argument. \"=\" is a word to bash.\n"
	"\tfor (( ; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [ \"$word\" = = ]; then\n"
	"\t\t\tcontinue\n"
	"\t\telif [ -n \"$previous\" ]; then\n"
	"\t\t\tprevious=\n"
	"\t\telif [[ $word == -* ]]; then\n"
	"\t\t\t_lkst_row \"$command $word\"\n"
	"\t\t\t[ -z \"$follows\" ] || previous=$word\n"
	"\t\telif [ -z \"$before\" ]; then\n"
	"\t\t\tbefore=$word\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t[ \"$current\" != = ] || current=\n"
	"\tif [ -n \"$previous\" ]; then\n"
	"\t\t_lkst_row \"$command $previous\"\n"
	"\telif [[ $current == -* ]]; then\n"
	"\t\t_lkst_row \"$command\"\n"
	"\t\tfollows=\"words $options\"\n"
	"\telse\n"
	"\t\t_lkst_row \"$command $before\"\n"
	"\t\tif [ -z \"$follows\" ]; then\n"
	"\t\t\t_lkst_row \"$command\"\n"
	"\t\tfi\n"
	"\tfi\n"
	"\t# shellcheck disable=SC2086 # a kind, and words\n"
	"\t_lkst_complete \"$current\" $follows\n"
	"}\n"
	"\n";

static void print_words(lkst_choices_fn *choices)
{
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; choices(i, &choice); i++)
		printf(" %s", choice.name);
}

/* What each option of @cmd is followed by, but for flags. */
static void print_values(const struct lkst_cmd *cmd)
{
	const struct lkst_option *o;

	for (o = cmd->options; o && o->name; o++) {
		if (o->type == LKST_OPTION_FLAG)
			continue;
		printf("\t'%s --%s'", cmd->name, o->name);
		if (o->letter)
			printf(" | '%s -%c'", cmd->name, o->letter);
		printf(") follows=\"%s", kinds[lkst_completion_of_value(o)]);
		if (o->choices)
			print_words(o->choices);
		printf("\" ;;\n");
	}
}

/* What follows a verb, and what the arguments are where none is before the cursor. */
static void completion_bash_print_arguments(const struct lkst_cmd *cmd)
{
	const struct lkst_verb *v;

	for (v = cmd->verbs; v && v->name; v++)
		if (!v->is_infix)
			printf("\t'%s %s') follows=\"%s\" ;;\n", cmd->name, v->name,
			       kinds[lkst_completion_of_args(v->args)]);
	if (!cmd->verbs && !cmd->first)
		return;
	printf("\t'%s ') follows=\"words", cmd->name);
	for (v = cmd->verbs; v && v->name; v++)
		if (!v->is_infix)
			printf(" %s", v->name);
	if (cmd->first)
		print_words(cmd->first);
	printf("\" ;;\n");
}

/* Its options, and what its arguments are unless a row says otherwise. */
static void print_options(const struct lkst_cmd *cmd)
{
	const struct lkst_option *o;

	printf("\t'%s') follows=\"%s\" options='--help", cmd->name,
	       kinds[lkst_completion_of_args(cmd->args)]);
	for (o = cmd->options; o && o->name; o++)
		printf(" --%s", o->name);
	/* The original's were letters. */
	for (o = cmd->options; o && o->name && cmd->is_link; o++)
		if (o->letter)
			printf(" -%c", o->letter);
	printf("' ;;\n");
}

static void print_names(const struct lkst_cmd *const *list)
{
	for (; *list; list++)
		printf("%s%s", (*list)->name, list[1] ? " " : "");
}

void lkst_completion_print_bash(void)
{
	const struct lkst_cmd *const *lists[] = { lkst_completion_commands, lkst_completion_links };
	const struct lkst_cmd *const *c;
	size_t i;

	printf("# bash completion of lkst. `lkst completion bash` has made it.\n"
	       "# shellcheck shell=bash\n\n_lkst_commands='");
	print_names(lkst_completion_commands);
	printf("'\n_lkst_events='");
	for (i = 0; i < LKST_NR_EVENTS; i++)
		printf("%s%s", i ? " " : "", lkst_events[i].name);
	printf("'\n\n"
	       "# Sets what follows in the line $1: a command, and an option, the first argument or nothing.\n"
	       "_lkst_row()\n{\n\tfollows=\n\tcase $1 in\n");
	for (i = 0; i < 2; i++)
		for (c = lists[i]; *c; c++) {
			print_values(*c);
			completion_bash_print_arguments(*c);
			print_options(*c);
		}
	printf("\t'help ') follows=\"words $_lkst_commands\" ;;\n\tesac\n}\n\n%s", rest);
	printf("complete -F _lkst lkst ");
	print_names(lkst_completion_links);
	putchar('\n');
}
