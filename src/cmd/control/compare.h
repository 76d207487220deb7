/* SPDX-License-Identifier: GPL-2.0-only */
/* What recording costs, by comparing with what the machine does when nothing is recorded. */
#ifndef LKST_CMD_COMPARE_H
#define LKST_CMD_COMPARE_H

#include "live/recording/work.h"

/*
 * Switches for @ns, a second at least, between the active maskset and RNOTHING, whose hooks are detached, and compares
 * what the machine does meanwhile. Half of the time is missing in the recording, as switches to another maskset. The
 * maskset is active again afterwards, also if this process is killed. -ENOENT: nothing is recorded. -EBUSY: another
 * command has switched to another maskset meanwhile, or RNOTHING is the active one. Else as lkst_work_compare().
 */
int lkst_compare(struct lkst_err *e, u64 ns, struct lkst_work_slowdown ret[LKST_WORK_ROWS]);

#endif
