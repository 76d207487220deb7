/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes that one definition has become (probe/resolve/resolve.h). */
#ifndef LKST_PROBE_RESOLVE_RESOLVED_H
#define LKST_PROBE_RESOLVE_RESOLVED_H

#include "base/err.h"
#include "probe/text/probe.h"
#include "result/notes.h"

enum {
	LKST_RESOLVED_MAX = 1024, /* probes that one definition may become */
};

struct lkst_resolved {
	u32 nr;
	struct lkst_probe *probes;
	struct lkst_notes notes; /* of places that were left out, and why */
};

/* Adds a copy of @p. -E2BIG: there are LKST_RESOLVED_MAX; -ENOMEM. */
int lkst_resolved_add(struct lkst_err *e, struct lkst_resolved *r, const struct lkst_probe *p);

/* Frees the probes, each by lkst_probe_fini(); takes an empty one. */
void lkst_resolved_fini(struct lkst_resolved *r);

#endif
