/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes that one definition has become. */
#include "probe/resolve/resolved.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

int lkst_resolved_add(struct lkst_err *e, struct lkst_resolved *r, const struct lkst_probe *p)
{
	struct lkst_probe *slot;
	int code;

	if (r->nr == LKST_RESOLVED_MAX)
		return lkst_err_set(e, -E2BIG, "there are more than %d such places",
				    LKST_RESOLVED_MAX);
	slot = lkst_vec_add(r->probes, r->nr);
	if (!slot)
		return -ENOMEM;
	code = lkst_probe_copy(p, slot);
	if (code)
		r->nr--;
	return code;
}

void lkst_resolved_fini(struct lkst_resolved *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		lkst_probe_fini(&r->probes[i]);
	free(r->probes);
	lkst_notes_fini(&r->notes);
	*r = (struct lkst_resolved){ 0 };
}
