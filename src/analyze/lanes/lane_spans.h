/* SPDX-License-Identifier: GPL-2.0-only */
/* The spans of programs (doc/marks.md) as lanes: of each thread those that it had, one in the other. */
#ifndef LKST_ANALYZE_LANES_LANE_SPANS_H
#define LKST_ANALYZE_LANES_LANE_SPANS_H

#include "analyze/lanes/shares.h"
#include "analyze/model/spans.h"

enum {
	LKST_LANE_SPANS_MAX = 1 << 19, /* more are left out */
	LKST_LANE_SPAN_LEVELS = 16,    /* of a thread; what lies deeper is left out */
};

/* A span, whoever had it. */
struct lkst_lane_span {
	u64 from_ns, to_ns;
	u64 id;
	u8 ending; /* enum lkst_span_ending */
	bool is_doubtful;
	char name[LKST_SPAN_NAME];
};

/* What a thread had of them; `life` of a slice is its place in the list of spans, its state LKST_LANE_RUNNING. */
struct lkst_span_lane {
	s32 tid;
	u32 level; /* 0: the outermost */
	struct lkst_slices slices;
};

/* All zero is empty. */
struct lkst_lane_spans {
	struct lkst_lane_span *list;
	u32 nr;
	struct lkst_span_lane *lanes; /* after lkst_lane_spans_end(): by thread, then by level */
	u32 nr_lanes;
	u64 nr_left_out;

	/* Private, during the pass. */
	struct lkst_spans *spans;
	struct lkst_lane_part *parts;
	u32 nr_parts;
};

/* Has @feed fill @s, which must stay; @threads are those of the feed. 0, or a negative errno with a sentence. */
int lkst_lane_spans_subscribe(struct lkst_err *e, struct lkst_lane_spans *s, struct lkst_feed *feed,
			      const struct lkst_threads *threads);

/* The pass is over. 0 or -ENOMEM. */
int lkst_lane_spans_end(struct lkst_lane_spans *s);
void lkst_lane_spans_fini(struct lkst_lane_spans *s);

#endif
