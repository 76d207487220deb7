/* SPDX-License-Identifier: GPL-2.0-only */
/* What a probe in a program costs. */
#ifndef LKST_LIVE_PROBES_PROBE_COST_H
#define LKST_LIVE_PROBES_PROBE_COST_H

#include "live/hooks/probe_row.h"
#include "live/session/session.h"

/*
 * Of probe @event, whose program is loaded and not attached: has the recording know what such a probe costs, which is
 * measured the first time that one is set. Nothing is done for a probe in the kernel.
 */
int lkst_probe_cost_measure(struct lkst_err *e, const struct lkst_session *s, const char *event,
			    const struct lkst_probe_row *row);

#endif
