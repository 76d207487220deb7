/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of BPF. */
#include "probe/code/emit.h"

static void code_emit(struct lkst_code *c, u8 code, u8 dst, u8 src, s16 offset, s32 imm)
{
	if (c->nr == LKST_CODE_MAX) {
		c->is_full = true;
		return;
	}
	c->insns[c->nr++] = (struct bpf_insn){
		.code = code, .dst_reg = dst & 15, .src_reg = src & 15, .off = offset, .imm = imm
	};
}

void lkst_emit_imm(struct lkst_code *c, u8 op, u8 dst, s32 imm)
{
	code_emit(c, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

void lkst_emit_reg(struct lkst_code *c, u8 op, u8 dst, u8 src)
{
	code_emit(c, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

static bool emit_fits(u64 value)
{
	return (u64)(s64)(s32)value == value;
}

void lkst_emit_constant(struct lkst_code *c, u8 dst, u64 value)
{
	if (emit_fits(value)) {
		lkst_emit_imm(c, BPF_MOV, dst, (s32)value);
		return;
	}
	code_emit(c, BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (s32)value);
	code_emit(c, 0, 0, 0, 0, (s32)(value >> 32));
}

void lkst_emit_add(struct lkst_code *c, u8 dst, u64 value, u8 spare)
{
	if (!value)
		return;
	if (emit_fits(value)) {
		lkst_emit_imm(c, BPF_ADD, dst, (s32)value);
		return;
	}
	lkst_emit_constant(c, spare, value);
	lkst_emit_reg(c, BPF_ADD, dst, spare);
}

static u8 width(u8 bytes)
{
	return bytes == 1 ? BPF_B : bytes == 2 ? BPF_H : bytes == 4 ? BPF_W : BPF_DW;
}

void lkst_emit_load(struct lkst_code *c, u8 bytes, u8 dst, u8 src, s16 offset)
{
	code_emit(c, BPF_LDX | BPF_MEM | width(bytes), dst, src, offset, 0);
}

void lkst_emit_store(struct lkst_code *c, u8 bytes, u8 dst, s16 offset, u8 src)
{
	code_emit(c, BPF_STX | BPF_MEM | width(bytes), dst, src, offset, 0);
}

void lkst_emit_store_imm(struct lkst_code *c, u8 bytes, u8 dst, s16 offset, s32 imm)
{
	code_emit(c, BPF_ST | BPF_MEM | width(bytes), dst, 0, offset, imm);
}

void lkst_emit_call(struct lkst_code *c, s32 function)
{
	code_emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

void lkst_emit_exit(struct lkst_code *c)
{
	code_emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

u32 lkst_emit_jump(struct lkst_code *c, u8 op, u8 dst, s32 imm)
{
	code_emit(c, BPF_JMP | op | BPF_K, dst, 0, 0, imm);
	return c->nr - 1;
}

u32 lkst_emit_jump_reg(struct lkst_code *c, u8 op, u8 dst, u8 src)
{
	code_emit(c, BPF_JMP | op | BPF_X, dst, src, 0, 0);
	return c->nr - 1;
}

void lkst_emit_land(struct lkst_code *c, u32 jump)
{
	c->insns[jump].off = (s16)(c->nr - jump - 1);
}

void lkst_jumps_add(struct lkst_code *c, struct lkst_jumps *jumps, u32 jump)
{
	if (jumps->nr == LKST_JUMPS_MAX)
		c->is_full = true;
	else
		jumps->at[jumps->nr++] = jump;
}

void lkst_jumps_land(struct lkst_code *c, struct lkst_jumps *jumps)
{
	u32 i;

	for (i = 0; i < jumps->nr; i++)
		lkst_emit_land(c, jumps->at[i]);
	jumps->nr = 0;
}
