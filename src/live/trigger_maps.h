/* SPDX-License-Identifier: GPL-2.0-only */
/* The handler of triggers and of masksets' conditions: its maps, loading it, and giving it back. */
#ifndef LKST_LIVE_TRIGGER_MAPS_H
#define LKST_LIVE_TRIGGER_MAPS_H

#include "live/trigger.h"

/* Mapped, of LKST_TRIGGERS_MAX, _RULES ... elements; all NULL: closed. */
struct lkst_trigger_maps {
	struct lkst_trigger *triggers;
	struct lkst_trigger_rule *rules;
	struct lkst_trigger_term *terms;
	struct lkst_trigger_step *steps;
	struct lkst_trigger_event *events;
	struct lkst_trigger_set *sets;
	struct lkst_trigger_switch *in_force;
	struct lkst_mask_rows *rows; /* by maskset */
	struct lkst_mask_condition *conditions;
};

/* Maps those of handler @number. */
int lkst_trigger_maps_open(struct lkst_err *e, u8 number, struct lkst_trigger_maps *m);
void lkst_trigger_maps_close(struct lkst_trigger_maps *m);

/* Maps those of the handler if it is loaded, and returns its number; 0: it is not. */
u8 lkst_trigger_maps_open_any(struct lkst_trigger_maps *m);

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

/* Arms the maskset of trigger @number of @m, and starts what reverts it, of handler @handler. */
int lkst_trigger_switch_prepare(struct lkst_err *e, struct lkst_session *s,
				struct lkst_trigger_maps *m, u32 number,
				const struct lkst_trigger_options *o, u8 handler,
				struct lkst_notes *notes);

/* The opposite, when the trigger does not fire any more: what is in force because of it ends at once. */
int lkst_trigger_switch_end(struct lkst_err *e, struct lkst_session *s, struct lkst_trigger_maps *m,
			    u32 number, struct lkst_notes *notes);

#endif
