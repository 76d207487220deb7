/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel function as BTF declares it, and where its parameters are when it begins: in the registers that the
 * processor's calling convention says (System V ABI for AMD64, 3.2.3; AAPCS64, 6.8), then on the stack. A probe on a
 * function's return gets its parameters as $argN: what they were when the function began.
 */
#ifndef LKST_PROBE_RESOLVE_PROTOTYPE_H
#define LKST_PROBE_RESOLVE_PROTOTYPE_H

#include "probe/resolve/value.h"

struct lkst_prototype {
	const struct btf *btf;
	u32 id; /* of the prototype, BTF_KIND_FUNC_PROTO */
};

/* -ENOENT: BTF has no such function. */
int lkst_prototype_find(const struct lkst_image *image, const char *function,
			struct lkst_prototype *ret_prototype);

/* Parameters: their number, and the name of each, NULL if it has none, and its type. */
u32 lkst_prototype_count(const struct lkst_prototype *p);
bool lkst_prototype_is_variadic(const struct lkst_prototype *p); /* there may be more of them */
const char *lkst_prototype_name(const struct lkst_prototype *p, u32 i);
struct lkst_ctype lkst_prototype_type(const struct lkst_prototype *p, u32 i);

/* Where parameter number @i is, from 0 on. */
int lkst_prototype_parameter(struct lkst_spot *s, const struct lkst_prototype *p, u32 i,
			     struct lkst_value *ret_value);

/* What the function returns. */
struct lkst_ctype lkst_prototype_result(const struct lkst_prototype *p);

#endif
