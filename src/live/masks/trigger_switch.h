/* SPDX-License-Identifier: GPL-2.0-only */
/* The masksets that triggers activate for a time. */
#ifndef LKST_LIVE_MASKS_TRIGGER_SWITCH_H
#define LKST_LIVE_MASKS_TRIGGER_SWITCH_H

#include "live/masks/trigger_maps.h"

struct lkst_trigger_options {
	const char *file; /* the handler's object file */
	const char *text; /* the condition, as it was written */
	const char *name; /* NULL: the condition */
	u64 pause_ns;	  /* between two firings, at least */
	u64 post_ns;	  /* from the event until the buffers are kept */
	bool once;
	const char *maskset; /* to be activated for a time, NULL: none */
	u64 switch_ns;	     /* the time */
};

/* Arms the maskset of trigger @number of @m, and starts handler @handler's timer that reverts it. */
int lkst_trigger_switch_prepare(struct lkst_err *e, struct lkst_session *s,
				struct lkst_trigger_maps *m, u32 number,
				const struct lkst_trigger_options *o, u8 handler,
				struct lkst_notes *notes);

/* The opposite, when the trigger does not fire any more: if its maskset is active because of it, that ends at once. */
int lkst_trigger_switch_end(struct lkst_err *e, struct lkst_session *s, struct lkst_trigger_maps *m,
			    u32 number, struct lkst_notes *notes);

#endif
