/* SPDX-License-Identifier: GPL-2.0-only */
/* <stdlib.h> for the page, with what wasi-libc's lacks. */
#ifndef LKST_WASI_STDLIB_H
#define LKST_WASI_STDLIB_H

#include_next <stdlib.h>

void qsort_r(void *base, size_t nr, size_t size, int (*compare)(const void *, const void *, void *),
	     void *arg);

#endif
