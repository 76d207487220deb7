/* SPDX-License-Identifier: GPL-2.0-only */
/* Which instructions the kernel emulates where a program is probed. */
#include "probe/code/stepping.h"

/* A conditional jump, by the byte that its short form begins with. */
static bool is_jump_if(u8 byte)
{
	return byte >= 0x70 && byte <= 0x7f;
}

static bool is_push(u8 byte)
{
	return byte >= 0x50 && byte <= 0x57;
}

/* Prefixes that do not change what a branch or a nop does: segments, and repetitions. */
static bool is_harmless(u8 byte)
{
	return byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e;
}

static bool is_emulated_on_x86(const u8 *bytes, size_t nr)
{
	size_t i = 0;

	if (nr && is_push(bytes[0]))
		return true;
	if (nr > 1 && bytes[0] == 0x41 && is_push(bytes[1]))
		return true;
	while (i < nr && is_harmless(bytes[i]))
		i++;
	if (i + 1 < nr && bytes[i] == 0x0f)
		return bytes[i + 1] >= 0x80 && bytes[i + 1] <= 0x8f;
	if (i < nr && (bytes[i] == 0xe8 || bytes[i] == 0xe9 || bytes[i] == 0xeb))
		return true;
	if (i < nr && is_jump_if(bytes[i]))
		return true;
	/* A nop may have a size of operands, too. */
	while (i < nr && bytes[i] == 0x66)
		i++;
	return i < nr && bytes[i] == 0x90;
}

/* Arm Architecture Reference Manual, C4.1: those that depend on where they are. */
static bool is_emulated_on_arm64(u32 instruction)
{
	static const struct {
		u32 mask, value;
	} relative[] = {
		{ 0x1f000000, 0x10000000 }, /* ADR, ADRP */
		{ 0x7c000000, 0x14000000 }, /* B, BL */
		{ 0xff000010, 0x54000000 }, /* B.cond */
		{ 0x7e000000, 0x34000000 }, /* CBZ, CBNZ */
		{ 0x7e000000, 0x36000000 }, /* TBZ, TBNZ */
		{ 0xfffffc1f, 0xd61f0000 }, /* BR */
		{ 0xfffffc1f, 0xd63f0000 }, /* BLR */
		{ 0xfffffc1f, 0xd65f0000 }, /* RET */
		{ 0xbf000000, 0x18000000 }, /* LDR of a literal */
		{ 0xff000000, 0x98000000 }, /* LDRSW of a literal */
	};
	size_t i;

	for (i = 0; i < sizeof(relative) / sizeof(relative[0]); i++)
		if ((instruction & relative[i].mask) == relative[i].value)
			return true;
	return false;
}

bool lkst_instruction_is_emulated(enum lkst_machine machine, const u8 *bytes, size_t nr)
{
	if (machine == LKST_MACHINE_X86_64)
		return is_emulated_on_x86(bytes, nr);
	return nr >= 4 && is_emulated_on_arm64(bytes[0] | bytes[1] << 8 | bytes[2] << 16 |
					       (u32)bytes[3] << 24);
}
