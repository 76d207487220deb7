/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of the handler of triggers, and the masksets that triggers put in force. For src/live/trigger.c. */
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
};

/* Maps those of handler @number. */
int lkst_trigger_maps_open(struct lkst_err *e, u8 number, struct lkst_trigger_maps *m);
void lkst_trigger_maps_close(struct lkst_trigger_maps *m);

/* Arms the maskset of trigger @number of @m, and starts what reverts it, of handler @handler. */
int lkst_trigger_switch_prepare(struct lkst_err *e, struct lkst_session *s,
				struct lkst_trigger_maps *m, u32 number,
				const struct lkst_trigger_options *o, u8 handler,
				struct lkst_notes *notes);

/* The opposite, when the trigger does not fire any more: what is in force because of it ends at once. */
int lkst_trigger_switch_end(struct lkst_err *e, struct lkst_session *s, struct lkst_trigger_maps *m,
			    u32 number, struct lkst_notes *notes);

#endif
