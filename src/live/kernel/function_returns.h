/* SPDX-License-Identifier: GPL-2.0-only */
/* What the functions of the running kernel and of its modules return. */
#ifndef LKST_LIVE_KERNEL_FUNCTION_RETURNS_H
#define LKST_LIVE_KERNEL_FUNCTION_RETURNS_H

#include "abi/types.h"
#include "probe/debuginfo/returns.h"

struct lkst_function_returns;

/* Reads the kernel's types. -ENOENT: it has none. -ENOMEM. */
int lkst_function_returns_new(struct lkst_err *e, struct lkst_function_returns **ret);
void lkst_function_returns_free(struct lkst_function_returns *r);
LKST_GUARD(lkst_function_returns_free, struct lkst_function_returns)

/*
 * What the function called @name returns, of the module that kallsyms names so: "[ext4]", or "" for the kernel
 * itself. A module's types are read when it is first asked for.
 */
enum lkst_returns_kind lkst_function_returns_find(struct lkst_function_returns *r, const char *name,
						  const char *module);

#endif
