/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions of the kernel can return an error. */
#include "probe/debuginfo/returns.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "probe/debuginfo/ctype.h"

struct returning {
	const char *name;
	enum lkst_returns_kind kind;
};

struct lkst_returns {
	struct returning *list; /* by name, each once */
	u32 nr;
};

static enum lkst_returns_kind returns_kind_of(const struct btf *btf, const struct btf_type *function)
{
	const struct btf_type *proto = btf__type_by_id(btf, function->type);
	struct lkst_ctype result = { .btf = btf };
	struct lkst_ctype_info info;

	if (!proto || !btf_is_func_proto(proto))
		return LKST_RETURNS_UNKNOWN;
	result.id = proto->type;
	info = lkst_ctype_look(&result);
	if (info.kind == LKST_CTYPE_POINTER)
		return LKST_RETURNS_LONG;
	if (info.kind != LKST_CTYPE_INTEGER)
		return LKST_RETURNS_NO_ERROR;
	if (info.size == 8)
		return LKST_RETURNS_LONG;
	return info.size == 4 && info.is_signed ? LKST_RETURNS_INT : LKST_RETURNS_NO_ERROR;
}

static int returns_by_name(const void *a, const void *b)
{
	const struct returning *f = a, *g = b;

	return strcmp(f->name, g->name);
}

/* Functions of one name are one. */
static void returns_sort(struct lkst_returns *r)
{
	u32 i, nr = 0;

	if (r->nr)
		qsort(r->list, r->nr, sizeof(r->list[0]), returns_by_name);
	for (i = 0; i < r->nr; i++)
		if (!nr || returns_by_name(&r->list[nr - 1], &r->list[i]))
			r->list[nr++] = r->list[i];
		else if (r->list[nr - 1].kind != r->list[i].kind)
			r->list[nr - 1].kind = LKST_RETURNS_UNKNOWN;
	r->nr = nr;
}

int lkst_returns_new(struct lkst_err *e, const struct btf *btf, unsigned int first,
		     struct lkst_returns **ret_returns)
{
	_cleanup_(lkst_returns_freep) struct lkst_returns *r = calloc(1, sizeof(*r));
	unsigned int id, nr = btf__type_cnt(btf);

	for (id = first; r && id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name =
			t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
		struct returning *item = name ? lkst_vec_add(r->list, r->nr) : NULL;

		if (name && !item)
			return lkst_err_sys(e, -ENOMEM, "reading what functions return");
		if (item)
			*item = (struct returning){ name, returns_kind_of(btf, t) };
	}
	if (!r)
		return lkst_err_sys(e, -ENOMEM, "reading what functions return");
	returns_sort(r);
	*ret_returns = lkst_take(r);
	return 0;
}

void lkst_returns_free(struct lkst_returns *r)
{
	if (!r)
		return;
	free(r->list);
	free(r);
}

enum lkst_returns_kind lkst_returns_find(const struct lkst_returns *r, const char *symbol)
{
	size_t length = strcspn(symbol, ".");
	u32 low = 0, high = r->nr;

	while (low < high) {
		u32 middle = (low + high) / 2;
		const char *name = r->list[middle].name;
		int order = strncmp(name, symbol, length);

		if (!order)
			order = name[length] != 0;
		if (!order)
			return r->list[middle].kind;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return LKST_RETURNS_UNKNOWN;
}
