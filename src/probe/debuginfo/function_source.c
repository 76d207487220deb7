/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a function is in its source. */
#include "probe/debuginfo/function_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/debuginfo/dies.h"
#include "probe/debuginfo/image.h"

/* Without the "./" that the kernel's build puts before its sources. */
static const char *function_source_bare(const char *path)
{
	return strncmp(path, "./", 2) ? path : path + 2;
}

int lkst_function_source(struct lkst_image *image, const char *symbol, char *text, size_t size)
{
	const struct lkst_image_symbol *at;
	Dwarf_Die unit, function;
	u32 nr = 0;

	if (!lkst_image_dwarf(image))
		return -ENODATA;
	lkst_image_restart(image);
	at = lkst_image_symbol_named(image, symbol, true, &nr);
	if (!at || nr != 1 || !lkst_die_unit_at(image, at->address, &unit) ||
	    !lkst_die_function_at(image, &unit, at->address, &function) ||
	    !lkst_die_source(&function) || lkst_die_line(&function) <= 0)
		return -ENOENT;
	snprintf(text, size, "%s:%d", function_source_bare(lkst_die_source(&function)), lkst_die_line(&function));
	return 0;
}
