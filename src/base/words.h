/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A choice between words, such as formats: who offers one has a function that gives its words, and the parser, the
 * error message and the help read the same ones.
 */
#ifndef LKST_BASE_WORDS_H
#define LKST_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct lkst_word {
	const char *name;
	const char *help; /* what it stands for; a line break continues it */
};

/* Word number @i of a choice, from 0 on. False: there are no more. */
typedef bool lkst_words_fn(unsigned int i, struct lkst_word *ret_word);

/* The number of word @name; -1: it is none of them. */
int lkst_words_find(lkst_words_fn *words, const char *name);

enum { LKST_WORDS_TEXT = 256 };

/* "text, csv or json"; cut where it is longer. */
void lkst_words_list(lkst_words_fn *words, char text[LKST_WORDS_TEXT]);

#endif
