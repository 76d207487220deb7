/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switching to another maskset: one store, recorded.
 *
 * The record's time is taken before the store, so that no event that the new maskset decides on is
 * older. Writers on other CPUs that have read the old one may still be writing: user space waits for
 * them, and then has a maskset_settled record written (src/live/masks/masksets.c).
 */
#ifndef LKST_BPF_MASKSET_H
#define LKST_BPF_MASKSET_H

#include "bpf/record.h"

/* To be called after the stores that change what is recorded. */
static __always_inline void lkst_maskset_changed(void)
{
	LKST_STORE(lkst_control.changed_ns, LKST_CLOCK());
}

/* Makes maskset @to the active one. Preemption must be off, as for every writer (record.h). */
static __always_inline void lkst_maskset_switch(u32 to)
{
	/* Kept on the stack meanwhile: reserving needs all registers (Linux 6.1 loses the bounds of a spilled one). */
	volatile u32 wanted = to & (LKST_MASKSETS - 1);
	struct lkst_rec_maskset_switch *r;
	struct lkst_slot s;
	u32 from;

	r = lkst_begin_own(&s, sizeof(*r), sizeof(*r));
	from = LKST_EXCHANGE(lkst_control.active, wanted);
	lkst_maskset_changed();
	if (!r)
		return;
	r->from = from;
	r->to = wanted;
	lkst_ring_commit(&s, lkst_cfg.id[LKST_EV_maskset_switch]);
}

#endif
