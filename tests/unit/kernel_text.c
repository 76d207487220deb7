// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * probe/debuginfo/kernel_text.h: a function of the running kernel by /proc/kallsyms, and its bytes by /proc/kcore; with
 * those, where its instructions begin (K20, K21).
 */
#include "probe/debuginfo/kernel_text.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/unit.h"
#include "probe/debuginfo/instructions.h"

static struct lkst_err e;

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 T first\n"
			       "ffffffff81000100 T also_first\n"
			       "ffffffff81000120 t twice\n"
			       "ffffffff81000118 d data_between\n"
			       "nonsense\n"
			       "ffffffff81000180 W twice\n"
			       "ffffffff81001000 T _etext\n"
			       "ffffffffc0001000 t first\t[module]\n"
			       "ffffffffc0001040 t last\t[module]\n";

TEST(extents_of_functions)
{
	struct lkst_kernel_extent x;

	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "also_first", NULL, &x), 0);
	CHECK_EQ(x.address, 0xffffffff81000100);
	CHECK_EQ(x.size, 0x20);
	CHECK_EQ(x.text_begin, 0xffffffff81000000);
	CHECK_EQ(x.text_end, 0xffffffff81001000);
	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "first", "module", &x), 0);
	CHECK_EQ(x.address, 0xffffffffc0001000);
	CHECK_EQ(x.size, 0x40);
	/* The last has no end. */
	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "last", NULL, &x), 0);
	CHECK_EQ(x.size, LKST_FUNCTION_BYTES_MAX);
	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "twice", NULL, &x), -ENOTUNIQ);
	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "first", NULL, &x), -ENOTUNIQ);
	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "firs", NULL, &x), -ENOENT);
	CHECK_EQ(lkst_kernel_extent_find(&e, kallsyms, "data_between", NULL, &x), -ENOENT);
	/* Whoever may not see addresses reads 0. */
	CHECK_EQ(lkst_kernel_extent_find(&e, "0000000000000000 T first\n", "first", NULL, &x),
		 -ENOENT);
	CHECK_EQ(lkst_kernel_extent_find(&e, "ffffffff81000000 T", "", NULL, &x), -ENOENT);
}

enum { AT = 0x1000 };

/* A core whose second segment has @size bytes at 0xffffffff81000000. */
static int make_core(const void *bytes, size_t size)
{
	const Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 },
				    .e_type = ET_CORE,
				    .e_phoff = sizeof(header),
				    .e_phentsize = sizeof(Elf64_Phdr),
				    .e_phnum = 3 };
	const Elf64_Phdr segments[3] = {
		{ .p_type = PT_NOTE },
		{ .p_type = PT_LOAD, .p_vaddr = 0xffff888000000000, .p_memsz = 0x1000, .p_offset = AT },
		{ .p_type = PT_LOAD,
		  .p_vaddr = 0xffffffff81000000,
		  .p_memsz = size,
		  .p_offset = AT + 0x1000 },
	};
	int fd = memfd_create("core", 0);

	if (fd < 0 || pwrite(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    pwrite(fd, segments, sizeof(segments), sizeof(header)) != sizeof(segments) ||
	    pwrite(fd, bytes, size, AT + 0x1000) != (ssize_t)size)
		abort();
	return fd;
}

TEST(bytes_of_functions)
{
	static const u8 code[] = { 0x55, 0x48, 0x89, 0xe5, 0x53, 0xc3 };
	int fd = make_core(code, sizeof(code));
	u8 bytes[sizeof(code)];

	CHECK_EQ(lkst_kernel_core_read(&e, fd, 0xffffffff81000001, 5, bytes), 0);
	CHECK(!memcmp(bytes, code + 1, 5));
	CHECK_EQ(lkst_kernel_core_read(&e, fd, 0xffffffff81000001, 6, bytes), -ENOENT);
	CHECK_EQ(lkst_kernel_core_read(&e, fd, 0xffffffff80ffffff, 1, bytes), -ENOENT);
	CHECK_EQ(lkst_kernel_core_read(&e, fd, 0xffffffff81000000 + sizeof(code), 1, bytes),
		 -ENOENT);
	/* The file ends before the segment does. */
	CHECK_EQ(ftruncate(fd, AT + 0x1002), 0);
	CHECK_EQ(lkst_kernel_core_read(&e, fd, 0xffffffff81000001, 5, bytes), -ENOENT);
	CHECK_EQ(ftruncate(fd, 10), 0);
	CHECK_EQ(lkst_kernel_core_read(&e, fd, 0xffffffff81000001, 5, bytes), -ENOEXEC);
	close(fd);
}

