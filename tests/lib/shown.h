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
extern char shown[4096];

/* Appends to it. Returns 0, so that a callback can return it. */
int put(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
