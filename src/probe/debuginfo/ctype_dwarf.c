/* SPDX-License-Identifier: GPL-2.0-only */
/* C types as DWARF describes them (DWARF 5, chapter 5). */
#include "probe/debuginfo/ctype.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct lkst_ctype lkst_ctype_of_die(Dwarf_Die *die)
{
	struct lkst_ctype t = { .is_void = true };
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, &t.die))
		t.is_void = false;
	return t;
}

static bool is_modifier(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* The type below typedefs, const and the like. False: it is void, or there is no end of them. */
static bool ctype_dwarf_bare(const struct lkst_ctype *t, Dwarf_Die *ret_die)
{
	struct lkst_ctype now = *t;
	unsigned int depth;

	for (depth = 0; !now.is_void && depth < LKST_CTYPE_DEPTH; depth++) {
		if (!is_modifier(dwarf_tag(&now.die))) {
			*ret_die = now.die;
			return true;
		}
		now = lkst_ctype_of_die(&now.die);
	}
	return false;
}

static u64 number_of(Dwarf_Die *die, unsigned int name, u64 otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, &value))
		return value;
	return otherwise;
}

/*
 * Elements of dimension @dimension of array @die; *@ret_outer: those of all before it, multiplied; *@ret_dimensions:
 * how many there are.
 */
static u64 count_of(Dwarf_Die *die, u8 dimension, u64 *ret_outer, unsigned int *ret_dimensions)
{
	unsigned int steps = LKST_CTYPE_DEPTH;
	u64 found = 0, count;
	Dwarf_Die child;

	*ret_dimensions = 0;
	*ret_outer = 1;
	if (dwarf_child(die, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		count = number_of(&child, DW_AT_count, 0);
		if (!count)
			count = number_of(&child, DW_AT_upper_bound, (u64)-1) + 1;
		if (*ret_dimensions == dimension)
			found = count;
		else if (*ret_dimensions < dimension &&
			 __builtin_mul_overflow(*ret_outer, count, ret_outer))
			*ret_outer = 0;
		(*ret_dimensions)++;
	} while (--steps && !dwarf_siblingof(&child, &child));
	return found;
}

static bool is_signed_encoding(u64 encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
	       encoding == DW_ATE_signed_fixed;
}

static u64 ctype_dwarf_size_of(Dwarf_Die *die)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(die, &size) ? 0 : size;
}

static struct lkst_ctype_info look_at_number(Dwarf_Die *die)
{
	u64 encoding = number_of(die, DW_AT_encoding, 0);
	struct lkst_ctype_info info = { .kind = LKST_CTYPE_INTEGER, .size = ctype_dwarf_size_of(die) };

	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
	    encoding == DW_ATE_decimal_float)
		info.kind = LKST_CTYPE_FLOAT;
	info.is_signed = is_signed_encoding(encoding);
	info.is_char =
		info.size == 1 && (encoding == DW_ATE_signed_char ||
				   encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF);
	return info;
}

/* An enumeration says by its underlying type whether it is signed. */
static struct lkst_ctype_info look_at_enum(Dwarf_Die *die)
{
	struct lkst_ctype_info info = { .kind = LKST_CTYPE_INTEGER, .size = ctype_dwarf_size_of(die) };
	struct lkst_ctype below = lkst_ctype_of_die(die);
	Dwarf_Die type;

	if (ctype_dwarf_bare(&below, &type))
		info.is_signed = is_signed_encoding(number_of(&type, DW_AT_encoding, 0));
	return info;
}

struct lkst_ctype_info lkst_ctype_dwarf_look(const struct lkst_ctype *t)
{
	struct lkst_ctype_info info = { .kind = t->is_void ? LKST_CTYPE_VOID : LKST_CTYPE_OTHER };
	unsigned int dimensions;
	Dwarf_Die die;
	u64 outer;

	if (!ctype_dwarf_bare(t, &die))
		return info;
	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		return look_at_number(&die);
	case DW_TAG_enumeration_type:
		return look_at_enum(&die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		info.kind = LKST_CTYPE_POINTER;
		info.size = 8;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
		info.kind = LKST_CTYPE_STRUCT;
		info.size = ctype_dwarf_size_of(&die);
		break;
	case DW_TAG_array_type:
		info.kind = LKST_CTYPE_ARRAY;
		info.count = count_of(&die, t->dimension, &outer, &dimensions);
		info.size = outer ? ctype_dwarf_size_of(&die) / outer : 0;
		break;
	}
	return info;
}

bool lkst_ctype_dwarf_target(const struct lkst_ctype *t, struct lkst_ctype *ret_target)
{
	u8 kind = lkst_ctype_dwarf_look(t).kind;
	unsigned int dimensions;
	Dwarf_Die die;
	u64 outer;

	if ((kind != LKST_CTYPE_POINTER && kind != LKST_CTYPE_ARRAY) || !ctype_dwarf_bare(t, &die))
		return false;
	count_of(&die, t->dimension, &outer, &dimensions);
	*ret_target = lkst_ctype_of_die(&die);
	if (kind == LKST_CTYPE_ARRAY && t->dimension + 1u < dimensions)
		*ret_target = (struct lkst_ctype){ .die = die, .dimension = t->dimension + 1 };
	return true;
}

struct dwarf_walk {
	const char *want;
	void (*offer)(void *arg, const char *name);
	void *arg;
	unsigned int steps;
	struct lkst_ctype_member found;
};

