/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in memory of its own. */
#ifndef LKST_BASE_ESCAPE_H
#define LKST_BASE_ESCAPE_H

#include <stdarg.h>
#include <stddef.h>

/*
 * What vprintf would print; the caller frees it. *@ret_length: without the NUL. NULL: no memory, or
 * nothing that can be printed so.
 */
char *lkst_text_vformat(const char *format, va_list args, size_t *ret_length)
	__attribute__((format(printf, 1, 0)));

#endif
