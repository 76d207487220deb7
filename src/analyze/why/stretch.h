/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One thread's time in a window, cut into stretches: it ran, it was ready to run, it was blocked. The
 * states come from the state model (doc/states.md); the moments that prove them are found here.
 */
#ifndef LKST_ANALYZE_WHY_STRETCH_H
#define LKST_ANALYZE_WHY_STRETCH_H

#include "analyze/why/excerpt.h"

enum { LKST_NOWHERE = 0xffffffff }; /* no moment of the window */

enum lkst_stretch_state {
	LKST_STRETCH_UNKNOWN, /* the window does not tell */
	LKST_STRETCH_RAN,
	LKST_STRETCH_READY,
	LKST_STRETCH_BLOCKED,
	LKST_STRETCH_ABSENT, /* the thread was not there yet, or not any more */
	LKST_NR_STRETCH_STATES,
};

struct lkst_stretch {
	u64 from_ns, to_ns;
	u8 state;
	bool is_open; /* it goes on when the window ends */
	s32 cpu;   /* where it ran or was ready, -1: not known */
	u32 begin; /* what began it, LKST_NOWHERE: not known, or before the window */
	u32 end; /* what ended it, LKST_NOWHERE: not known; blocked: the wake-up, if one is recorded */
	/* Records are missing that could change the result: of that CPU, or of any. */
	const struct lkst_gap *gap;
};

struct lkst_stretches {
	struct lkst_stretch *list; /* in order, without holes */
	u32 nr;
	u64 sum_ns[LKST_NR_STRETCH_STATES];
};

/*
 * The thread's stretches from @from_ns to @to_ns. A stretch that began earlier or ended later is cut
 * to the interval; `begin` and `end` still say where. -ENOMEM or 0.
 */
int lkst_stretches_make(const struct lkst_excerpt *w, s32 tid, u64 from_ns, u64 to_ns,
			struct lkst_stretches *ret_stretches);
void lkst_stretches_fini(struct lkst_stretches *t);

/* The word for a state: "ran", "ready", "blocked", "unknown", "absent". */
const char *lkst_stretch_word(enum lkst_stretch_state state);

#endif
