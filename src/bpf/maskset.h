/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Putting another maskset in force: one store, recorded.
 *
 * The record's time is taken before the store, so that no event that the new maskset decides on is
 * older. Writers that had asked the old one may still be under way on other CPUs: user space waits for
 * them, and says so by a maskset_settled record (src/live/maskset.c).
 */
#ifndef LKST_BPF_MASKSET_H
#define LKST_BPF_MASKSET_H

#include "bpf/record.h"

/*
 * Reserves a record of the recorder's own, of @size bytes, @window of which may be touched (ring.h): no
 * maskset and no handler is asked. It goes to the buffer of rare events. NULL if it was lost (counted).
 */
static __always_inline void *lkst_begin_own(struct lkst_slot *s, u32 size, u32 window)
{
	struct lkst_state *st = lkst_state_page(LKST_BUFFER_LIFE);
	struct lkst_record_head *rec;

	if (!st)
		return NULL;
	rec = lkst_ring_reserve(s, st, size, window, lkst_cfg.block_shift);
	if (rec)
		rec->tid = LKST_TID();
	return rec;
}

/* Puts maskset @to in force. Preemption must be off, as for every writer (record.h). */
static __always_inline void lkst_maskset_switch(u32 to)
{
	/* On the stack meanwhile: to reserve takes all registers (Linux 6.1 follows no spilled bound). */
	volatile u32 wanted = to & (LKST_MASKSETS - 1);
	struct lkst_rec_maskset_switch *r;
	struct lkst_slot s;
	u32 from;

	r = lkst_begin_own(&s, sizeof(*r), sizeof(*r));
	from = __sync_lock_test_and_set(&lkst_control.active, wanted);
	if (!r)
		return;
	r->from = from;
	r->to = wanted;
	lkst_ring_commit(&s, lkst_cfg.id[LKST_EV_maskset_switch]);
}

#endif
