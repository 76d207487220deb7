/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about who called. */
#include "analyze/why/narrate_stack.h"

#include <string.h>

#include "base/out.h"

enum {
	SEARCH_MAX = 64, /* moments about the thread between an event and its stack */
	FRAMES_TOLD = 6,
};

/* The moment of the stack that a handler wrote after moment @i of thread @tid, LKST_NOWHERE: it wrote none. */
static u32 find_stack(const struct lkst_excerpt *w, s32 tid, u32 i)
{
	struct lkst_places_list own = lkst_excerpt_thread(w, tid);
	u32 at = lkst_places_before(own, i) + 1, steps;

	for (steps = 0; at < own.nr && steps < SEARCH_MAX; at++, steps++) {
		const u16 kind = lkst_event_ref_kind(w, own.at[at]);
		const bool is_own = w->moments[own.at[at]].tid == tid;

		if (kind == LKST_EV_tick)
			continue;
		if (is_own && kind == LKST_EVENT_REF_STACK)
			return own.at[at];
		/* Others may wake it meanwhile; when it runs again, what follows is about something else. */
		if (is_own || kind == LKST_EV_sched_switch)
			break;
	}
	return LKST_NOWHERE;
}

/* Puts the function of one frame, or its address if nothing is known of it. */
static char *narrate_stack_put_frame(const struct lkst_narrator *t, char *p, const struct lkst_event_ref *m, s32 pid,
				     u64 address, bool is_return)
{
	const struct lkst_code_view code = { t->w->mappings, t->w->namer };
	char *end;

	if (is_return)
		p = lkst_put_str(p, " by ");
	end = lkst_code_put(&code, p, pid, m->ns, address, is_return);
	return end != p ? end : lkst_put_hex(p, address);
}

bool lkst_narrate_caller(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	const u32 at = i == LKST_NOWHERE ? LKST_NOWHERE : find_stack(t->w, s->tid, i);
	const s32 pid = lkst_threads_pid_of(t->w->threads, s->tid);
	const struct lkst_event_ref *m;
	char text[FRAMES_TOLD * (LKST_CODE_TEXT + sizeof(" by "))], *p = text;
	u64 frames[FRAMES_TOLD];
	u32 nr, k;

	if (at == LKST_NOWHERE)
		return false;
	m = &t->w->moments[at];
	nr = lkst_event_ref_frames(t->w, at, frames, FRAMES_TOLD);
	if (!nr)
		return false;
	for (k = 0; k < nr; k++)
		p = narrate_stack_put_frame(t, p, m, pid, frames[k], k);
	lkst_account_say(t->account, s, ", called from ");
	lkst_account_text(t->account, s, "called_from", text, (size_t)(p - text));
	lkst_narrate_cite(t, s, at);
	return true;
}
