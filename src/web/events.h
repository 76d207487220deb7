/* SPDX-License-Identifier: GPL-2.0-only */
/* Single events of the trace that the page shows, where they are few enough to be distinguished. */
#ifndef LKST_WEB_EVENTS_H
#define LKST_WEB_EVENTS_H

#include "abi/types.h"
#include "web/module.h"

/* What lkst_web_events() fills. */
struct lkst_web_event {
	double ns;
	s32 tid;
	u32 cpu;
	u32 event; /* its number, for lkst_web_event_names() */
	u32 host;  /* its place among the hosts */
};

/*
 * The records between two times, state aside, at most @max from the first on, one host's after the other's; returns how
 * many. Times are as in
 * web/draw.h. Costs no more than the blocks that these records are in.
 */
u32 lkst_web_events(double from_ns, double to_ns, u32 max, struct lkst_web_event *ret_events)
	LKST_WEB_EXPORT(lkst_web_events);

/*
 * Prints the names of a host's events as JSON, an array by their numbers; "": there is none such. 0 or a negative
 * errno.
 */
int lkst_web_event_names(u32 host) LKST_WEB_EXPORT(lkst_web_event_names);

#endif
