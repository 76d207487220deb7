/* SPDX-License-Identifier: GPL-2.0-only */
/* A definition as it is read. */
#include "probe/text/cursor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/text/probe.h"

int lkst_cursor_begin(struct lkst_cursor *c, struct lkst_err *e, const char *text, size_t length,
		      char **ret_copy)
{
	*c = (struct lkst_cursor){ .e = e };
	*ret_copy = NULL;
	if (length >= LKST_PROBE_TEXT)
		return lkst_err_set(e, -EINVAL, "a definition has at most %d characters",
				    LKST_PROBE_TEXT - 1);
	if (memchr(text, 0, length) || memchr(text, '\n', length))
		return lkst_err_set(e, -EINVAL, "a definition is one line of text");
	*ret_copy = strndup(text, length);
	if (!*ret_copy)
		return lkst_cursor_no_memory(c);
	c->at = c->text = *ret_copy;
	return 0;
}

int lkst_cursor_refuse(const struct lkst_cursor *c, const char *at, const char *format, ...)
{
	char text[LKST_ERR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lkst_err_set(c->e, -EINVAL, "%s", text);
	return lkst_err_mark(c->e, -EINVAL, c->text, strlen(c->text), (size_t)(at - c->text));
}

int lkst_cursor_no_memory(const struct lkst_cursor *c)
{
	return lkst_err_sys(c->e, -ENOMEM, "cannot keep a probe's definition");
}

bool lkst_cursor_skip_blanks(struct lkst_cursor *c)
{
	while (lkst_cursor_is_blank(*c->at))
		c->at++;
	return *c->at;
}

const char *lkst_cursor_word_end(const char *at)
{
	while (*at && !lkst_cursor_is_blank(*at))
		at++;
	return at;
}

bool lkst_cursor_number(struct lkst_cursor *c, u64 max, u64 *ret)
{
	const char *end = c->at;
	unsigned long long value;
	char *stop;

	if (!isdigit((unsigned char)*c->at))
		return false;
	while (isalnum((unsigned char)*end))
		end++;
	errno = 0;
	value = strtoull(c->at, &stop, 0);
	if (errno || stop != end || value > max)
		return false;
	c->at = end;
	*ret = value;
	return true;
}

bool lkst_is_name(const char *text, size_t length)
{
	size_t i;

	if (!length || isdigit((unsigned char)text[0]))
		return false;
	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}
