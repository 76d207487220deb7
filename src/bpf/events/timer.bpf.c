// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers, high-resolution timers, and the tick.
 */
#include "bpf/record.h"
#include "bpf/steal.h"
#include "bpf/tick.h"

/* An event that has no field but the timer. */
#define TIMER_PROGRAM(event, type, timer)                                                          \
	LKST_TP(event, struct type *t)                                                             \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current())                                  \
			LKST_PUT64(r->timer, t);                                                   \
		return 0;                                                                          \
	}

TIMER_PROGRAM(timer_init, timer_list, timer)
TIMER_PROGRAM(timer_cancel, timer_list, timer)
TIMER_PROGRAM(timer_expire_exit, timer_list, timer)
TIMER_PROGRAM(hrtimer_cancel, hrtimer, hrtimer)

LKST_TP(hrtimer_expire_exit, struct hrtimer *timer)
{
#ifndef __TARGET_ARCH_x86 /* there local_timer_exit looks */
	lkst_look_at_tick();
	lkst_look_at_steal();
#endif
	lkst_recording_if(hrtimer_expire_exit, r, lkst_wants_current())
		LKST_PUT64(r->hrtimer, timer);
	return 0;
}

LKST_TP(timer_start, struct timer_list *timer, u64 expires)
{
	lkst_recording_if(timer_start, r, lkst_wants_current()) {
		LKST_PUT64(r->timer, timer);
		LKST_PUT64(r->function, timer->function);
		LKST_PUT64(r->expires, expires);
		r->flags = timer->flags;
	}
	return 0;
}

LKST_TP(timer_expire_entry, struct timer_list *timer, u64 now)
{
	lkst_recording_if(timer_expire_entry, r, lkst_wants_current()) {
		LKST_PUT64(r->timer, timer);
		LKST_PUT64(r->function, timer->function);
		r->late = now - timer->expires;
	}
	return 0;
}

/* Two names of one tracepoint; a kernel has one of them. */
static __always_inline int hrtimer_is_set_up(struct hrtimer *timer, int clock, unsigned int mode)
{
	lkst_recording_if(hrtimer_init, r, lkst_wants_current()) {
		LKST_PUT64(r->hrtimer, timer);
		r->clock = clock;
		r->mode = mode;
	}
	return 0;
}

LKST_TP(hrtimer_setup, struct hrtimer *timer, int clock, unsigned int mode)
{
	return hrtimer_is_set_up(timer, clock, mode);
}

LKST_TP(hrtimer_init, struct hrtimer *timer, int clock, unsigned int mode)
{
	return hrtimer_is_set_up(timer, clock, mode);
}

LKST_TP(hrtimer_start, struct hrtimer *timer, unsigned int mode)
{
	lkst_recording_if(hrtimer_start, r, lkst_wants_current()) {
		LKST_PUT64(r->hrtimer, timer);
		LKST_PUT64(r->function, timer->function);
		LKST_PUT64(r->expires, timer->node.expires);
		r->mode = mode;
		LKST_PUT64(r->softexpires, timer->_softexpires);
		/* Not always the clock that was asked for: relative timers of CLOCK_REALTIME use CLOCK_MONOTONIC. */
		r->clock = timer->base->clockid;
	}
	return 0;
}

LKST_TP(hrtimer_expire_entry, struct hrtimer *timer)
{
	lkst_recording_if(hrtimer_expire_entry, r, lkst_wants_current()) {
		LKST_PUT64(r->hrtimer, timer);
		LKST_PUT64(r->function, timer->function);
	}
	return 0;
}

LKST_TP(tick_stop, int is_stopped, int dependency)
{
	lkst_recording_if(tick_stop, r, lkst_wants_current()) {
		r->is_stopped = is_stopped;
		r->dependency = dependency;
	}
	return 0;
}
