/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handler of triggers and of masksets' conditions: it is loaded when the first of them needs it, gets programs for
 * more events as they are named, and goes with the last one.
 */
#ifndef LKST_LIVE_RECORDING_TRIGGER_HANDLER_H
#define LKST_LIVE_RECORDING_TRIGGER_HANDLER_H

#include "live/recording/trigger_maps.h"

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

#endif
