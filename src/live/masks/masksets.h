/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The masksets of a recording, and which one is active.
 *
 * The control page has LKST_MASKSETS of them. The first three are reserved. Recording goes on whatever is
 * done here. live/masks/maskset_edit.h changes them.
 */
#ifndef LKST_LIVE_MASKS_MASKSETS_H
#define LKST_LIVE_MASKS_MASKSETS_H

#include "live/session/session.h"
#include "masks/mask.h"

/* Writes the reserved masksets, and the one that @plan's globs chose if there were any. */
void lkst_maskset_fill_control(struct lkst_control *c, const struct lkst_plan *plan);

/* The maskset that a recording of @plan begins with if nobody says otherwise. */
u32 lkst_maskset_first(const struct lkst_plan *plan);

/* Whether there is a maskset @set; whether it is reserved. */
bool lkst_maskset_exists(const struct lkst_control *c, u32 set);
bool lkst_maskset_is_reserved(u32 set);

/*
 * The number of the maskset that @word names: its number or name. -ENOENT: there is none; a
 * number that could be one is still stored in *@ret_set, else LKST_MASKSETS.
 */
int lkst_maskset_find(struct lkst_err *e, const struct lkst_control *c, const char *word,
		      u32 *ret_set);

/*
 * Where the maskset that @word names is, or would be written: its number if there is one, @word if
 * that is a free number, or the lowest free one for a new name. -EPERM: it is reserved.
 */
int lkst_maskset_place(struct lkst_err *e, const struct lkst_control *c, const char *word,
		       u32 *ret_set);

/* The lowest or the @highest number that is free. -ENOSPC: none is. */
int lkst_maskset_find_free(struct lkst_err *e, const struct lkst_control *c, bool highest,
			   u32 *ret_set);

/* Returns -EPERM, with a text that says what to do instead of changing the reserved maskset @set. */
int lkst_maskset_refuse_reserved(struct lkst_err *e, const struct lkst_control *c, u32 set);

/* True if a change of it changes what is recorded or hooked now. */
bool lkst_maskset_is_in_use(const struct lkst_control *c, u32 set);

/*
 * Where masksets send the events of @ids (a flag each) to DEFAULT, they send them to @handler from now on, or
 * to DEFAULT again: in all masksets, the reserved ones too, and in those that are written later. Whoever
 * reads a maskset sees DEFAULT. The change is recorded as one of the active maskset.
 */
int lkst_maskset_divert(struct lkst_err *e, struct lkst_session *s, const bool *ids, u8 handler,
			struct lkst_notes *notes);

/*
 * Has the masksets that are in use record event @id, which is new: the active one, unless that is RNOTHING, the armed
 * ones, and those that have all such events, RALL and RDEFAULT. Others have it when somebody writes it into them.
 */
int lkst_maskset_admit(struct lkst_err *e, struct lkst_session *s, u32 id, struct lkst_notes *notes);

/* No maskset has event @id any more; its hooks are detached. */
int lkst_maskset_retire(struct lkst_err *e, struct lkst_session *s, u32 id);

/* How many events maskset @set sends to @handler, also those that are left out for now. */
unsigned int lkst_maskset_count(const struct lkst_control *c, u32 set, u8 handler);

/* Sends what any maskset sends to @handler to DEFAULT instead; recorded likewise. */
int lkst_maskset_withdraw(struct lkst_err *e, struct lkst_session *s, u8 handler,
			  struct lkst_notes *notes);

/* The handler that event @id goes to where a maskset says DEFAULT, and what @route of it means then. */
u8 lkst_maskset_default(const struct lkst_control *c, u32 id);
u16 lkst_maskset_resolve(const struct lkst_control *c, u32 id, u16 route);

/* Stores @mask as maskset @set and no more: hooks and conditions do not follow, and the change is not recorded. */
void lkst_maskset_put(struct lkst_control *c, u32 set, const struct lkst_mask *mask);

/* Keeps its hooks attached while another one is active, or no longer. */
int lkst_maskset_arm(struct lkst_err *e, struct lkst_session *s, u32 set, bool on,
		     struct lkst_notes *notes);

/* How long a switch took. */
struct lkst_switch_times {
	u32 nr_attached, nr_detached;
	u64 attach_ns, switch_ns, detach_ns;
	u64 settle_ns; /* until no CPU can use the old maskset any more */
};

/*
 * Switches to maskset @set: attaches the hooks that it needs and that are not attached yet,
 * switches (one store, recorded as maskset_switch), detaches those that nobody needs any more, waits
 * until every writer that has read the old one is done, and records maskset_settled. What can't
 * be attached is noted.
 */
int lkst_maskset_set(struct lkst_err *e, struct lkst_session *s, u32 set, struct lkst_notes *notes,
		     struct lkst_switch_times *ret_times);

/* The two halves of it, for hooks that are attached: the switch alone, and waiting until it holds. */
int lkst_maskset_switch(struct lkst_err *e, struct lkst_session *s, u32 set);
int lkst_maskset_settle(struct lkst_err *e, struct lkst_session *s);

#endif
