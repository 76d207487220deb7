// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the part of a page that is made of a table in the source, for tools/pages:
 *
 *	page-parts PART		analyses.md, operands.man and so on: the table at the end has them
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "export/export.h"
#include "print/print.h"
#include "print/table_text.h"

enum { COLUMNS = 98 };

/* Words of a paragraph go to lines of at most COLUMNS, those of a list of Markdown indented after the first. */
static unsigned int column, indent;

static void put_word(const char *word, size_t length)
{
	if (column && column + 1 + length > COLUMNS) {
		printf("\n%*s", (int)indent, "");
		column = indent;
	} else if (column) {
		putchar(' ');
		column++;
	}
	printf("%.*s", (int)length, word);
	column += length;
}

static void put_words(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		put_word(text, length);
		text += length + (text[length] == ' ');
	}
}

/* A word of Markdown: names with * or _, which would change the font, as code, without what surrounds them. */
static void put_marked(const char *word, size_t length)
{
	size_t before = strspn(word, "("), inner;
	char marked[256];

	for (inner = before; inner < length && !strchr(",.;:)", word[inner]); inner++)
		;
	if (strcspn(word, "*_") >= inner) {
		put_word(word, length);
		return;
	}
	snprintf(marked, sizeof(marked), "%.*s`%.*s`%.*s", (int)before, word, (int)(inner - before),
		 word + before, (int)(length - inner), word + inner);
	put_word(marked, strlen(marked));
}

static void put_marked_words(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		put_marked(text, length);
		text += length + (text[length] == ' ');
	}
}

static void put_stop(void)
{
	putchar('.');
	column++;
}

/* @text with a capital, unless it begins with a name. */
static void put_sentence(const char *text)
{
	const size_t first = strcspn(text, " ");
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)first, text);
	if (!strchr(word, '_'))
		word[0] = (char)toupper((unsigned char)word[0]);
	put_marked(word, strlen(word));
	put_marked_words(text + first + (text[first] == ' '));
}

/* An item of a manual page's list. */
static void put_item(const char *name, const char *help)
{
	printf(".It Cm %s\n", name);
	column = indent = 0;
	put_words(help);
	putchar('\n');
}

/* ---- the analyses ----------------------------------------------------------------------------- */

static void put_analyses_md(void)
{
	const struct lkst_analysis *const *a;
	char text[256];

	for (a = lkst_analyses; *a; a++) {
		column = 0;
		indent = 2;
		snprintf(text, sizeof(text), "* **`%s`**, %s%s%s%s:", (*a)->name, (*a)->title,
			 (*a)->heritage ? " (" : "", (*a)->heritage ?: "",
			 (*a)->heritage ? ")" : "");
		put_words(text);
		put_words((*a)->help);
		put_stop();
		put_sentence((*a)->measures);
		put_stop();
		snprintf(text, sizeof(text), "Needs `%s`.", (*a)->events);
		put_words(text);
		putchar('\n');
	}
}

static void put_analyses_man(void)
{
	const struct lkst_analysis *const *a;

	for (a = lkst_analyses; *a; a++)
		put_item((*a)->name, (*a)->help);
}

/* ---- the operands of conditions --------------------------------------------------------------- */

static const struct {
	const char *name, *help;
} operands[] = {
#define OPERAND(name, from, events, form, help) { #name, help },
#include "masks/operands.def"
#undef OPERAND
};

static void put_operands_md(void)
{
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(operands) / sizeof(operands[0]); i++) {
		column = 0;
		indent = 2;
		snprintf(text, sizeof(text), "* `%s`:", operands[i].name);
		put_words(text);
		put_marked_words(operands[i].help);
		putchar('\n');
	}
}

static void put_operands_man(void)
{
	size_t i;

	for (i = 0; i < sizeof(operands) / sizeof(operands[0]); i++)
		put_item(operands[i].name, operands[i].help);
}

/* ---- formats ---------------------------------------------------------------------------------- */

/* The option of a synopsis. */
static void put_format_option(lkst_choices_fn *choices)
{
	struct lkst_choice one;
	unsigned int i;

	fputs(".Op Fl \\-format Ar ", stdout);
	for (i = 0; choices(i, &one); i++)
		printf("%s%s", i ? "|" : "", one.name);
	putchar('\n');
}

static void put_record_format_man(void)
{
	put_format_option(lkst_view_choices);
}

static void put_record_formats_man(void)
{
	struct lkst_choice one;
	unsigned int i;

	for (i = 0; lkst_view_choices(i, &one); i++)
		put_item(one.name, one.help);
}

static void put_table_format_man(void)
{
	put_format_option(lkst_table_format_choices);
}

static void put_export_format_man(void)
{
	put_format_option(lkst_export_choices);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*put)(void);
} parts[] = {
	{ "analyses.md", put_analyses_md },
	{ "analyses.man", put_analyses_man },
	{ "operands.md", put_operands_md },
	{ "operands.man", put_operands_man },
	{ "record_format.man", put_record_format_man },
	{ "record_formats.man", put_record_formats_man },
	{ "table_format.man", put_table_format_man },
	{ "export_format.man", put_export_format_man },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].name, argv[1])) {
			parts[i].put();
			return 0;
		}
	fputs("usage: page-parts PART; its parts are at the end of tools/page-parts.c\n", stderr);
	return 2;
}
