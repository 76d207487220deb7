/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel does with the instruction that a probe in a program replaces by a breakpoint. */
#ifndef LKST_PROBE_CODE_STEPPING_H
#define LKST_PROBE_CODE_STEPPING_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "probe/code/registers.h"

enum { LKST_INSTRUCTION_BYTES_MAX = 15 }; /* of x86; those of arm64 have 4 */

/*
 * Whether the kernel emulates the instruction that @bytes begin with, @nr of them: all kernels that LKST runs on do.
 * Any other one is run elsewhere, in a single step, which is one more way into the kernel and back. By x86:
 * arch/x86/kernel/uprobes.c, branch_setup_xol_ops() and push_setup_xol_ops(); arm64: arm_probe_decode_insn() in
 * arch/arm64/kernel/probes/decode-insn.c. Newer kernels emulate more; of that false is said.
 */
bool lkst_instruction_is_emulated(enum lkst_machine machine, const u8 *bytes, size_t nr);

#endif
