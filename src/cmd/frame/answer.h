/* SPDX-License-Identifier: GPL-2.0-only */
/* How commands answer: a table in the form that the user wants, or a tree as JSON. */
#ifndef LKST_CMD_FRAME_ANSWER_H
#define LKST_CMD_FRAME_ANSWER_H

#include "cmd/frame/cmd.h"
#include "print/table_text.h"
#include "result/json_writer.h"

/* The values of the options that choose the form. */
struct lkst_answer_form {
	unsigned int format; /* an enum lkst_table_format */
	bool json;	     /* the older spelling of --format json */
};

/* Their rows in the table of a command whose options are a struct @type. @when: "with list: how to print it". */
#define LKST_ANSWER_ROWS(type, form, when)                                                         \
	LKST_OPTION(CHOICE, type, form.format, .name = "format", .argument = "FORMAT",             \
		    .standard = "text", .help = when, .choices = lkst_table_format_choices),       \
		LKST_OPTION(FLAG, type, form.json, .name = "json",                                 \
			    .help = "the same as --format json")

static inline enum lkst_table_format lkst_answer_format(const struct lkst_answer_form *form)
{
	return form->json ? LKST_TABLE_JSON : (enum lkst_table_format)form->format;
}

/* An answer while it is given, to standard output as it is when the answer begins. */
struct lkst_answer {
	struct lkst_err *e;
	enum lkst_table_format format;
	struct lkst_out *out;
	struct lkst_json json;
	struct lkst_table_printer printer;
};

/* lkst_answer_end() ends it, on failure too. */
int lkst_answer_begin(struct lkst_err *e, const struct lkst_answer_form *form,
		      struct lkst_answer *a);

/* The same of an answer that is no table: -EINVAL if it is to be CSV. */
int lkst_answer_begin_tree(struct lkst_err *e, const struct lkst_answer_form *form,
			   struct lkst_answer *a);

/*
 * Prints the rows of @t. As JSON each is an object: in the array that the caller has begun, or else on a line of its
 * own.
 */
void lkst_answer_table(struct lkst_answer *a, const struct lkst_table *t);

/*
 * CSV has no place for the lines below a table, what was left out and notes: those of @t go to standard error. In other
 * forms the table has them.
 */
void lkst_answer_notes(enum lkst_table_format format, const struct lkst_table *t);

/* Writes all out, and frees it. Returns @err, or what failed now. */
int lkst_answer_end(struct lkst_answer *a, int err);

#endif
