/* SPDX-License-Identifier: GPL-2.0-only */
/* The help of a command, from its rows: options and verbs. */
#include <stdio.h>
#include <string.h>

#include "cmd/verbs.h"

enum {
	USAGE_WIDTH = 100,
	LEFT_WIDTH = 24, /* of the column with the names of options */
	VERB_WIDTH = 14,
};

const char *lkst_cmd_called(const struct lkst_cmd *cmd, char called[LKST_CMD_CALLED_MAX])
{
	snprintf(called, LKST_CMD_CALLED_MAX, "%s%s", cmd->is_link ? "" : "lkst ", cmd->name);
	return called;
}

/* ---- usage ------------------------------------------------------------------------------------ */

/* A line of usage that is broken between its words. */
struct usage {
	FILE *to;
	int column, indent;
};

static void put_word(struct usage *u, const char *word)
{
	const int length = (int)strlen(word);

	if (u->column + 1 + length > USAGE_WIDTH && u->column > u->indent)
		u->column = fprintf(u->to, "\n%*s", u->indent - 1, "") - 1;
	u->column += fprintf(u->to, " %s", word);
}

/* The name that an option is shown by: the original's commands had letters. */
static void name_option(const struct lkst_cmd *cmd, const struct lkst_option *o, char *text,
			size_t size)
{
	if (cmd->is_link && o->letter)
		snprintf(text, size, "-%c", o->letter);
	else
		snprintf(text, size, "--%s", o->name);
}

/* "text|csv|json" for a choice, else the placeholder. */
static void name_argument(const struct lkst_option *o, char *text, size_t size)
{
	struct lkst_choice choice;
	size_t used = 0;
	unsigned int i;

	if (!o->choices) {
		snprintf(text, size, "%s", o->argument);
		return;
	}
	for (i = 0; o->choices(i, &choice) && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "",
					 choice.name);
}

static void put_option(struct usage *u, const struct lkst_cmd *cmd, const struct lkst_option *o)
{
	char name[64], argument[128] = "", word[256];

	name_option(cmd, o, name, sizeof(name));
	if (o->argument)
		name_argument(o, argument, sizeof(argument));
	snprintf(word, sizeof(word), "[%s%s%s]%s", name, o->argument ? " " : "", argument,
		 o->type == LKST_OPTION_LIST ? "..." : "");
	put_word(u, word);
}

static void format_verb(const struct lkst_verb *v, char *text, size_t size)
{
	if (v->is_infix)
		snprintf(text, size, "%s", v->args);
	else
		snprintf(text, size, "%s%s%s", v->name, v->args ? " " : "", v->args ?: "");
}

static void put_verbs(struct usage *u, const struct lkst_cmd *cmd)
{
	char word[128], text[160];
	const struct lkst_verb *v;

	for (v = cmd->verbs; v->name; v++) {
		format_verb(v, word, sizeof(word));
		snprintf(text, sizeof(text), "%s%s", word, v[1].name ? " |" : "");
		put_word(u, text);
	}
}

void lkst_cmd_print_usage(FILE *to, const struct lkst_cmd *cmd)
{
	char called[LKST_CMD_CALLED_MAX];
	struct usage u = { .to = to };
	const struct lkst_option *o;

	lkst_cmd_called(cmd, called);
	u.column = fprintf(to, "usage: %s", called);
	u.indent = u.column + 1;
	if (cmd->usage) {
		fprintf(to, " %s\n", cmd->usage);
		return;
	}
	if (cmd->verbs && !cmd->is_link)
		put_word(&u, "[OPTIONS]");
	else
		for (o = cmd->options; o && o->name; o++)
			put_option(&u, cmd, o);
	if (cmd->args)
		put_word(&u, cmd->args);
	else if (cmd->verbs)
		put_verbs(&u, cmd);
	fputc('\n', to);
}

/* ---- help ------------------------------------------------------------------------------------- */

/* Prints @left in a column of @width, and @text beside it: a line break in it continues in the same column. */
static void print_left(const char *left, int width)
{
	printf("  %-*s", width, left);
	if ((int)strlen(left) > width - 1)
		printf("\n  %-*s", width, "");
}

static void print_column(const char *text, int width)
{
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("  %-*s", width, "");
	}
}

static void print_verbs(const struct lkst_verb *v)
{
	char left[128];

	putchar('\n');
	for (; v->name; v++) {
		format_verb(v, left, sizeof(left));
		print_left(left, VERB_WIDTH);
		print_column(v->help, VERB_WIDTH);
		putchar('\n');
	}
}

static void print_option(const struct lkst_option *o)
{
	char left[64], letter[8] = "    ";
	struct lkst_choice choice;
	unsigned int i;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
		 o->argument ? o->argument : "");
	print_left(left, LEFT_WIDTH);
	print_column(o->help, LEFT_WIDTH);
	for (i = 0; o->choices && o->choices(i, &choice); i++) {
		print_column(i || o->help[0] ? "\n" : "", LEFT_WIDTH);
		printf("%s: ", choice.name);
		print_column(choice.help, LEFT_WIDTH);
	}
	if (o->standard)
		printf(" (default: %s)", o->standard);
	putchar('\n');
}

void lkst_cmd_print_help(const struct lkst_cmd *cmd)
{
	const struct lkst_option *o;

	lkst_cmd_print_usage(stdout, cmd);
	printf("\n%s\n", cmd->help);
	if (cmd->verbs)
		print_verbs(cmd->verbs);
	if (cmd->print_more)
		cmd->print_more();
	printf("\nOptions:\n");
	for (o = cmd->options; o && o->name; o++)
		print_option(o);
	print_left("-h, --help", LEFT_WIDTH);
	puts("this text");
	if (cmd->examples)
		printf("\nExamples:\n%s", cmd->examples);
	printf("\nMore: man %s%s\n", cmd->is_link ? "" : "lkst-", cmd->name);
}
