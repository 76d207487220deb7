/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions that evaluate a probe's arguments and store them into its record.
 *
 * Registers: R6 the CPU's registers at the probe (struct pt_regs), R7 the record after its head, R9 bytes of the
 * record so far where its size varies; a value or an address is in R3, which is where helpers that read memory want
 * it. Below R10: a word that memory is read into, and one for each level of nesting. What could not be read is noted
 * in the record itself and in no register, so that the verifier has one state after each argument.
 */
#ifndef LKST_PROBE_CODE_FETCH_H
#define LKST_PROBE_CODE_FETCH_H

#include "probe/code/emit.h"
#include "probe/code/layout.h"

enum {
	LKST_R_RESULT = BPF_REG_0,
	LKST_R_VALUE = BPF_REG_3,
	LKST_R_CPU = BPF_REG_6,
	LKST_R_RECORD = BPF_REG_7,
	LKST_R_SIZE = BPF_REG_9,
	LKST_R_FRAME = BPF_REG_10,
	LKST_CUT_AT = -8, /* from R7: a word, written where a string was cut */
};

/* The address of a symbol of the kernel's data; -ENOENT: there is none. */
typedef int lkst_symbol_fn(void *ctx, const char *name, u64 *ret_address);

struct lkst_fetch_builder {
	struct lkst_code *code;
	const struct lkst_layout *layout;
	lkst_symbol_fn *find_symbol;
	void *ctx;
	struct lkst_jumps faults; /* of the argument that is being made */
};

/* Everything up to the record's end. The errors are those of lkst_probe_compile(). */
int lkst_fetch_emit(struct lkst_err *e, struct lkst_fetch_builder *b);

#endif
