/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes as text of a page. */
#include "cmd/view/byte_text.h"

enum { MARK = '=', SHIFT = 64 };

/*
 * NUL and CR are changed by the parser of HTML (13.2.3.5 and 13.2.5.4 of its standard), '<' may begin the end of the
 * element, and LF becomes CR LF where files are copied as text.
 */
static const unsigned char is_marked[256] = {
	[0] = 1, ['\n'] = 1, ['\r'] = 1, ['<'] = 1, [MARK] = 1
};

char *lkst_byte_text_put(char *to, const void *bytes, size_t length)
{
	const unsigned char *at = bytes, *end = at + length;

	for (; at < end; at++) {
		if (is_marked[*at]) {
			*to++ = MARK;
			*to++ = (char)(*at + SHIFT);
		} else {
			*to++ = (char)*at;
		}
	}
	return to;
}
