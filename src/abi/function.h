/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space asks the program of bpf/function.bpf.c, and what it answers. */
#ifndef LKST_ABI_FUNCTION_H
#define LKST_ABI_FUNCTION_H

#include "abi/types.h"

struct lkst_function_query {
	char name[64]; /* of which the last byte is 0 */
	u64 address;   /* 0: there is none of that name, or it is not told */
};

#endif
