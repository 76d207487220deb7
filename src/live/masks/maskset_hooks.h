/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks that masksets need: attached before one becomes active, detached when none needs them. */
#ifndef LKST_LIVE_MASKS_MASKSET_HOOKS_H
#define LKST_LIVE_MASKS_MASKSET_HOOKS_H

#include "live/session/session.h"

/*
 * Attaches what the masksets of @sets (a bit each), the armed ones and the table @more, which may be NULL,
 * need; detaches all else.
 */
int lkst_maskset_attach(struct lkst_err *e, struct lkst_session *s, u32 sets, const u16 *more,
			struct lkst_notes *notes, u32 *ret_nr);
int lkst_maskset_detach(struct lkst_err *e, struct lkst_session *s, u32 sets, u32 *ret_nr);

/* How many hooks are attached now. */
u32 lkst_maskset_nr_attached(const struct lkst_session *s);

#endif
