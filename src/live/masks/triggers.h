/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The triggers of a recording (abi/trigger.h): all are served by one handler that comes with the program
 * (src/bpf/handlers/trigger.c). It is loaded with the first trigger, gets programs for more events as they are
 * named, and goes with the last one. Triggers require a pinned recording.
 */
#ifndef LKST_LIVE_MASKS_TRIGGERS_H
#define LKST_LIVE_MASKS_TRIGGERS_H

#include "live/masks/trigger_switch.h"
#include "masks/condition.h"

/*
 * Adds a trigger for @condition. If it can't fire for now, because the active maskset leaves its event out or sends
 * it to another handler, that is noted. -EEXIST: there is one of that name.
 */
int lkst_trigger_add(struct lkst_err *e, struct lkst_session *s,
		     const struct lkst_condition *condition,
		     const struct lkst_trigger_options *options, struct lkst_notes *notes,
		     u32 *ret_number);

/* Removes the trigger that @word, a name or number, means. -ENOENT: there is none. */
int lkst_trigger_remove(struct lkst_err *e, struct lkst_session *s, const char *word,
			struct lkst_notes *notes);

/* Calls @each for a copy of every trigger until it returns other than 0, which is passed on. */
int lkst_trigger_each(struct lkst_err *e, const struct lkst_session *s,
		      int (*each)(void *ctx, u32 number, const struct lkst_trigger *t), void *ctx);

/* Fires for @reason, cut to LKST_TRIGGER_NAME. */
int lkst_trigger_fire(struct lkst_err *e, const struct lkst_session *s, const char *reason,
		      u64 post_ns);

#endif
