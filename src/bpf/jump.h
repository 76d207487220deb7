/* SPDX-License-Identifier: GPL-2.0-only */
/* Switching to another buffer by command or by handler: one store, recorded. */
#ifndef LKST_BPF_JUMP_H
#define LKST_BPF_JUMP_H

#include "bpf/record.h"

/*
 * Has this CPU write what goes to buffer @of to buffer @to from now on; the one that it leaves keeps what
 * it has. Nothing happens if @to is not there, or is kept as it is. Preemption must be off, as for every
 * writer (record.h).
 */
static __always_inline void lkst_buffer_jump(u32 of, u32 to)
{
	/* Kept on the stack meanwhile, as in lkst_maskset_switch(). */
	volatile u32 serves = of & (LKST_NR_BUFFERS - 1), target = to & (LKST_NR_BUFFERS - 1), left;
	u32 page = target * lkst_cfg.nr_cpus + lkst_this_cpu();
	struct lkst_state *from = lkst_state_page(serves), *there = LKST_ELEMENT(page);

	if (!from || !lkst_buffer_is_there(there) || from == there ||
	    LKST_LOAD(lkst_control.leave_at[target & (LKST_NR_BUFFERS - 1)]))
		return;
	left = from->buffer;
	lkst_buffer_mark(from, 0);
	lkst_buffer_mark(there, 0);
	LKST_STORE(there->serves, serves);
	LKST_STORE(lkst_control.page[serves & (LKST_NR_BUFFERS - 1)][lkst_this_cpu()], page);
	lkst_recording_own(buffer_jump, r, lkst_begin_own, sizeof(*r), sizeof(*r)) {
		r->of = serves;
		r->from = left;
		r->to = target;
	}
}

#endif
