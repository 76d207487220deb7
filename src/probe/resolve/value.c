/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a value of C is while a probe fires. */
#include "probe/resolve/value.h"

#include <bpf/btf.h>
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "probe/debuginfo/dies.h"

/* How deep a node is. */
static unsigned int value_depth_of(const struct lkst_fetch *f)
{
	unsigned int base = 0, index = 0;

	if (!f)
		return 0;
	base = value_depth_of(f->base);
	index = value_depth_of(f->index);
	return 1 + (base > index ? base : index);
}

/* A byte of the kernel's or a module's data, as a symbol and an offset. */
static int load_symbol(struct lkst_spot *s, const struct lkst_value *v, const char *what,
		       struct lkst_fetch **ret_node)
{
	const struct lkst_image_symbol *symbol = lkst_image_symbol_to_name(s->image, v->offset);
	const struct lkst_image_symbol *from, *to;

	from = lkst_image_symbol_named(s->image, "__per_cpu_start", false, NULL);
	to = lkst_image_symbol_named(s->image, "__per_cpu_end", false, NULL);
	if (from && to && (u64)v->offset >= from->address && (u64)v->offset < to->address)
		return lkst_err_set(
			s->e, -EOPNOTSUPP,
			"%s is a variable that each CPU has for itself, and no probe finds the one of a CPU",
			what);
	if (!symbol)
		return lkst_err_set(s->e, -EOPNOTSUPP, "%s is at an address that no symbol is near",
				    what);
	*ret_node = lkst_pool_fetch(s->pool, LKST_FETCH_AT_SYMBOL, symbol->name,
				    v->offset - symbol->address, NULL);
	return *ret_node ? 0 : -ENOMEM;
}

static int load_fixed(struct lkst_spot *s, const struct lkst_value *v, const char *what,
		      struct lkst_fetch **ret_node)
{
	if (v->index)
		return lkst_err_set(
			s->e, -EOPNOTSUPP,
			"%s is an element of an array at a fixed address, and no probe can compute its "
			"address: give its index as a number",
			what);
	if (!s->image->program)
		return load_symbol(s, v, what, ret_node);
	*ret_node = lkst_pool_fetch(s->pool, LKST_FETCH_AT_FILE, NULL,
				    v->offset - s->address + s->at_in_file, NULL);
	return *ret_node ? 0 : -ENOMEM;
}

int lkst_value_load(struct lkst_spot *s, const struct lkst_value *v, const char *what,
		    struct lkst_fetch **ret_node)
{
	struct lkst_fetch *f;

	if (value_depth_of(v->node) >= LKST_FETCH_DEPTH || value_depth_of(v->index) >= LKST_FETCH_DEPTH)
		return lkst_err_set(s->e, -EOPNOTSUPP,
				    "%s is %d pointers away, and a probe follows fewer", what,
				    LKST_FETCH_DEPTH);
	if (v->place == LKST_VALUE_FIXED)
		return load_fixed(s, v, what, ret_node);
	if (v->place == LKST_VALUE_POINTER)
		return lkst_err_set(
			s->e, -EOPNOTSUPP,
			"%s is the address of a variable of the image, and a probe cannot compute where that "
			"was loaded",
			what);
	if (v->place == LKST_VALUE_NODE) {
		if (v->offset)
			return lkst_err_set(
				s->e, -EOPNOTSUPP,
				"%s is in no register and not in memory: it is computed, and a probe cannot compute it",
				what);
		*ret_node = v->node;
		return 0;
	}
	f = lkst_pool_fetch(s->pool, v->index ? LKST_FETCH_ELEMENT : LKST_FETCH_MEMORY, NULL,
			    v->offset, v->node);
	if (!f)
		return -ENOMEM;
	f->is_user = v->is_user;
	f->index = v->index;
	f->size = v->index_size;
	f->index_size = v->index_bytes;
	f->is_index_signed = v->is_index_signed;
	*ret_node = f;
	return 0;
}

