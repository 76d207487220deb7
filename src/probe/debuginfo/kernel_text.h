/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of a function of the running kernel, as they are in memory, where no file has them. */
#ifndef LKST_PROBE_DEBUGINFO_KERNEL_TEXT_H
#define LKST_PROBE_DEBUGINFO_KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"

/* Where a function is, by /proc/kallsyms. */
struct lkst_kernel_extent {
	u64 address, size; /* the size: up to the next symbol */
	u64 text_begin,
		text_end; /* of the kernel itself, from _stext to _etext; 0, 0: it does not say */
};

/*
 * Finds function @name in the text of /proc/kallsyms, @kallsyms; @module: whose it is, NULL: any's. -ENOENT: there is
 * none, or its address is hidden; -ENOTUNIQ: several have that name.
 */
int lkst_kernel_extent_find(struct lkst_err *e, const char *kallsyms, const char *name,
			    const char *module, struct lkst_kernel_extent *ret_extent);

/* Reads @size bytes at @address from @kcore, a file like /proc/kcore: an ELF core of x86-64 or arm64. */
int lkst_kernel_core_read(struct lkst_err *e, int kcore, u64 address, size_t size, u8 *bytes);

/*
 * Whether there may be something else in @bytes of the function than the compiler has made: the breakpoint of a probe,
 * or the jump to one, which leads out of the kernel. Then it is not known where instructions begin.
 */
bool lkst_kernel_text_is_changed(const struct lkst_kernel_extent *extent, const u8 *bytes,
				 size_t size);

/*
 * Reads as much of function @name of the running kernel as is needed to say whether an instruction begins at @offset;
 * *@ret_size, its size, may be less than @offset, and then there are no bytes. The caller frees them. -EBUSY: there are
 * probes in it. Other errors: it can't be read.
 */
int lkst_kernel_text_read(struct lkst_err *e, const char *name, const char *module, u64 offset,
			  u8 **ret_bytes, u64 *ret_size);

#endif
