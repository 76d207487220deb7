/* SPDX-License-Identifier: GPL-2.0-only */
/* The states of all threads, collected. */
#include "analyze/waiting/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "abi/softirq.h"
#include "analyze/waiting/past_parts.h"
#include "analyze/why/recent.h"
#include "base/bsearch.h"
#include "base/ends_in.h"
#include "base/vec.h"
#include "trace/known/call_result.h"

enum {
	PAST_MAX = 1 << 21,	    /* states that are kept at most, 64 bytes each, and 12 for their places */
	CALLS_MAX = 1 << 18,	    /* long system calls */
	CALL_LEAST_NS = 100 * 1000, /* what is long */
	ABOUT_LEAST_NS = 10 * 1000, /* waits of which it is kept what they are about */
	STATE_UNINTERRUPTIBLE = 2, /* TASK_*, include/linux/sched.h */
	STATE_TRACED = 8,
	STATE_FROZEN = 0x8000,
	REALTIME_PRIORITIES = 100, /* MAX_RT_PRIO, include/linux/sched/prio.h */
	/* include/uapi/linux/futex.h */
	FUTEX_COMMAND = 0x7f,
	FUTEX_WAIT_OP = 0,
	FUTEX_WAKE_OP = 1,
	FUTEX_LOCK_PI_OP = 6,
	FUTEX_WAIT_BITSET_OP = 9,
	FUTEX_LOCK_PI2_OP = 13,
	FUTEX_CONTENDED = 2, /* the value of a lock that others wait for, in glibc and musl */
	/* include/uapi/asm-generic/siginfo.h, signal-defs.h: sent by tkill(2) or tgkill(2); no handler */
	SENT_TO_THREAD = -6,
	HANDLER_MAX_NONE = 1,
};

struct lkst_past_thread *lkst_past_thread_of(struct lkst_pasts *h, u32 life)
{
	struct lkst_past_thread *t = lkst_vec_reach(h->threads, h->nr_threads, life);

	if (!t)
		h->error = -ENOMEM;
	return t;
}

struct lkst_past_thread *lkst_past_thread_at(struct lkst_pasts *h, const struct lkst_record *r,
					     const struct lkst_thread_life **ret_life)
{
	*ret_life = lkst_model_life_of(h->model, r->tid, r->cpu);
	return *ret_life ? lkst_past_thread_of(h, (*ret_life)->nr) : NULL;
}

static bool past_is_named(s16 call, const char *const *names, size_t nr)
{
	size_t i;

	for (i = 0; call >= 0 && i < nr; i++)
		if (!strcmp(lkst_syscalls[call].name, names[i]))
			return true;
	return false;
}

/* A wait in fcntl(2) is one for a lock of a file: its other commands do not wait so that a signal can end it. */
static bool past_locks_file(s16 call)
{
	static const char *const names[] = { "flock", "fcntl", "fcntl64", "semop", "semtimedop" };

	return past_is_named(call, names, sizeof(names) / sizeof(names[0]));
}

/* ---- what woke it ----------------------------------------------------------------- */

/* Whether thread @t has woken life @other before: the two talk to each other. */
static bool has_woken(const struct lkst_past_thread *t, u32 other)
{
	unsigned int k;

	for (k = 0; k < LKST_NR_WOKEN; k++)
		if (t->woken[k] == other + 1)
			return true;
	return false;
}

/*
 * A softirq that came in the thread's own call that sends, and not behind what may have brought packets, is the
 * thread's sending: nothing has since the call began, or since the thread was switched to. Where that is not known, or
 * something has and it is not known when the call began, it is known only of two that talk to each other.
 */
