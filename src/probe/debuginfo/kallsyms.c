/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of /proc/kallsyms. */
#include "probe/debuginfo/kallsyms.h"

#include <stdlib.h>
#include <string.h>

bool lkst_kallsyms_next(const char **text, struct lkst_kallsyms_symbol *ret_symbol)
{
	const char *at = *text, *end = strchrnul(at, '\n'), *module;
	struct lkst_kallsyms_symbol s = { 0 };
	char *after;

	if (!*at)
		return false;
	*text = *end ? end + 1 : end;
	*ret_symbol = s;
	s.address = strtoull(at, &after, 16);
	if (after == at || end - after < 4 || after[0] != ' ' || after[2] != ' ')
		return true;
	s.type = after[1];
	s.name = s.module = after + 3;
	module = memchr(s.name, '\t', (size_t)(end - s.name));
	s.name_length = (size_t)((module ?: end) - s.name);
	if (module && module[1] == '[') {
		s.module = module + 2;
		s.module_length = strcspn(s.module, "]\n");
	}
	*ret_symbol = s;
	return true;
}

bool lkst_kallsyms_is_text(const struct lkst_kallsyms_symbol *symbol)
{
	return symbol->type && strchr("tTwW", symbol->type) && symbol->address;
}

static bool kallsyms_is(const char *text, size_t length, const char *other)
{
	return length == strlen(other) && !memcmp(text, other, length);
}

bool lkst_kallsyms_is(const struct lkst_kallsyms_symbol *symbol, const char *name)
{
	return symbol->type && kallsyms_is(symbol->name, symbol->name_length, name);
}

bool lkst_kallsyms_is_of(const struct lkst_kallsyms_symbol *symbol, const char *module)
{
	return symbol->type && kallsyms_is(symbol->module, symbol->module_length, module);
}
