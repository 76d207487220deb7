// SPDX-License-Identifier: GPL-2.0-only
/* How the name of a place of code is shown. */
#include "program/space/code_name.h"

#include <string.h>

#include "base/out.h"

enum { NAME_SHOWN_MAX = 160 }; /* bytes of a name or path that are shown */
_Static_assert(4 * 2 * NAME_SHOWN_MAX + sizeof("+0x0123456789abcdef[]") < LKST_CODE_TEXT,
	       "it fits");

char *lkst_code_name_put(char *p, const struct lkst_binary *b, u64 offset,
			 const struct lkst_code_name *name)
{
	const char *file = lkst_binary_name(b);
	char *start = p;

	if (name && name->function) {
		p = lkst_put_escaped(p, name->function, strnlen(name->function, NAME_SHOWN_MAX),
				     "\"");
		if (name->offset) {
			*p++ = '+';
			p = lkst_put_hex(p, name->offset);
		}
	} else {
		p = lkst_put_hex(p, offset);
	}
	*p++ = '[';
	p = lkst_put_escaped(p, file, strnlen(file, NAME_SHOWN_MAX), "\"");
	*p++ = ']';
	while ((start = memchr(start, ' ', (size_t)(p - start))))
		*start = '_';
	return p;
}
