/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a condition. */
#include "masks/condition_lex.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Longer ones first. */
static const char *const signs[] = { "==", "!=", "<=", ">=", "&&", "..", "<", ">", "&", "=", "-" };

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_:*?[]/", c));
}

static int condition_lex_put(struct lkst_err *e, struct lkst_words *w, enum lkst_word_kind kind, const char *text,
			     size_t length)
{
	if (length >= sizeof(w->next.text))
		return lkst_err_set(e, -EINVAL, "\"%.32s...\" is too long", text);
	w->next.kind = kind;
	memcpy(w->next.text, text, length);
	w->next.text[length] = 0;
	return 0;
}

static int skip_string(struct lkst_err *e, struct lkst_words *w)
{
	const char *text = w->at + 1, *end = strchr(text, *w->at);

	if (!end)
		return lkst_err_set(e, -EINVAL, "a quote lacks its end: %.64s", w->at);
	w->at = end + 1;
	return condition_lex_put(e, w, LKST_WORD_STRING, text, (size_t)(end - text));
}

static int condition_lex_skip_number(struct lkst_err *e, struct lkst_words *w)
{
	const char *text = w->at;

	while (isalnum((unsigned char)*w->at) || (*w->at == '.' && w->at[1] != '.'))
		w->at++;
	return condition_lex_put(e, w, LKST_WORD_NUMBER, text, (size_t)(w->at - text));
}

static int skip_name(struct lkst_err *e, struct lkst_words *w)
{
	const char *text = w->at;
	size_t length;

	while (is_name_char(*w->at))
		w->at++;
	length = (size_t)(w->at - text);
	if (length == 3 && !strncmp(text, "and", 3))
		return condition_lex_put(e, w, LKST_WORD_SIGN, "and", 3);
	return condition_lex_put(e, w, LKST_WORD_NAME, text, length);
}

int lkst_words_skip(struct lkst_err *e, struct lkst_words *w)
{
	size_t i;

	while (isspace((unsigned char)*w->at))
		w->at++;
	if (!*w->at)
		return condition_lex_put(e, w, LKST_WORD_END, "", 0);
	if (*w->at == '"' || *w->at == '\'')
		return skip_string(e, w);
	if (isdigit((unsigned char)*w->at))
		return condition_lex_skip_number(e, w);
	if (is_name_char(*w->at))
		return skip_name(e, w);
	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t length = strlen(signs[i]);

		if (strncmp(w->at, signs[i], length))
			continue;
		w->at += length;
		return !strcmp(signs[i], "&&") ? condition_lex_put(e, w, LKST_WORD_SIGN, "and", 3)
					       : condition_lex_put(e, w, LKST_WORD_SIGN, signs[i], length);
	}
	return lkst_err_set(e, -EINVAL, "\"%.32s\" cannot be part of a condition", w->at);
}

int lkst_words_init(struct lkst_err *e, struct lkst_words *w, const char *text)
{
	w->at = text;
	return lkst_words_skip(e, w);
}

bool lkst_words_is_sign(const struct lkst_words *w, const char *text)
{
	return w->next.kind == LKST_WORD_SIGN && !strcmp(w->next.text, text);
}

int lkst_words_take(struct lkst_err *e, struct lkst_words *w, enum lkst_word_kind kind,
		    const char *what, struct lkst_word *ret_word)
{
	if (w->next.kind == LKST_WORD_END)
		return lkst_err_set(e, -EINVAL, "%s is missing at the end", what);
	if (w->next.kind != kind)
		return lkst_err_set(e, -EINVAL, "expected %s, not \"%s\"", what,
				    w->next.text);
	*ret_word = w->next;
	return lkst_words_skip(e, w);
}
