/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where an injection is: a function of the kernel that it lets a program replace for a call, or a function of a
 * program, and the function that it is to be called from.
 */
#ifndef LKST_LIVE_INJECT_INJECTION_PLACE_H
#define LKST_LIVE_INJECT_INJECTION_PLACE_H

#include <limits.h>

#include "probe/text/injection.h"

struct lkst_injection_place {
	char function[LKST_INJECTION_NAME]; /* as the kernel calls it: __x64_sys_mkdir for mkdir */
	char program[PATH_MAX];		    /* absolute; "": it is a function of the kernel */
	int type_id;			    /* of the kernel's function in its BTF */
	u64 offset;			    /* of a program's function in the file */
	/* As struct lkst_injection_plan has them. */
	u64 begin, end;
	u64 caller_begin, caller_end;
};

/*
 * Finds the place of @injection, in @program or, if that is NULL, in the kernel. -ENOENT: there is no such function;
 * -EPERM: the kernel lets nobody make it fail; -ERANGE: it may not return that; -ENOTSUP: not in this kernel.
 */
int lkst_injection_find(struct lkst_err *e, const struct lkst_injection *injection,
			const char *program, struct lkst_injection_place *ret_place);

#endif