TEST(probes_in_functions)
{
	const struct lkst_kernel_extent x = { .address = 0xffffffff81000100,
					      .size = 0x20,
					      .text_begin = 0xffffffff81000000,
					      .text_end = 0xffffffff81001000 };
	static const u8 plain[] = { 0x55, 0xe9, 0x10, 0, 0, 0, 0xc3 };
	static const u8 breakpoint[] = { 0x55, 0xcc, 0x89, 0xe5 };
	static const u8 jump[] = { 0xe9, 0, 0, 0, 0x10, 0xc3 };
	static const u8 cut[] = { 0x55, 0xe9, 0, 0 };

	CHECK(!lkst_kernel_text_is_changed(&x, plain, sizeof(plain)));
	CHECK(lkst_kernel_text_is_changed(&x, breakpoint, sizeof(breakpoint)));
	CHECK(lkst_kernel_text_is_changed(&x, jump, sizeof(jump)));
	CHECK(!lkst_kernel_text_is_changed(&x, cut, sizeof(cut)));
}

#ifdef __x86_64__
/* Instructions of many lengths, one after the other; how long the assembler made each is in a table of its own. */
#define INSTRUCTION(text)                                                                          \
	"771: " text "\n772: .pushsection .lengths, \"a\"\n.byte 772b - 771b\n.popsection\n"
asm(".pushsection .rodata\n"
    ".pushsection .lengths, \"a\"\nlengths:\n.popsection\n"
    "instructions:\n" INSTRUCTION("push %rbp") INSTRUCTION("vaddps %ymm1, %ymm2, %ymm3")
	    INSTRUCTION("vpshufb 0x12345678(%rax,%rbx,8), %ymm9, %ymm10")
		    INSTRUCTION("vfmadd231sd %xmm1, %xmm2, %xmm3") INSTRUCTION(
			    "vgatherdps %ymm1, (%rax,%ymm2,4), %ymm3")
			    INSTRUCTION("vmovdqu64 (%rdi), %zmm16{%k1}") INSTRUCTION(
				    "vmovups 0x40(%rsp), %zmm17") INSTRUCTION("aesenc %xmm1, %xmm2")
				    INSTRUCTION("movabs $0x123456789abcdef0, %r11")
					    INSTRUCTION("lock cmpxchg16b 0x10(%rsi)")
						    INSTRUCTION("ret") ".popsection");
enum { NR_INSTRUCTIONS = 11 };
extern const u8 instructions[], lengths[];

/* K21: an instruction begins where the assembler has put one, and nowhere else. */
TEST(instructions_with_avx)
{
	u64 size = 0, at = 0, next;
	unsigned int i, k;

	for (i = 0; i < NR_INSTRUCTIONS; i++)
		size += lengths[i];
	for (i = 0; i < NR_INSTRUCTIONS; i++) {
		CHECK_EQ(lkst_instruction_check(&e, EM_X86_64, instructions, size, at, "f", &next),
			 0);
		CHECK_EQ(next, at + lengths[i]);
		for (k = 1; k < lengths[i]; k++)
			CHECK_EQ(lkst_instruction_check(&e, EM_X86_64, instructions, size, at + k,
							"f", &next),
				 -EILSEQ);
		at += lengths[i];
	}
	CHECK(at > 60);
}
#endif

static const struct unit_test tests[] = {
	{ "extents_of_functions", test_extents_of_functions },
	{ "bytes_of_functions", test_bytes_of_functions },
	{ "probes_in_functions", test_probes_in_functions },
#ifdef __x86_64__
	{ "instructions_with_avx", test_instructions_with_avx },
#endif
};

UNIT_MAIN(tests)
