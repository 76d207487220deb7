/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an interval crosses a gap, a place where records are missing: then its begin and end may
 * not belong together, and it is not counted as measured.
 */
#ifndef LKST_ANALYZE_ENGINE_CROSSING_H
#define LKST_ANALYZE_ENGINE_CROSSING_H

#include "analyze/engine/feed.h"

struct lkst_crossing;

/* Subscribes to the gaps of @f. */
int lkst_crossing_new(struct lkst_err *e, struct lkst_feed *f, struct lkst_crossing **ret_crossing);
void lkst_crossing_free(struct lkst_crossing *c);

/*
 * True if records of @buffer are missing between @from_ns and @to_ns: on @cpu, or with
 * LKST_CROSSING_ANY on any CPU. @to_ns must not be less than in an earlier call.
 */
bool lkst_crossing_is(struct lkst_crossing *c, u32 cpu, u32 buffer, u64 from_ns, u64 to_ns);
#define LKST_CROSSING_ANY UINT32_MAX

#endif
