// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler `watchdog`: reacts when the beats of a program stop. A beat is a store of the time to beat_ns
 * (`lkst handler beat`), or event `beat` of process t_pid. With each event that is sent here the handler checks
 * whether a beat is overdue; it records all of these events, as DEFAULT does.
 */
#include <lkst/handler.h>

u64 beat_ns; /* CLOCK_MONOTONIC of the last one; 0: none has come, nothing is watched */
u64 within_ns = 1000000000; /* a beat is overdue when the last one is older */
u64 told_ns;		    /* the last beat before a silence that was reported */
s32 to_set = -1;	    /* on silence, switch to this maskset; -1: do not switch */
lkst_event_id beat;	    /* counts as a beat; 0: none does */
s32 t_pid;		    /* of this process; 0: of any */
u64 silences;

LKST_EVENT(silent, "the beats of the watched program have ceased", lkst_ns silent_ns;
	   lkst_ns within_ns; lkst_ns beat_ns;);

static __always_inline bool is_beat(const struct lkst_record_head *r)
{
	return beat && lkst_record_id(r) == beat &&
	       (!t_pid || bpf_get_current_pid_tgid() >> 32 == (u32)t_pid);
}

/* How long after beat @last the record is; it may be a little older than the beat. */
static __always_inline u64 since(const struct lkst_record_head *r, u64 last)
{
	const u64 mask = (1ULL << LKST_TIME_BITS) - 1;
	u64 passed = (lkst_record_time(r) - last) & mask;

	return passed >> (LKST_TIME_BITS - 1) ? 0 : passed;
}

LKST_HANDLER(watchdog, "records events, and reacts when a program's beats cease")
{
	return true;
}

LKST_HANDLER_AFTER
{
	u64 last = LKST_LOAD(beat_ns), told = LKST_LOAD(told_ns), silent;

	if (is_beat(r)) {
		beat_ns = LKST_CLOCK();
		return;
	}
	if (!last || last == told)
		return;
	silent = since(r, last);
	if (silent <= within_ns || LKST_COMPARE_EXCHANGE(told_ns, told, last) != told)
		return;
	/* Only one CPU comes here, once for each silence. */
	lkst_count(&silences, 1);
	LKST_WRITE_RARE(silent, .silent_ns = silent, .within_ns = within_ns, .beat_ns = last);
	lkst_notify(silent);
	if (to_set >= 0)
		lkst_switch_maskset(to_set);
}
