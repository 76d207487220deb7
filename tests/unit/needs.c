// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/programs/needs.h: what a kernel's types have of what a program names, and which of that a program comes by.
 * live/kernel/kernel_types.h: files with the types of a kernel that runs elsewhere.
 */
#include "live/programs/needs.h"

#include <bpf/btf.h>
#include <errno.h>
#include <gelf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/types.h"
#include "lib/unit.h"
#include "live/kernel/kernel_types.h"

static struct lkst_err e;

/* ---- types ------------------------------------------------------------------------------------ */

/*
 * A kernel with struct task { int pid; struct { struct rq *rq; }; long list[4]; }, two helpers and tracepoint
 * event(struct task *, bool). The ids are in the order in which they are added.
 */
enum { KERNEL_INT = 1, KERNEL_LONG, KERNEL_RQ, KERNEL_RQ_POINTER, KERNEL_NAMELESS, KERNEL_LIST, KERNEL_TASK };

static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();
	int pointer, proto, boolean;

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	btf__add_struct(btf, "rq", 4);
	btf__add_field(btf, "nr", KERNEL_INT, 0, 0);
	btf__add_ptr(btf, KERNEL_RQ);
	btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "rq", KERNEL_RQ_POINTER, 0, 0);
	btf__add_array(btf, KERNEL_INT, KERNEL_LONG, 4);
	btf__add_struct(btf, "task", 48);
	btf__add_field(btf, "pid", KERNEL_INT, 0, 0);
	btf__add_field(btf, NULL, KERNEL_NAMELESS, 64, 0);
	btf__add_field(btf, "list", KERNEL_LIST, 128, 0);
	btf__add_enum(btf, "bpf_func_id", 4);
	btf__add_enum_value(btf, "BPF_FUNC_unspec", 0);
	btf__add_enum_value(btf, "BPF_FUNC_ktime_get_ns", 5);
	boolean = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	pointer = btf__add_ptr(btf, KERNEL_TASK);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "data", pointer);
	btf__add_func_param(btf, "task", pointer);
	btf__add_func_param(btf, "is_new", boolean);
	btf__add_typedef(btf, "btf_trace_event", btf__add_ptr(btf, proto));
	btf__add_func(btf, "function", BTF_FUNC_STATIC, proto);
	return btf;
}

/*
 * A program's own: struct task___mine { long list[8]; struct rq *rq; int pid, gone; }, and a struct and a helper that
 * the kernel does not have.
 */
enum { OWN_INT = 1, OWN_LONG, OWN_RQ, OWN_RQ_POINTER, OWN_LIST, OWN_TASK, OWN_ENUM, OWN_GONE };

static struct btf *make_own(void)
{
	struct btf *btf = btf__new_empty();

	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	btf__add_struct(btf, "rq", 4);
	btf__add_field(btf, "nr", OWN_INT, 0, 0);
	btf__add_ptr(btf, OWN_RQ);
	btf__add_array(btf, OWN_INT, OWN_LONG, 8);
	btf__add_struct(btf, "task___mine", 96);
	btf__add_field(btf, "list", OWN_LIST, 0, 0);
	btf__add_field(btf, "rq", OWN_RQ_POINTER, 512, 0);
	btf__add_field(btf, "pid", OWN_INT, 576, 0);
	btf__add_field(btf, "gone", OWN_INT, 608, 0);
	btf__add_enum(btf, "bpf_func_id", 4);
	btf__add_enum_value(btf, "BPF_FUNC_ktime_get_ns", 5);
	btf__add_enum_value(btf, "BPF_FUNC_gone", 999);
	btf__add_struct(btf, "gone", 4);
	btf__add_field(btf, "x", OWN_INT, 0, 0);
	return btf;
}

static struct bpf_core_relo asks(struct btf *own, unsigned int type, const char *numbers, enum bpf_core_relo_kind kind)
{
	return (struct bpf_core_relo){ .type_id = type,
				       .access_str_off = (u32)btf__add_str(own, numbers),
				       .kind = kind };
}

