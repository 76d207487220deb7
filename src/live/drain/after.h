/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was recorded between the end of an incident and the first reading of the kernel's counters after that. An
 * incident ends with an event, but a process has to read the counters, so the reading comes later. In between the
 * counters have gone on, and the records of that time are in the banks that follow. They are counted when the incident
 * is saved; so the incident can be compared with that reading, if those banks still have all of the records.
 */
#ifndef LKST_LIVE_DRAIN_AFTER_H
#define LKST_LIVE_DRAIN_AFTER_H

#include "live/drain/incidents.h"
#include "live/state/readings.h"

/*
 * Finds in @r, which was taken just now, the first reading that was made after @incident, fills in how many records
 * came before it (after_least, after_most), and sets r->after to it. r->after stays 0 if there is none, or if records
 * have been overwritten or dropped since. -errno with @e set only if copying fails.
 */
int lkst_after_count(struct lkst_err *e, const struct lkst_session *s,
		     const struct lkst_incident *incident, struct lkst_readings *r);

#endif
