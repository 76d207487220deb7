/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a variable is, as DWARF says it for one address. */
#include "probe/resolve/location.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "probe/debuginfo/dies.h"

enum {
	OPS_MAX = 64,	/* of an expression */
	STACK_MAX = 8,	/* entries of the stack of an expression */
	NESTED_MAX = 4, /* expressions that refer to others */
	RANGES_MAX = 1 << 16,
};

/* An entry of the stack: a register or what memory holds, and a number to add. */
struct term {
	struct lkst_fetch *node; /* NULL: the number alone */
	s64 offset;
	bool is_fixed; /* the number is an address in the ELF file */
};

/* An expression that is being executed. */
struct machine {
	struct lkst_spot *spot;
	Dwarf_Attribute *attr;
	const char *name;
	unsigned int nr, depth;
	struct term stack[STACK_MAX];
	bool is_register,
		is_value; /* how it ended: the top is what a register holds; it is the value itself */
};

static int execute(struct machine *m, const Dwarf_Op *ops, size_t nr);

static int location_refuse(struct machine *m, const char *why)
{
	return lkst_err_set(m->spot->e, -EOPNOTSUPP, "%s at %s %s", m->name, m->spot->where, why);
}

static int location_push(struct machine *m, struct term t)
{
	if (m->nr == STACK_MAX)
		return location_refuse(m, "is described by an expression that is too long");
	m->stack[m->nr++] = t;
	return 0;
}

static struct term *location_top(struct machine *m)
{
	return m->nr ? &m->stack[m->nr - 1] : NULL;
}

/* DWARF's numbers of registers: "DWARF Register Number Mapping" of each ABI. */
static const char *register_name(int machine, u64 number, char text[8])
{
	static const char *const x86[] = { "ax", "dx", "cx", "bx", "si", "di", "bp", "sp" };

	if (machine == EM_AARCH64) {
		if (number > 31)
			return NULL;
		snprintf(text, 8, number == 31 ? "sp" : "x%u", (unsigned int)number);
		return text;
	}
	if (number > 15)
		return NULL;
	if (number < 8)
		return x86[number];
	snprintf(text, 8, "r%u", (unsigned int)number);
	return text;
}

static int push_register(struct machine *m, u64 number, s64 offset)
{
	char text[8];
	const char *name = register_name(m->spot->image->machine, number, text);
	struct lkst_fetch *node;

	if (!name)
		return location_refuse(m, "is in a register that holds no integer");
	node = lkst_pool_fetch(m->spot->pool, LKST_FETCH_REGISTER, name, 0, NULL);
	return node ? location_push(m, (struct term){ .node = node, .offset = offset }) : -ENOMEM;
}

/* Executes an expression inside another, which pushes the address that it computes. */
static int push_nested(struct machine *m, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr,
		       s64 offset)
{
	struct machine inner = {
		.spot = m->spot, .attr = attr, .name = m->name, .depth = m->depth + 1
	};
	int code;

	if (inner.depth > NESTED_MAX)
		return location_refuse(m, "is described by expressions that refer to each other");
	code = execute(&inner, ops, nr);
	if (code)
		return code;
	if (!location_top(&inner))
		return location_refuse(m, "is described by an empty expression");
	location_top(&inner)->offset = (u64)location_top(&inner)->offset + offset;
	return location_push(m, *location_top(&inner));
}

/* The canonical frame address, by the rule that the unwinder has for this address. */
static int push_cfa(struct machine *m)
{
	struct lkst_image *image = m->spot->image;
	Dwarf_Addr elf_bias = 0, bias = 0;
	Dwarf_CFI *cfi;
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr;
	int code, i;

	dwfl_module_getelf(image->elf_module, &elf_bias);
	for (i = 0; i < 2; i++) {
		cfi = i ? dwfl_module_eh_cfi(image->elf_module, &bias)
			: dwfl_module_dwarf_cfi(image->elf_module, &bias);
		if (!cfi || dwarf_cfi_addrframe(cfi, m->spot->address + elf_bias - bias, &frame))
			continue;
		code = dwarf_frame_cfa(frame, &ops, &nr) ? -ENOENT
							 : push_nested(m, NULL, ops, nr, 0);
		free(frame);
		if (code != -ENOENT)
			return code;
	}
	return location_refuse(m, "is in a stack frame that nothing describes");
}

/* The function around the spot has the attribute that says what its frame base is. */
static int push_frame_base(struct machine *m, s64 offset)
{
	struct lkst_image *image = m->spot->image;
	Dwarf_Addr pc = m->spot->address - image->dwarf_bias;
	Dwarf_Die function;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (!lkst_die_function_at(image, &m->spot->unit, pc, &function) ||
	    !dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, pc, &ops, &nr, 1) != 1)
		return location_refuse(m, "is in a stack frame that nothing describes");
	return push_nested(m, &attr, ops, nr, offset);
}

