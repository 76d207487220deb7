/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes as text of a page in the charset windows-1252, in which each byte is a character. Those that a browser would
 * change in the text of a script element, and those that a change of line ends would, are two characters: '=', and the
 * byte plus 64. So text grows by a fiftieth (doc/decisions/11-pages-in-one-byte-characters.md).
 */
#ifndef LKST_CMD_VIEW_BYTE_TEXT_H
#define LKST_CMD_VIEW_BYTE_TEXT_H

#include <stddef.h>

/* How many characters lkst_byte_text_put() makes of @length bytes at most. */
static inline size_t lkst_byte_text_max(size_t length)
{
	return 2 * length;
}

/*
 * Writes @length bytes at @to as text and returns the end; no NUL. Text of portions, one after the other, is the text
 * of the whole.
 */
char *lkst_byte_text_put(char *to, const void *bytes, size_t length);

#endif
