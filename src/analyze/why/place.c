/* SPDX-License-Identifier: GPL-2.0-only */
/* What a thread has begun and not ended at a moment. */
#include "analyze/why/place.h"

enum { SEARCH_MAX = 1 << 16 };

/* Kinds with an end: the last of begin and end shows whether the thread is in it. */
struct pair {
	u16 begin, end;
	u32 *ret_begin;
	bool is_settled;
};

/* Looks for the exit of a call that was entered before the window. */
static u32 find_exit(const struct lkst_excerpt *w, struct lkst_places_list own, s32 tid, u32 place)
{
	u32 steps;

	for (steps = 0; place + steps < own.nr && steps < SEARCH_MAX; steps++) {
		u32 at = own.at[place + steps];

		if (w->moments[at].tid != tid)
			continue;
		if (lkst_event_ref_kind(w, at) == LKST_EVENT_REF_EXIT)
			return at;
		/* In user mode: the thread had left without our seeing it, or was there all the time. */
		if (lkst_event_ref_kind(w, at) == LKST_EVENT_REF_ENTRY ||
		    lkst_event_ref_kind(w, at) == LKST_EV_page_fault_user)
			return LKST_NOWHERE;
	}
	return LKST_NOWHERE;
}

void lkst_place_find(const struct lkst_excerpt *w, s32 tid, u32 i, struct lkst_place *ret_place)
{
	struct lkst_place *p = ret_place;
	struct pair pairs[] = {
		{ LKST_EV_page_fault_user, LKST_EV_page_fault_exit, &p->fault, false },
		{ LKST_EV_contention_begin, LKST_EV_contention_end, &p->lock, false },
		{ LKST_EV_mm_vmscan_direct_reclaim_begin, LKST_EV_mm_vmscan_direct_reclaim_end,
		  &p->reclaim, false },
		{ LKST_EV_workqueue_execute_start, LKST_EV_workqueue_execute_end, &p->work, false },
		{ LKST_EV_sched_process_exit, LKST_EVENT_REF_NONE, &p->ending, false },
	};
	struct lkst_places_list own = lkst_excerpt_thread(w, tid);
	u32 first = lkst_places_before(own, i), place = first, steps, n;
	bool has_call = false;

	*p = (struct lkst_place){ LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE,
				  LKST_NOWHERE, LKST_NOWHERE, LKST_NOWHERE };
	for (steps = 0; place && steps < SEARCH_MAX && !has_call; steps++) {
		u32 at = own.at[--place];
		u16 kind = lkst_event_ref_kind(w, at);

		if (w->moments[at].tid != tid)
			continue;
		/* Everything else ends before the thread is in user mode again. */
		has_call = kind == LKST_EVENT_REF_ENTRY || kind == LKST_EVENT_REF_EXIT;
		if (kind == LKST_EVENT_REF_ENTRY)
			p->call = at;
		for (n = 0; n < sizeof(pairs) / sizeof(pairs[0]); n++) {
			if (!pairs[n].is_settled && kind == pairs[n].begin)
				*pairs[n].ret_begin = at;
			pairs[n].is_settled |= kind == pairs[n].begin || kind == pairs[n].end;
		}
	}
	if (!has_call && p->fault == LKST_NOWHERE)
		p->call = find_exit(w, own, tid, first);
}
