/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What became of a page fault: bits of page_fault_exit's `result`. */
#ifndef LKST_ABI_FAULT_H
#define LKST_ABI_FAULT_H

/* enum vm_fault_reason, include/linux/mm_types.h. */
enum {
	LKST_FAULT_MAJOR = 0x4, /* it had to wait for a disk */
	/*
	 * It is not over: the kernel handles it once more, with the lock of the address space (since Linux 6.4 it
	 * first tries with that of the mapping alone), or after a page has been read.
	 */
	LKST_FAULT_RETRY = 0x400,
};

#endif