/* Follows a pointer: @v becomes what it points to. */
static int value_follow(struct lkst_spot *s, struct lkst_value *v, const char *what)
{
	struct lkst_value to = { .place = LKST_VALUE_MEMORY, .is_user = v->is_user };
	int code;

	if (!lkst_ctype_target(&v->type, &to.type))
		return lkst_err_set(s->e, -EINVAL, "%s is not a pointer", what);
	if (v->bits && (v->bits != 64 || v->bit_at))
		return lkst_err_set(
			s->e, -EOPNOTSUPP,
			"%s is a part of a register, and a probe cannot follow a pointer in it",
			what);
	if (v->place == LKST_VALUE_NODE) {
		/* A pointer that is computed by an addition is as good as one that is there. */
		to.node = v->node;
		to.offset = v->offset;
	} else if (v->place == LKST_VALUE_POINTER) {
		to.place = LKST_VALUE_FIXED;
		to.offset = v->offset;
	} else {
		code = lkst_value_load(s, v, what, &to.node);
		if (code)
			return code;
	}
	*v = to;
	return 0;
}

static void offer_member(void *arg, const char *name)
{
	lkst_suggest_offer(arg, name);
}

static int no_member(struct lkst_spot *s, const struct lkst_value *v, const char *name, int code)
{
	struct lkst_suggest near = { .word = name };
	char type[LKST_CTYPE_TEXT], text[LKST_SUGGEST_TEXT];

	lkst_ctype_text(&v->type, type);
	if (code == -EINVAL)
		return lkst_err_set(s->e, code, "%s has no member %s: it is not a struct", type,
				    name);
	lkst_ctype_members(&v->type, offer_member, &near);
	return lkst_err_set(s->e, code, "%s has no member %s%s", type, name,
			    lkst_suggest_text(&near, text));
}

static enum lkst_die_step visit_struct(void *arg, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_structure_type || tag == DW_TAG_union_type) && dwarf_diename(die) &&
			       !strcmp(dwarf_diename(die), arg) &&
			       !dwarf_attr(die, DW_AT_declaration, &attr)
		       ? LKST_DIE_END
		       : LKST_DIE_OVER;
}

/* A struct that is only declared in one source is defined in others: finds it by its name, in BTF or all of DWARF. */
static void complete(struct lkst_spot *s, struct lkst_ctype *type)
{
	const char *name = lkst_ctype_declared(type);
	Dwarf_Off offset = 0;
	Dwarf_Die unit, die;
	int id = -1;

	if (!name)
		return;
	if (s->image->btf)
		id = btf__find_by_name_kind(s->image->btf, name, BTF_KIND_STRUCT);
	if (id > 0) {
		*type = (struct lkst_ctype){ .btf = s->image->btf, .id = id };
		return;
	}
	while (lkst_die_next_unit(s->image, &offset, &unit))
		if (lkst_die_walk(s->image, &unit, visit_struct, (void *)name, &die)) {
			*type = (struct lkst_ctype){ .die = die };
			return;
		}
}

int lkst_value_member(struct lkst_spot *s, struct lkst_value *v, const char *name, bool is_arrow,
		      const char *what)
{
	enum lkst_ctype_kind kind = lkst_ctype_look(&v->type).kind;
	bool is_pointer = kind == LKST_CTYPE_POINTER;
	struct lkst_ctype_member m;
	u64 size;
	int code;

	/* Of what is neither, no_member() tells. */
	if (is_pointer != is_arrow && (is_pointer || kind == LKST_CTYPE_STRUCT))
		return lkst_err_set(s->e, -EINVAL, "%s is %sa pointer: write %s%s%s", what,
				    is_pointer ? "" : "not ", what, is_pointer ? "->" : ".", name);
	code = is_pointer ? value_follow(s, v, what) : 0;
	if (code)
		return code;
	complete(s, &v->type);
	code = lkst_ctype_member(&v->type, name, &m);
	if (code)
		return no_member(s, v, name, code);
	v->type = m.type;
	if (v->place == LKST_VALUE_NODE) {
		size = lkst_ctype_look(&m.type).size;
		if (m.bit_at >= 64 || size > 8 ||
		    v->bit_at + m.bit_at + (m.bits ? m.bits : size * 8) > 64)
			return lkst_err_set(
				s->e, -EOPNOTSUPP,
				"%s is in more than one register, and %s is not in the first", what,
				name);
		v->bit_at += m.bit_at;
		v->bits = m.bits ? m.bits : size * 8;
		return 0;
	}
	if (m.bits) {
		v->bits = m.bits;
		v->bit_at = m.bit_at;
		return 0;
	}
	v->offset = (u64)v->offset + m.bit_at / 8;
	return 0;
}

