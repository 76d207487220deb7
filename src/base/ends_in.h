/* SPDX-License-Identifier: GPL-2.0-only */
/* What a text ends in. */
#ifndef LKST_BASE_ENDS_IN_H
#define LKST_BASE_ENDS_IN_H

#include <stdbool.h>
#include <string.h>

/* True if @text ends in @end, or is no more than that. */
static inline bool lkst_text_ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), want = strlen(end);

	return length >= want && !strcmp(text + length - want, end);
}

#endif
