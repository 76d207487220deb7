// SPDX-License-Identifier: GPL-2.0-only
/* How the name of a place of code is shown. */
#include "usercode/space/code_name.h"

#include <string.h>

#include "base/out.h"

#define KERNEL_BEGIN (1ULL << 63) /* on x86-64 and arm64, the kernel has the upper half */

enum { NAME_SHOWN_MAX = 160 }; /* bytes of a name or path that are shown */
_Static_assert(4 * 2 * NAME_SHOWN_MAX + sizeof("+0x0123456789abcdef[]") < LKST_CODE_TEXT,
	       "it fits");

/* Escaped, without blanks. */
static char *code_name_put_name(char *p, const char *name)
{
	char *start = p;

	p = lkst_put_escaped(p, name, strnlen(name, NAME_SHOWN_MAX), "\"");
	while ((start = memchr(start, ' ', (size_t)(p - start))))
		*start = '_';
	return p;
}

char *lkst_code_function_put(char *p, const char *function)
{
	return code_name_put_name(p, function);
}

char *lkst_code_file_put(char *p, const struct lkst_binary *b)
{
	return code_name_put_name(p, lkst_binary_name(b));
}

char *lkst_code_name_put(char *p, const struct lkst_binary *b, u64 offset,
			 const struct lkst_code_name *name)
{
	/* Some have their own brackets: "[vdso]". */
	const bool has_brackets = lkst_binary_name(b)[0] == '[';

	if (name && name->function) {
		p = lkst_code_function_put(p, name->function);
		if (name->offset) {
			*p++ = '+';
			p = lkst_put_hex(p, name->offset);
		}
	} else {
		p = lkst_put_hex(p, offset);
	}
	if (!has_brackets)
		*p++ = '[';
	p = lkst_code_file_put(p, b);
	if (!has_brackets)
		*p++ = ']';
	return p;
}

char *lkst_code_put(const struct lkst_code_view *c, char *p, s32 pid, u64 ns, u64 address,
		    bool is_return)
{
	const u64 back = is_return && address;
	struct lkst_code_name name = {};
	const struct lkst_binary *b = NULL;
	struct lkst_code_place place;

	if (c && c->mappings && address < KERNEL_BEGIN &&
	    lkst_mappings_find(c->mappings, pid, ns, address - back, &place))
		b = lkst_mappings_binary(c->mappings, place.binary);
	if (!b)
		return p;
	if (c->namer.find && c->namer.find(c->namer.ctx, b, place.offset, &name))
		name.function = NULL;
	name.offset += back;
	return lkst_code_name_put(p, b, place.offset + back, &name);
}