TEST(types_have_what_is_named)
{
	static const struct {
		unsigned int type;
		const char *numbers;
		enum bpf_core_relo_kind kind;
		bool is_there;
		const char *name;
	} rows[] = {
		{ OWN_TASK, "0:2", BPF_CORE_FIELD_BYTE_OFFSET, true, "struct task: pid" },
		{ OWN_TASK, "0:1", BPF_CORE_FIELD_BYTE_OFFSET, true, "struct task: rq" },
		{ OWN_TASK, "0:0:3", BPF_CORE_FIELD_BYTE_SIZE, true, "struct task: list[3]" },
		{ OWN_TASK, "0:0:4", BPF_CORE_FIELD_BYTE_OFFSET, false, "struct task: list[4]" },
		{ OWN_TASK, "0:3", BPF_CORE_FIELD_BYTE_OFFSET, false, "struct task: gone" },
		{ OWN_TASK, "0:3", BPF_CORE_FIELD_EXISTS, false, "struct task: gone" },
		{ OWN_RQ, "0:0", BPF_CORE_FIELD_EXISTS, true, "struct rq: nr" },
		{ OWN_RQ, "0", BPF_CORE_TYPE_EXISTS, true, "struct rq" },
		{ OWN_GONE, "0", BPF_CORE_TYPE_EXISTS, false, "struct gone" },
		{ OWN_GONE, "0:0", BPF_CORE_FIELD_BYTE_OFFSET, false, "struct gone: x" },
		{ OWN_ENUM, "0", BPF_CORE_ENUMVAL_EXISTS, true, "enum bpf_func_id: BPF_FUNC_ktime_get_ns" },
		{ OWN_ENUM, "1", BPF_CORE_ENUMVAL_VALUE, false, "enum bpf_func_id: BPF_FUNC_gone" },
	};
	struct btf *own = make_own(), *kernel = make_kernel();
	struct lkst_core_types *types;
	unsigned int i;
	char name[64];

	CHECK_EQ(lkst_core_types_new(&e, kernel, &types), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bpf_core_relo relo = asks(own, rows[i].type, rows[i].numbers, rows[i].kind);

		lkst_core_name(own, &relo, name, sizeof(name));
		CHECK_STR(name, rows[i].name);
		CHECK_EQ(lkst_core_is_there(types, own, &relo), rows[i].is_there);
	}
	CHECK(lkst_core_has_value(types, "bpf_func_id", "BPF_FUNC_unspec"));
	CHECK(!lkst_core_has_value(types, "bpf_func_id", "BPF_FUNC_gone"));
	CHECK(!lkst_core_has_value(types, "bpf_func", "BPF_FUNC_unspec"));
	lkst_core_types_free(types);
	btf__free(own);
	btf__free(kernel);
}

/* A field of another kind is not what the program reads: the kernel's loader does not take it either. */
TEST(types_of_another_kind_do_not_fit)
{
	struct btf *own = make_own(), *kernel = make_kernel();
	struct lkst_core_types *types;
	struct bpf_core_relo relo;
	int pointer, other;

	pointer = btf__add_ptr(own, OWN_INT);
	other = btf__add_struct(own, "task___other", 8);
	btf__add_field(own, "pid", pointer, 0, 0);
	relo = asks(own, (unsigned int)other, "0:0", BPF_CORE_FIELD_BYTE_OFFSET);
	CHECK_EQ(lkst_core_types_new(&e, kernel, &types), 0);
	CHECK(!lkst_core_is_there(types, own, &relo));
	lkst_core_types_free(types);
	btf__free(own);
	btf__free(kernel);
}

/* ---- programs --------------------------------------------------------------------------------- */

enum { INSNS_MAX = 16, RELOS_MAX = 4, OBJECT_MAX = 1 << 16, EXT_HEAD = 32 };

/* A program with functions that it calls, in one section. */
struct program {
	struct bpf_insn insns[INSNS_MAX];
	struct bpf_core_relo relos[RELOS_MAX];
	unsigned int nr_insns, nr_relos;
};

static Elf_Scn *add_section(Elf *elf, u32 name, u32 type, u64 flags, void *bytes, size_t size)
{
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = elf_newdata(section);
	GElf_Shdr header;

	data->d_buf = bytes;
	data->d_size = size;
	data->d_align = 8;
	data->d_type = type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE;
	gelf_getshdr(section, &header);
	header.sh_name = name;
	header.sh_type = type;
	header.sh_flags = flags;
	header.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0;
	header.sh_link = 3; /* the names; a symbol table has its own there, too */
	gelf_update_shdr(section, &header);
	return section;
}

