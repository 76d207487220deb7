/* SPDX-License-Identifier: GPL-2.0-only */
/* Triggers that fire when functions return errors (masks/error_trigger.h), with the probes that they need. */
#ifndef LKST_LIVE_PROBES_TRIGGER_PROBES_H
#define LKST_LIVE_PROBES_TRIGGER_PROBES_H

#include "live/masks/triggers.h"

/*
 * Adds a trigger for the condition options->text: one of these, whose probes are set unless they are, or any other. The
 * errors are those of lkst_condition_parse(), lkst_trigger_add() and lkst_error_probes_set(); nothing is left then.
 */
int lkst_trigger_add_text(struct lkst_err *e, struct lkst_session *s,
			  const struct lkst_trigger_options *options, struct lkst_notes *notes,
			  u32 *ret_number);

/* Removes a trigger as lkst_trigger_remove() does, and its probes, if no other trigger needs them. */
int lkst_trigger_remove_all(struct lkst_err *e, struct lkst_session *s, const char *word,
			    struct lkst_notes *notes);

#endif
