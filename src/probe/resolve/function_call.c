/* SPDX-License-Identifier: GPL-2.0-only */
/* What a function of the kernel was called with. */
#include "probe/resolve/function_call.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/resolve/prototype.h"

enum { DECIMAL_MAX = 99999 /* greater unsigned numbers are as a rule bits, or addresses */ };

/* One value. An upper half of a register that the type does not have is anything. */
static int function_call_put_value(const char *name, const struct lkst_ctype_info *type, u64 value, char *text,
				   size_t size)
{
	unsigned int unused = (unsigned int)(64 - 8 * type->size);

	if (type->kind == LKST_CTYPE_POINTER)
		return snprintf(text, size, "%s=0x%llx", name, (unsigned long long)value);
	if (type->is_signed)
		return snprintf(text, size, "%s=%lld", name,
				(long long)((s64)(value << unused) >> unused));
	value = value << unused >> unused;
	return snprintf(text, size, value > DECIMAL_MAX ? "%s=0x%llx" : "%s=%llu", name,
			(unsigned long long)value);
}

int lkst_function_call_text(const struct lkst_image *image, const char *symbol, const u64 *values,
			    u32 nr_values, char *text, size_t size)
{
	struct lkst_prototype p;
	size_t used = 0;
	u32 i;

	if (strchr(symbol, '.') || lkst_prototype_find(image, symbol, &p))
		return -ENOENT;
	text[0] = 0;
	for (i = 0; i < lkst_prototype_count(&p) && i < nr_values; i++) {
		const struct lkst_ctype type = lkst_prototype_type(&p, i);
		const struct lkst_ctype_info info = lkst_ctype_look(&type);
		int n;

		/* A struct takes no register, or two: those of the others are not known by counting. */
		if ((info.kind != LKST_CTYPE_POINTER && info.kind != LKST_CTYPE_INTEGER) ||
		    !info.size || info.size > 8)
			break;
		if (i && used + 1 < size)
			text[used++] = ' ';
		n = function_call_put_value(lkst_prototype_name(&p, i) ?: "?", &info, values[i], text + used,
					    size - used);
		used += n > 0 ? (size_t)n : 0;
		if (used >= size)
			break;
	}
	return 0;
}