/* Makes the object file that holds @p, whose types are @own, as program "tp". Returns its size, 0: it failed. */
static size_t make_object(const struct program *p, struct btf *own, char *object)
{
	static char names[] = "\0tp\0.symtab\0.strtab\0.BTF\0.BTF.ext";
	Elf64_Sym symbols[2] = { {}, { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1 } };
	int fd = memfd_create("object", 0);
	/* The head, with the version and what is left out, the size of a relocation, and those of the one section. */
	u32 ext[64] = { BTF_MAGIC | 1 << 16, EXT_HEAD, 0, 0, 0, 0, 0, 12 + p->nr_relos * 16, 16 }, size;
	const void *types;
	GElf_Ehdr header;
	ssize_t length;
	Elf *elf;

	ext[9] = (u32)btf__add_str(own, "tp");
	ext[10] = p->nr_relos;
	memcpy(&ext[11], p->relos, p->nr_relos * sizeof(p->relos[0]));
	types = btf__raw_data(own, &size);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	gelf_newehdr(elf, ELFCLASS64);
	gelf_getehdr(elf, &header);
	header.e_type = ET_REL;
	header.e_machine = EM_BPF;
	header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	header.e_shstrndx = 3;
	gelf_update_ehdr(elf, &header);
	add_section(elf, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, (void *)p->insns,
		    p->nr_insns * sizeof(p->insns[0]));
	add_section(elf, 4, SHT_SYMTAB, 0, symbols, sizeof(symbols));
	add_section(elf, 12, SHT_STRTAB, 0, names, sizeof(names));
	add_section(elf, 20, SHT_PROGBITS, 0, (void *)types, size);
	add_section(elf, 25, SHT_PROGBITS, 0, ext, EXT_HEAD + 12 + p->nr_relos * 16);
	length = elf_update(elf, ELF_C_WRITE) < 0 ? 0 : pread(fd, object, OBJECT_MAX, 0);
	elf_end(elf);
	close(fd);
	return length > 0 ? (size_t)length : 0;
}

/* What the kernel of make_kernel() lacks for @p: "" if nothing. */
static const char *lacks(const struct program *p, struct btf *own)
{
	static char object[OBJECT_MAX] __attribute__((aligned(8)));
	_cleanup_(lkst_needs_closep) struct lkst_needs *needs = NULL;
	_cleanup_(lkst_btf_freep) struct btf *kernel = make_kernel();
	size_t size = make_object(p, own, object);

	e.text[0] = 0;
	if (!size)
		return "no object";
	if (!lkst_needs_open(&e, object, size, kernel, &needs))
		lkst_needs_check(&e, needs, "tp");
	return e.text;
}

#define MOV(reg, number) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (number) }
#define READ(reg) { .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = (reg), .src_reg = BPF_REG_1 }
#define JUMP_IF(op, reg, number, over) \
	{ .code = BPF_JMP | (op) | BPF_K, .dst_reg = (reg), .imm = (number), .off = (over) }
#define CALL(to) { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (to) }
#define HELPER(nr) { .code = BPF_JMP | BPF_CALL, .imm = (nr) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }

static const char reads_gone[] = "its program reads what this kernel's types do not have, struct task: gone";

static struct bpf_core_relo at(unsigned int insn, struct bpf_core_relo relo)
{
	relo.insn_off = insn * (u32)sizeof(struct bpf_insn);
	return relo;
}

TEST(programs_that_read_what_is_missing_do_not_fit)
{
	struct btf *own = make_own();
	struct program p = { .insns = { READ(2), READ(3), EXIT }, .nr_insns = 3, .nr_relos = 1 };

	p.relos[0] = at(0, asks(own, OWN_TASK, "0:2", BPF_CORE_FIELD_BYTE_OFFSET));
	CHECK_STR(lacks(&p, own), "");
	p.relos[p.nr_relos++] = at(1, asks(own, OWN_TASK, "0:3", BPF_CORE_FIELD_BYTE_OFFSET));
	CHECK_STR(lacks(&p, own), reads_gone);
	btf__free(own);
}

/* if (bpf_core_field_exists(FIELD)) read the field: with a field that is there, and with one that isn't. */
TEST(programs_that_ask_first_fit)
{
	struct btf *own = make_own();
	struct program p = { .insns = { MOV(2, 77), JUMP_IF(BPF_JEQ, 2, 0, 1), READ(3), EXIT },
			     .nr_insns = 4,
			     .nr_relos = 2 };

	p.relos[0] = at(0, asks(own, OWN_TASK, "0:3", BPF_CORE_FIELD_EXISTS));
	p.relos[1] = at(2, asks(own, OWN_TASK, "0:3", BPF_CORE_FIELD_BYTE_OFFSET));
	CHECK_STR(lacks(&p, own), "");
	p.relos[0] = at(0, asks(own, OWN_TASK, "0:2", BPF_CORE_FIELD_EXISTS));
	CHECK_STR(lacks(&p, own), reads_gone);
	btf__free(own);
}

