/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel function as BTF declares it, and where its parameters are when it begins. */
#include "probe/resolve/prototype.h"

#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

static const struct btf_type *proto_of(const struct lkst_prototype *p)
{
	const struct btf_type *t = btf__type_by_id(p->btf, p->id);

	return t && btf_is_func_proto(t) ? t : NULL;
}

int lkst_prototype_find(const struct lkst_image *image, const char *function,
			struct lkst_prototype *ret_prototype)
{
	u32 i, nr = image->btf ? btf__type_cnt(image->btf) : 0;
	u32 first = image->base_btf ? btf__type_cnt(image->base_btf) : 1;
	const struct btf_type *t;
	const char *name;

	for (i = first; i < nr; i++) {
		t = btf__type_by_id(image->btf, i);
		if (!t || !btf_is_func(t))
			continue;
		name = btf__name_by_offset(image->btf, t->name_off);
		if (!name || strcmp(name, function))
			continue;
		*ret_prototype = (struct lkst_prototype){ image->btf, t->type };
		if (proto_of(ret_prototype))
			return 0;
	}
	return -ENOENT;
}

bool lkst_prototype_is_variadic(const struct lkst_prototype *p)
{
	const struct btf_type *t = proto_of(p);
	const u32 nr = t ? btf_vlen(t) : 0;

	return nr && !btf_params(t)[nr - 1].type; /* the last is none (Documentation/bpf/btf.rst) */
}

u32 lkst_prototype_count(const struct lkst_prototype *p)
{
	const struct btf_type *t = proto_of(p);

	return t ? btf_vlen(t) - lkst_prototype_is_variadic(p) : 0;
}

const char *lkst_prototype_name(const struct lkst_prototype *p, u32 i)
{
	const char *name = btf__name_by_offset(p->btf, btf_params(proto_of(p))[i].name_off);

	return name && name[0] ? name : NULL;
}

struct lkst_ctype lkst_prototype_type(const struct lkst_prototype *p, u32 i)
{
	return (struct lkst_ctype){ .btf = p->btf, .id = btf_params(proto_of(p))[i].type };
}

struct lkst_ctype lkst_prototype_result(const struct lkst_prototype *p)
{
	return (struct lkst_ctype){ .btf = p->btf, .id = proto_of(p)->type };
}

/* Where the next parameter goes. */
struct argument_state {
	int machine;
	u32 registers; /* that are used */
	u64 stack;     /* bytes of the stack that are used */
};

/* Where one parameter went. */
struct argument_slot {
	bool is_stack, is_reference; /* reference: the caller's copy is pointed to */
	u32 number;		     /* of the first register */
	u64 stack;
};

static bool is_aligned_to_16(const struct lkst_ctype *type)
{
	/* __int128. A struct with one is taken for one that is aligned to 8: kernel functions have none by value. */
	return lkst_ctype_look(type).kind == LKST_CTYPE_INTEGER && lkst_ctype_look(type).size == 16;
}

static struct argument_slot on_stack(struct argument_state *a, u64 size, bool is_aligned)
{
	struct argument_slot slot = { .is_stack = true };

	if (is_aligned)
		a->stack = (a->stack + 15) & ~15ULL;
	slot.stack = a->stack;
	a->stack += (size + 7) & ~7ULL;
	return slot;
}

/* Places a parameter of integer class: kernel functions have no other. */
static struct argument_slot prototype_place(struct argument_state *a, const struct lkst_ctype *type)
{
	bool is_arm = a->machine == EM_AARCH64, is_aligned = is_aligned_to_16(type);
	u64 size = lkst_ctype_look(type).size;
	u32 max = is_arm ? 8 : 6, nr = size > 8 ? 2 : 1;
	struct argument_slot slot = { 0 };

	if (size > 16 && !is_arm)
		return on_stack(a, size, is_aligned);
	if (size > 16) {
		slot.is_reference = true;
		size = 8;
		nr = 1;
	}
	if (is_arm && is_aligned)
		a->registers += a->registers & 1;
	if (a->registers + nr <= max) {
		slot.number = a->registers;
		a->registers += nr;
		return slot;
	}
	/* On arm64 none comes into a register after one that did not. */
	if (is_arm)
		a->registers = max;
	slot = on_stack(a, size, is_aligned);
	slot.is_reference = is_arm && lkst_ctype_look(type).size > 16;
	return slot;
}

static const char *register_of(int machine, u32 number)
{
	static const char *const x86[] = { "di", "si", "dx", "cx", "r8", "r9" };
	static const char *const arm[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" };

	return machine == EM_AARCH64 ? arm[number] : x86[number];
}

/* The parameter as a value: of its registers the first. */
static int fetch_slot(struct lkst_spot *s, const struct argument_slot *slot, struct lkst_value *v)
{
	struct lkst_fetch *node;
	u64 above = s->image->machine == EM_X86_64 ? 8 : 0; /* the return address */

	if (slot->is_stack && s->is_return)
		return lkst_err_set(s->e, -EOPNOTSUPP,
				    "a parameter on the stack is gone when %s returns",
				    s->function);
	if (slot->is_stack)
		node = lkst_pool_fetch(s->pool, LKST_FETCH_STACK, NULL, 0, NULL);
	else if (s->is_return)
		node = lkst_pool_fetch(s->pool, LKST_FETCH_ARGUMENT, NULL, slot->number + 1, NULL);
	else
		node = lkst_pool_fetch(s->pool, LKST_FETCH_REGISTER,
				       register_of(s->image->machine, slot->number), 0, NULL);
	if (!node)
		return -ENOMEM;
	v->place = slot->is_stack || slot->is_reference ? LKST_VALUE_MEMORY : LKST_VALUE_NODE;
	v->node = node;
	v->offset = slot->is_stack ? slot->stack + above : 0;
	if (slot->is_stack && slot->is_reference) {
		v->node = lkst_pool_fetch(s->pool, LKST_FETCH_MEMORY, NULL, v->offset, node);
		v->offset = 0;
	}
	return v->node ? 0 : -ENOMEM;
}

int lkst_prototype_parameter(struct lkst_spot *s, const struct lkst_prototype *p, u32 i,
			     struct lkst_value *ret_value)
{
	struct argument_state state = { .machine = s->image->machine };
	const struct btf_param *params = btf_params(proto_of(p));
	struct argument_slot slot;
	struct lkst_ctype type;
	u32 n = 0;

	do {
		type = (struct lkst_ctype){ .btf = p->btf, .id = params[n].type };
		if (lkst_ctype_look(&type).kind == LKST_CTYPE_FLOAT)
			return lkst_err_set(
				s->e, -EOPNOTSUPP,
				"%s has parameters of floating point, which are in no register that a "
				"probe reads",
				s->function);
		slot = prototype_place(&state, &type);
	} while (n++ < i);
	*ret_value = (struct lkst_value){ .type = type };
	return fetch_slot(s, &slot, ret_value);
}
