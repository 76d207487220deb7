/* SPDX-License-Identifier: GPL-2.0-only */
/* Where instructions begin: a probe within one would change it into another. */
#ifndef LKST_PROBE_DEBUGINFO_INSTRUCTIONS_H
#define LKST_PROBE_DEBUGINFO_INSTRUCTIONS_H

#include "abi/types.h"
#include "base/err.h"

enum { LKST_FUNCTION_BYTES_MAX = 16 << 20 }; /* of one function that are decoded */

/*
 * Checks that an instruction begins at byte @offset of a function, whose first @size bytes are @bytes; @name is its
 * name, for the error. @machine: EM_X86_64, or EM_AARCH64, where all have 4 bytes, so that @bytes is not looked at.
 * -EILSEQ: it is within one, and the text names where those around begin; -EINVAL: the function is shorter; -EBADMSG:
 * what is before it cannot be decoded; -ENOSYS: Capstone is not installed. @ret_next, unless NULL, gets where the next
 * one begins.
 */
int lkst_instruction_check(struct lkst_err *e, int machine, const u8 *bytes, u64 size, u64 offset,
			   const char *name, u64 *ret_next);

#endif
