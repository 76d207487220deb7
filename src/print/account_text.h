/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounts (result/account.h) as text and as JSON.
 */
#ifndef LKST_PRINT_ACCOUNT_TEXT_H
#define LKST_PRINT_ACCOUNT_TEXT_H

#include "print/print.h"
#include "result/account.h"
#include "result/json_writer.h"

/*
 * A line for each step: how long after the first step of its tree, how long it took, what happened,
 * indented by depth; and, @has_events, a line of the events it rests on. 0 or -ENOMEM; failed writes
 * stick in the output.
 */
int lkst_view_account_text(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events);

/* Steps as they are counted in the order in which they are printed, from 0 on: `from` is the first, `to` is not in. */
struct lkst_account_part_of {
	u64 from, to;
};

/* The lines of some steps, without the notes. */
int lkst_view_account_part(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events, struct lkst_account_part_of part);

/*
 * Some steps as values of the array that was begun last in @j: the members are those of lkst_view_account_json(), but
 * "depth", 0 for a first one, in place of the steps below. 0 or -ENOMEM.
 */
int lkst_view_account_flat(const struct lkst_view_config *config, const struct lkst_account *a,
			   bool has_events, struct lkst_account_part_of part, struct lkst_json *j);

/* How many steps there are. */
u64 lkst_view_account_steps(const struct lkst_account *a);

/*
 * The first tree in one line, without its end: whom it is about, how long it took, and the longest of the steps right
 * below the first one. 0 or -ENOMEM.
 */
int lkst_view_account_line(const struct lkst_view_config *config, const struct lkst_account *a);

/* The sentence of step @s in @text, of @room bytes, cut and without a NUL. Returns its length, or -ENOMEM. */
int lkst_view_account_sentence(const struct lkst_view_config *config,
			       const struct lkst_account_step *s, char *text, size_t room);

/* One object: {"steps":[...]}; doc/why.md tells the members of a step. */
int lkst_view_account_json(const struct lkst_view_config *config, const struct lkst_account *a);

/* The same as a value among others: @name as for lkst_json_object(). @j writes to the output of @config. */
struct lkst_json;
int lkst_view_account_json_in(const struct lkst_view_config *config, const struct lkst_account *a,
			      struct lkst_json *j, const char *name);

/* The formats of accounts. To add one: a constant here, and its row in account_text.c. */
enum lkst_account_format {
	LKST_ACCOUNT_AS_TEXT,
	LKST_ACCOUNT_AS_JSON,
};
bool lkst_account_format_choices(unsigned int i, struct lkst_choice *ret_choice);

/* Prints @a in @format; JSON has the events in any case. */
int lkst_view_account(const struct lkst_view_config *config, const struct lkst_account *a,
		      enum lkst_account_format format, bool has_events);

#endif
