/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moments that concern all lanes: incidents, triggers that fired, switches of the maskset, kinds of events that the
 * cost limit left out and took in again, and the ends of the parts of a recording.
 */
#ifndef LKST_ANALYZE_LANES_LANE_MARKS_H
#define LKST_ANALYZE_LANES_LANE_MARKS_H

#include "analyze/engine/feed.h"

enum { LKST_LANE_MARKS_MAX = 16384 }; /* more are left out */

struct lkst_lane_mark {
	u64 ns;
	u16 event;	  /* enum lkst_event_index: of the record that says more */
	const char *text; /* what it says, if the record has it in numbers only; else NULL */
};

/* All zero is empty. */
struct lkst_lane_marks {
	struct lkst_lane_mark *list; /* in order of time after lkst_lane_marks_end() */
	u32 nr;
};

/* Has @f fill @m, which must stay. 0 or -ENOMEM. */
int lkst_lane_marks_subscribe(struct lkst_lane_marks *m, struct lkst_feed *f);

/* The pass is over. What happened after @end_ns, the last record, is shown then. */
void lkst_lane_marks_end(struct lkst_lane_marks *m, u64 end_ns);
void lkst_lane_marks_fini(struct lkst_lane_marks *m);

#endif
