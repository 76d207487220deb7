/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions of BPF, appended one by one (Documentation/bpf/standardization/instruction-set.rst). What has no
 * room is dropped, and `is_full` says so at the end.
 */
#ifndef LKST_PROBE_CODE_EMIT_H
#define LKST_PROBE_CODE_EMIT_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "abi/types.h"

enum { LKST_CODE_MAX = 4096 }; /* instructions of a probe */

struct lkst_code {
	u32 nr;
	bool is_full;
	struct bpf_insn insns[LKST_CODE_MAX];
};

/* @op: BPF_ADD, BPF_AND ... on 64 bits, with a number (sign-extended) or a register; BPF_MOV copies. */
void lkst_emit_imm(struct lkst_code *c, u8 op, u8 dst, s32 imm);
void lkst_emit_reg(struct lkst_code *c, u8 op, u8 dst, u8 src);

/* Any 64-bit constant, in the shortest form. */
void lkst_emit_constant(struct lkst_code *c, u8 dst, u64 value);

/* @dst += @value, whatever it is; may use register @spare. Nothing for 0. */
void lkst_emit_add(struct lkst_code *c, u8 dst, u64 value, u8 spare);

/* Loads and stores of @bytes, 1, 2, 4 or 8, at register + @offset. Loads extend with zeros. */
void lkst_emit_load(struct lkst_code *c, u8 bytes, u8 dst, u8 src, s16 offset);
void lkst_emit_store(struct lkst_code *c, u8 bytes, u8 dst, s16 offset, u8 src);
void lkst_emit_store_imm(struct lkst_code *c, u8 bytes, u8 dst, s16 offset, s32 imm);

/* Calls the kernel's helper @function (BPF_FUNC_*). */
void lkst_emit_call(struct lkst_code *c, s32 function);
void lkst_emit_exit(struct lkst_code *c);

/*
 * A jump forwards: @op is BPF_JA, or BPF_JEQ ... with what @dst is compared with. Returns its number, for
 * lkst_emit_land(), which lets it lead to the next instruction.
 */
u32 lkst_emit_jump(struct lkst_code *c, u8 op, u8 dst, s32 imm);
u32 lkst_emit_jump_reg(struct lkst_code *c, u8 op, u8 dst, u8 src);
void lkst_emit_land(struct lkst_code *c, u32 jump);

/* The same for several jumps to one place. */
enum { LKST_JUMPS_MAX = 128 };
struct lkst_jumps {
	u32 nr;
	u32 at[LKST_JUMPS_MAX];
};
void lkst_jumps_add(struct lkst_code *c, struct lkst_jumps *jumps, u32 jump);
void lkst_jumps_land(struct lkst_code *c, struct lkst_jumps *jumps);

#endif