static bool past_is_own_softirq(const struct lkst_pasts *h, const struct lkst_past_thread *t,
				const struct lkst_waker *w)
{
	const u64 switch_ns = lkst_cpu_timers_switch_ns(&h->timers, w->cpu);
	u64 begin_ns, since_ns = 0;
	enum lkst_own_softirq own;

	if (w->context != LKST_CONTEXT_SOFTIRQ && w->context != LKST_CONTEXT_SOME_SOFTIRQ)
		return false;
	if (w->context == LKST_CONTEXT_SOFTIRQ && w->number != LKST_SOFTIRQ_NET_RX)
		return false;
	if (!lkst_past_is_heard(w->call.row) || lkst_cpu_timers_before(&h->timers, w) || w->life == LKST_LIFE_NONE)
		return false;
	begin_ns = w->life < h->nr_threads && h->threads[w->life].entry_row == w->call.row
			   ? h->threads[w->life].entry_ns
			   : 0;
	/* That softirqs were recorded, or would have been, shows that interrupts are. */
	if (w->context == LKST_CONTEXT_SOFTIRQ || lkst_lacks(&h->lacks, LKST_LACK_SOFTIRQS, w->ns, w->ns))
		since_ns = switch_ns > begin_ns ? switch_ns : begin_ns;
	own = since_ns ? lkst_cpu_timers_own(&h->timers, w, since_ns) : LKST_OWN_SOFTIRQ_UNKNOWN;
	if (own == LKST_OWN_SOFTIRQ_YES)
		return true;
	return !(own == LKST_OWN_SOFTIRQ_NO && w->context == LKST_CONTEXT_SOFTIRQ && begin_ns) && has_woken(t, w->life);
}

static void set_end(struct lkst_pasts *h, const struct lkst_past_thread *t, struct lkst_past *p,
		    const struct lkst_waker *w)
{
	const u64 sending = lkst_cpu_timers_sending(&h->timers, w), queue = lkst_cpu_timers_queue(&h->timers, w);

	p->waker_call = w->call.row;
	if (w->context == LKST_CONTEXT_THREAD || past_is_own_softirq(h, t, w)) {
		p->end = w->life == LKST_LIFE_NONE ? LKST_PAST_END_UNKNOWN : LKST_PAST_END_THREAD;
		p->waker = w->life;
	} else if (w->rq) {
		p->end = LKST_PAST_END_DISK;
		p->dev = w->dev;
	} else if (w->context == LKST_CONTEXT_TIMER || w->context == LKST_CONTEXT_HRTIMER) {
		p->end = LKST_PAST_END_TIMER;
		p->object = w->code;
	} else if (sending) {
		p->end = LKST_PAST_END_TIMER;
		p->object = sending;
	} else if (queue) {
		p->end = LKST_PAST_END_INTERRUPT;
		p->object = queue;
		p->flags |= LKST_PAST_WAS_QUEUED;
	} else {
		p->end = w->context == LKST_CONTEXT_UNKNOWN ? LKST_PAST_END_UNKNOWN : LKST_PAST_END_INTERRUPT;
	}
}

static int past_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_pasts *h = ctx;

	return lkst_cpu_timers_frame(&h->timers, f) ?: h->error;
}

static int past_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *s = record;
	struct lkst_pasts *h = ctx;
	u16 *priority = lkst_vec_reach(h->priorities, h->nr_cpus, r->cpu);

	if (!priority)
		return -ENOMEM;
	*priority = (u16)(s->next_prio + 1);
	return lkst_cpu_timers_switch(&h->timers, r->cpu, r->ns) ?: h->error;
}

/* ---- states ----------------------------------------------------------------------- */

/* Adds a place; NULL: no memory. */
static struct lkst_past *past_add(struct lkst_pasts *h)
{
	int r = lkst_recent_room(&h->list, &h->nr, &h->room, PAST_MAX, sizeof(*h->list));

