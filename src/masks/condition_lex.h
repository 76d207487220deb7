/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a condition. */
#ifndef LKST_MASKS_CONDITION_LEX_H
#define LKST_MASKS_CONDITION_LEX_H

#include "base/err.h"
#include "trace/format/catalog.h"

enum { LKST_WORD_MAX = LKST_NAME_MAX };

enum lkst_word_kind {
	LKST_WORD_END,
	LKST_WORD_NAME,	  /* an event, a field, a symbol */
	LKST_WORD_NUMBER, /* begins with a digit; has its unit */
	LKST_WORD_STRING, /* without its quotes */
	LKST_WORD_SIGN,	  /* an operator, or "..", "=", "-", "and" (also written "&&") */
};

struct lkst_word {
	enum lkst_word_kind kind;
	char text[LKST_WORD_MAX];
};

/* The rest of a condition, and its next word. */
struct lkst_words {
	const char *at;
	struct lkst_word next;
};

/* The first word, and the next one: -EINVAL if no word follows. */
int lkst_words_init(struct lkst_err *e, struct lkst_words *w, const char *text);
int lkst_words_skip(struct lkst_err *e, struct lkst_words *w);

/* Moves the next word to *@ret_word; -EINVAL if it is not of @kind, which @what says in words. */
int lkst_words_take(struct lkst_err *e, struct lkst_words *w, enum lkst_word_kind kind,
		    const char *what, struct lkst_word *ret_word);

/* True if the next word is sign @text. */
bool lkst_words_is_sign(const struct lkst_words *w, const char *text);

#endif
