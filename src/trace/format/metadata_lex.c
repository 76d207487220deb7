/* SPDX-License-Identifier: GPL-2.0-only */
/* Metadata text as a row of tokens. */
#include "trace/format/metadata_lex.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lkst_lex_init(struct lkst_lex *lex, const char *text, size_t length)
{
	memset(lex, 0, sizeof(*lex));
	lex->p = text;
	lex->end = text + length;
	lex->line = 1;
}

int lkst_lex_fail(struct lkst_err *e, const struct lkst_lex *lex, const char *format, ...)
{
	char text[LKST_ERR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lkst_err_set(e, -EBADMSG, "line %u: %s", lex->line, text);
}

static bool metadata_lex_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool metadata_lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Steps over one comment, if one starts here. */
static int skip_comment(struct lkst_err *e, struct lkst_lex *lex, bool *ret_skipped)
{
	*ret_skipped = false;
	if (lex->end - lex->p < 2 || lex->p[0] != '/' || (lex->p[1] != '*' && lex->p[1] != '/'))
		return 0;
	*ret_skipped = true;
	if (lex->p[1] == '/') {
		while (lex->p < lex->end && *lex->p != '\n')
			lex->p++;
		return 0;
	}
	for (lex->p += 2; lex->end - lex->p >= 2; lex->p++) {
		if (lex->p[0] == '\n')
			lex->line++;
		if (lex->p[0] == '*' && lex->p[1] == '/') {
			lex->p += 2;
			return 0;
		}
	}
	return lkst_lex_fail(e, lex, "a comment has no end");
}

static int metadata_lex_skip_blanks(struct lkst_err *e, struct lkst_lex *lex)
{
	bool skipped = true;

	while (skipped) {
		int err;

		while (lex->p < lex->end && metadata_lex_is_blank(*lex->p))
			lex->line += *lex->p++ == '\n';
		err = skip_comment(e, lex, &skipped);
		if (err)
			return err;
	}
	return 0;
}

static int metadata_lex_take_word(struct lkst_err *e, struct lkst_lex *lex)
{
	size_t n = 0;

	while (lex->p < lex->end && (is_letter(*lex->p) || metadata_lex_is_digit(*lex->p) || *lex->p == '.')) {
		if (n == sizeof(lex->text) - 1)
			return lkst_lex_fail(e, lex, "a word is longer than %zu characters", n);
		lex->text[n++] = *lex->p++;
	}
	lex->text[n] = 0;
	lex->token = LKST_TOKEN_WORD;
	return 0;
}

static int metadata_lex_take_number(struct lkst_err *e, struct lkst_lex *lex)
{
	u64 v = 0;

	while (lex->p < lex->end && metadata_lex_is_digit(*lex->p))
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (u64)(*lex->p++ - '0'), &v))
			return lkst_lex_fail(e, lex, "a number is larger than 64 bits");
	if (lex->p < lex->end && is_letter(*lex->p))
		return lkst_lex_fail(e, lex, "a number is not decimal");
	lex->number = v;
	lex->token = LKST_TOKEN_NUMBER;
	return 0;
}

/* One character of a string, escapes resolved: \" \\ and up to three octal digits. */
static int take_character(struct lkst_err *e, struct lkst_lex *lex, char *ret_character)
{
	unsigned int v = 0, digits = 0;

	if (*lex->p == '\n')
		return lkst_lex_fail(e, lex, "a string has no end");
	if (*lex->p != '\\') {
		*ret_character = *lex->p++;
		return 0;
	}
	lex->p++;
	if (lex->p < lex->end && (*lex->p == '"' || *lex->p == '\\')) {
		*ret_character = *lex->p++;
		return 0;
	}
	while (lex->p < lex->end && *lex->p >= '0' && *lex->p <= '7' && digits++ < 3)
		v = v * 8 + (unsigned int)(*lex->p++ - '0');
	if (!v || v > 255)
		return lkst_lex_fail(e, lex, "a string has an escape that is not known here");
	*ret_character = (char)v;
	return 0;
}

static int take_string(struct lkst_err *e, struct lkst_lex *lex)
{
	size_t n = 0;

	for (lex->p++; lex->p < lex->end && *lex->p != '"';) {
		int err;

		if (n == sizeof(lex->text) - 1)
			return lkst_lex_fail(e, lex, "a string is longer than %zu characters", n);
		err = take_character(e, lex, &lex->text[n++]);
		if (err)
			return err;
	}
	if (lex->p == lex->end)
		return lkst_lex_fail(e, lex, "a string has no end");
	lex->p++;
	lex->text[n] = 0;
	if (strlen(lex->text) != n)
		return lkst_lex_fail(e, lex, "a string holds a NUL");
	lex->token = LKST_TOKEN_STRING;
	return 0;
}

int lkst_lex_next(struct lkst_err *e, struct lkst_lex *lex)
{
	int err = metadata_lex_skip_blanks(e, lex);

	if (err)
		return err;
	if (lex->p == lex->end) {
		lex->token = LKST_TOKEN_END;
		return 0;
	}
	if (is_letter(*lex->p))
		return metadata_lex_take_word(e, lex);
	if (metadata_lex_is_digit(*lex->p))
		return metadata_lex_take_number(e, lex);
	if (*lex->p == '"')
		return take_string(e, lex);
	if (lex->end - lex->p >= 2 && lex->p[0] == ':' && lex->p[1] == '=') {
		lex->p += 2;
		lex->token = LKST_TOKEN_ASSIGN;
		return 0;
	}
	lex->mark = *lex->p++;
	lex->token = LKST_TOKEN_MARK;
	return 0;
}

bool lkst_lex_at(const struct lkst_lex *lex, char mark)
{
	return lex->token == LKST_TOKEN_MARK && lex->mark == mark;
}

int lkst_lex_mark(struct lkst_err *e, struct lkst_lex *lex, char mark)
{
	if (!lkst_lex_at(lex, mark))
		return lkst_lex_fail(e, lex, "'%c' was expected here", mark);
	return lkst_lex_next(e, lex);
}

int lkst_lex_assign(struct lkst_err *e, struct lkst_lex *lex)
{
	if (lex->token != LKST_TOKEN_ASSIGN)
		return lkst_lex_fail(e, lex, "':=' was expected here");
	return lkst_lex_next(e, lex);
}

int lkst_lex_word(struct lkst_err *e, struct lkst_lex *lex, char *ret_word)
{
	if (lex->token != LKST_TOKEN_WORD)
		return lkst_lex_fail(e, lex, "a word was expected here");
	memcpy(ret_word, lex->text, LKST_LEX_TEXT_MAX);
	return lkst_lex_next(e, lex);
}

int lkst_lex_string(struct lkst_err *e, struct lkst_lex *lex, char *ret_string)
{
	if (lex->token != LKST_TOKEN_STRING)
		return lkst_lex_fail(e, lex, "a string was expected here");
	memcpy(ret_string, lex->text, LKST_LEX_TEXT_MAX);
	return lkst_lex_next(e, lex);
}

int lkst_lex_number(struct lkst_err *e, struct lkst_lex *lex, u64 max, u64 *ret_number)
{
	if (lex->token != LKST_TOKEN_NUMBER)
		return lkst_lex_fail(e, lex, "a number was expected here");
	if (lex->number > max)
		return lkst_lex_fail(e, lex, "%llu is more than %llu",
				     (unsigned long long)lex->number, (unsigned long long)max);
	*ret_number = lex->number;
	return lkst_lex_next(e, lex);
}
