/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the tests of what is reported in which order: each callback appends its text, and a test
 * compares the whole.
 */
#ifndef LKST_TESTS_SHOWN_H
#define LKST_TESTS_SHOWN_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What put() was given since a test cleared the first byte; what does not fit is cut off. */
static char shown[4096];

/* Returns 0, so that a callback can return it. */
__attribute__((format(printf, 1, 2))) static inline int put(const char *format, ...)
{
	size_t used = strlen(shown);
	va_list args;

	va_start(args, format);
	vsnprintf(shown + used, sizeof(shown) - used, format, args);
	va_end(args);
	return 0;
}

#endif
