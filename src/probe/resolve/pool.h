/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is needed until a definition is resolved, and freed at once. */
#ifndef LKST_PROBE_RESOLVE_POOL_H
#define LKST_PROBE_RESOLVE_POOL_H

#include <stddef.h>

#include "abi/types.h"

struct lkst_fetch;

/* All zero is an empty one. */
struct lkst_pool {
	void **owned;
	u32 nr;
};

void lkst_pool_fini(struct lkst_pool *p);

/* Memory that is all zero. NULL: there is none. */
void *lkst_pool_get(struct lkst_pool *p, size_t size);

/* A copy of @text. */
char *lkst_pool_text(struct lkst_pool *p, const char *text);

/* A node; nodes may be part of several expressions. @text and @base may be NULL. */
struct lkst_fetch *lkst_pool_fetch(struct lkst_pool *p, u8 op, const char *text, s64 number,
				   struct lkst_fetch *base);

#endif
