/* SPDX-License-Identifier: GPL-2.0-only */
/* Lazy matching of source lines, as perf's strlazymatch() does it. */
#ifndef LKST_PROBE_TEXT_LAZY_H
#define LKST_PROBE_TEXT_LAZY_H

#include <stdbool.h>

/*
 * True if @pattern matches all of @line: "*" is any text, "?" any byte, [a-z] one of these, [!a-z] none of these; a
 * backslash makes the next byte stand for itself. Blanks are ignored in both. Takes at most the time of their lengths'
 * product.
 */
bool lkst_lazy_matches(const char *line, const char *pattern);

#endif