	if (r < 0) {
		h->error = r;
		return NULL;
	}
	if (r) {
		/* Numbers of places are good no longer. */
		h->is_cut = true;
		h->from_ns = h->list[0].to_ns;
		memset(h->threads, 0, h->nr_threads * sizeof(*h->threads));
		for (u32 i = 0; i < h->nr; i++)
			h->list[i].first = h->list[i].last = i;
	}
	h->list[h->nr] = (struct lkst_past){ .first = h->nr, .last = h->nr, .waker = LKST_LIFE_NONE, .call = -1,
					     .waker_call = -1 };
	return &h->list[h->nr++];
}

static bool is_lock_futex(const struct lkst_syscall_now *call)
{
	const u64 command = call->args[1] & FUTEX_COMMAND;

	if (!call->has_args || call->nr_args < 3)
		return false;
	if (command == FUTEX_LOCK_PI_OP || command == FUTEX_LOCK_PI2_OP)
		return true;
	return (command == FUTEX_WAIT_OP || command == FUTEX_WAIT_BITSET_OP) && (u32)call->args[2] == FUTEX_CONTENDED;
}

static u32 flags_of(struct lkst_pasts *h, const struct lkst_interval *i, struct lkst_past_thread *t,
		    const struct lkst_past *p)
{
	const struct lkst_wait *w = i->wait;
	const bool receives = w->call.row >= 0 && lkst_sys_waits[lkst_syscalls[w->call.row].waits].receives;
	u32 flags = 0;

	if (w->cause == LKST_CAUSE_LOCK || (w->cause == LKST_CAUSE_FUTEX && is_lock_futex(&w->call)) ||
	    (!(w->task_state & STATE_UNINTERRUPTIBLE) && past_locks_file(w->call.row)))
		flags |= LKST_PAST_IS_LOCK;
	if (w->task_state & STATE_UNINTERRUPTIBLE)
		flags |= LKST_PAST_IS_FIXED;
	if (i->run == LKST_RUN_STOPPED && w->task_state & STATE_TRACED)
		flags |= LKST_PAST_IS_TRACED;
	if (!w->task_state)
		flags |= LKST_PAST_IS_INFERRED;
	if (lkst_past_sends(w->call.row) && !lkst_past_is_in(w->call.row, "close") &&
	    !lkst_past_is_in(w->call.row, "shutdown"))
		flags |= LKST_PAST_IS_SENDING;
	return flags | (receives ? lkst_asking_flags(h, i, t, p) : 0);
}

/* Whoever has got a lock waits for something else next, also in the same call. */
static bool waits_for_the_same(const struct lkst_past *a, const struct lkst_past *b)
{
	return (a->flags & LKST_PAST_IS_LOCK) == (b->flags & LKST_PAST_IS_LOCK);
}

/* It was woken, has found nothing, and waits again in the same call: that is one wait. */
static void past_join(struct lkst_pasts *h, struct lkst_past_thread *t, struct lkst_past *p, u64 call_ns)
{
	const u32 at = (u32)(p - h->list);

	if (t->nr_past && call_ns && t->call_ns == call_ns && waits_for_the_same(&h->list[t->nr_past - 1], p)) {
		p->first = h->list[t->nr_past - 1].first;
		h->list[t->nr_past - 1].last = at; /* lkst_past_finish() has each of a row know the last */
	} else {
		t->waited_ns = p->to_ns;
	}
	t->call_ns = call_ns;
	t->nr_past = at + 1;
}

static void note_woken(struct lkst_pasts *h, const struct lkst_past *p)
{
	struct lkst_past_thread *t = p->end == LKST_PAST_END_THREAD ? lkst_past_thread_of(h, p->waker) : NULL;

	if (!t)
		return;
	lkst_asking_woken(h, t, p);
	t->woken[t->nr_woken % LKST_NR_WOKEN] = p->life + 1;
	t->woken_ns[t->nr_woken++ % LKST_NR_WOKEN] = p->to_ns;
}

