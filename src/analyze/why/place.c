/* SPDX-License-Identifier: GPL-2.0-only */
/* What a thread has begun and not ended at a moment. */
#include "analyze/why/place.h"

#include <string.h>

#include "abi/fault.h"

enum { SEARCH_MAX = 1 << 16 };

/* Kinds with an end: the last of begin and end shows whether the thread is in it. */
struct place_pair {
	u16 begin, end;
	u32 *ret_begin;
	bool is_settled;
};

/* Looks for the exit of a call that was entered before the window. */
static u32 find_exit(const struct lkst_excerpt *w, struct lkst_places_list own, s32 tid, u32 place, u64 ns)
{
	u32 steps;

	for (steps = 0; place + steps < own.nr && steps < SEARCH_MAX; steps++) {
		u32 at = own.at[place + steps];

		if (w->moments[at].tid != tid)
			continue;
		/* Where its kind was left out meanwhile, the entry may have come since. */
		if (lkst_event_ref_kind(w, at) == LKST_EVENT_REF_EXIT)
			return lkst_limited_crosses(w->limited, w->moments[at].id, ns, w->moments[at].ns) ? LKST_NOWHERE
													  : at;
		/* In user mode: the thread had left without our seeing it, or was there all the time. */
		if (lkst_event_ref_kind(w, at) == LKST_EVENT_REF_ENTRY ||
		    lkst_event_ref_kind(w, at) == LKST_EV_page_fault_user)
			return LKST_NOWHERE;
	}
	return LKST_NOWHERE;
}

enum { STATE_INTERRUPTIBLE = 1 };

/* Moment @i is a switch of the thread, whose registers say where it is, whatever was recorded before. */
static void take_switch(const struct lkst_excerpt *w, u32 i, struct lkst_place *p)
{
	const u64 where = lkst_event_ref_int(w, i, "prev_where");
	const bool is_behind = lkst_event_ref_int(w, i, "prev_flags") & LKST_WHERE_BEHIND;

	if (where == LKST_WHERE_CALL) {
		/* The program's fault was over when it made the call. */
		p->fault = LKST_NOWHERE;
		if (p->call != LKST_NOWHERE && lkst_event_ref_kind(w, p->call) == LKST_EVENT_REF_ENTRY &&
		    !strcmp(lkst_event_ref_call(w, p->call), lkst_event_ref_call(w, i)))
			return;
		p->call = is_behind ? LKST_NOWHERE : i;
		p->behind = is_behind ? i : LKST_NOWHERE;
	} else if (where != LKST_WHERE_UNKNOWN) {
		p->call = LKST_NOWHERE;
	} else if (lkst_event_ref_int(w, i, "prev_state") & STATE_INTERRUPTIBLE) {
		/* What waits in a fault does not do so interruptibly. */
		p->fault = LKST_NOWHERE;
	}
}

/* Moment @i is a waking by the thread: the call that it is in, if no record before has it. */
static void take_waking(const struct lkst_excerpt *w, u32 i, struct lkst_place *p)
{
	const s64 number = lkst_event_ref_number(w, i);

	if (number < 0 || lkst_event_ref_int(w, i, "flags") & LKST_WHERE_BEHIND)
		return;
	if (p->call == LKST_NOWHERE || strcmp(lkst_event_ref_call(w, p->call), lkst_event_ref_call(w, i)))
		p->call = i;
}

/* The record that comes right before moment @i, a switch of thread @tid, if it says what lock that waits for. */
static u32 find_blocker(const struct lkst_excerpt *w, struct lkst_places_list own, s32 tid, u32 i)
{
	u32 place = lkst_places_before(own, i), steps;

	for (steps = 0; place && steps < SEARCH_MAX; steps++) {
		const u32 at = own.at[--place];

		if (w->moments[at].tid == tid)
			return lkst_event_ref_kind(w, at) == LKST_EV_sched_blocker ? at : LKST_NOWHERE;
	}
	return LKST_NOWHERE;
}

