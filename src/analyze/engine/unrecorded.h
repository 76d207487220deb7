/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events an analysis needs and the trace lacks, because the masksets that were active sent them to
 * NOTHING; and which maskset records them (doc/masksets.md).
 */
#ifndef LKST_ANALYZE_ENGINE_UNRECORDED_H
#define LKST_ANALYZE_ENGINE_UNRECORDED_H

#include "abi/control.h"
#include "analyze/engine/feed.h"
#include "base/cleanup.h"
#include "result/notes.h"

struct lkst_unrecorded;

/* Has @f collect the names of the masksets. *@ret_unrecorded is to be freed before @f. 0 or -ENOMEM. */
int lkst_unrecorded_new(struct lkst_feed *f, struct lkst_unrecorded **ret_unrecorded);
void lkst_unrecorded_free(struct lkst_unrecorded *u);
LKST_GUARD(lkst_unrecorded_free, struct lkst_unrecorded)

/* The pass is over: the functions below can be called. */
void lkst_unrecorded_end(struct lkst_unrecorded *u);

/*
 * True if the trace has no record of the event and its masksets are known to send it to NOTHING. Known
 * are the reserved and the shipped ones, unless they were changed.
 */
bool lkst_unrecorded_is(const struct lkst_unrecorded *u, enum lkst_event_index index);

/*
 * Adds a sentence to @notes if some of the events @wants, by id of the trace's catalogue, were not recorded. Where the
 * masksets are not known: if none of @wants is in the trace, and all of the trace was read.
 */
void lkst_unrecorded_note(struct lkst_unrecorded *u, const bool wants[LKST_EVENT_SPACE],
			  struct lkst_notes *notes);

#endif
