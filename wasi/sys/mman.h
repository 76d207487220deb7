/* SPDX-License-Identifier: GPL-2.0-only */
/* <sys/mman.h> for the page, whose memory is one piece: advice to the kernel is for nobody there. */
#ifndef LKST_WASI_SYS_MMAN_H
#define LKST_WASI_SYS_MMAN_H

#include <stddef.h>

enum { MADV_HUGEPAGE = 14 };

static inline int madvise(void *at, size_t bytes, int advice)
{
	return 0;
}

#endif