/* An address, or a constant, that another section holds. */
static int push_indirect(struct machine *m, const Dwarf_Op *op, bool is_address)
{
	Dwarf_Attribute result;
	Dwarf_Addr address;
	Dwarf_Word value;

	if (!m->attr || dwarf_getlocation_attr(m->attr, op, &result))
		return location_refuse(m, "has an address that cannot be read");
	if (is_address && !dwarf_formaddr(&result, &address))
		return location_push(m, (struct term){ .offset = address + m->spot->image->dwarf_bias,
					      .is_fixed = true });
	if (!is_address && (!dwarf_formudata(&result, &value) || !dwarf_formaddr(&result, &value)))
		return location_push(m, (struct term){ .offset = value });
	return location_refuse(m, "has an address that cannot be read");
}

static int location_dereference(struct machine *m, u64 size)
{
	struct term *t = location_top(m);
	struct lkst_fetch *node;

	if (!t || !t->node || t->is_fixed || size != 8)
		return location_refuse(m, "is computed in a way that no probe can follow");
	node = lkst_pool_fetch(m->spot->pool, LKST_FETCH_MEMORY, NULL, t->offset, t->node);
	if (!node)
		return -ENOMEM;
	*t = (struct term){ .node = node };
	return 0;
}

/* Arithmetic on what is on the stack: only with numbers can it be done now. */
static int compute(struct machine *m, u8 atom)
{
	struct term *a, *b;

	if (m->nr < 2)
		return location_refuse(m, "is described by an expression that is not whole");
	b = location_top(m);
	a = b - 1;
	if (b->is_fixed || (b->node && (a->node || a->is_fixed || atom != DW_OP_plus)))
		return location_refuse(m, "is computed, and a probe computes nothing");
	if (atom == DW_OP_plus) {
		a->offset = (u64)a->offset + b->offset;
		a->node = a->node ? a->node : b->node;
	} else if (atom == DW_OP_minus) {
		a->offset = (u64)a->offset - b->offset;
	} else if (a->node || a->is_fixed) {
		return location_refuse(m, "is computed, and a probe computes nothing");
	} else if (atom == DW_OP_and) {
		a->offset &= b->offset;
	} else if (atom == DW_OP_or) {
		a->offset |= b->offset;
	} else if (atom == DW_OP_mul) {
		a->offset = (u64)a->offset * b->offset;
	} else if (atom == DW_OP_shl && (u64)b->offset < 64) {
		a->offset = (u64)a->offset << b->offset;
	} else {
		return location_refuse(m, "is computed, and a probe computes nothing");
	}
	m->nr--;
	return 0;
}

static int push_implicit(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Block block;
	u64 value = 0;

	if (!m->attr || dwarf_getlocation_implicit_value(m->attr, op, &block) || block.length > 8)
		return location_refuse(m, "is a constant of more than 8 bytes");
	memcpy(&value, block.data, block.length);
	m->is_value = true;
	return location_push(m, (struct term){ .offset = value });
}

/* What cannot be fetched, and why. */
static int refuse_op(struct machine *m, u8 atom)
{
	switch (atom) {
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return location_refuse(m, "is in several pieces, and a probe fetches only what is in one");
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return location_refuse(
			m,
			"is only known by what it was when the function began: probe the function's entry");
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return location_refuse(m, "points to something that the compiler has left out");
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return location_refuse(m, "is thread-local, and a probe does not find those");
	default:
		return location_refuse(m, "is computed in a way that no probe can follow");
	}
}

static int execute_constant(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return location_push(m, (struct term){ .offset = op->atom - DW_OP_lit0 });
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return location_push(m, (struct term){ .offset = op->number });
	case DW_OP_addr:
		return location_push(m, (struct term){ .offset = op->number + m->spot->image->dwarf_bias,
					      .is_fixed = true });
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indirect(m, op, true);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_indirect(m, op, false);
	default:
		return refuse_op(m, op->atom);
	}
}

static int execute_one(struct machine *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		m->is_register = true;
		return push_register(m, op->atom - DW_OP_reg0, 0);
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(m, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_nop:
		return 0;
	case DW_OP_regx:
		m->is_register = true;
		return push_register(m, op->number, 0);
	case DW_OP_bregx:
		return push_register(m, op->number, op->number2);
	case DW_OP_fbreg:
		return push_frame_base(m, op->number);
	case DW_OP_call_frame_cfa:
		return push_cfa(m);
	case DW_OP_plus_uconst:
		if (!location_top(m))
			return refuse_op(m, op->atom);
		location_top(m)->offset = (u64)location_top(m)->offset + op->number;
		return 0;
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_mul:
	case DW_OP_shl:
		return compute(m, op->atom);
	case DW_OP_deref:
		return location_dereference(m, 8);
	case DW_OP_deref_size:
		return location_dereference(m, op->number);
	case DW_OP_implicit_value:
		return push_implicit(m, op);
	case DW_OP_stack_value:
		m->is_value = true;
		return 0;
	default:
		return execute_constant(m, op);
	}
}