/* The byte of its struct at which member @die begins. DWARF 2 says it by an expression, which adds a number. */
static bool byte_of(Dwarf_Die *die, u64 *ret_byte)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	*ret_byte = 0;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attr) ||
	    !dwarf_formudata(&attr, ret_byte))
		return true;
	if (dwarf_getlocation(&attr, &ops, &nr) || nr != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false;
	*ret_byte = ops[0].number;
	return true;
}

/* The bit of its struct at which member @die begins, by the rules of DWARF 5, 4 and 2. False: that is computed. */
static bool bit_of(Dwarf_Die *die, u64 *ret_at, u32 *ret_bits)
{
	struct lkst_ctype type = lkst_ctype_of_die(die);
	u64 byte, size, old;

	if (!byte_of(die, &byte))
		return false;
	*ret_bits = number_of(die, DW_AT_bit_size, 0);
	*ret_at = byte * 8 + number_of(die, DW_AT_data_bit_offset, 0);
	old = number_of(die, DW_AT_bit_offset, (u64)-1);
	if (old == (u64)-1)
		return true;
	/* DWARF 2: counted from the highest bit of the container. */
	size = number_of(die, DW_AT_byte_size, lkst_ctype_dwarf_look(&type).size);
	*ret_at += size * 8 - old - *ret_bits;
	return true;
}

static bool ctype_dwarf_walk_members(struct dwarf_walk *w, Dwarf_Die *of, u64 at, unsigned int depth)
{
	struct lkst_ctype type;
	Dwarf_Die child, inner;

	if (dwarf_child(of, &child))
		return false;
	do {
		const char *name = dwarf_diename(&child);
		u64 bit_at;
		u32 bits;

		if (dwarf_tag(&child) != DW_TAG_member || !bit_of(&child, &bit_at, &bits))
			continue;
		bit_at += at;
		type = lkst_ctype_of_die(&child);
		if (name && w->offer) {
			w->offer(w->arg, name);
		} else if (name && !strcmp(name, w->want)) {
			w->found = (struct lkst_ctype_member){ type, bit_at, bits };
			return true;
		} else if (!name && ctype_dwarf_bare(&type, &inner) &&
			   lkst_ctype_dwarf_look(&type).kind == LKST_CTYPE_STRUCT &&
			   depth < LKST_CTYPE_DEPTH && ctype_dwarf_walk_members(w, &inner, bit_at, depth + 1)) {
			return true;
		}
	} while (w->steps && --w->steps && !dwarf_siblingof(&child, &child));
	return false;
}

/* The struct with members: a declaration says nothing, and its definition may be in another unit. */
static bool struct_of(const struct lkst_ctype *t, Dwarf_Die *ret_die)
{
	return lkst_ctype_dwarf_look(t).kind == LKST_CTYPE_STRUCT && ctype_dwarf_bare(t, ret_die);
}

const char *lkst_ctype_declared(const struct lkst_ctype *t)
{
	Dwarf_Attribute attr;
	Dwarf_Die die;

	if (t->btf || !struct_of(t, &die) || !dwarf_attr(&die, DW_AT_declaration, &attr))
		return NULL;
	return dwarf_diename(&die);
}

int lkst_ctype_dwarf_member(const struct lkst_ctype *t, const char *name,
			    struct lkst_ctype_member *ret_member)
{
	struct dwarf_walk w = { .want = name, .steps = LKST_CTYPE_STEPS };
	Dwarf_Die die;

	if (!struct_of(t, &die))
		return -EINVAL;
	if (!ctype_dwarf_walk_members(&w, &die, 0, 0))
		return -ENOENT;
	*ret_member = w.found;
	return 0;
}

void lkst_ctype_dwarf_members(const struct lkst_ctype *t,
			      void (*offer)(void *arg, const char *name), void *arg)
{
	struct dwarf_walk w = { .offer = offer, .arg = arg, .steps = LKST_CTYPE_STEPS };
	Dwarf_Die die;

	if (struct_of(t, &die))
		ctype_dwarf_walk_members(&w, &die, 0, 0);
}

static void ctype_dwarf_append(char text[LKST_CTYPE_TEXT], const char *a, const char *b)
{
	size_t length = strlen(text);

	snprintf(text + length, LKST_CTYPE_TEXT - length, "%s%s", a, b ? b : "");
}

static const char *word_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

void lkst_ctype_dwarf_text(const struct lkst_ctype *t, char text[LKST_CTYPE_TEXT],
			   unsigned int depth)
{
	struct lkst_ctype now = *t, target;

	for (; !now.is_void && is_modifier(dwarf_tag(&now.die)) &&
	       dwarf_tag(&now.die) != DW_TAG_typedef && depth < LKST_CTYPE_DEPTH;
	     depth++)
		now = lkst_ctype_of_die(&now.die);
	if (depth >= LKST_CTYPE_DEPTH)
		return ctype_dwarf_append(text, "?", "");
	if (now.is_void)
		return ctype_dwarf_append(text, "void", "");
	target = lkst_ctype_of_die(&now.die);
	switch (dwarf_tag(&now.die)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_array_type:
		lkst_ctype_dwarf_text(&target, text, depth + 1);
		return ctype_dwarf_append(text, "*", "");
	case DW_TAG_subroutine_type:
		return ctype_dwarf_append(text, "(function_type)", "");
	default:
		return ctype_dwarf_append(text, word_of(dwarf_tag(&now.die)), dwarf_diename(&now.die));
	}
}
