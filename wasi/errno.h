/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * <errno.h> for the page: errors have Linux' numbers, as they have in traces and at the terminal. wasi-libc has others,
 * which its functions leave in errno; the library reads that only after calls that the page does not make.
 */
#ifndef LKST_WASI_ERRNO_H
#define LKST_WASI_ERRNO_H

#include <asm-generic/errno.h>

#define ENOTSUP EOPNOTSUPP

extern _Thread_local int errno;

#endif
