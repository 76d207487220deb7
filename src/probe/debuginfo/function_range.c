/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a function of a program lies. */
#include "probe/debuginfo/function_range.h"

#include <errno.h>

#include "probe/debuginfo/image.h"

int lkst_image_function_range(struct lkst_err *e, const struct lkst_image *image, const char *name,
			      struct lkst_function_range *ret)
{
	u32 nr;
	const struct lkst_image_symbol *symbol = lkst_image_symbol_named(image, name, true, &nr);

	if (!symbol)
		return lkst_err_set(e, -ENOENT, "%s has no function %s", lkst_image_name(image),
				    name);
	if (nr > 1)
		return lkst_err_set(e, -EADDRNOTAVAIL, "%s has %u functions called %s",
				    lkst_image_name(image), nr, name);
	ret->address = symbol->address;
	ret->size = symbol->size;
	if (lkst_image_file_offset(image, symbol->address, &ret->offset))
		return lkst_err_set(e, -ENOENT, "%s is not in the file %s", name,
				    lkst_image_name(image));
	return 0;
}
