/* SPDX-License-Identifier: GPL-2.0-only */
/* Which fields of a tracepoint hold addresses of code, by its print format. */
#include "live/kernel/print_format.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64 };

/* The end of the conversion after the '%' at @p; *@arg is the number of the next argument. */
static const char *read_conversion(const char *p, unsigned int *arg, uint64_t *symbols)
{
	for (p++; *p && strchr("-+ #0123456789.*hlLzjtq", *p); p++)
		*arg += *p == '*';
	if (*p == '%' || !*p)
		return *p ? p + 1 : p;
	if (*p == 'p' && p[1] && strchr("sSfFB", p[1]) && *arg < ARGUMENTS_MAX)
		*symbols |= 1ULL << *arg;
	++*arg;
	return p + 1;
}

/* Reads the strings that @p begins with, one after the other; returns what follows, NULL: it makes no sense. */
static const char *read_format(const char *p, uint64_t *symbols)
{
	unsigned int arg = 0;

	for (p += strspn(p, " "); *p == '"'; p += strspn(p, " ")) {
		for (p++; *p && *p != '"';) {
			if (*p == '%')
				p = read_conversion(p, &arg, symbols);
			else
				p += *p == '\\' && p[1] ? 2 : 1;
		}
		if (!*p++)
			return NULL;
	}
	return p;
}

/* The end of the argument at @p: a comma outside of brackets and strings, or the end of all. */
static const char *argument_end(const char *p)
{
	unsigned int depth = 0;

	for (; *p && (*p != ',' || depth); p++) {
		if (*p == '"')
			for (p++; *p && *p != '"'; p++)
				p += *p == '\\' && p[1];
		if (!*p)
			break;
		depth += *p == '(' || *p == '{' || *p == '[';
		depth -= depth && (*p == ')' || *p == '}' || *p == ']');
	}
	return p;
}

/* Reports the field of the argument from @p to @end, if it has one and no other. */
static void report(const char *p, const char *end,
		   void (*each)(void *ctx, const char *name, size_t length), void *ctx)
{
	static const char rec[] = "REC->";
	const size_t length = sizeof(rec) - 1;
	const char *found = NULL, *name_end;

	for (; (size_t)(end - p) > length; p++) {
		if (memcmp(p, rec, length))
			continue;
		if (found)
			return;
		found = p + length;
	}
	for (name_end = found;
	     name_end && name_end < end && (isalnum((unsigned char)*name_end) || *name_end == '_');)
		name_end++;
	if (name_end > found)
		each(ctx, found, (size_t)(name_end - found));
}

void lkst_print_format_symbols(const char *text,
			       void (*each)(void *ctx, const char *name, size_t length), void *ctx)
{
	uint64_t symbols = 0;
	const char *p = read_format(text, &symbols), *end;
	unsigned int arg;

	for (arg = 0; p && *p == ',' && arg < ARGUMENTS_MAX; arg++, p = end) {
		end = argument_end(++p);
		if (symbols >> arg & 1)
			report(p, end, each, ctx);
	}
}
