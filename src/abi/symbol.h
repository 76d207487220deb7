/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space asks the kernel programs of bpf/symbol.bpf.c, and what they answer, in the same struct. */
#ifndef LKST_ABI_SYMBOL_H
#define LKST_ABI_SYMBOL_H

#include "abi/types.h"

enum {
	/* Of the answer, with its NUL: a multiple of 8, and what a program's stack has room for. */
	LKST_SYMBOL_ANSWER = 320,
};

struct lkst_symbol_query {
	u64 address;
	char text
		[LKST_SYMBOL_ANSWER]; /* "function+0x12/0x80 [module]", or a cache's name; "": none */
};
_Static_assert(sizeof(struct lkst_symbol_query) == 8 + LKST_SYMBOL_ANSWER, "no holes");

#endif
