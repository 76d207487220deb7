/* SPDX-License-Identifier: GPL-2.0-only */
/* C types as BTF describes them (Documentation/bpf/btf.rst). */
#include "probe/debuginfo/ctype.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The type below typedefs, const and the like; NULL: there is none, or no end of them. */
static const struct btf_type *ctype_btf_bare(const struct btf *btf, u32 id, u32 *ret_id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	unsigned int depth = 0;

	for (; t && (btf_is_mod(t) || btf_is_typedef(t)); t = btf__type_by_id(btf, id)) {
		if (depth++ >= LKST_CTYPE_DEPTH)
			return NULL;
		id = t->type;
	}
	if (ret_id)
		*ret_id = id;
	return t;
}

static const char *ctype_btf_name_of(const struct btf *btf, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(btf, t->name_off);

	return name ? name : "";
}

struct lkst_ctype_info lkst_ctype_btf_look(const struct lkst_ctype *t)
{
	const struct btf_type *b = ctype_btf_bare(t->btf, t->id, NULL);
	struct lkst_ctype_info info = { .kind = LKST_CTYPE_OTHER };
	struct lkst_ctype element;

	if (!b)
		return info;
	switch (btf_kind(b)) {
	case BTF_KIND_UNKN:
		info.kind = LKST_CTYPE_VOID;
		break;
	case BTF_KIND_INT:
		info.kind = LKST_CTYPE_INTEGER;
		info.size = b->size;
		info.is_signed = btf_int_encoding(b) & BTF_INT_SIGNED;
		info.is_char = b->size == 1 && !(btf_int_encoding(b) & BTF_INT_BOOL);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		info.kind = LKST_CTYPE_INTEGER;
		info.size = b->size;
		info.is_signed = btf_kflag(b);
		break;
	case BTF_KIND_FLOAT:
		info.kind = LKST_CTYPE_FLOAT;
		info.size = b->size;
		break;
	case BTF_KIND_PTR:
		info.kind = LKST_CTYPE_POINTER;
		info.size = 8;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		info.kind = LKST_CTYPE_STRUCT;
		info.size = b->size;
		break;
	case BTF_KIND_ARRAY:
		info.kind = LKST_CTYPE_ARRAY;
		info.count = btf_array(b)->nelems;
		element = (struct lkst_ctype){ .btf = t->btf, .id = btf_array(b)->type };
		b = ctype_btf_bare(t->btf, element.id, NULL);
		/* An array of arrays is as long as all of it: there are few dimensions. */
		if (b && !btf_is_array(b))
			info.size = lkst_ctype_btf_look(&element).size * info.count;
		else if (btf__resolve_size(t->btf, t->id) > 0)
			info.size = btf__resolve_size(t->btf, t->id);
		break;
	}
	return info;
}

bool lkst_ctype_btf_target(const struct lkst_ctype *t, struct lkst_ctype *ret_target)
{
	const struct btf_type *b = ctype_btf_bare(t->btf, t->id, NULL);

	if (!b || !(btf_is_ptr(b) || btf_is_array(b)))
		return false;
	*ret_target = (struct lkst_ctype){ .btf = t->btf,
					   .id = btf_is_ptr(b) ? b->type : btf_array(b)->type };
	return true;
}

/* What walks the members of a struct: for the name @want, or to offer all. */
struct btf_walk {
	const struct btf *btf;
	const char *want;
	void (*offer)(void *arg, const char *name);
	void *arg;
	unsigned int steps;
	struct lkst_ctype_member found;
};

