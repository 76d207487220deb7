/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that masksets recorded only in part: sentences about rows that have a condition (doc/masksets.md). */
#ifndef LKST_ANALYZE_ENGINE_CONDITIONS_H
#define LKST_ANALYZE_ENGINE_CONDITIONS_H

#include "analyze/engine/feed.h"
#include "result/notes.h"

/* Has @f add a sentence to @notes for each such row, whatever the window. @notes must stay. 0 or -ENOMEM. */
int lkst_conditions_subscribe(struct lkst_notes *notes, struct lkst_feed *f);

#endif
