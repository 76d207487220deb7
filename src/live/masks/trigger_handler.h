/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handler of triggers and of masksets' conditions: it is loaded when the first of them needs it, gets programs for
 * more events as they are named, and goes with the last one.
 */
#ifndef LKST_LIVE_MASKS_TRIGGER_HANDLER_H
#define LKST_LIVE_MASKS_TRIGGER_HANDLER_H

#include "live/masks/trigger_maps.h"

/*
 * Loads the handler, from its object @file, or more programs of it, so that it serves the events of @ids (a
 * flag each). *@ret_number is its number.
 */
int lkst_trigger_handler_load(struct lkst_err *e, struct lkst_session *s, const char *file,
			      const bool *ids, u8 *ret_number);

/*
 * The opposite: events that no trigger and no condition names any more go back to DEFAULT; when there is
 * none at all, the handler is unloaded.
 */
int lkst_trigger_handler_release(struct lkst_err *e, struct lkst_session *s,
				 struct lkst_trigger_maps *m, u8 number, struct lkst_notes *notes);

/* Whether a trigger, or a condition of a maskset's row, looks at event @id. */
bool lkst_trigger_handler_needs(const struct lkst_session *s, u32 id);

/*
 * The probe of event @id was set, for the first time or again. If it is needed, as of lkst_trigger_handler_needs(), the
 * handler gets a program for it, and the event is sent there wherever it would go to DEFAULT.
 */
int lkst_trigger_handler_follow(struct lkst_err *e, struct lkst_session *s, u32 id,
				struct lkst_notes *notes);

#endif