/* The file of a cgroup's freezer that @life writes to now, by its number; 0: to none. */
static u32 freezer_of(struct lkst_pasts *h, u32 life)
{
	const struct lkst_thread_life *by = lkst_model_life(h->model, life);
	struct lkst_thread_now now;
	const char *text;
	u32 about;

	if (!by || !lkst_model_thread(h->model, by->tid, &now) || !now.call)
		return 0;
	about = lkst_about_call(&h->abouts, by, now.call);
	text = lkst_about_text(&h->abouts, about);
	return text && (lkst_text_ends_in(text, "/freezer.state") || lkst_text_ends_in(text, "/cgroup.freeze")) ? about
														: 0;
}

/*
 * Version 1 of cgroups has a state for it. In version 2 a thread waits on its way back to the program. Since Linux 6.1
 * (f5d39b020809) a thread that sleeps in a call is frozen where it is, and nothing says so but who lets it go on; and
 * that it does not wait on its way back next, which it would if it was woken to be frozen.
 */
static void take_freeze(struct lkst_pasts *h, struct lkst_past_thread *t, struct lkst_past *p,
			const struct lkst_wait *w)
{
	const bool may_be = w->task_state & STATE_FROZEN || w->cause == LKST_CAUSE_USER || w->call.may_be_over;
	const bool is_written = p->end == LKST_PAST_END_THREAD && lkst_past_is_in(p->waker_call, "write");
	const u32 about = is_written ? freezer_of(h, p->waker) : 0;
	struct lkst_past *before = t->thawed ? &h->list[t->thawed - 1] : NULL;

	if (w->task_state & STATE_FROZEN || (may_be && about))
		p->flags |= LKST_PAST_IS_FROZEN;
	if (before && !(p->flags & LKST_PAST_IS_FROZEN)) {
		before->flags |= LKST_PAST_IS_FROZEN;
		before->about = t->thawed_about;
	}
	if (may_be && about)
		p->about = about;
	t->thawed = about && !may_be ? (u32)(p - h->list) + 1 : 0;
	t->thawed_about = about;
}

/*
 * A collector of memory that stops the threads of its program sends a signal to each, and the handler waits for another
 * one. Who waits so outside of a handler may wait for work.
 */
static bool is_stopped_by_signal(struct lkst_pasts *h, const struct lkst_past_thread *t, const struct lkst_past *p,
				 const struct lkst_syscall_now *call)
{
	const struct lkst_thread_life *by, *own;

	if (p->end != LKST_PAST_END_THREAD || !lkst_past_is_in(p->call, "rt_sigsuspend") || !call->from_ns ||
	    !t->signal_ns || t->signal_ns < t->waited_ns)
		return false;
	/* The handler's end, rt_sigreturn(2), would have been seen. */
	if (lkst_lacks(&h->lacks, LKST_LACK_CALLS, t->signal_ns, p->from_ns))
		return false;
	by = lkst_model_life(h->model, p->waker);
	own = lkst_model_life(h->model, p->life);
	return by && own && by->pid > 0 && by->pid == own->pid;
}

static int past_on_signal(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_signal_deliver *s = record;
	struct lkst_pasts *h = ctx;
	const struct lkst_thread_life *life;
	struct lkst_past_thread *t = lkst_past_thread_at(h, r, &life);

	if (t && s->code == SENT_TO_THREAD && s->handler > HANDLER_MAX_NONE)
		t->signal_ns = r->ns;
	return h->error;
}

/* Whether @life is on its way to its end because of a fault of its own. */
static bool has_crashed(const struct lkst_pasts *h, u32 life)
{
	const struct lkst_thread_life *by = lkst_model_life(h->model, life);

	return by && lkst_life_crash(by);
}