/* The index of an element. A probe takes the 32 lowest bits of it, or as many as it has. */
static int set_index(struct lkst_spot *s, struct lkst_value *v, const struct lkst_value *index,
		     u64 size, const char *what)
{
	struct lkst_ctype_info type = lkst_ctype_look(&index->type);
	int code;

	if (type.kind != LKST_CTYPE_INTEGER || type.size > 8 || type.size == 3 || !type.size ||
	    index->bits)
		return lkst_err_set(s->e, -EINVAL, "an index of %s is not a whole number", what);
	if (v->index)
		return lkst_err_set(
			s->e, -EOPNOTSUPP,
			"%s has two indexes that are variables without a pointer between them",
			what);
	code = lkst_value_load(s, index, what, &v->index);
	if (code)
		return code;
	v->index_size = size;
	v->index_bytes = type.size < 4 ? (u8)type.size : 0;
	v->is_index_signed = type.is_signed;
	return 0;
}

int lkst_value_element(struct lkst_spot *s, struct lkst_value *v, s64 number,
		       const struct lkst_value *index, const char *what)
{
	struct lkst_ctype_info type = lkst_ctype_look(&v->type);
	struct lkst_ctype element;
	u64 size;
	s64 distance;
	int code;

	if (!lkst_ctype_target(&v->type, &element))
		return lkst_err_set(s->e, -EINVAL, "%s is neither an array nor a pointer", what);
	if (type.kind == LKST_CTYPE_POINTER) {
		code = value_follow(s, v, what);
		if (code)
			return code;
	} else if (v->place == LKST_VALUE_NODE) {
		return lkst_err_set(s->e, -EOPNOTSUPP, "%s is an array in a register", what);
	} else if (!index && type.count && (number < 0 || (u64)number >= type.count)) {
		return lkst_err_set(s->e, -EINVAL, "%s has %llu elements, and none is number %lld",
				    what, (unsigned long long)type.count, (long long)number);
	}
	v->type = element;
	size = lkst_ctype_look(&element).size;
	if (!size || size > (u32)-1)
		return lkst_err_set(s->e, -EINVAL, "the size of %s's elements is unknown", what);
	if (index)
		return set_index(s, v, index, size, what);
	if (__builtin_mul_overflow(number, (s64)size, &distance) ||
	    __builtin_add_overflow(v->offset, distance, &v->offset))
		return lkst_err_set(s->e, -EINVAL, "element %lld of %s is too far away",
				    (long long)number, what);
	return 0;
}

/* Whether a string may be made of things of that type, as the kernel and perf see it; void may be anything. */
static bool may_be_text(const struct lkst_ctype *type)
{
	const struct lkst_ctype_info info = lkst_ctype_look(type);

	return info.is_char || info.kind == LKST_CTYPE_VOID;
}

/* The string that a pointer points to, or that is in an array. */
static int string_argument(struct lkst_spot *s, const struct lkst_value *v,
			   const struct lkst_fetch_type *wanted, const char *what,
			   struct lkst_probe_arg *ret_arg)
{
	struct lkst_ctype_info type = lkst_ctype_look(&v->type);
	struct lkst_value at = *v;
	struct lkst_ctype element;
	int code;

	if ((type.kind == LKST_CTYPE_POINTER || type.kind == LKST_CTYPE_ARRAY) &&
	    lkst_ctype_target(&v->type, &element) && !may_be_text(&element))
		return lkst_err_set(s->e, -EINVAL,
				    "%s is not a string: it is %s what is no char; +0(ADDRESS):string reads one anyway",
				    what, type.kind == LKST_CTYPE_POINTER ? "a pointer to" : "an array of");
	if (type.kind == LKST_CTYPE_POINTER) {
		code = value_follow(s, &at, what);
		if (code)
			return code;
	} else if (type.kind != LKST_CTYPE_ARRAY || at.place == LKST_VALUE_NODE) {
		return lkst_err_set(
			s->e, -EINVAL,
			"%s is not a string: it is neither a pointer nor an array in memory", what);
	}
	ret_arg->type = *wanted;
	return lkst_value_load(s, &at, what, &ret_arg->fetch);
}

