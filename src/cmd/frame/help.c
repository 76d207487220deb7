/* SPDX-License-Identifier: GPL-2.0-only */
/* The help of a command, from its rows: options and verbs. */
#include <stdio.h>
#include <string.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/verb.h"

enum {
	HELP_WIDTH = 100,
	LEFT_WIDTH = 24, /* of the column with the names of options */
	VERB_WIDTH = 14,
};

const char *lkst_cmd_called(const struct lkst_cmd *cmd, char called[LKST_CMD_CALLED_MAX])
{
	snprintf(called, LKST_CMD_CALLED_MAX, "%s%s", cmd->is_link ? "" : "lkst ", cmd->name);
	return called;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Words that go to lines of at most HELP_WIDTH, each after a blank. */
struct flow {
	FILE *to;
	int column, indent; /* of the last character; and of the blank before a line's first word */
};

static void begin_line(struct flow *f)
{
	f->column = fprintf(f->to, "\n%*s", f->indent, "") - 1;
}

static void help_put_word(struct flow *f, const char *word, size_t length)
{
	if (f->column + 1 + (int)length > HELP_WIDTH && f->column > f->indent)
		begin_line(f);
	f->column += fprintf(f->to, " %.*s", (int)length, word);
}

/* The words of @text; a line break in it begins a line. */
static void help_put_text(struct flow *f, const char *text)
{
	size_t length;

	while (*text) {
		length = strcspn(text, " \n");
		help_put_word(f, text, length);
		if (text[length] == '\n')
			begin_line(f);
		text += length + (text[length] != 0);
	}
}

/* Begins a row: @left in a column of @width, and what follows beside it. */
static struct flow begin_row(const char *left, int width)
{
	struct flow f = { .to = stdout, .indent = 2 + width - 1 };

	f.column = printf("  %-*s", width - 1, left);
	if (f.column > f.indent)
		begin_line(&f);
	return f;
}

void lkst_cmd_print_row(const char *left, int width, const char *text)
{
	struct flow f = begin_row(left, width);

	help_put_text(&f, text);
	putchar('\n');
}

/* ---- usage ------------------------------------------------------------------------------------ */

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
static void help_name_argument(const struct lkst_option *o, char *text, size_t size)
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

static void put_option(struct flow *f, const struct lkst_cmd *cmd, const struct lkst_option *o)
{
	char name[64], argument[128] = "", word[256];

	name_option(cmd, o, name, sizeof(name));
	if (o->argument)
		help_name_argument(o, argument, sizeof(argument));
	snprintf(word, sizeof(word), "[%s%s%s]%s", name, o->argument ? " " : "", argument,
		 o->type == LKST_OPTION_LIST ? "..." : "");
	/* An option stays on one line if there is one that it fits. */
	if (f->indent + 1 + (int)strlen(word) > HELP_WIDTH)
		help_put_text(f, word);
	else
		help_put_word(f, word, strlen(word));
}

static void format_verb(const struct lkst_verb *v, char *text, size_t size)
{
	if (v->is_infix)
		snprintf(text, size, "%s", v->args);
	else
		snprintf(text, size, "%s%s%s", v->name, v->args ? " " : "", v->args ?: "");
}

static void put_verbs(struct flow *f, const struct lkst_cmd *cmd)
{
	char word[128], text[160];
	const struct lkst_verb *v;

	for (v = cmd->verbs; v->name; v++) {
		format_verb(v, word, sizeof(word));
		snprintf(text, sizeof(text), "%s%s", word, v[1].name ? " |" : "");
		help_put_word(f, text, strlen(text));
	}
}

void lkst_cmd_print_usage(FILE *to, const struct lkst_cmd *cmd)
{
	char called[LKST_CMD_CALLED_MAX];
	struct flow f = { .to = to };
	const struct lkst_option *o;

	lkst_cmd_called(cmd, called);
	f.column = f.indent = fprintf(to, "usage: %s", called);
	if (cmd->usage) {
		fprintf(to, " %s\n", cmd->usage);
		return;
	}
	if (cmd->verbs && !cmd->is_link)
		help_put_text(&f, "[OPTIONS]");
	else
		for (o = cmd->options; o && o->name; o++)
			put_option(&f, cmd, o);
	if (cmd->args)
		help_put_word(&f, cmd->args, strlen(cmd->args));
	else if (cmd->verbs)
		put_verbs(&f, cmd);
	fputc('\n', to);
}

/* ---- help ------------------------------------------------------------------------------------- */

static void print_verbs(const struct lkst_verb *v)
{
	char left[128];

	putchar('\n');
	for (; v->name; v++) {
		format_verb(v, left, sizeof(left));
		lkst_cmd_print_row(left, VERB_WIDTH, v->help);
	}
}

static void print_option(const struct lkst_option *o)
{
	char left[64], letter[8] = "    ", text[160];
	struct lkst_choice choice;
	struct flow f;
	unsigned int i;

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
		 o->argument ? o->argument : "");
	f = begin_row(left, LEFT_WIDTH);
	help_put_text(&f, o->help);
	for (i = 0; o->choices && o->choices(i, &choice); i++) {
		if (i || o->help[0])
			begin_line(&f);
		snprintf(text, sizeof(text), "%s:", choice.name);
		help_put_text(&f, text);
		help_put_text(&f, choice.help);
	}
	if (o->standard) {
		snprintf(text, sizeof(text), "(default: %s)", o->standard);
		help_put_word(&f, text, strlen(text));
	}
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
	lkst_cmd_print_row("-h, --help", LEFT_WIDTH, "this text");
	if (cmd->examples)
		printf("\nExamples:\n%s", cmd->examples);
	printf("\nMore: man %s%s\n", cmd->is_link ? "" : "lkst-", cmd->name);
}