static void take_wait(struct lkst_pasts *h, struct lkst_past *p, const struct lkst_interval *i)
{
	const struct lkst_wait *w = i->wait;
	struct lkst_past_thread *t = lkst_past_thread_of(h, i->life->nr);

	if (!t)
		return;
	p->cause = w->cause;
	p->object = w->object;
	p->dev = w->dev;
	p->call = w->call.row;
	if (w->cause == LKST_CAUSE_FUTEX && !p->object && w->call.has_args)
		p->object = w->call.args[0];
	if (i->waker)
		set_end(h, t, p, i->waker);
	p->flags |= flags_of(h, i, t, p);
	if (p->flags & LKST_PAST_MAY_ASK) {
		p->object = (u32)w->fd; /* until lkst_asking_settle() */
		lkst_connections_answered(&h->connections, p->life, w->fd, p->waker);
	}
	lkst_asking_set_peer(h, p, i);
	if (p->to_ns - p->from_ns >= ABOUT_LEAST_NS) {
		lkst_circumstances_take(&h->circumstances, i, p);
		take_freeze(h, t, p, w);
	}
	if (p->end == LKST_PAST_END_THREAD && has_crashed(h, p->waker))
		p->flags |= LKST_PAST_WAS_CRASH;
	if (is_stopped_by_signal(h, t, p, &w->call))
		p->flags |= LKST_PAST_IS_SIGNALLED;
	past_join(h, t, p, w->call.from_ns);
	lkst_asking_waited(h, t, i, p);
	t->lock_past = w->cause == LKST_CAUSE_FUTEX ? t->nr_past : 0;
	t->is_condition = w->call.has_args && w->call.nr_args > 1 &&
			  (w->call.args[1] & FUTEX_COMMAND) == FUTEX_WAIT_BITSET_OP;
	note_woken(h, p);
}

/* Whether who runs on @cpu came there with a real-time priority. */
static bool is_realtime(const struct lkst_pasts *h, s32 cpu)
{
	return cpu >= 0 && (u32)cpu < h->nr_cpus && h->priorities[cpu] && h->priorities[cpu] <= REALTIME_PRIORITIES;
}

static int past_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_pasts *h = ctx;
	struct lkst_past *p;

	/* Further threads share a life, and the idle ones have no state but a CPU's. */
	if (i->life->tid <= 0 || i->to_ns <= i->from_ns)
		return 0;
	p = past_add(h);
	if (!p)
		return h->error;
	p->from_ns = i->from_ns;
	p->to_ns = i->to_ns;
	p->life = i->life->nr;
	p->run = i->run;
	p->ready = i->ready;
	p->cpu = (s16)i->cpu;
	if (i->run == LKST_RUN_READY && i->ready == LKST_READY_THROTTLED)
		p->object = lkst_model_cgroup(h->model, i->life);
	p->flags = i->life->is_kernel ? LKST_PAST_IS_KERNEL : 0;
	if (i->flags & (LKST_INTERVAL_OPEN | LKST_INTERVAL_CUT))
		p->flags |= LKST_PAST_IS_OPEN;
	if (i->run == LKST_RUN_READY && i->ready == LKST_READY_UNKNOWN)
		p->flags |= LKST_PAST_IS_INFERRED;
	if (i->run == LKST_RUN_RUNNING && is_realtime(h, i->cpu))
		p->flags |= LKST_PAST_IS_REALTIME;
	if (i->run == LKST_RUN_BLOCKED || i->run == LKST_RUN_STOPPED)
		take_wait(h, p, i);
	return h->error;
}

static int past_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct lkst_pasts *h = ctx;
	struct lkst_past *p;

	if (!i->life || i->life->idle_cpu < 0 || i->to_ns <= i->from_ns)
		return 0;
	p = past_add(h);
	if (!p)
		return h->error;
	p->from_ns = i->from_ns;
	p->to_ns = i->to_ns;
	p->life = i->life->nr;
	p->run = LKST_RUN_RUNNING;
	p->cpu = (s16)i->cpu;
	p->flags = LKST_PAST_IS_KERNEL;
	return 0;
}

/* ---- system calls ----------------------------------------------------------------- */

