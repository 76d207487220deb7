/* SPDX-License-Identifier: GPL-2.0-only */
/* Configuration files: lines of "key = value". */
#include "cmd/frame/conf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool conf_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_key(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return *text && !text[strspn(text, letters)];
}

/* Cuts the comment and the blanks around what is left of @line. */
static char *conf_trim(char *line)
{
	char *end;

	for (end = line; *end; end++)
		if (*end == '#' && (end == line || conf_is_blank(end[-1])))
			break;
	while (end > line && conf_is_blank(end[-1]))
		end--;
	*end = 0;
	while (conf_is_blank(*line))
		line++;
	return line;
}

static int conf_parse_line(struct lkst_err *e, char *line,
			   int (*each)(struct lkst_err *e, void *ctx, char *key, char *value), void *ctx)
{
	char *value, *key = conf_trim(line);

	if (!*key)
		return 0;
	value = strchr(key, '=');
	if (!value)
		return lkst_err_set(e, -EINVAL, "\"%.64s\" is not a setting: write key = value", key);
	*value++ = 0;
	key = conf_trim(key);
	value = conf_trim(value);
	if (!is_key(key))
		return lkst_err_set(e, -EINVAL,
				    "\"%.64s\" is not a key: keys are of small letters, digits and "
				    "\"-\"",
				    key);
	return each(e, ctx, key, value);
}

int lkst_conf_parse(struct lkst_err *e, char *text, size_t length,
		    int (*each)(struct lkst_err *e, void *ctx, char *key, char *value), void *ctx)
{
	unsigned int number = 1;
	char *line = text, *end = text + length;
	int err;

	for (; line < end; number++) {
		char *next = memchr(line, '\n', end - line);

		if (!next)
			next = end;
		*next = 0;
		if (strlen(line) != (size_t)(next - line))
			err = lkst_err_set(e, -EINVAL, "it holds a NUL byte, so it is not text");
		else
			err = conf_parse_line(e, line, each, ctx);
		if (err) {
			lkst_err_add(e, "line %u", number);
			return err;
		}
		line = next + 1;
	}
	return 0;
}
