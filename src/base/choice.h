/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an option may be, such as formats: whoever offers a choice has a function that gives its words; the parser, the
 * error message, the usage and the help read the same ones.
 */
#ifndef LKST_BASE_CHOICE_H
#define LKST_BASE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

struct lkst_choice {
	const char *name;
	const char *help; /* what it stands for; a line break continues it */
};

/* Choice number @i, from 0 on. False: there are no more. */
typedef bool lkst_choices_fn(unsigned int i, struct lkst_choice *ret_choice);

/* The number of choice @name; -1: it is none of them. */
int lkst_choices_find(lkst_choices_fn *choices, const char *name);

enum { LKST_CHOICES_TEXT = 256 };

/* "text, csv or json"; cut where it is longer. */
void lkst_choices_list(lkst_choices_fn *choices, char text[LKST_CHOICES_TEXT]);

#endif