static void keep_call(struct lkst_pasts *h, const struct lkst_call_interval *c)
{
	struct lkst_past_call *kept;
	int r = lkst_recent_room(&h->calls, &h->nr_calls, &h->room_calls, CALLS_MAX, sizeof(*h->calls));

	if (r < 0) {
		h->error = r;
		return;
	}
	kept = &h->calls[h->nr_calls++];
	*kept = (struct lkst_past_call){ c->from_ns, c->to_ns, c->life->nr, c->call.row };
}

static int past_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_pasts *h = ctx;

	if (c->call.row < 0 || c->life->tid <= 0 || !c->has_exit)
		return 0;
	if (c->running_ns >= CALL_LEAST_NS)
		keep_call(h, c);
	lkst_asking_ended(h, c);
	return h->error;
}

/*
 * A condition of glibc has two words, one behind the other, in 8 bytes; its waiters are at the one, then at the other
 * (__g_signals, sysdeps/nptl/bits/thread-shared-types.h).
 */
static bool is_same_futex(const struct lkst_past_thread *t, u64 waited, u64 woken)
{
	return t->is_condition ? waited >> 3 == woken >> 3 : waited == woken;
}

/* Who wakes what he has waited for himself had waited for a lock, or for a turn. */
static int on_futex(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_pasts *h = ctx;
	const struct lkst_thread_life *life;
	struct lkst_past_thread *t = lkst_past_thread_at(h, r, &life);

	if (t && t->lock_past && s->nr_args > 1 && (s->args[1] & FUTEX_COMMAND) == FUTEX_WAKE_OP &&
	    is_same_futex(t, h->list[t->lock_past - 1].object, s->args[0]))
		h->list[t->lock_past - 1].flags |= LKST_PAST_IS_LOCK;
	return h->error;
}

/* ---- the pass --------------------------------------------------------------------- */

int lkst_past_subscribe(struct lkst_pasts *h, struct lkst_feed *f, struct lkst_model *model,
			const struct lkst_limited *limited)
{
	static const struct lkst_model_calls calls = {
		.interval = past_on_interval, .cpu = past_on_cpu, .frame = past_on_frame, .call = past_on_call
	};
	int r;

	h->model = model;
	lkst_connections_init(&h->connections);
	r = limited ? lkst_lacks_init(limited, lkst_trace_catalog(lkst_feed_trace(f)), &h->lacks) : 0;
	h->circumstances.abouts = &h->abouts;
	h->timers = (struct lkst_cpu_timers){ .model = model, .lacks = &h->lacks, .symbols = h->circumstances.symbols };
	if (r >= 0)
		r = lkst_circumstances_subscribe(&h->circumstances, f, model);
	if (r >= 0)
		r = lkst_cpu_timers_subscribe(&h->timers, f);
	if (r >= 0)
		r = lkst_model_subscribe(model, &calls, h);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_sched_switch, past_on_switch, h);
	if (r >= 0)
		r = lkst_asking_subscribe(h, f);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_signal_deliver, past_on_signal, h);
	if (r >= 0)
		r = lkst_feed_syscall(f, "futex", on_futex, NULL, h);
	return r < 0 ? r : 1;
}

static bool is_woken(const struct lkst_past *p)
{
	return p->end == LKST_PAST_END_THREAD;
}

static bool past_is_on_cpu(const struct lkst_past *p)
{
	return p->run == LKST_RUN_RUNNING && p->cpu >= 0;
}

static int past_lay_out(struct lkst_pasts *h)
{
	u32 i;

	for (i = 0; i < h->nr; i++) {
		const struct lkst_past *p = &h->list[i];

		if (lkst_places_count(&h->by_life, p->life) ||
		    (is_woken(p) && lkst_places_count(&h->by_waker, p->waker)) ||
		    (past_is_on_cpu(p) && lkst_places_count(&h->by_cpu, (u32)p->cpu)))
			return -ENOMEM;
	}
	for (i = 0; i < h->nr_calls; i++)
		if (lkst_places_count(&h->calls_by_life, h->calls[i].life))
			return -ENOMEM;
	return lkst_places_lay_out(&h->by_life) ?: lkst_places_lay_out(&h->by_waker) ?:
	       lkst_places_lay_out(&h->by_cpu) ?: lkst_places_lay_out(&h->calls_by_life);
}