/* Whether the member is in struct @s, which is at bit @at of the outermost. */
static bool ctype_btf_walk_members(struct btf_walk *w, const struct btf_type *s, u64 at, unsigned int depth)
{
	const struct btf_member *m = btf_members(s);
	const struct btf_type *inner;
	u32 i;

	for (i = 0; i < btf_vlen(s) && w->steps; i++, w->steps--) {
		const char *name = btf__name_by_offset(w->btf, m[i].name_off);
		u64 bit_at = at + btf_member_bit_offset(s, i);

		if (name && name[0]) {
			if (w->offer)
				w->offer(w->arg, name);
			else if (!strcmp(name, w->want)) {
				w->found = (struct lkst_ctype_member){
					.type = { .btf = w->btf, .id = m[i].type },
					.bit_at = bit_at,
					.bits = btf_member_bitfield_size(s, i),
				};
				return true;
			}
			continue;
		}
		inner = ctype_btf_bare(w->btf, m[i].type, NULL);
		if (inner && btf_is_composite(inner) && depth < LKST_CTYPE_DEPTH &&
		    ctype_btf_walk_members(w, inner, bit_at, depth + 1))
			return true;
	}
	return false;
}

int lkst_ctype_btf_member(const struct lkst_ctype *t, const char *name,
			  struct lkst_ctype_member *ret_member)
{
	const struct btf_type *b = ctype_btf_bare(t->btf, t->id, NULL);
	struct btf_walk w = { .btf = t->btf, .want = name, .steps = LKST_CTYPE_STEPS };

	if (!b || !btf_is_composite(b))
		return -EINVAL;
	if (!ctype_btf_walk_members(&w, b, 0, 0))
		return -ENOENT;
	*ret_member = w.found;
	return 0;
}

void lkst_ctype_btf_members(const struct lkst_ctype *t, void (*offer)(void *arg, const char *name),
			    void *arg)
{
	const struct btf_type *b = ctype_btf_bare(t->btf, t->id, NULL);
	struct btf_walk w = {
		.btf = t->btf, .offer = offer, .arg = arg, .steps = LKST_CTYPE_STEPS
	};

	if (b && btf_is_composite(b))
		ctype_btf_walk_members(&w, b, 0, 0);
}

static void ctype_btf_append(char text[LKST_CTYPE_TEXT], const char *a, const char *b)
{
	size_t length = strlen(text);

	snprintf(text + length, LKST_CTYPE_TEXT - length, "%s%s", a, b);
}

void lkst_ctype_btf_text(const struct lkst_ctype *t, char text[LKST_CTYPE_TEXT], unsigned int depth)
{
	const struct btf_type *b = btf__type_by_id(t->btf, t->id);
	struct lkst_ctype target = { .btf = t->btf };

	for (; b && btf_is_mod(b) && depth < LKST_CTYPE_DEPTH; depth++)
		b = btf__type_by_id(t->btf, b->type);
	if (!b || depth >= LKST_CTYPE_DEPTH)
		return ctype_btf_append(text, "?", "");
	switch (btf_kind(b)) {
	case BTF_KIND_UNKN:
		return ctype_btf_append(text, "void", "");
	case BTF_KIND_PTR:
		target.id = b->type;
		lkst_ctype_btf_text(&target, text, depth + 1);
		return ctype_btf_append(text, "*", "");
	case BTF_KIND_ARRAY:
		target.id = btf_array(b)->type;
		lkst_ctype_btf_text(&target, text, depth + 1);
		return ctype_btf_append(text, "*", "");
	case BTF_KIND_FUNC_PROTO:
		return ctype_btf_append(text, "(function_type)", "");
	case BTF_KIND_STRUCT:
		return ctype_btf_append(text, "struct ", ctype_btf_name_of(t->btf, b));
	case BTF_KIND_UNION:
		return ctype_btf_append(text, "union ", ctype_btf_name_of(t->btf, b));
	case BTF_KIND_FWD:
		return ctype_btf_append(text, btf_kflag(b) ? "union " : "struct ", ctype_btf_name_of(t->btf, b));
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return ctype_btf_append(text, "enum ", ctype_btf_name_of(t->btf, b));
	default:
		return ctype_btf_append(text, ctype_btf_name_of(t->btf, b), "");
	}
}
