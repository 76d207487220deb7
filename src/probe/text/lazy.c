/* SPDX-License-Identifier: GPL-2.0-only */
/* Lazy matching of source lines. */
#include "probe/text/lazy.h"

#include <ctype.h>
#include <stddef.h>

static const char *lazy_skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* After "[": what follows the class if it has @c, or else, NULL. The first byte of a class may be "]". */
static const char *match_class(const char *pattern, char c)
{
	bool is_not = *pattern == '!', has = false;
	const char *first = pattern + is_not, *at;

	for (at = first; *at && (*at != ']' || at == first); at++) {
		if (at[1] == '-' && at[2] && at[2] != ']') {
			has |= (unsigned char)at[0] <= (unsigned char)c &&
			       (unsigned char)c <= (unsigned char)at[2];
			at += 2;
		} else {
			has |= *at == c;
		}
	}
	return *at && has != is_not ? at + 1 : NULL;
}

/* What follows the first element of @pattern, which is not "*", if it matches @c, or else NULL. */
static const char *match_one(const char *pattern, char c)
{
	switch (*pattern) {
	case 0:
		return NULL;
	case '?':
		return pattern + 1;
	case '[':
		return match_class(pattern + 1, c);
	case '\\':
		pattern += pattern[1] != 0;
		break;
	}
	return *pattern == c ? pattern + 1 : NULL;
}

bool lkst_lazy_matches(const char *line, const char *pattern)
{
	const char *after_star = NULL, *covered = NULL, *next;

	for (;;) {
		line = lazy_skip_blanks(line);
		pattern = lazy_skip_blanks(pattern);
		if (*pattern == '*') {
			after_star = ++pattern;
			covered = line;
			continue;
		}
		if (!*line)
			return !*pattern;
		next = match_one(pattern, *line);
		if (next) {
			line++;
			pattern = next;
			continue;
		}
		/* The last "*" has to cover one byte more; those before it need not change. */
		if (!after_star)
			return false;
		line = ++covered;
		pattern = after_star;
	}
}
