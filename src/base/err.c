/* SPDX-License-Identifier: GPL-2.0-only */
/* Error sentences built by layers. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int lkst_err_set(struct lkst_err *e, int err, const char *format, ...)
{
	va_list args;

	if (!e)
		return err;
	e->line[0] = 0;
	e->mark = 0;
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	return err;
}

int lkst_err_sys(struct lkst_err *e, int err, const char *format, ...)
{
	va_list args;
	size_t length;

	if (!e)
		return err;
	e->line[0] = 0;
	e->mark = 0;
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	length = strlen(e->text);
	snprintf(e->text + length, sizeof(e->text) - length, ": %s", strerror(-err));
	return err;
}

int lkst_err_mark(struct lkst_err *e, int err, const char *line, size_t length, size_t at)
{
	size_t begin = 0, room = sizeof(e->line) - 1;

	if (!e)
		return err;
	if (at > length)
		at = length;
	if (length > room && at > room / 2)
		begin = at - room / 2;
	if (length - begin < room)
		room = length - begin;
	memcpy(e->line, line + begin, room);
	e->line[room] = 0;
	e->mark = at - begin;
	return err;
}

void lkst_err_add(struct lkst_err *e, const char *format, ...)
{
	char old[LKST_ERR_MAX];
	va_list args;
	size_t length;

	if (!e)
		return;
	memcpy(old, e->text, sizeof(old));
	va_start(args, format);
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	length = strlen(e->text);
	snprintf(e->text + length, sizeof(e->text) - length, ": %s", old);
}
