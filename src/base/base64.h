/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes as text (RFC 4648, section 4). */
#ifndef LKST_BASE_BASE64_H
#define LKST_BASE_BASE64_H

#include <stddef.h>

/* How many characters lkst_base64_put() makes of @length bytes. */
static inline size_t lkst_base64_length(size_t length)
{
	return (length + 2) / 3 * 4;
}

/*
 * Writes @length bytes at @to as base64 and returns the end; no NUL. Of a stream in portions, all but the last must
 * have a length that is a multiple of 3.
 */
char *lkst_base64_put(char *to, const void *bytes, size_t length);

#endif
