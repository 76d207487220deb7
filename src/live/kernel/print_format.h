/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's description of a tracepoint says of its fields by the way in which it prints them. */
#ifndef LKST_LIVE_KERNEL_PRINT_FORMAT_H
#define LKST_LIVE_KERNEL_PRINT_FORMAT_H

#include <stddef.h>

/*
 * Calls @each with the name of every field that @text, what follows "print fmt:" in a `format` file, prints as a symbol
 * (%pS, %ps, %pB, and %pF and %pf of older kernels: Documentation/core-api/printk-formats.rst). An argument that is
 * more than a field, as (void *)REC->ip is, counts if it has one field alone. What makes no sense names none.
 */
void lkst_print_format_symbols(const char *text,
			       void (*each)(void *ctx, const char *name, size_t length), void *ctx);

#endif
