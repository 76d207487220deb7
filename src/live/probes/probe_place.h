/* SPDX-License-Identifier: GPL-2.0-only */
/* The place of a probe, as a recording keeps it: what it is, and whether this kernel lets anybody set a probe there. */
#ifndef LKST_LIVE_PROBES_PROBE_PLACE_H
#define LKST_LIVE_PROBES_PROBE_PLACE_H

#include "live/hooks/probe_row.h"
#include "probe/text/probe.h"

/* Fills in where @probe, which is resolved, is. -EINVAL: it is not resolved, or its names are too long; -ENOENT. */
int lkst_probe_place_describe(struct lkst_err *e, const struct lkst_probe *probe,
			      struct lkst_probe_row *row);

/*
 * Asks the kernel whether a probe can be at the one place of @row: this sets one for a moment, that nothing runs at. A
 * symbol of a module that does not name that gets its name.
 */
int lkst_probe_place_check(struct lkst_err *e, const struct lkst_probe *probe,
			   struct lkst_probe_row *row);

/* Whether this kernel has probes of its functions at all, and in that of @row. */
int lkst_probe_place_check_kernel(struct lkst_err *e, const struct lkst_probe *probe,
				  const struct lkst_probe_row *row);

#endif
