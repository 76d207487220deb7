/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a kernel's types have what a program's relocation names. The kernel's may be of a damaged file. */
#include "live/programs/needs.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS_MAX = 32,	       /* modifiers and typedefs in a row, structs without a name in one another */
	MEMBERS_MAX = 1 << 17, /* that are looked at for one relocation */
};

struct core_type {
	const char *name;
	unsigned int id;
};

struct lkst_core_types {
	const struct btf *btf;
	struct core_type *list; /* those with a name, sorted by it */
	size_t nr;
};

static int core_types_by_name(const void *a, const void *b)
{
	const struct core_type *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int lkst_core_types_new(struct lkst_err *e, const struct btf *kernel, struct lkst_core_types **ret_types)
{
	_cleanup_(lkst_core_types_freep) struct lkst_core_types *types = calloc(1, sizeof(*types));
	unsigned int nr = btf__type_cnt(kernel), id;

	if (types)
		types->list = calloc(nr, sizeof(*types->list));
	if (!types || !types->list)
		return lkst_err_sys(e, -ENOMEM, "sorting the kernel's types");
	types->btf = kernel;
	for (id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(kernel, id);
		const char *name = btf__name_by_offset(kernel, t->name_off);

		if (name && name[0] && !btf_is_func(t) && !btf_is_var(t))
			types->list[types->nr++] = (struct core_type){ name, id };
	}
	qsort(types->list, types->nr, sizeof(*types->list), core_types_by_name);
	*ret_types = lkst_take(types);
	return 0;
}

void lkst_core_types_free(struct lkst_core_types *types)
{
	if (!types)
		return;
	free(types->list);
	free(types);
}

/* ---- names ------------------------------------------------------------------------------------ */

static const char *core_name_at(const struct btf *btf, unsigned int offset)
{
	return btf__name_by_offset(btf, offset) ?: "";
}

/* The length of @name without its flavour: "inode___plain" is the kernel's "inode". */
static size_t plain_length(const char *name)
{
	const char *at = strstr(name + (name[0] != 0), "___");

	while (at && (at[-1] == '_' || at[3] == '_' || !at[3]))
		at = strstr(at + 1, "___");
	return at ? (size_t)(at - name) : strlen(name);
}

static bool is_same_name(const char *own, const char *kernels)
{
	size_t length = plain_length(own);

	return length == plain_length(kernels) && !strncmp(own, kernels, length);
}

/* The first of the types that are called as the @length characters at @name. */
static size_t find_first(const struct lkst_core_types *types, const char *name, size_t length)
{
	size_t from = 0, to = types->nr;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = strncmp(types->list[middle].name, name, length);

		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* ---- types ------------------------------------------------------------------------------------ */

/* Type @id without what does not change it; NULL: void, or the file is damaged. */
static const struct btf_type *core_resolve(const struct btf *btf, unsigned int id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	unsigned int i;

	for (i = 0; t && (btf_is_mod(t) || btf_is_typedef(t)); i++)
		t = i < STEPS_MAX ? btf__type_by_id(btf, t->type) : NULL;
	return t;
}

static bool is_core_kind(const struct btf_type *own, const struct btf_type *kernels)
{
	return btf_kind(own) == btf_kind(kernels) || (btf_is_any_enum(own) && btf_is_any_enum(kernels));
}

/* Whether a field may be of the one type where a program was written for the other. */
static bool is_compatible(const struct btf *own_btf, unsigned int own_id, const struct btf *kernel, unsigned int id)
{
	const struct btf_type *own = core_resolve(own_btf, own_id), *t = core_resolve(kernel, id);
	unsigned int i;

	for (i = 0; i < STEPS_MAX && own && t && btf_is_array(own) && btf_is_array(t); i++) {
		own = core_resolve(own_btf, btf_array(own)->type);
		t = core_resolve(kernel, btf_array(t)->type);
	}
	if (!own || !t)
		return false;
	if (btf_is_composite(own) && btf_is_composite(t))
		return true;
	if (!is_core_kind(own, t))
		return false;
	if (btf_is_fwd(own) || btf_is_any_enum(own)) {
		const char *a = core_name_at(own_btf, own->name_off), *b = core_name_at(kernel, t->name_off);

		return !a[0] || !b[0] || is_same_name(a, b);
	}
	if (btf_is_int(own))
		return !btf_int_offset(own) && !btf_int_offset(t);
	return btf_is_ptr(own) || btf_is_float(own);
}

/* A member that is looked for, and how many more may be looked at. */
struct core_search {
	const struct btf *own_btf, *kernel;
	const struct btf_member *own;
	unsigned int left;
};

/* The type of the member of @t that @s is for, which may be in a struct without a name; 0: there is none. */
static unsigned int find_member(struct core_search *s, const struct btf_type *t, unsigned int depth)
{
	const char *name = core_name_at(s->own_btf, s->own->name_off);
	unsigned int i, found = 0;

	if (!t || !btf_is_composite(t) || depth == STEPS_MAX)
		return 0;
	for (i = 0; i < btf_vlen(t) && s->left && !found; i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *known = core_name_at(s->kernel, m->name_off);

		s->left--;
		if (!known[0])
			found = find_member(s, core_resolve(s->kernel, m->type), depth + 1);
		else if (!strcmp(known, name))
			return is_compatible(s->own_btf, s->own->type, s->kernel, m->type) ? m->type : 0;
	}
	return found;
}

/* ---- a relocation ----------------------------------------------------------------------------- */

/*
 * Where a program's own type is walked along a relocation's numbers, "0:2:1": the first is the element of an array
 * of such types, each further one a member or an element.
 */
struct core_walk {
	const struct btf *btf;
	const struct btf_type *t;
	const char *rest;
};

static struct core_walk walk_begin(const struct btf *own, const struct bpf_core_relo *relo)
{
	const char *numbers = core_name_at(own, relo->access_str_off);

	return (struct core_walk){ own, core_resolve(own, relo->type_id), numbers + strcspn(numbers, ":") };
}

/* One step. False: there is no further one. @ret_member: NULL for an element. */
static bool walk_next(struct core_walk *w, const struct btf_member **ret_member, unsigned int *ret_number)
{
	char *end;

	if (w->rest[0] != ':' || !w->t)
		return false;
	*ret_number = (unsigned int)strtoul(w->rest + 1, &end, 10);
	w->rest = end;
	*ret_member = NULL;
	if (btf_is_array(w->t)) {
		w->t = core_resolve(w->btf, btf_array(w->t)->type);
		return true;
	}
	if (!btf_is_composite(w->t) || *ret_number >= btf_vlen(w->t))
		return false;
	*ret_member = &btf_members(w->t)[*ret_number];
	w->t = core_resolve(w->btf, (*ret_member)->type);
	return true;
}

static bool has_field(const struct btf *own, const struct bpf_core_relo *relo, const struct btf *kernel,
		      const struct btf_type *t)
{
	struct core_walk w = walk_begin(own, relo);
	struct core_search s = { .own_btf = own, .kernel = kernel, .left = MEMBERS_MAX };
	unsigned int number, id;

	while (walk_next(&w, &s.own, &number)) {
		if (s.own && !s.own->name_off)
			continue; /* what is in it is looked for from outside */
		if (s.own) {
			id = find_member(&s, t, 0);
			if (!id)
				return false;
		} else if (t && btf_is_array(t) && (!btf_array(t)->nelems || number < btf_array(t)->nelems)) {
			id = btf_array(t)->type;
		} else {
			return false;
		}
		t = core_resolve(kernel, id);
	}
	return true;
}

/* The name of the enumerator of @t with this number; "": there is none. */
static const char *core_value_name(const struct btf *btf, const struct btf_type *t, unsigned int number)
{
	if (!t || number >= btf_vlen(t))
		return "";
	if (btf_is_enum(t))
		return core_name_at(btf, btf_enum(t)[number].name_off);
	return btf_is_enum64(t) ? core_name_at(btf, btf_enum64(t)[number].name_off) : "";
}

static bool has_value(const struct btf *kernel, const struct btf_type *t, const char *name)
{
	unsigned int i;

	for (i = 0; name[0] && btf_is_any_enum(t) && i < btf_vlen(t); i++)
		if (is_same_name(name, core_value_name(kernel, t, i)))
			return true;
	return false;
}

static bool is_of_value(const struct bpf_core_relo *relo)
{
	return relo->kind == BPF_CORE_ENUMVAL_EXISTS || relo->kind == BPF_CORE_ENUMVAL_VALUE;
}

static const char *asked_value(const struct btf *own, const struct bpf_core_relo *relo)
{
	const char *number = core_name_at(own, relo->access_str_off);

	return core_value_name(own, core_resolve(own, relo->type_id), (unsigned int)strtoul(number, NULL, 10));
}

static bool fits(const struct btf *own, const struct bpf_core_relo *relo, const struct btf *kernel, unsigned int id)
{
	const struct btf_type *asked = btf__type_by_id(own, relo->type_id), *t = btf__type_by_id(kernel, id);

	if (!is_core_kind(asked, t))
		return false;
	if (is_of_value(relo))
		return has_value(kernel, t, asked_value(own, relo));
	if (relo->kind >= BPF_CORE_TYPE_ID_LOCAL)
		return true;
	return has_field(own, relo, kernel, core_resolve(kernel, id));
}

bool lkst_core_is_question(const struct bpf_core_relo *relo)
{
	return relo->kind == BPF_CORE_FIELD_EXISTS || relo->kind == BPF_CORE_TYPE_EXISTS ||
	       relo->kind == BPF_CORE_ENUMVAL_EXISTS || relo->kind == BPF_CORE_TYPE_MATCHES;
}

bool lkst_core_is_there(const struct lkst_core_types *types, const struct btf *own, const struct bpf_core_relo *relo)
{
	const struct btf_type *asked = btf__type_by_id(own, relo->type_id);
	const char *name = asked ? core_name_at(own, asked->name_off) : "";
	size_t length = plain_length(name), i;

	if (relo->kind == BPF_CORE_TYPE_ID_LOCAL)
		return true;
	for (i = find_first(types, name, length); length && i < types->nr; i++) {
		if (strncmp(types->list[i].name, name, length))
			break;
		if (plain_length(types->list[i].name) == length && fits(own, relo, types->btf, types->list[i].id))
			return true;
	}
	return false;
}

bool lkst_core_has_value(const struct lkst_core_types *types, const char *name, const char *value)
{
	size_t i;

	for (i = find_first(types, name, strlen(name)); i < types->nr && !strcmp(types->list[i].name, name); i++)
		if (has_value(types->btf, btf__type_by_id(types->btf, types->list[i].id), value))
			return true;
	return false;
}

void lkst_core_name(const struct btf *own, const struct bpf_core_relo *relo, char *text, size_t size)
{
	const struct btf_type *asked = btf__type_by_id(own, relo->type_id);
	const char *name = asked ? core_name_at(own, asked->name_off) : "?";
	const char *kind = !asked || btf_is_typedef(asked) ? "" :
			   btf_is_struct(asked)		   ? "struct " :
			   btf_is_union(asked)		   ? "union " :
			   btf_is_any_enum(asked)	   ? "enum " :
							     "";
	struct core_walk w = walk_begin(own, relo);
	const struct btf_member *m;
	unsigned int number, used;
	const char *between = ": ";

	used = (unsigned int)snprintf(text, size, "%s%.*s", kind, (int)plain_length(name), name);
	if (is_of_value(relo))
		snprintf(text + used, used < size ? size - used : 0, ": %s", asked_value(own, relo));
	if (relo->kind >= BPF_CORE_TYPE_ID_LOCAL)
		return;
	while (used < size && walk_next(&w, &m, &number)) {
		if (!m)
			used += (unsigned int)snprintf(text + used, size - used, "[%u]", number);
		else if (m->name_off)
			used += (unsigned int)snprintf(text + used, size - used, "%s%s", between,
						       core_name_at(own, m->name_off));
		between = m && !m->name_off ? between : ".";
	}
}
