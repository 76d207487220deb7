/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes as text. */
#include "base/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *lkst_base64_put(char *to, const void *bytes, size_t length)
{
	const uint8_t *p = bytes;
	uint32_t three;

	for (; length >= 3; length -= 3, p += 3) {
		three = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = digits[three >> 6 & 63];
		*to++ = digits[three & 63];
	}
	if (!length)
		return to;
	three = (uint32_t)p[0] << 16 | (length > 1 ? (uint32_t)p[1] << 8 : 0);
	*to++ = digits[three >> 18];
	*to++ = digits[three >> 12 & 63];
	*to++ = length > 1 ? digits[three >> 6 & 63] : '=';
	*to++ = '=';
	return to;
}
