/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in memory of its own. */
#include "base/escape.h"

#include <stdio.h>

char *lkst_text_vformat(const char *format, va_list args, size_t *ret_length)
{
	char *text;
	int length = vasprintf(&text, format, args);

	if (length < 0)
		return NULL;
	*ret_length = (size_t)length;
	return text;
}