int lkst_past_finish(struct lkst_pasts *h)
{
	u32 i;
	int err = h->error ?: h->connections.error ?: h->abouts.error ?: h->circumstances.error ?: past_lay_out(h);

	if (err)
		return err;
	for (i = 0; i < h->nr; i++) {
		struct lkst_past *p = &h->list[i];

		if (p->flags & LKST_PAST_MAY_ASK)
			lkst_asking_settle(h, p);
		lkst_places_put(&h->by_life, p->life, i);
		if (is_woken(p))
			lkst_places_put(&h->by_waker, p->waker, i);
		if (past_is_on_cpu(p))
			lkst_places_put(&h->by_cpu, (u32)p->cpu, i);
		if (!h->from_ns || (p->from_ns < h->from_ns && !h->is_cut))
			h->from_ns = p->from_ns;
		if (p->to_ns > h->to_ns)
			h->to_ns = p->to_ns;
	}
	for (i = 0; i < h->nr_calls; i++)
		lkst_places_put(&h->calls_by_life, h->calls[i].life, i);
	/* The last of those that were woken in vain is known now. */
	for (i = h->nr; i-- > 0;)
		h->list[i].last = h->list[h->list[i].last].last;
	return 0;
}

void lkst_past_fini(struct lkst_pasts *h)
{
	lkst_places_fini(&h->by_life);
	lkst_places_fini(&h->by_cpu);
	lkst_places_fini(&h->by_waker);
	lkst_places_fini(&h->calls_by_life);
	lkst_lacks_fini(&h->lacks);
	lkst_connections_fini(&h->connections);
	lkst_abouts_fini(&h->abouts);
	lkst_circumstances_fini(&h->circumstances);
	free(h->list);
	free(h->calls);
	free(h->threads);
	free(h->kinds);
	free(h->priorities);
	lkst_cpu_timers_fini(&h->timers);
	*h = (struct lkst_pasts){};
}

/* ---- questions -------------------------------------------------------------------- */

struct lkst_places_list lkst_past_of(const struct lkst_pasts *h, u32 life)
{
	return lkst_places_of(&h->by_life, life);
}

struct lkst_places_list lkst_past_on(const struct lkst_pasts *h, u32 cpu)
{
	return lkst_places_of(&h->by_cpu, cpu);
}

struct lkst_places_list lkst_past_woken_by(const struct lkst_pasts *h, u32 life)
{
	return lkst_places_of(&h->by_waker, life);
}

u32 lkst_past_before(const struct lkst_pasts *h, struct lkst_places_list list, u64 ns)
{
	return lkst_lower_bound(i, list.nr, h->list[list.at[i]].to_ns <= ns);
}

s16 lkst_past_call_at(const struct lkst_pasts *h, u32 life, u64 from_ns, u64 to_ns)
{
	struct lkst_places_list list = lkst_places_of(&h->calls_by_life, life);
	u32 i = lkst_lower_bound(k, list.nr, h->calls[list.at[k]].to_ns <= from_ns);
	u64 left_ns = to_ns - from_ns, most_ns = 0;
	s16 call = -1;

	for (; i < list.nr && h->calls[list.at[i]].from_ns < to_ns; i++) {
		const struct lkst_past_call *c = &h->calls[list.at[i]];
		const u64 begin_ns = c->from_ns > from_ns ? c->from_ns : from_ns;
		const u64 end_ns = c->to_ns < to_ns ? c->to_ns : to_ns;

		if (end_ns > begin_ns && end_ns - begin_ns > most_ns) {
			most_ns = end_ns - begin_ns;
			call = c->call;
		}
	}
	return most_ns * 2 > left_ns ? call : -1;
}
