/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a program finds a CPU's registers: byte offsets in what the kernel passes to it, struct pt_regs. */
#ifndef LKST_PROBE_CODE_REGISTERS_H
#define LKST_PROBE_CODE_REGISTERS_H

#include <stdbool.h>

#include "abi/types.h"

/* The machines that probes are compiled for. */
enum lkst_machine {
	LKST_MACHINE_X86_64,
	LKST_MACHINE_ARM64,
	LKST_NR_MACHINES,
};

/* The machine that this program was built for. */
enum lkst_machine lkst_machine_own(void);

/*
 * The offset of the register that the kernel calls @name (regoffset_table[] in arch/x86/kernel/ptrace.c and
 * arch/arm64/kernel/ptrace.c); -ENOENT: @machine has none of that name.
 */
int lkst_register_find(enum lkst_machine machine, const char *name);

/* The offset of the register that holds argument @number of a function at its entry, from 1 on; -ENOENT: none does. */
int lkst_register_argument(enum lkst_machine machine, u64 number);

/* Those of the instruction pointer, the stack pointer and what a function returns. */
int lkst_register_ip(enum lkst_machine machine);
int lkst_register_sp(enum lkst_machine machine);
int lkst_register_result(enum lkst_machine machine);

/* That of the register that says where a function returns to at its entry; -ENOENT: that is on the stack. */
int lkst_register_link(enum lkst_machine machine);

#endif
