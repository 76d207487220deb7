/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a condition, for condition.c and condition_term.c. */
#ifndef LKST_TRACE_CONDITION_LEX_H
#define LKST_TRACE_CONDITION_LEX_H

#include "trace/condition.h"

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

/* A comparison as it was written. */
struct lkst_comparison {
	char field[LKST_WORD_MAX];
	u8 op; /* enum lkst_trigger_op */
	bool has_mask;
	u64 mask;
	bool is_negative;
	struct lkst_word value;
};

/* Reads one. @field: the field if it is not written; NULL: it is. */
int lkst_comparison_parse(struct lkst_err *e, struct lkst_words *w, const char *field,
			  struct lkst_comparison *ret_comparison);

/*
 * Makes @x the term @ret_term for records of @event; @has_latency: the event ends an interval. -ENOENT: its
 * records have no such field, and the text names those that are near.
 */
int lkst_comparison_compile(struct lkst_err *e, const struct lkst_comparison *x,
			    const struct lkst_event_class *event, bool has_latency,
			    struct lkst_trigger_term *ret_term);

/* The integer field called @name, which distinguishes intervals. */
int lkst_condition_key(struct lkst_err *e, const struct lkst_event_class *event, const char *name,
		       struct lkst_trigger_key *ret_key);

/* True if the event ends an interval that lkst_condition_parse() knows by itself. */
bool lkst_condition_is_end(const struct lkst_event_class *event);

#endif
