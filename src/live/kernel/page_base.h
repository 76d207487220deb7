/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernel's array of page structures begins, without which its addresses of them can't be
 * turned into page frame numbers.
 */
#ifndef LKST_LIVE_KERNEL_PAGE_BASE_H
#define LKST_LIVE_KERNEL_PAGE_BASE_H

#include "base/err.h"

/*
 * Tells the loaded kernel programs (src/bpf/page.bpf.c): @prog_fd is that of syscall__page_base,
 * @sample_fd that of the map lkst_page_sample. On failure they record page frames as unknown.
 */
int lkst_page_find_base(struct lkst_err *e, int prog_fd, int sample_fd);

#endif
