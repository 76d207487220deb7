/* SPDX-License-Identifier: GPL-2.0-only */
/* The longest waits of a trace, for an incident's row. */
#ifndef LKST_CMD_AGENT_SHIP_WAITS_H
#define LKST_CMD_AGENT_SHIP_WAITS_H

#include "fleet/ship_rows.h"
#include "trace/read/reader.h"

/*
 * Finds the longest waits of threads of programs: for a CPU, and those that no signal could have ended, which are not
 * by design. The longest first, each with a line that says why. The caller frees the accounts.
 */
int lkst_ship_find_waits(struct lkst_err *e, struct lkst_trace *t, struct lkst_fleet_incident *i);

#endif
