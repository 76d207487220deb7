/* SPDX-License-Identifier: GPL-2.0-only */
/* What the functions of the running kernel and of its modules return. */
#include "live/kernel/function_returns.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { MODULE_ROOM = 128 /* of "[module]" */ };

/* The types of a module, or of the kernel. */
struct typed {
	char module[MODULE_ROOM]; /* "": the kernel itself */
	struct btf *btf;	  /* NULL: it has none */
	struct lkst_returns *returns;
};

struct lkst_function_returns {
	struct typed *list; /* the kernel itself is the first */
	u32 nr;
};

/* Reads the types of @module; without any its functions are unknown. NULL: no memory. */
static struct typed *function_returns_add(struct lkst_function_returns *r, const char *module)
{
	struct typed *t = lkst_vec_add(r->list, r->nr);
	char name[MODULE_ROOM];
	struct btf *base;

	if (!t)
		return NULL;
	base = r->list[0].btf;
	snprintf(t->module, sizeof(t->module), "%s", module);
	if (!module[0]) {
		t->btf = btf__load_vmlinux_btf();
	} else if (base && sscanf(module, "[%126[^]]", name) == 1) {
		t->btf = btf__load_module_btf(name, base);
	}
	if (t->btf)
		lkst_returns_new(NULL, t->btf, module[0] ? btf__type_cnt(base) : 1, &t->returns);
	return t;
}

int lkst_function_returns_new(struct lkst_err *e, struct lkst_function_returns **ret)
{
	_cleanup_(lkst_function_returns_freep) struct lkst_function_returns *r =
		calloc(1, sizeof(*r));
	struct typed *kernel = r ? function_returns_add(r, "") : NULL;

	if (!kernel)
		return lkst_err_sys(e, -ENOMEM, "reading what functions return");
	if (!kernel->returns)
		return lkst_err_set(e, -ENOENT,
				    "what functions return is not known: this kernel has no type "
				    "information (/sys/kernel/btf/vmlinux)");
	*ret = lkst_take(r);
	return 0;
}

void lkst_function_returns_free(struct lkst_function_returns *r)
{
	if (!r)
		return;
	while (r->nr) {
		struct typed *t = &r->list[--r->nr];

		/* The kernel's types are the last: those of modules refer to them. */
		lkst_returns_free(t->returns);
		btf__free(t->btf);
	}
	free(r->list);
	free(r);
}

enum lkst_returns_kind lkst_function_returns_find(struct lkst_function_returns *r, const char *name,
						  const char *module)
{
	struct typed *t = NULL;
	u32 i;

	for (i = 0; i < r->nr && !t; i++)
		if (!strcmp(r->list[i].module, module))
			t = &r->list[i];
	t = t ?: function_returns_add(r, module);
	return t && t->returns ? lkst_returns_find(t->returns, name) : LKST_RETURNS_UNKNOWN;
}
