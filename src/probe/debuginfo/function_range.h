/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a function of a program lies, by its symbol alone. */
#ifndef LKST_PROBE_DEBUGINFO_FUNCTION_RANGE_H
#define LKST_PROBE_DEBUGINFO_FUNCTION_RANGE_H

#include "abi/types.h"
#include "base/err.h"

struct lkst_image;

struct lkst_function_range {
	u64 address; /* as the ELF file has it */
	u64 size;    /* 0: the symbol does not say */
	u64 offset;  /* of its first byte in the file */
};

/*
 * Finds function @name. -ENOENT: the image has none, or it is not in the file; -EADDRNOTAVAIL: several functions have
 * that name.
 */
int lkst_image_function_range(struct lkst_err *e, const struct lkst_image *image, const char *name,
			      struct lkst_function_range *ret);

#endif
