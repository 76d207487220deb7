// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * probe/code/stepping.h: which instructions the kernel emulates where a program is probed. The bytes are what the GNU
 * assembler makes of the text beside them.
 */
#include "probe/code/stepping.h"

#include "lib/unit.h"

#define X86(...)                                                                                   \
	lkst_instruction_is_emulated(LKST_MACHINE_X86_64, (const u8[]){ __VA_ARGS__ },             \
				     sizeof((const u8[]){ __VA_ARGS__ }))

static bool arm64(u32 word)
{
	const u8 bytes[] = { (u8)word, (u8)(word >> 8), (u8)(word >> 16), (u8)(word >> 24) };

	return lkst_instruction_is_emulated(LKST_MACHINE_ARM64, bytes, sizeof(bytes));
}

TEST(stepping_of_x86)
{
	CHECK(X86(0x55, 0x48, 0x89, 0xe5));		/* push %rbp */
	CHECK(X86(0x41, 0x57));				/* push %r15 */
	CHECK(X86(0x90));				/* nop */
	CHECK(X86(0x66, 0x90));				/* xchg %ax,%ax */
	CHECK(X86(0xe8, 1, 0, 0, 0));			/* call */
	CHECK(X86(0xeb, 0xfe));				/* jmp */
	CHECK(X86(0xf2, 0xe9, 1, 0, 0, 0));		/* bnd jmp */
	CHECK(X86(0x74, 0x10));				/* je */
	CHECK(X86(0x0f, 0x84, 0, 1, 0, 0));		/* je */
	CHECK(!X86(0xf3, 0x0f, 0x1e, 0xfa, 0x55));	/* endbr64, then push */
	CHECK(!X86(0x0f, 0x1f, 0x44, 0, 0));		/* nopl */
	CHECK(!X86(0x66, 0xe8, 1, 0));			/* callw */
	CHECK(!X86(0x48, 0x89, 0xf8));			/* mov %rdi,%rax */
	CHECK(!X86(0x48, 0x83, 0xec, 8));		/* sub $8,%rsp */
	CHECK(!X86(0x66, 0x55));			/* push %bp */
	CHECK(!X86(0x5d));				/* pop %rbp */
	CHECK(!X86(0xff, 0xe0));			/* jmp *%rax */
	CHECK(!X86(0xc3));				/* ret */
	CHECK(!X86(0x41));				/* cut off */
	CHECK(!X86(0x66));
	CHECK(!X86(0x0f));
	CHECK(!lkst_instruction_is_emulated(LKST_MACHINE_X86_64, NULL, 0));
}

TEST(stepping_of_arm64)
{
	CHECK(arm64(0x14000001));  /* b */
	CHECK(arm64(0x97ffffff));  /* bl */
	CHECK(arm64(0x54000040));  /* b.eq */
	CHECK(arm64(0xb4000040));  /* cbz x0 */
	CHECK(arm64(0x37080040));  /* tbnz w0, #1 */
	CHECK(arm64(0x90000000));  /* adrp x0 */
	CHECK(arm64(0x10000040));  /* adr x0 */
	CHECK(arm64(0xd61f0200));  /* br x16 */
	CHECK(arm64(0xd63f0000));  /* blr x0 */
	CHECK(arm64(0xd65f03c0));  /* ret */
	CHECK(arm64(0x58000040));  /* ldr x0, literal */
	CHECK(arm64(0x98000040));  /* ldrsw x0, literal */
	CHECK(!arm64(0xa9bf7bfd)); /* stp x29, x30, [sp, #-16]! */
	CHECK(!arm64(0xd503201f)); /* nop: before Linux 6.13 it is stepped */
	CHECK(!arm64(0xd503233f)); /* paciasp */
	CHECK(!arm64(0x91000000)); /* add x0, x0, #0 */
	CHECK(!arm64(0xf9400000)); /* ldr x0, [x0] */
	CHECK(!lkst_instruction_is_emulated(LKST_MACHINE_ARM64, (const u8[]){ 1, 0, 0 }, 3));
}

static const struct unit_test tests[] = {
	{ "stepping_of_x86", test_stepping_of_x86 },
	{ "stepping_of_arm64", test_stepping_of_arm64 },
};

UNIT_MAIN(tests)