/* Chooses the bytes that hold the bit-field at @v, and moves the value there. */
static int contain(struct lkst_spot *s, struct lkst_value *v, const char *what,
		   struct lkst_fetch_type *ret_type)
{
	u64 size = lkst_ctype_look(&v->type).size, byte;

	if (v->place == LKST_VALUE_NODE)
		size = 8;
	if (!size || size > 8 || v->bit_at % (8 * size) + v->bits > 8 * size) {
		/* A packed struct: the bits begin in any byte. */
		for (size = 1; size <= 8 && v->bit_at % 8 + v->bits > 8 * size; size *= 2)
			continue;
		byte = v->bit_at / 8;
	} else {
		byte = v->bit_at / (8 * size) * size;
	}
	if (size > 8 || v->bits > 64)
		return lkst_err_set(s->e, -EOPNOTSUPP, "%s has bits in more than 8 bytes", what);
	*ret_type = (struct lkst_fetch_type){
		.form = LKST_FORM_BITS,
		.size = size,
		.bits = v->bits,
		.bit_at = v->bit_at - 8 * byte,
	};
	if (v->place != LKST_VALUE_NODE)
		v->offset = (u64)v->offset + byte;
	return 0;
}

/* How a number or pointer is shown if nobody asked for a form: as the kernel shows arguments that it knows by BTF. */
static u8 form_of(const struct lkst_ctype_info *type)
{
	if (type->kind == LKST_CTYPE_INTEGER)
		return type->is_signed ? LKST_FORM_SIGNED : LKST_FORM_UNSIGNED;
	return LKST_FORM_HEX;
}

static int value_check_size(struct lkst_spot *s, const struct lkst_ctype_info *type, const char *what)
{
	if (type->kind == LKST_CTYPE_STRUCT)
		return lkst_err_set(s->e, -EINVAL, "%s is a struct or union: name a member of it",
				    what);
	if (type->kind == LKST_CTYPE_VOID)
		return lkst_err_set(s->e, -EINVAL, "%s has no value: its type is void", what);
	if (type->kind == LKST_CTYPE_ARRAY || type->kind == LKST_CTYPE_OTHER ||
	    (type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8))
		return lkst_err_set(s->e, -EOPNOTSUPP,
				    "%s is not a number of 1, 2, 4 or 8 bytes, nor a pointer",
				    what);
	return 0;
}

static int number_argument(struct lkst_spot *s, const struct lkst_value *v,
			   const struct lkst_fetch_type *wanted, const char *what,
			   struct lkst_probe_arg *ret_arg)
{
	struct lkst_ctype_info type = lkst_ctype_look(&v->type);
	struct lkst_fetch_type form = *wanted;
	struct lkst_value at = *v;
	struct lkst_ctype element;
	int code;

	if (type.kind == LKST_CTYPE_ARRAY && lkst_ctype_target(&v->type, &element)) {
		if (!form.count && (!type.count || type.count > LKST_FETCH_ARRAY_MAX))
			return lkst_err_set(
				s->e, -EOPNOTSUPP,
				"%s is an array of %llu elements, and a probe takes %d at most: name one of them",
				what, (unsigned long long)type.count, LKST_FETCH_ARRAY_MAX);
		form.count = form.count ? form.count : type.count;
		type = lkst_ctype_look(&element);
	}
	/* Whoever gave a size knows what is there. */
	if (!form.size || form.form == LKST_FORM_NONE) {
		code = value_check_size(s, &type, what);
		if (code)
			return code;
		form.form = form.form == LKST_FORM_NONE ? form_of(&type) : form.form;
		form.size = form.size ? form.size : type.size;
	}
	if (at.bits && (at.place != LKST_VALUE_NODE || at.bit_at || at.bits != form.size * 8u)) {
		code = contain(s, &at, what, &form);
		if (code)
			return code;
	}
	ret_arg->type = form;
	return lkst_value_load(s, &at, what, &ret_arg->fetch);
}

int lkst_value_argument(struct lkst_spot *s, const struct lkst_value *v,
			const struct lkst_fetch_type *wanted, const char *what,
			struct lkst_probe_arg *ret_arg)
{
	if (wanted->form == LKST_FORM_STRING || wanted->form == LKST_FORM_USTRING)
		return string_argument(s, v, wanted, what, ret_arg);
	return number_argument(s, v, wanted, what, ret_arg);
}
