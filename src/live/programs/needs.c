/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the built-in programs need of a kernel. A program may ask what the kernel has (bpf_core_field_exists()), and
 * read what is there: the kernel never sees the other way. So the instructions are followed with the values that are
 * known by the answers, as the verifier does, and only what can be come by must be there.
 */
#include "live/programs/needs.h"

#include <bpf/btf.h>
#include <errno.h>
#include <gelf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"

enum {
	REGISTERS = 11,
	CALLER_SAVED = 6, /* R0 to R5 */
	NOWHERE = -1,
};

/* What is known of registers before an instruction. */
struct known {
	u32 mask; /* bit i: R<i> is @value[i] */
	u64 value[REGISTERS];
};

struct place {
	const struct bpf_insn *insn;
	const struct bpf_core_relo *asks; /* NULL: nothing of the kernel's types */
	s32 to;				  /* the function that it calls or takes the address of, NOWHERE: none */
	bool is_linked;			  /* its number is the address of something in the object */
	bool is_asked, is_there;	  /* whether the kernel has what it asks for */
	bool is_waiting;		  /* it is to be followed, with more than was known */
	u32 walk;			  /* the last that came by */
	struct known known;
};

/* A section with instructions, which lie at @first in the list of all. */
struct code {
	const char *name;
	size_t section;
	u32 first, nr;
};

struct lkst_needs {
	Elf *elf;
	struct btf *own;
	struct lkst_core_types *types;
	struct code *codes;
	struct place *places;
	u32 nr_codes, nr_places;
	u32 *waiting, nr_waiting; /* places that are to be followed */
	u32 walk;		  /* counts them */
};

/* ---- the object ------------------------------------------------------------------------------- */

static const char *section_name(Elf *elf, const GElf_Shdr *header)
{
	size_t names = 0;

	return (elf_getshdrstrndx(elf, &names) ? NULL : elf_strptr(elf, names, header->sh_name)) ?: "";
}

/* The contents of section @name; NULL: there is none. */
static Elf_Data *needs_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && !strcmp(section_name(elf, &header), name))
			return elf_getdata(section, NULL);
	return NULL;
}

static bool needs_is_code(const GElf_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR;
}

static int add_code(struct lkst_needs *n, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	u32 nr = data ? (u32)(data->d_size / sizeof(struct bpf_insn)) : 0, i;
	struct code *codes = realloc(n->codes, (n->nr_codes + 1) * sizeof(*codes));
	struct place *places;

	if (!codes)
		return -ENOMEM;
	n->codes = codes;
	places = realloc(n->places, (n->nr_places + nr + 1) * sizeof(*places));
	if (!places)
		return -ENOMEM;
	n->places = places;
	n->codes[n->nr_codes++] = (struct code){ .name = section_name(n->elf, header),
						 .section = elf_ndxscn(section),
						 .first = n->nr_places,
						 .nr = nr };
	for (i = 0; i < nr; i++)
		n->places[n->nr_places++] = (struct place){ .insn = (const struct bpf_insn *)data->d_buf + i,
							    .to = NOWHERE };
	return 0;
}

static int needs_add_codes(struct lkst_needs *n)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	int err = 0;

	while (!err && (section = elf_nextscn(n->elf, section)))
		if (gelf_getshdr(section, &header) && needs_is_code(&header))
			err = add_code(n, section, &header);
	n->waiting = err ? NULL : calloc(n->nr_places + 1, sizeof(*n->waiting));
	return n->waiting ? 0 : -ENOMEM;
}

static struct code *code_of_section(struct lkst_needs *n, size_t section)
{
	u32 i;

	for (i = 0; i < n->nr_codes; i++)
		if (n->codes[i].section == section)
			return &n->codes[i];
	return NULL;
}

/* The place @at of @code; NULL: it has none. */
static struct place *needs_place(struct lkst_needs *n, const struct code *code, u64 byte)
{
	u64 at = byte / sizeof(struct bpf_insn);

	return code && at < code->nr ? &n->places[code->first + at] : NULL;
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL);
}

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* A call counts instructions from the next one; an address counts bytes (libbpf, bpf_object__reloc_code()). */
static void needs_link(struct lkst_needs *n, struct place *from, const GElf_Sym *symbol)
{
	const struct code *code = code_of_section(n, symbol->st_shndx);
	const struct place *to;

	from->is_linked = true;
	if (!code)
		return;
	if (is_call(from->insn))
		to = needs_place(n, code, symbol->st_value + ((s64)from->insn->imm + 1) * (s64)sizeof(*from->insn));
	else
		to = needs_place(n, code, symbol->st_value + (s64)from->insn->imm);
	if (to)
		from->to = (s32)(to - n->places);
}

