/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which buffer the records of this CPU go to, and switching to another: when one is full, when one is
 * to be kept as it is, or when the CPU is told to. Only the CPU's own column of the table in the control
 * page changes, and only the CPU itself changes it while it is online.
 */
#ifndef LKST_BPF_BUFFER_H
#define LKST_BPF_BUFFER_H

#include "abi/control.h"
#include "abi/state.h"

static __always_inline u32 lkst_this_cpu(void)
{
	return bpf_get_smp_processor_id() & (LKST_POSSIBLE_CPUS_MAX - 1);
}

/* The active state page for events that go to @buffer on this CPU. */
static __always_inline struct lkst_state *lkst_state_page(u32 buffer)
{
	return LKST_ELEMENT_AT(&lkst_control.page[buffer & (LKST_NR_BUFFERS - 1)][lkst_this_cpu()]);
}

/* From when on writers leave the buffer of page @st. */
static __always_inline u64 lkst_buffer_leave_at(const struct lkst_state *st)
{
	return LKST_LOAD(lkst_control.leave_at[st->buffer & (LKST_NR_BUFFERS - 1)]);
}

/* True if @st is the page of a buffer that is there. */
static __always_inline bool lkst_buffer_is_there(const struct lkst_state *st)
{
	return st && LKST_LOAD(st->magic) == LKST_STATE_MAGIC;
}

/* The buffer that follows buffer @own, which has to be left by time @ts; it is not one that has to be left, too. */
static __always_inline u32 lkst_buffer_after(u32 own, u64 ts)
{
	u32 to = LKST_LOAD(lkst_control.leave_to[own & (LKST_NR_BUFFERS - 1)]), i;

	/*
	 * The CPU may have slept through as many incidents as there are banks. Not by bpf_loop(), although the verifier
	 * would check a fifth less of most programs: those of probes have no types on Linux 6.10 to 6.14
	 * (src/live/programs/probe_load.c), and what bpf_loop() calls needs its type.
	 */
	for (i = 0; i < LKST_NR_BUFFERS; i++) {
		u64 leave_at = LKST_LOAD(lkst_control.leave_at[to & (LKST_NR_BUFFERS - 1)]);

		if (!leave_at || ts < leave_at)
			break;
		to = LKST_LOAD(lkst_control.leave_to[to & (LKST_NR_BUFFERS - 1)]);
	}
	return to;
}

/*
 * Where a record of time @ts goes when it has come to the end of a block of page @st: to the buffer that
 * follows one that has to be left by then, or one that is full (@wraps).
 */
static __always_inline u32 lkst_buffer_target(const struct lkst_state *st, bool wraps, u64 ts)
{
	u32 own = st->buffer & (LKST_NR_BUFFERS - 1), to = own, page;
	u64 leave_at = LKST_LOAD(lkst_control.leave_at[own]);

	if (leave_at && ts >= leave_at)
		to = lkst_buffer_after(own, ts);
	else if (wraps)
		to = LKST_LOAD(lkst_control.next[own]);
	to &= LKST_NR_BUFFERS - 1;
	/* One that is full is not followed by one that is kept as it is. */
	if (!leave_at && LKST_LOAD(lkst_control.leave_at[to]))
		to = own;
	page = to * lkst_cfg.nr_cpus + st->cpu;
	if (to == own || !lkst_buffer_is_there(LKST_ELEMENT(page)))
		page = own * lkst_cfg.nr_cpus + st->cpu;
	return page;
}

/* Notes that this CPU comes to the buffer of page @st now, or leaves it. @opens: LKST_MARK_OPENS or 0. */
static __always_inline void lkst_buffer_mark(struct lkst_state *st, u64 opens)
{
	u64 nr = LKST_LOAD(st->marks.nr);
	struct lkst_mark *mark = LKST_OPAQUE(&st->marks.mark[nr & (LKST_MARKS - 1)]);

	LKST_STORE(mark->at, LKST_LOAD(st->ring[0].done) | opens);
	LKST_STORE(mark->ns, LKST_CLOCK());
	LKST_STORE_RELEASE(st->marks.nr, nr + 1);
}

/*
 * What goes to page @st on its CPU, which must be this one, goes to page @to from now on, and begins with a
 * new block there.
 */
static __always_inline void lkst_buffer_switch_to(struct lkst_state *st, u32 to)
{
	u32 serves = LKST_LOAD(st->serves) & (LKST_NR_BUFFERS - 1);
	struct lkst_state *there = LKST_ELEMENT(to);

	lkst_buffer_mark(st, 0);
	if (there) {
		LKST_STORE(there->serves, serves);
		lkst_buffer_mark(there, LKST_MARK_OPENS);
	}
	LKST_STORE(lkst_control.page[serves][lkst_this_cpu()], to);
}

#endif
