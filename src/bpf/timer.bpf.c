// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers, high-resolution timers, and the tick.
 */
#include "bpf/record.h"

/* An event of which no more is told than the timer. */
#define TIMER_PROGRAM(event, type, timer)                                                          \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, struct type *t)                                              \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->timer, t);                                                           \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

TIMER_PROGRAM(timer_init, timer_list, timer)
TIMER_PROGRAM(timer_cancel, timer_list, timer)
TIMER_PROGRAM(timer_expire_exit, timer_list, timer)
TIMER_PROGRAM(hrtimer_cancel, hrtimer, hrtimer)
TIMER_PROGRAM(hrtimer_expire_exit, hrtimer, hrtimer)

SEC("tp_btf/timer_start")
int BPF_PROG(tp_btf__timer_start, struct timer_list *timer, u64 expires)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(timer_start);
	LKST_RECORD(timer_start, r);
	if (!r)
		return 0;
	LKST_PUT64(r->timer, timer);
	LKST_PUT64(r->function, timer->function);
	LKST_PUT64(r->expires, expires);
	r->flags = timer->flags;
	LKST_COMMIT(timer_start);
	return 0;
}

SEC("tp_btf/timer_expire_entry")
int BPF_PROG(tp_btf__timer_expire_entry, struct timer_list *timer, u64 now)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(timer_expire_entry);
	LKST_RECORD(timer_expire_entry, r);
	if (!r)
		return 0;
	LKST_PUT64(r->timer, timer);
	LKST_PUT64(r->function, timer->function);
	r->late = now - timer->expires;
	LKST_COMMIT(timer_expire_entry);
	return 0;
}

/* Two names of one tracepoint; a kernel has one of them. */
static __always_inline int hrtimer_is_set_up(struct hrtimer *timer, int clock, unsigned int mode)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(hrtimer_init);
	LKST_RECORD(hrtimer_init, r);
	if (!r)
		return 0;
	LKST_PUT64(r->hrtimer, timer);
	r->clock = clock;
	r->mode = mode;
	LKST_COMMIT(hrtimer_init);
	return 0;
}

SEC("tp_btf/hrtimer_setup")
int BPF_PROG(tp_btf__hrtimer_setup, struct hrtimer *timer, int clock, unsigned int mode)
{
	return hrtimer_is_set_up(timer, clock, mode);
}

SEC("tp_btf/hrtimer_init")
int BPF_PROG(tp_btf__hrtimer_init, struct hrtimer *timer, int clock, unsigned int mode)
{
	return hrtimer_is_set_up(timer, clock, mode);
}

SEC("tp_btf/hrtimer_start")
int BPF_PROG(tp_btf__hrtimer_start, struct hrtimer *timer, unsigned int mode)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(hrtimer_start);
	LKST_RECORD(hrtimer_start, r);
	if (!r)
		return 0;
	LKST_PUT64(r->hrtimer, timer);
	LKST_PUT64(r->function, timer->function);
	LKST_PUT64(r->expires, timer->node.expires);
	r->mode = mode;
	LKST_PUT64(r->softexpires, timer->_softexpires);
	/* What was asked for may differ: relative timers of CLOCK_REALTIME go by CLOCK_MONOTONIC. */
	r->clock = timer->base->clockid;
	LKST_COMMIT(hrtimer_start);
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(tp_btf__hrtimer_expire_entry, struct hrtimer *timer)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(hrtimer_expire_entry);
	LKST_RECORD(hrtimer_expire_entry, r);
	if (!r)
		return 0;
	LKST_PUT64(r->hrtimer, timer);
	LKST_PUT64(r->function, timer->function);
	LKST_COMMIT(hrtimer_expire_entry);
	return 0;
}

SEC("tp_btf/tick_stop")
int BPF_PROG(tp_btf__tick_stop, int is_stopped, int dependency)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(tick_stop);
	LKST_RECORD(tick_stop, r);
	if (!r)
		return 0;
	r->is_stopped = is_stopped;
	r->dependency = dependency;
	LKST_COMMIT(tick_stop);
	return 0;
}
