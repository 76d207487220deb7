/* SPDX-License-Identifier: GPL-2.0-only */
/* The spans of programs as lanes. */
#include "analyze/lanes/lane_spans.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

/* A thread had a span from one time to another. */
struct lkst_lane_part {
	u64 from_ns, to_ns;
	s32 tid;
	u32 span;
};

/* ---- during the pass ---------------------------------------------------------------------------- */

static int lane_spans_add_part(struct lkst_lane_spans *s, const struct lkst_span *x, u32 i)
{
	u64 to_ns = i + 1 < x->nr_parts ? x->parts[i + 1].from_ns : x->to_ns;
	struct lkst_lane_part *part;

	/* Nobody had it, or it is not known until when. */
	if (!x->parts[i].tid || (i + 1 == x->nr_parts && x->has_more_parts))
		return 0;
	part = lkst_vec_add(s->parts, s->nr_parts);
	if (!part)
		return -ENOMEM;
	*part = (struct lkst_lane_part){ x->parts[i].from_ns, to_ns, x->parts[i].tid, s->nr - 1 };
	return 0;
}

static int lane_spans_on_span(void *ctx, const struct lkst_span *x)
{
	struct lkst_lane_spans *s = ctx;
	struct lkst_lane_span *span;
	u32 i;
	int err = 0;

	if (s->nr == LKST_LANE_SPANS_MAX) {
		s->nr_left_out++;
		return 0;
	}
	span = lkst_vec_add(s->list, s->nr);
	if (!span)
		return -ENOMEM;
	*span = (struct lkst_lane_span){ .from_ns = x->from_ns,
					 .to_ns = x->to_ns,
					 .id = x->id,
					 .ending = x->ending,
					 .is_doubtful = x->is_doubtful };
	memcpy(span->name, x->name, sizeof(span->name));
	for (i = 0; i < x->nr_parts && !err; i++)
		err = lane_spans_add_part(s, x, i);
	return err;
}

int lkst_lane_spans_subscribe(struct lkst_err *e, struct lkst_lane_spans *s, struct lkst_feed *feed,
			      const struct lkst_threads *threads)
{
	const struct lkst_spans_options options = {
		.feed = feed, .threads = threads, .call = lane_spans_on_span, .ctx = s
	};

	return lkst_spans_can_be(feed) ? lkst_spans_new(e, &options, &s->spans) : 0;
}

/* ---- after the pass ----------------------------------------------------------------------------- */

/* By thread and time; of those that begin together the longest is first, in which the others lie. */
static int lane_spans_compare(const void *a, const void *b)
{
	const struct lkst_lane_part *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if (x->to_ns != y->to_ns)
		return x->to_ns > y->to_ns ? -1 : 1;
	return (x->span > y->span) - (x->span < y->span);
}

/*
 * The first lane of the thread, of those from @first on, in which nothing is at that time. NULL: there is no memory, or
 * *@ret_is_full.
 */
static struct lkst_span_lane *lane_for(struct lkst_lane_spans *s, u32 first,
				       const struct lkst_lane_part *part, bool *ret_is_full)
{
	struct lkst_span_lane *lane;
	u32 i;

	for (i = first; i < s->nr_lanes; i++) {
		const struct lkst_slices *there = &s->lanes[i].slices;

		if (!there->nr || there->list[there->nr - 1].to_ns <= part->from_ns)
			return &s->lanes[i];
	}
	*ret_is_full = s->nr_lanes - first == LKST_LANE_SPAN_LEVELS;
	lane = *ret_is_full ? NULL : lkst_vec_add(s->lanes, s->nr_lanes);
	if (lane)
		*lane = (struct lkst_span_lane){ .tid = part->tid,
						 .level = s->nr_lanes - 1 - first };
	return lane;
}

static int place_parts(struct lkst_lane_spans *s)
{
	u32 i, first = 0;
	int err = 0;

	for (i = 0; i < s->nr_parts && !err; i++) {
		const struct lkst_lane_part *part = &s->parts[i];
		struct lkst_span_lane *lane;
		bool is_full = false;

		if (i && part[-1].tid != part->tid)
			first = s->nr_lanes;
		lane = lane_for(s, first, part, &is_full);
		s->nr_left_out += is_full;
		if (lane)
			err = lkst_slices_add(&lane->slices,
					      (struct lkst_slice){ .from_ns = part->from_ns,
								   .to_ns = part->to_ns,
								   .life = part->span,
								   .state = LKST_LANE_RUNNING,
								   .cpu = -1 });
		else if (!is_full)
			err = -ENOMEM;
	}
	return err;
}

int lkst_lane_spans_end(struct lkst_lane_spans *s)
{
	u32 i;
	int err;

	if (s->nr_parts)
		qsort(s->parts, s->nr_parts, sizeof(*s->parts), lane_spans_compare);
	err = place_parts(s);
	for (i = 0; i < s->nr_lanes && !err; i++)
		err = lkst_slices_index(&s->lanes[i].slices);
	free(s->parts);
	s->parts = NULL;
	s->nr_parts = 0;
	return err;
}

void lkst_lane_spans_fini(struct lkst_lane_spans *s)
{
	u32 i;

	for (i = 0; i < s->nr_lanes; i++)
		lkst_slices_fini(&s->lanes[i].slices);
	lkst_spans_free(s->spans);
	free(s->list);
	free(s->lanes);
	free(s->parts);
	*s = (struct lkst_lane_spans){};
}
