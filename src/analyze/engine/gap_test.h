/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an interval crosses a gap, a place where records are missing: then its begin and end may
 * not belong together, and it is not counted as measured.
 */
#ifndef LKST_ANALYZE_ENGINE_GAP_TEST_H
#define LKST_ANALYZE_ENGINE_GAP_TEST_H

#include "analyze/engine/feed.h"

struct lkst_gap_test;

/* Subscribes to the gaps of @f. */
int lkst_gap_test_new(struct lkst_err *e, struct lkst_feed *f, struct lkst_gap_test **ret_gap_test);
void lkst_gap_test_free(struct lkst_gap_test *c);

/*
 * True if records of @buffer are missing between @from_ns and @to_ns: on @cpu, or with
 * LKST_GAP_TEST_ANY on any CPU. @to_ns must not be less than in an earlier call.
 */
bool lkst_gap_test_crosses(struct lkst_gap_test *c, u32 cpu, u32 buffer, u64 from_ns, u64 to_ns);
#define LKST_GAP_TEST_ANY UINT32_MAX

#endif
