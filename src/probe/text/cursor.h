/* SPDX-License-Identifier: GPL-2.0-only */
/* A definition as it is read: how far, and what is wrong where. */
#ifndef LKST_PROBE_TEXT_CURSOR_H
#define LKST_PROBE_TEXT_CURSOR_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_cursor {
	struct lkst_err *e;
	const char *text; /* all of it, with a NUL; it has fewer than LKST_PROBE_TEXT bytes */
	const char *at;	  /* the next byte */
};

/*
 * Begins to read a copy of the @length bytes of @text, which the caller frees in any case. -EINVAL: they are no line
 * of a definition's length.
 */
int lkst_cursor_begin(struct lkst_cursor *c, struct lkst_err *e, const char *text, size_t length,
		      char **ret_copy);

/* Says what is wrong at byte @at of the text, and marks it. Returns -EINVAL. */
int lkst_cursor_refuse(const struct lkst_cursor *c, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says that there is no memory, and returns -ENOMEM. */
int lkst_cursor_no_memory(const struct lkst_cursor *c);

static inline bool lkst_cursor_is_blank(char c)
{
	return isspace((unsigned char)c);
}

/* Skips blanks; false: the text ends here. */
bool lkst_cursor_skip_blanks(struct lkst_cursor *c);

/* The end of the word at @at: a blank, or the end of the text. */
const char *lkst_cursor_word_end(const char *at);

/*
 * Reads a number as the kernel's kstrtoul() does with base 0: decimal, after 0x hexadecimal, after 0 octal. It ends
 * before the first byte that is neither a letter nor a digit. False: it is not a number, or above @max; nothing was
 * read.
 */
bool lkst_cursor_number(struct lkst_cursor *c, u64 max, u64 *ret);

/* True if the @length bytes of @text are a name in C: what the kernel accepts as an event or an argument. */
bool lkst_is_name(const char *text, size_t length);

/* The byte of the text that @at is. */
static inline u16 lkst_cursor_offset(const struct lkst_cursor *c, const char *at)
{
	return (u16)(at - c->text);
}

#endif
