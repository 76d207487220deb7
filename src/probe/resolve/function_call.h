/* SPDX-License-Identifier: GPL-2.0-only */
/* What a function of the kernel was called with, as text. */
#ifndef LKST_PROBE_RESOLVE_FUNCTION_CALL_H
#define LKST_PROBE_RESOLVE_FUNCTION_CALL_H

#include <stddef.h>

#include "abi/types.h"
#include "probe/debuginfo/image_open.h"

/*
 * Writes the arguments of the function of symbol @symbol, by the names and types of BTF, "dfd=-100
 * name=0xffff888003a1": @values are the @nr_values registers of arguments when it was called. Those that are
 * elsewhere, and what comes after, are left out. -ENOENT: BTF has no such function, or the symbol is that of a copy
 * whose parameters the compiler may have changed (.part.0, .isra.0, .constprop.0).
 */
int lkst_function_call_text(const struct lkst_image *image, const char *symbol, const u64 *values,
			    u32 nr_values, char *text, size_t size);

#endif