/* What is not known goes both ways, though it is known on one of the ways that lead there. */
TEST(programs_are_followed_both_ways)
{
	struct btf *own = make_own();
	struct program p = { .insns = { READ(4), MOV(2, 0), JUMP_IF(BPF_JGT, 4, 5, 1), MOV(2, 1),
					JUMP_IF(BPF_JEQ, 2, 0, 1), READ(3), EXIT },
			     .nr_insns = 7,
			     .nr_relos = 1 };

	p.relos[0] = at(5, asks(own, OWN_TASK, "0:3", BPF_CORE_FIELD_BYTE_OFFSET));
	CHECK_STR(lacks(&p, own), reads_gone);
	p.insns[3].imm = 0;
	CHECK_STR(lacks(&p, own), "");
	btf__free(own);
}

TEST(programs_are_followed_into_functions)
{
	struct btf *own = make_own();
	struct program p = { .insns = { MOV(2, 0), JUMP_IF(BPF_JNE, 2, 0, 1), CALL(1), EXIT, READ(3), EXIT },
			     .nr_insns = 6,
			     .nr_relos = 1 };

	p.relos[0] = at(4, asks(own, OWN_TASK, "0:3", BPF_CORE_FIELD_BYTE_OFFSET));
	CHECK_STR(lacks(&p, own), reads_gone);
	p.insns[0].imm = 1;
	CHECK_STR(lacks(&p, own), "");
	btf__free(own);
}

TEST(programs_that_call_what_is_missing_do_not_fit)
{
	struct btf *own = make_own();
	struct program p = { .insns = { HELPER(BPF_FUNC_ktime_get_ns), EXIT }, .nr_insns = 2, .nr_relos = 0 };

	CHECK_STR(lacks(&p, own), "");
	p.insns[0].imm = BPF_FUNC_loop;
	CHECK_STR(lacks(&p, own), "its program calls bpf_loop(), which this kernel does not have");
	btf__free(own);
}

TEST(programs_that_are_not_there)
{
	struct btf *own = make_own(), *kernel = make_kernel();
	static char object[OBJECT_MAX] __attribute__((aligned(8)));
	struct program p = { .insns = { EXIT }, .nr_insns = 1 };
	size_t size = make_object(&p, own, object);
	struct lkst_needs *needs;

	CHECK_EQ(lkst_needs_open(&e, object, size, kernel, &needs), 0);
	CHECK_EQ(lkst_needs_check(&e, needs, "none"), -ENOENT);
	lkst_needs_close(needs);
	CHECK_EQ(lkst_needs_open(&e, "nothing", 7, kernel, &needs), -EINVAL);
	btf__free(own);
	btf__free(kernel);
}

/* ---- files ------------------------------------------------------------------------------------ */

/* Opens the @size bytes at @bytes as a kernel's types. 0, or -errno with the error without the file's name. */
static int open_bytes(const void *bytes, size_t size)
{
	struct lkst_kernel *kernel;
	int fd = memfd_create("types", 0), err;
	char file[32], *at;

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		return -EIO;
	err = lkst_kernel_open_elsewhere(&e, file, &kernel);
	if (!err)
		lkst_kernel_close(kernel);
	at = err ? strstr(e.text, file) : NULL;
	if (at)
		memmove(e.text, at + strlen(file) + 1, strlen(at + strlen(file)));
	close(fd);
	return err;
}

/* Whether what was just said begins so. */
static bool said(const char *begin)
{
	return !strncmp(e.text, begin, strlen(begin));
}

TEST(files_of_types_are_read)
{
	struct btf *kernel = make_kernel();
	const void *raw;
	u32 size;

	raw = btf__raw_data(kernel, &size);
	CHECK_EQ(open_bytes(raw, size), 0);
	CHECK_EQ(open_bytes(raw, size - 1), -EINVAL);
	CHECK(said("begins as BTF, and is cut off or damaged"));
	btf__free(kernel);
}

