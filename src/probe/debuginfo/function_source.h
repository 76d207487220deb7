/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a function is in its source. */
#ifndef LKST_PROBE_DEBUGINFO_FUNCTION_SOURCE_H
#define LKST_PROBE_DEBUGINFO_FUNCTION_SOURCE_H

#include <stddef.h>

#include "probe/debuginfo/image_open.h"

/*
 * Writes where the function of symbol @symbol begins in its source, as "fs/namei.c:2263"; of a copy that the compiler
 * has made (.part.0, .isra.0) it is that of the function. -ENODATA: there is no debug information. -ENOENT: there is
 * no such symbol, or several, or nothing is known of its source.
 */
int lkst_function_source(struct lkst_image *image, const char *symbol, char *text, size_t size);

#endif