static int execute(struct machine *m, const Dwarf_Op *ops, size_t nr)
{
	size_t i;
	int code;

	if (nr > OPS_MAX)
		return location_refuse(m, "is described by an expression that is too long");
	for (i = 0; i < nr; i++) {
		/* A register, and a value, end what is said of this place: only pieces may follow. */
		if (m->is_register || m->is_value)
			return refuse_op(m, ops[i].atom);
		code = execute_one(m, &ops[i]);
		if (code)
			return code;
	}
	return 0;
}

/* The variable whose value is written in DWARF itself. */
static int constant(struct lkst_spot *s, Dwarf_Attribute *attr, const char *name,
		    struct lkst_value *ret_value)
{
	Dwarf_Block block;
	Dwarf_Sword number;
	Dwarf_Word word;
	u64 value = 0;

	if (!dwarf_formsdata(attr, &number))
		value = number;
	else if (!dwarf_formudata(attr, &word))
		value = word;
	else if (!dwarf_formblock(attr, &block) && block.length <= 8)
		memcpy(&value, block.data, block.length);
	else
		return lkst_err_set(s->e, -EOPNOTSUPP, "%s is a constant of more than 8 bytes",
				    name);
	ret_value->place = LKST_VALUE_NODE;
	ret_value->node = lkst_pool_fetch(s->pool, LKST_FETCH_NUMBER, NULL, value, NULL);
	return ret_value->node ? 0 : -ENOMEM;
}

/* What a machine that has ended says of its variable. */
static int finish(struct machine *m, struct lkst_value *v)
{
	struct term *t = location_top(m);

	if (!t)
		return -ENOENT;
	v->offset = t->offset;
	v->node = t->node;
	if (m->is_value && t->is_fixed) {
		v->place = LKST_VALUE_POINTER;
		return 0;
	}
	if ((m->is_register || m->is_value) && !t->node) {
		v->offset = 0;
		v->node = lkst_pool_fetch(m->spot->pool, LKST_FETCH_NUMBER, NULL, t->offset, NULL);
	}
	v->place = m->is_register || m->is_value ? LKST_VALUE_NODE
		   : t->is_fixed		 ? LKST_VALUE_FIXED
						 : LKST_VALUE_MEMORY;
	if (v->place == LKST_VALUE_MEMORY && !v->node)
		return location_refuse(m, "is at an address that is a constant");
	return v->node || t->is_fixed ? 0 : -ENOMEM;
}

int lkst_location_value(struct lkst_spot *s, Dwarf_Die *die, const char *name,
			struct lkst_value *ret_value)
{
	struct lkst_value v = { .type = lkst_ctype_of_die(die) };
	Dwarf_Attribute attr;
	struct machine m = { .spot = s, .attr = &attr, .name = name };
	Dwarf_Op *ops;
	size_t nr;
	int code;

	if (dwarf_attr_integrate(die, DW_AT_const_value, &attr)) {
		code = constant(s, &attr, name, &v);
	} else {
		if (!dwarf_attr_integrate(die, DW_AT_location, &attr) ||
		    dwarf_getlocation_addr(&attr, s->address - s->image->dwarf_bias, &ops, &nr,
					   1) != 1)
			return -ENOENT;
		code = execute(&m, ops, nr);
		if (!code)
			code = finish(&m, &v);
	}
	if (!code)
		*ret_value = v;
	return code;
}

int lkst_location_ranges(struct lkst_image *image, Dwarf_Die *die,
			 int (*found)(void *arg, u64 from, u64 to), void *arg)
{
	Dwarf_Addr base, from, to;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t nr;
	int i, code = 0;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attr))
		return 0;
	for (i = 0; i < RANGES_MAX && !code; i++) {
		at = dwarf_getlocations(&attr, at, &base, &from, &to, &ops, &nr);
		if (at <= 0)
			break;
		if (nr)
			code = found(arg, from + image->dwarf_bias, to + image->dwarf_bias);
	}
	return code;
}

bool lkst_location_is_stored_later(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	/* A location list says from where on a parameter is there; an expression says it of the whole function. */
	return dwarf_attr_integrate(die, DW_AT_location, &attr) &&
	       dwarf_whatform(&attr) == DW_FORM_exprloc && !dwarf_getlocation(&attr, &ops, &nr) &&
	       nr == 1 && ops[0].atom == DW_OP_fbreg && (s64)ops[0].number < 0;
}
