/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that is freed at once. */
#include "probe/resolve/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "probe/text/probe.h"

void *lkst_pool_get(struct lkst_pool *p, size_t size)
{
	void **slot = lkst_vec_add(p->owned, p->nr);

	return slot ? *slot = calloc(1, size) : NULL;
}

char *lkst_pool_text(struct lkst_pool *p, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = lkst_pool_get(p, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

struct lkst_fetch *lkst_pool_fetch(struct lkst_pool *p, u8 op, const char *text, s64 number,
				   struct lkst_fetch *base)
{
	struct lkst_fetch *f = lkst_pool_get(p, sizeof(*f));

	if (!f || (text && !(f->text = lkst_pool_text(p, text))))
		return NULL;
	f->op = op;
	f->number = number;
	f->base = base;
	return f;
}

void lkst_pool_fini(struct lkst_pool *p)
{
	u32 i;

	for (i = 0; i < p->nr; i++)
		free(p->owned[i]);
	free(p->owned);
	*p = (struct lkst_pool){ 0 };
}