static void link_code(struct lkst_needs *n, const struct code *code, Elf_Data *relocations, Elf_Data *symbols)
{
	GElf_Rel relocation;
	GElf_Sym symbol;
	int i;

	for (i = 0; gelf_getrel(relocations, i, &relocation); i++) {
		struct place *from = needs_place(n, code, relocation.r_offset);

		if (from && gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
			needs_link(n, from, &symbol);
	}
}

/* Calls within a section need no relocation. */
static void link_near(struct lkst_needs *n)
{
	u32 i;

	for (i = 0; i < n->nr_places; i++) {
		struct place *p = &n->places[i];
		s64 to = (s64)i + p->insn->imm + 1;

		if (is_call(p->insn) && p->insn->src_reg == BPF_PSEUDO_CALL && !p->is_linked && to >= 0 &&
		    to < n->nr_places)
			p->to = (s32)to;
	}
}

static int needs_link_all(struct lkst_needs *n)
{
	Elf_Data *symbols = needs_section(n->elf, ".symtab"), *data;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (!symbols)
		return -EINVAL;
	while ((section = elf_nextscn(n->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_REL) {
			const struct code *code = code_of_section(n, header.sh_info);

			data = elf_getdata(section, NULL);
			if (code && data)
				link_code(n, code, data, symbols);
		}
	link_near(n);
	return 0;
}

/* ---- what it asks of the kernel's types -------------------------------------------------------- */

/* The head of section .BTF.ext, and that of a section's relocations in it (Documentation/bpf/btf.rst). */
struct ext_header {
	u16 magic;
	u8 version, flags;
	u32 length, func_offset, func_length, line_offset, line_length, core_offset, core_length;
};
struct ext_section {
	u32 name, nr;
};

static void add_relocations(struct lkst_needs *n, const struct ext_section *s, const struct bpf_core_relo *list)
{
	const char *name = btf__name_by_offset(n->own, s->name) ?: "";
	const struct code *code = n->codes;
	struct place *p;
	u32 i;

	while (code < n->codes + n->nr_codes && strcmp(code->name, name))
		code++;
	for (i = 0; code < n->codes + n->nr_codes && i < s->nr; i++) {
		p = needs_place(n, code, list[i].insn_off);
		if (p)
			p->asks = &list[i];
	}
}

static int needs_add_relocations(struct lkst_needs *n)
{
	Elf_Data *data = needs_section(n->elf, ".BTF.ext");
	const struct ext_header *h = data ? data->d_buf : NULL;
	const struct ext_section *s;
	const char *at, *end;

	if (!h || data->d_size < sizeof(*h) || (u64)h->length + h->core_offset + h->core_length > data->d_size ||
	    h->core_length < sizeof(u32))
		return -EINVAL;
	at = (const char *)h + h->length + h->core_offset;
	end = at + h->core_length;
	if (*(const u32 *)at != sizeof(struct bpf_core_relo))
		return -EINVAL;
	for (at += sizeof(u32); (size_t)(end - at) >= sizeof(*s);
	     at += sizeof(*s) + s->nr * sizeof(struct bpf_core_relo)) {
		s = (const struct ext_section *)at;
		if (s->nr > ((size_t)(end - at) - sizeof(*s)) / sizeof(struct bpf_core_relo))
			return -EINVAL;
		add_relocations(n, s, (const struct bpf_core_relo *)(s + 1));
	}
	return 0;
}

static int needs_read(struct lkst_needs *n, const void *elf, size_t size)
{
	Elf_Data *types;

	elf_version(EV_CURRENT);
	n->elf = elf_memory((char *)elf, size);
	types = n->elf ? needs_section(n->elf, ".BTF") : NULL;
	if (!types)
		return -EINVAL;
	n->own = btf__new(types->d_buf, (u32)types->d_size);
	if (!n->own)
		return -errno;
	return needs_add_codes(n) ?: needs_link_all(n) ?: needs_add_relocations(n);
}

int lkst_needs_open(struct lkst_err *e, const void *elf, size_t size, const struct btf *kernel,
		    struct lkst_needs **ret_needs)
{
	_cleanup_(lkst_needs_closep) struct lkst_needs *n = calloc(1, sizeof(*n));
	int err = n ? needs_read(n, elf, size) : -ENOMEM;

	if (err)
		return lkst_err_sys(e, err, "reading the built-in programs");
	err = lkst_core_types_new(e, kernel, &n->types);
	if (!err)
		*ret_needs = lkst_take(n);
	return err;
}

void lkst_needs_close(struct lkst_needs *n)
{
	if (!n)
		return;
	lkst_core_types_free(n->types);
	btf__free(n->own);
	elf_end(n->elf);
	free(n->waiting);
	free(n->places);
	free(n->codes);
	free(n);
}

/* ---- following a program ---------------------------------------------------------------------- */

/* What comes to place @at is followed from there, if more may be there than was known. */
static void needs_come(struct lkst_needs *n, s64 at, const struct known *known)
{
	struct place *p;
	bool is_new;
	u32 i, same;

	if (at < 0 || at >= n->nr_places)
		return;
	p = &n->places[at];
	is_new = p->walk != n->walk;
	same = is_new ? known->mask : p->known.mask & known->mask;
	for (i = 0; !is_new && i < REGISTERS; i++)
		if (same & 1U << i && p->known.value[i] != known->value[i])
			same &= ~(1U << i);
	if (!is_new && same == p->known.mask)
		return;
	if (is_new) {
		p->known = *known;
		p->is_waiting = false;
		p->walk = n->walk;
	}
	p->known.mask = same;
	if (!p->is_waiting)
		n->waiting[n->nr_waiting++] = (u32)at;
	p->is_waiting = true;
}

static void needs_forget(struct known *k, unsigned int reg)
{
	k->mask &= ~(1U << reg);
}

static void needs_learn(struct known *k, unsigned int reg, u64 value)
{
	if (reg >= REGISTERS)
		return;
	k->mask |= 1U << reg;
	k->value[reg] = value;
}

/* The second operand. False: it is not known. */
static bool operand(const struct known *k, const struct bpf_insn *insn, u64 *ret_value)
{
	if (BPF_SRC(insn->code) == BPF_X) {
		*ret_value = k->value[insn->src_reg % REGISTERS];
		return k->mask & 1U << insn->src_reg;
	}
	*ret_value = (u64)(s64)insn->imm;
	return true;
}

static bool calculate(u8 op, u64 a, u64 b, bool is_wide_one, u64 *ret_value)
{
	const u32 bits = is_wide_one ? 64 : 32;

	switch (op) {
	case BPF_ADD: *ret_value = a + b; break;
	case BPF_SUB: *ret_value = a - b; break;
	case BPF_OR: *ret_value = a | b; break;
	case BPF_AND: *ret_value = a & b; break;
	case BPF_XOR: *ret_value = a ^ b; break;
	case BPF_LSH: *ret_value = a << b % bits; break;
	case BPF_RSH: *ret_value = (is_wide_one ? a : (u32)a) >> b % bits; break;
	case BPF_MOV: *ret_value = b; break;
	default: return false;
	}
	if (!is_wide_one)
		*ret_value = (u32)*ret_value;
	return true;
}

static void needs_calculate(struct known *k, const struct bpf_insn *insn)
{
	const u8 op = BPF_OP(insn->code);
	const bool is_known = op == BPF_MOV || k->mask & 1U << insn->dst_reg;
	u64 b, value;

	/* A move that extends the sign has the width as its offset. */
	if (operand(k, insn, &b) && is_known && !insn->off &&
	    calculate(op, k->value[insn->dst_reg % REGISTERS], b, BPF_CLASS(insn->code) == BPF_ALU64, &value))
		needs_learn(k, insn->dst_reg, value);
	else
		needs_forget(k, insn->dst_reg);
}

static bool needs_holds(u8 op, u64 a, u64 b, s64 sa, s64 sb)
{
	switch (op) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSET: return a & b;
	case BPF_JSGT: return sa > sb;
	case BPF_JSGE: return sa >= sb;
	case BPF_JSLT: return sa < sb;
	default: return sa <= sb;
	}
}

static void follow_jump(struct lkst_needs *n, s64 at, const struct bpf_insn *insn, const struct known *k)
{
	const bool is_wide_one = BPF_CLASS(insn->code) == BPF_JMP;
	const s64 there = at + 1 + insn->off;
	const u64 a = k->value[insn->dst_reg % REGISTERS];
	bool is_known = k->mask & 1U << insn->dst_reg, is_taken = true;
	u64 b;

	if (BPF_OP(insn->code) == BPF_JA) {
		needs_come(n, is_wide_one ? there : at + 1 + insn->imm, k);
		return;
	}
	/* 0xe0 is a jump that the kernel takes at times (BPF_JCOND). */
	is_known = operand(k, insn, &b) && is_known && BPF_OP(insn->code) != 0xe0;
	if (is_known)
		is_taken = is_wide_one ? needs_holds(BPF_OP(insn->code), a, b, (s64)a, (s64)b)
				       : needs_holds(BPF_OP(insn->code), (u32)a, (u32)b, (s32)a, (s32)b);
	if (is_taken)
		needs_come(n, there, k);
	if (!is_known || !is_taken)
		needs_come(n, at + 1, k);
}

/* The name that the kernel's own header has for helper @nr; NULL: this program was built with an older one. */
static const char *helper_name(s32 nr)
{
#define NAME(name, ...) "BPF_FUNC_" #name
	static const char *const names[] = { __BPF_FUNC_MAPPER(NAME) };
#undef NAME

	return nr >= 0 && (size_t)nr < sizeof(names) / sizeof(names[0]) ? names[nr] : NULL;
}

static int check_helper(struct lkst_err *e, const struct lkst_needs *n, s32 nr)
{
	const char *name = helper_name(nr);

	if (!name || lkst_core_has_value(n->types, "bpf_func_id", name))
		return 0;
	return lkst_err_set(e, -ENOENT, "its program calls bpf_%s(), which this kernel does not have",
			    name + strlen("BPF_FUNC_"));
}

static int needs_ask(struct lkst_err *e, const struct lkst_needs *n, struct place *p)
{
	char name[256];

	if (!p->is_asked)
		p->is_there = lkst_core_is_there(n->types, n->own, p->asks);
	p->is_asked = true;
	if (p->is_there || lkst_core_is_question(p->asks))
		return 0;
	lkst_core_name(n->own, p->asks, name, sizeof(name));
	return lkst_err_set(e, -ENOENT, "its program reads what this kernel's types do not have, %s", name);
}

static int follow_call(struct lkst_err *e, struct lkst_needs *n, s64 at, const struct place *p, struct known *k)
{
	k->mask &= ~((1U << CALLER_SAVED) - 1);
	needs_come(n, at + 1, k);
	return p->insn->src_reg ? 0 : check_helper(e, n, p->insn->imm);
}

/* What place @p leaves in registers, where it neither jumps nor calls. */
static void needs_execute(struct known *k, const struct place *p)
{
	const struct bpf_insn *insn = p->insn;

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		needs_calculate(k, insn);
		break;
	case BPF_LD:
		k->mask &= ~((1U << CALLER_SAVED) - 1);
		needs_forget(k, insn->dst_reg);
		if (is_wide(insn) && !insn->src_reg && !p->is_linked)
			needs_learn(k, insn->dst_reg, (u32)insn->imm | (u64)(u32)insn[1].imm << 32);
		break;
	case BPF_LDX:
		needs_forget(k, insn->dst_reg);
		break;
	case BPF_STX: /* one that exchanges leaves the old value in a register */
		if (BPF_MODE(insn->code) == BPF_ATOMIC) {
			needs_forget(k, insn->src_reg);
			needs_forget(k, 0);
		}
		break;
	}
	/* The number is what libbpf writes there: known of a question only. */
	if (p->asks && lkst_core_is_question(p->asks))
		needs_learn(k, insn->dst_reg, p->is_there);
	else if (p->asks && BPF_CLASS(insn->code) != BPF_ST && BPF_CLASS(insn->code) != BPF_STX)
		needs_forget(k, insn->dst_reg);
}

static int needs_follow(struct lkst_err *e, struct lkst_needs *n, u32 at)
{
	struct place *p = &n->places[at];
	struct known k = p->known;
	const u8 class = BPF_CLASS(p->insn->code);
	int err = p->asks ? needs_ask(e, n, p) : 0;

	if (err)
		return err;
	if (p->to != NOWHERE)
		needs_come(n, p->to, &(struct known){});
	if (is_call(p->insn))
		return follow_call(e, n, at, p, &k);
	if (p->insn->code == (BPF_JMP | BPF_EXIT))
		return 0;
	if (class == BPF_JMP || class == BPF_JMP32) {
		follow_jump(n, at, p->insn, &k);
		return 0;
	}
	needs_execute(&k, p);
	needs_come(n, at + 1 + is_wide(p->insn), &k);
	return 0;
}

/* Where program @name begins in the list; -ENOENT: the object has none. */
static s64 needs_find(struct lkst_needs *n, const char *name)
{
	Elf_Data *symbols = needs_section(n->elf, ".symtab");
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	int i;

	while ((section = elf_nextscn(n->elf, section)) &&
	       (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB))
		;
	for (i = 0; section && gelf_getsym(symbols, i, &symbol); i++) {
		const char *known = elf_strptr(n->elf, header.sh_link, symbol.st_name);
		const struct place *p;

		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !known || strcmp(known, name))
			continue;
		p = needs_place(n, code_of_section(n, symbol.st_shndx), symbol.st_value);
		return p ? p - n->places : -ENOENT;
	}
	return -ENOENT;
}

int lkst_needs_check(struct lkst_err *e, struct lkst_needs *n, const char *name)
{
	s64 at = needs_find(n, name);
	int err = 0;

	if (at < 0)
		return lkst_err_set(e, -ENOENT, "this lkst was built without its program");
	n->walk++;
	n->nr_waiting = 0;
	needs_come(n, at, &(struct known){});
	while (!err && n->nr_waiting) {
		u32 next = n->waiting[--n->nr_waiting];

		n->places[next].is_waiting = false;
		err = needs_follow(e, n, next);
	}
	return err;
}
