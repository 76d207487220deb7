/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions of masksets' rows (masks/mask.h). The handler of triggers evaluates them: events that have one in
 * any maskset go to it in all of them, as those of triggers do, and it asks the row of the active maskset.
 * They require a pinned recording.
 */
#ifndef LKST_LIVE_MASKS_MASK_CONDITIONS_H
#define LKST_LIVE_MASKS_MASK_CONDITIONS_H

#include "live/session/session.h"
#include "masks/mask.h"

/* Adds to @mask, which was read from maskset @set, the conditions of its rows. */
void lkst_mask_conditions_read(const struct lkst_session *s, u32 set, struct lkst_mask *mask);

/*
 * Gives maskset @set the conditions of @mask, before its events go anywhere: the handler is loaded for them
 * if it is not there. -ENOSPC: all masksets together have too many. -ENOTSUP: the recording will never be pinned.
 * If it will be pinned later, nothing is done: the conditions are given to it then.
 */
int lkst_mask_conditions_write(struct lkst_err *e, struct lkst_session *s, u32 set,
			       const struct lkst_mask *mask, struct lkst_notes *notes);

/* Frees what no condition and no trigger needs any more. To be called when the change has settled. */
int lkst_mask_conditions_release(struct lkst_err *e, struct lkst_session *s,
				 struct lkst_notes *notes);

#endif