/*
 * Whether what the thread has begun at moment @at may be over at @ns, unseen: events of its kind were left out since.
 * Of a fault, too, whose end only the next call shows where ends are not recorded.
 */
static bool may_be_over(const struct lkst_excerpt *w, u32 at, u64 ns)
{
	const struct lkst_event_class *end;

	if (lkst_excerpt_may_be_over(w, at, ns))
		return true;
	if (lkst_event_ref_kind(w, at) != LKST_EV_page_fault_user)
		return false;
	end = lkst_catalog_find(w->catalog, lkst_events[LKST_EV_page_fault_exit].name);
	return lkst_lacks(&w->lacks, end ? LKST_LACK_FAULT_ENDS : LKST_LACK_CALLS, w->moments[at].ns, ns);
}

/* Forgets of @p what may be over at @ns. */
static void place_forget(const struct lkst_excerpt *w, struct lkst_place *p, u64 ns)
{
	u32 *const begun[] = { &p->call, &p->fault, &p->lock, &p->reclaim, &p->work };
	u32 i;

	for (i = 0; i < sizeof(begun) / sizeof(begun[0]); i++)
		if (*begun[i] != LKST_NOWHERE && may_be_over(w, *begun[i], ns))
			*begun[i] = LKST_NOWHERE;
}

void lkst_place_find(const struct lkst_excerpt *w, s32 tid, u32 i, struct lkst_place *ret_place)
{
	struct lkst_place *p = ret_place;
	struct place_pair pairs[] = {
		{ LKST_EV_page_fault_user, LKST_EV_page_fault_exit, &p->fault, false },
		{ LKST_EV_contention_begin, LKST_EV_contention_end, &p->lock, false },
		{ LKST_EV_mm_vmscan_direct_reclaim_begin, LKST_EV_mm_vmscan_direct_reclaim_end,
		  &p->reclaim, false },
		{ LKST_EV_mm_vmscan_memcg_reclaim_begin, LKST_EV_mm_vmscan_memcg_reclaim_end,
		  &p->cgroup_reclaim, false },
		{ LKST_EV_workqueue_execute_start, LKST_EV_workqueue_execute_end, &p->work, false },
		{ LKST_EV_sched_process_exit, LKST_EVENT_REF_NONE, &p->ending, false },
	};
	struct lkst_places_list own = lkst_excerpt_thread(w, tid);
	u32 first = lkst_places_before(own, i), place = first, steps, n;
	bool has_call = false;

	*p = (struct lkst_place){ LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE,
				  LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE };
	for (steps = 0; place && steps < SEARCH_MAX && !has_call; steps++) {
		u32 at = own.at[--place];
		u16 kind = lkst_event_ref_kind(w, at);

		if (w->moments[at].tid != tid)
			continue;
		/* Everything else ends before the thread is in user mode again. */
		has_call = kind == LKST_EVENT_REF_ENTRY || kind == LKST_EVENT_REF_EXIT;
		if (kind == LKST_EV_page_fault_exit && lkst_event_ref_int(w, at, "result") & LKST_FAULT_RETRY)
			continue;
		if (kind == LKST_EVENT_REF_ENTRY)
			p->call = at;
		for (n = 0; n < sizeof(pairs) / sizeof(pairs[0]); n++) {
			if (!pairs[n].is_settled && kind == pairs[n].begin)
				*pairs[n].ret_begin = at;
			pairs[n].is_settled |= kind == pairs[n].begin || kind == pairs[n].end;
		}
	}
	if (i < w->nr)
		place_forget(w, p, w->moments[i].ns);
	if (!has_call && p->fault == LKST_NOWHERE && i < w->nr)
		p->call = find_exit(w, own, tid, first, w->moments[i].ns);
	if (i >= w->nr || w->moments[i].tid != tid)
		return;
	if (lkst_event_ref_kind(w, i) == LKST_EV_sched_switch) {
		take_switch(w, i, p);
		p->blocker = find_blocker(w, own, tid, i);
	} else if (lkst_event_ref_kind(w, i) == LKST_EV_sched_waking) {
		take_waking(w, i, p);
	}
}
