/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls among the events: their names, and the steps that print their arguments. Private to
 * the views.
 */
#ifndef LKST_PRINT_CALL_H
#define LKST_PRINT_CALL_H

#include "print/record_printer.h"

/* What the catalogue says of a system call's event. */
struct lkst_call_format {
	const char *name; /* "openat" */
	bool is_compat;	  /* a 32-bit caller's */
	bool is_exit;
};

/* False if @event is not a system call's. */
bool lkst_call_of(const struct lkst_event_class *event, struct lkst_call_format *ret_call);

/*
 * Adds a step for each argument of an entry event, with ", " between them and, @has_names, its name
 * and " = " before it. Strings are printed in place of the pointers to them. The mode of open and
 * openat is left out where no file is created: then the caller did not give one.
 */
void lkst_call_add_args(struct lkst_steps *steps, bool has_names);

/* Adds the step of one argument, by name; nothing if there is none of that name. */
void lkst_call_add_arg(struct lkst_steps *steps, const char *name, bool has_names);

/* Prints a text field in quotes. */
char *lkst_put_quoted(struct lkst_record_printer *printer, char *p, const struct lkst_record *r,
		      unsigned int index);

#endif
