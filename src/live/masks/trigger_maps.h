/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of the handler of triggers and of masksets' conditions (abi/trigger.h), which is one handler that comes with
 * the program (src/bpf/handlers/trigger.c): what triggers there are, and what they need.
 */
#ifndef LKST_LIVE_MASKS_TRIGGER_MAPS_H
#define LKST_LIVE_MASKS_TRIGGER_MAPS_H

#include "abi/trigger.h"
#include "live/session/session.h"
#include "masks/mask.h"

/* The handler's name. */
#define LKST_TRIGGER_HANDLER "trigger"

/* Mapped, of LKST_TRIGGERS_MAX, _RULES ... elements; all NULL: closed. */
struct lkst_trigger_maps {
	struct lkst_trigger *triggers;
	struct lkst_trigger_rule *rules;
	struct lkst_trigger_term *terms;
	struct lkst_trigger_step *steps;
	struct lkst_trigger_event *events;
	struct lkst_trigger_set *sets;
	struct lkst_trigger_switch *switched;
	struct lkst_mask_rows *rows; /* by maskset */
	struct lkst_mask_condition *conditions;
};

/* Maps those of handler @number of @s. */
int lkst_trigger_maps_open(struct lkst_err *e, const struct lkst_session *s, u8 number, struct lkst_trigger_maps *m);
void lkst_trigger_maps_close(struct lkst_trigger_maps *m);

/* Maps those of the handler if it is loaded, and returns its number; 0: it is not. */
u8 lkst_trigger_maps_open_any(const struct lkst_session *s, struct lkst_trigger_maps *m);

/* How many intervals were forgotten because too many went on at once, since the first trigger was added. */
u64 lkst_trigger_forgotten(const struct lkst_session *s);

/* The masksets (a bit each) whose hooks must stay because a trigger's time ends with a switch back to them. */
u32 lkst_trigger_needs(const struct lkst_session *s);

/* -EBUSY if a trigger switches to maskset @set, called @name, or is about to switch back to it. */
int lkst_trigger_check_free(struct lkst_err *e, const struct lkst_session *s, u32 set,
			    const char *name);

#endif
