/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading masksets of a recording, with the conditions of their rows; writing and deleting them. */
#ifndef LKST_LIVE_MASKS_MASKSET_EDIT_H
#define LKST_LIVE_MASKS_MASKSET_EDIT_H

#include "live/session/session.h"
#include "masks/mask.h"

/* Copies maskset @set, as it was written: whatever is left out for now. */
void lkst_maskset_read(const struct lkst_session *s, u32 set, struct lkst_mask *ret_mask);

/*
 * Replaces maskset @set, or makes it. The active one is changed entry by entry, and the change is
 * recorded as a switch to itself; then hooks are attached and detached as it needs them now. -EPERM:
 * it is reserved. -EINVAL: a handler or buffer in it is not there. -EEXIST: its name is another's. Conditions
 * are left out as long as the recording is not pinned: whoever starts it writes the maskset again then.
 */
int lkst_maskset_write(struct lkst_err *e, struct lkst_session *s, u32 set,
		       const struct lkst_mask *mask, struct lkst_notes *notes);

/*
 * The number of the maskset that @word names, as lkst_maskset_find() has it. If there is none and @word is a shipped
 * one's name, that one is made, in the highest free place; or @word is the path of a file with a maskset's text.
 */
int lkst_maskset_get(struct lkst_err *e, struct lkst_session *s, const char *word,
		     struct lkst_notes *notes, u32 *ret_set);

/* Removes it. -EBUSY: it is active, or a trigger switches to it. */
int lkst_maskset_delete(struct lkst_err *e, struct lkst_session *s, u32 set,
			struct lkst_notes *notes);

#endif
