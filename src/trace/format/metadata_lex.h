/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metadata text as a row of tokens. Private to the parser.
 */
#ifndef LKST_TRACE_FORMAT_METADATA_LEX_H
#define LKST_TRACE_FORMAT_METADATA_LEX_H

#include "abi/types.h"
#include "base/err.h"

enum {
	LKST_LEX_TEXT_MAX = 256, /* of a word or string, with its NUL */
};

enum lkst_token {
	LKST_TOKEN_END,
	LKST_TOKEN_WORD,   /* letters, digits, '_' and '.': "packet.header" is one word */
	LKST_TOKEN_NUMBER, /* decimal */
	LKST_TOKEN_STRING, /* its quotes and escapes are gone */
	LKST_TOKEN_ASSIGN, /* := */
	LKST_TOKEN_MARK,   /* any other single character */
};

struct lkst_lex {
	const char *p, *end;
	unsigned int line;

	/* The token that the parser is at. */
	enum lkst_token token;
	char mark;
	u64 number;
	char text[LKST_LEX_TEXT_MAX]; /* of a word or string */
};

/* Starts at @text, before its first token: call lkst_lex_next(). */
void lkst_lex_init(struct lkst_lex *lex, const char *text, size_t length);

/* Goes to the next token, over blanks and comments. 0 or -EBADMSG. */
int lkst_lex_next(struct lkst_err *e, struct lkst_lex *lex);

/* Sets "line N: " and the text, returns -EBADMSG. */
int lkst_lex_fail(struct lkst_err *e, const struct lkst_lex *lex, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Each takes one token, which must be as asked for, and goes to the next. */
int lkst_lex_mark(struct lkst_err *e, struct lkst_lex *lex, char mark);
int lkst_lex_assign(struct lkst_err *e, struct lkst_lex *lex);
/* @ret_word has LKST_LEX_TEXT_MAX bytes. */
int lkst_lex_word(struct lkst_err *e, struct lkst_lex *lex, char *ret_word);
int lkst_lex_string(struct lkst_err *e, struct lkst_lex *lex, char *ret_string);
int lkst_lex_number(struct lkst_err *e, struct lkst_lex *lex, u64 max, u64 *ret_number);

/* True if the parser is at @mark. */
bool lkst_lex_at(const struct lkst_lex *lex, char mark);

#endif
