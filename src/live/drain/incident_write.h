/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing an incident's records to a trace. */
#ifndef LKST_LIVE_DRAIN_INCIDENT_WRITE_H
#define LKST_LIVE_DRAIN_INCIDENT_WRITE_H

#include "live/drain/incidents.h"
#include "trace/write/writer.h"

/*
 * Writes the incident to @w as a trace: what the bank holds, the life buffer, and how things stood on the
 * machine. Not before it is over.
 */
int lkst_incident_save(struct lkst_err *e, const struct lkst_session *s,
		       const struct lkst_incident *incident, struct lkst_writer *w);

#endif