TEST(files_of_something_else_are_told)
{
	struct btf *own = make_own();
	char image[1024] = "MZ";
	struct lkst_kernel *k;
	const void *raw;
	u32 size;

	CHECK_EQ(open_bytes("", 0), -EINVAL);
	CHECK(said("is empty; wanted is BTF as in /sys/kernel/btf/vmlinux"));
	CHECK_EQ(open_bytes("text\n", 5), -EINVAL);
	CHECK(said("is neither BTF nor an ELF file"));
	CHECK_EQ(open_bytes("\177ELF", 4), -EINVAL);
	CHECK(said("is an ELF file without whole type information in section .BTF"));
	memcpy(image + 0x202, "HdrS", 4);
	CHECK_EQ(open_bytes(image, sizeof(image)), -EINVAL);
	CHECK(said("is a compressed kernel"));
	raw = btf__raw_data(own, &size);
	CHECK_EQ(open_bytes(raw, size), -EINVAL);
	CHECK(said("has types, and no kernel's: there is no tracepoint among them"));
	btf__free(own);
	CHECK_EQ(lkst_kernel_open_elsewhere(&e, "/", &k), -EINVAL);
	CHECK_STR(e.text, "/ is no regular file");
	CHECK_EQ(lkst_kernel_open_elsewhere(&e, "/nowhere/at/all", &k), -ENOENT);
}

/* Typedefs of one another, and a struct without a name that is in itself: no kernel has them, and both must end. */
TEST(files_with_rings_of_types_end)
{
	struct btf *kernel = make_kernel(), *own = make_own();
	int ring = btf__add_typedef(kernel, "ring", 0), pointer, proto, nameless;
	struct lkst_core_types *types;
	struct bpf_core_relo relo;
	struct lkst_kernel *k;
	char file[32];
	int fd = memfd_create("types", 0);
	const void *raw;
	unsigned int i;
	u32 size;

	((struct btf_type *)btf__type_by_id(kernel, (u32)ring))->type = (u32)ring;
	proto = btf__add_func_proto(kernel, 0);
	btf__add_func_param(kernel, "data", ring);
	btf__add_func_param(kernel, "x", ring);
	pointer = btf__add_ptr(kernel, proto);
	btf__add_typedef(kernel, "btf_trace_odd", pointer);
	btf__add_typedef(kernel, "btf_trace_ring", ring);
	nameless = btf__type_cnt(kernel) + 1;
	btf__add_struct(kernel, "gone", 8);
	btf__add_field(kernel, NULL, nameless, 0, 0);
	btf__add_struct(kernel, NULL, 8);
	for (i = 0; i < 100; i++)
		btf__add_field(kernel, NULL, nameless, 0, 0);
	raw = btf__raw_data(kernel, &size);
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	CHECK_EQ(write(fd, raw, size), size);
	CHECK_EQ(lkst_kernel_open_elsewhere(&e, file, &k), 0);
	CHECK_EQ(lkst_kernel_check_tracepoint(&e, k, "odd", "u32"), -EPROTOTYPE);
	CHECK_EQ(lkst_kernel_check_tracepoint(&e, k, "ring", "u32"), -EPROTOTYPE);
	CHECK_EQ(lkst_core_types_new(&e, lkst_kernel_btf(k), &types), 0);
	relo = asks(own, OWN_GONE, "0:0", BPF_CORE_FIELD_BYTE_OFFSET);
	CHECK(!lkst_core_is_there(types, own, &relo));
	lkst_core_types_free(types);
	lkst_kernel_close(k);
	close(fd);
	btf__free(kernel);
	btf__free(own);
}

static const struct unit_test tests[] = {
	{ "types_have_what_is_named", test_types_have_what_is_named },
	{ "types_of_another_kind_do_not_fit", test_types_of_another_kind_do_not_fit },
	{ "programs_that_read_what_is_missing_do_not_fit", test_programs_that_read_what_is_missing_do_not_fit },
	{ "programs_that_ask_first_fit", test_programs_that_ask_first_fit },
	{ "programs_are_followed_both_ways", test_programs_are_followed_both_ways },
	{ "programs_are_followed_into_functions", test_programs_are_followed_into_functions },
	{ "programs_that_call_what_is_missing_do_not_fit", test_programs_that_call_what_is_missing_do_not_fit },
	{ "programs_that_are_not_there", test_programs_that_are_not_there },
	{ "files_of_types_are_read", test_files_of_types_are_read },
	{ "files_of_something_else_are_told", test_files_of_something_else_are_told },
	{ "files_with_rings_of_types_end", test_files_with_rings_of_types_end },
};

UNIT_MAIN(tests)
