/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/less.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/vec.h"

struct told_interval {
	struct lkst_interval i;
	struct lkst_wait wait;
	struct lkst_waker waker;
	struct lkst_syscall_now call;
	s32 tid;
	bool is_kernel;
};

struct told {
	struct told_interval *intervals;
	struct lkst_cpu_interval *cpus;
	struct lkst_irq_context *frames;
	struct lkst_call_interval *calls;
	struct lkst_fault_interval *faults;
	u32 nr_intervals, nr_cpus, nr_frames, nr_calls, nr_faults;
	struct lkst_trace *trace;
	struct lkst_feed *feed;
	struct lkst_model *model;
};

/* ---- what is told ---------------------------------------------------------------------------- */

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	struct told *t = ctx;
	struct told_interval *x = lkst_vec_add(t->intervals, t->nr_intervals);

	if (!x)
		return -ENOMEM;
	*x = (struct told_interval){ .i = *i,
				     .tid = i->life->tid,
				     .is_kernel = i->life->is_kernel };
	if (i->wait)
		x->wait = *i->wait;
	if (i->waker)
		x->waker = *i->waker;
	x->call = i->call ? *i->call : (struct lkst_syscall_now){ .row = -1, .nr = -1 };
	return 0;
}

#define KEEP(name, type, list, nr)                                                                 \
	static int name(void *ctx, const struct type *i)                                           \
	{                                                                                          \
		struct told *t = ctx;                                                              \
		struct type *x = lkst_vec_add(t->list, t->nr);                                     \
                                                                                                   \
		if (!x)                                                                            \
			return -ENOMEM;                                                            \
		*x = *i;                                                                           \
		return 0;                                                                          \
	}
KEEP(on_cpu, lkst_cpu_interval, cpus, nr_cpus)
KEEP(on_frame, lkst_irq_context, frames, nr_frames)
KEEP(on_call, lkst_call_interval, calls, nr_calls)
KEEP(on_fault, lkst_fault_interval, faults, nr_faults)

struct told *told_new(const char *dir)
{
	static const struct lkst_model_calls calls = { .interval = on_interval,
						       .cpu = on_cpu,
						       .frame = on_frame,
						       .call = on_call,
						       .fault = on_fault };
	struct told *t = calloc(1, sizeof(*t));
	struct lkst_err e = {};

	if (!t || lkst_trace_open(&e, dir, &t->trace) || lkst_feed_new(&e, t->trace, &t->feed) ||
	    lkst_model_new(&e, t->feed, &t->model) ||
	    lkst_model_subscribe(t->model, &calls, t) < 0 || lkst_feed_run(&e, t->feed)) {
		fprintf(stderr, "told_new: %s\n", e.text);
		abort();
	}
	return t;
}

void told_free(struct told *t)
{
	lkst_model_free(t->model);
	lkst_feed_free(t->feed);
	lkst_trace_close(t->trace);
	free(t->intervals);
	free(t->cpus);
	free(t->frames);
	free(t->calls);
	free(t->faults);
	free(t);
}

/* ---- the tree: what is less specific than what ------------------------------------------------ */

/* Of contexts: the next less specific one. */
static const u8 context_above[LKST_NR_CONTEXTS] = {
	[LKST_CONTEXT_THREAD] = LKST_CONTEXT_UNKNOWN,
	[LKST_CONTEXT_IRQ] = LKST_CONTEXT_INTERRUPT,
	[LKST_CONTEXT_VECTOR] = LKST_CONTEXT_INTERRUPT,
	[LKST_CONTEXT_SOFTIRQ] = LKST_CONTEXT_SOME_SOFTIRQ,
	[LKST_CONTEXT_TASKLET] = LKST_CONTEXT_SOFTIRQ,
	[LKST_CONTEXT_TIMER] = LKST_CONTEXT_SOFTIRQ,
	[LKST_CONTEXT_HRTIMER] = LKST_CONTEXT_VECTOR,
	[LKST_CONTEXT_NMI] = LKST_CONTEXT_UNKNOWN,
	[LKST_CONTEXT_INTERRUPT] = LKST_CONTEXT_UNKNOWN,
	[LKST_CONTEXT_SOME_SOFTIRQ] = LKST_CONTEXT_UNKNOWN,
	[LKST_CONTEXT_UNKNOWN] = LKST_CONTEXT_UNKNOWN,
};

static bool is_context_above(u8 part, u8 whole)
{
	while (whole != part && whole != LKST_CONTEXT_UNKNOWN)
		whole = context_above[whole];
	return whole == part;
}

/* A call of the part is none, the same one, or one that may be over where the whole knows that it is. */
static const char *call_differs(const struct lkst_syscall_now *p, const struct lkst_syscall_now *w)
{
	u8 i;

	if (p->nr < 0)
		return NULL;
	if (p->may_be_over && w->nr < 0)
		return NULL;
	if (p->nr != w->nr || p->is_compat != w->is_compat)
		return "another call";
	if (!p->may_be_over && w->may_be_over)
		return "a call that may be over";
	if (p->from_ns && p->from_ns != w->from_ns)
		return "another begin of the call";
	for (i = 0; p->has_args && w->has_args && i < p->nr_args && i < w->nr_args; i++)
		if (p->args[i] != w->args[i])
			return "another argument";
	return NULL;
}

/*
 * What is said of a wait whose lock or fault is not known: in a call, or of a kernel thread. And what a wait is that a
 * request of a disk has ended: it may be all of these, and one on the way out of a call.
 */
static bool is_cause_above(const struct told_interval *p, const struct told_interval *w)
{
	const struct lkst_syscall_now *call = &w->wait.call;
	const u8 part = p->wait.cause, whole = w->wait.cause;

	if (part == whole || part == LKST_CAUSE_UNKNOWN)
		return true;
	if (whole == LKST_CAUSE_IO &&
	    (part == LKST_CAUSE_LOCK || part == LKST_CAUSE_FAULT || part == LKST_CAUSE_USER))
		return true;
	/* It needs the lock of the memory's map. */
	if (whole == LKST_CAUSE_LOCK && part == LKST_CAUSE_FAULT)
		return true;
	if (whole != LKST_CAUSE_LOCK && whole != LKST_CAUSE_FAULT && whole != LKST_CAUSE_IO)
		return false;
	if (part == LKST_CAUSE_KERNEL && w->is_kernel)
		return true;
	return call->row >= 0 && part == lkst_syscall_cause(&lkst_syscalls[call->row]);
}

static const char *wait_differs(const struct told_interval *p, const struct told_interval *w)
{
	const struct lkst_wait *x = &p->wait, *y = &w->wait;

	if (!is_cause_above(p, w))
		return "another cause";
	if (x->task_state != y->task_state && x->task_state)
		return "another state";
	if (x->cause == y->cause && x->object && x->object != y->object)
		return "another object";
	if (x->cause == y->cause && x->code && x->code != y->code)
		return "another instruction";
	if (x->holder_tid && x->holder_tid != y->holder_tid)
		return "another holder";
	if (x->fd >= 0 && y->fd >= 0 && x->fd != y->fd)
		return "another descriptor";
	if (x->cause == LKST_CAUSE_IO && (x->dev != y->dev || x->sector != y->sector))
		return "another request";
	return call_differs(&x->call, &y->call);
}

static const char *waker_differs(const struct lkst_waker *p, const struct lkst_waker *w)
{
	if (p->ns != w->ns || p->tid != w->tid || p->cpu != w->cpu)
		return "another waker";
	if (!is_context_above(p->context, w->context))
		return "another context of the waker";
	if (p->context == w->context &&
	    (p->number != w->number || p->code != w->code || p->object != w->object) &&
	    (p->code || p->number))
		return "another interrupt";
	if (!is_context_above(p->outer, w->outer))
		return "another outer context";
	if (p->outer == w->outer && p->outer_number != w->outer_number)
		return "another outer interrupt";
	if (p->rq && p->rq != w->rq)
		return "another request of the waker";
	if (p->queued_ns && p->queued_ns != w->queued_ns)
		return "another moment on the queue";
	return call_differs(&p->call, &w->call);
}

/* What contradicts the whole in what the part says of a stretch, NULL: nothing. */
static const char *interval_differs(const struct told_interval *p, const struct told_interval *w)
{
	const char *why = NULL;

	if (p->i.run != w->i.run)
		return p->i.run == LKST_RUN_BLOCKED && w->i.run == LKST_RUN_STOPPED
			       ? NULL
			       : "another state";
	if (p->i.from_ns != w->i.from_ns && !(p->i.flags & LKST_INTERVAL_EARLIER))
		return "another begin";
	if (p->i.to_ns != w->i.to_ns && !(p->i.flags & (LKST_INTERVAL_OPEN | LKST_INTERVAL_CUT)))
		return "another end";
	if (p->i.cpu >= 0 && p->i.cpu != w->i.cpu)
		return "another CPU";
	if (p->i.ready != LKST_READY_UNKNOWN && p->i.ready != w->i.ready)
		return "another reason to be ready";
	if (p->i.wait)
		why = wait_differs(p, w);
	if (!why && p->i.waker)
		why = w->i.waker ? waker_differs(&p->waker, &w->waker) : "a waker";
	return why ?: call_differs(&p->call, &w->call);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3))) find(struct less *l, const char *format, ...)
{
	va_list args;

	if (l->wrong++)
		return;
	va_start(args, format);
	vsnprintf(l->text, sizeof(l->text), format, args);
	va_end(args);
}

static void compare_interval(const struct told_interval *p, const struct told_interval *w,
			     struct less *l)
{
	const char *why = p->i.run == LKST_RUN_UNKNOWN ? NULL : interval_differs(p, w);
	const u64 from_ns = p->i.from_ns > w->i.from_ns ? p->i.from_ns : w->i.from_ns;
	const u64 to_ns = p->i.to_ns < w->i.to_ns ? p->i.to_ns : w->i.to_ns;

	if (why)
		find(l,
		     "thread %d %llu-%llu %s on %d, cause %s, call %d, waker %d %s in %s, call %d; whole: "
		     "%llu-%llu %s on %d, "
		     "cause %s, call %d, waker %d %s in %s, call %d: %s",
		     p->tid, (unsigned long long)p->i.from_ns, (unsigned long long)p->i.to_ns,
		     lkst_run_names[p->i.run], p->i.cpu, lkst_cause_names[p->wait.cause],
		     p->call.nr, p->waker.tid, lkst_context_names[p->waker.context],
		     lkst_context_names[p->waker.outer], p->waker.call.nr,
		     (unsigned long long)w->i.from_ns, (unsigned long long)w->i.to_ns,
		     lkst_run_names[w->i.run], w->i.cpu, lkst_cause_names[w->wait.cause],
		     w->call.nr, w->waker.tid, lkst_context_names[w->waker.context],
		     lkst_context_names[w->waker.outer], w->waker.call.nr, why);
	if (w->i.run != LKST_RUN_BLOCKED || w->is_kernel)
		return;
	l->blocked_ns += to_ns - from_ns;
	if (w->wait.call.nr < 0)
		return;
	l->in_call_ns += to_ns - from_ns;
	l->part_in_call_ns +=
		p->i.run == LKST_RUN_BLOCKED && p->wait.call.nr >= 0 ? to_ns - from_ns : 0;
}

static void compare_intervals(const struct told *whole, const struct told *part, struct less *l)
{
	u32 i, k;

	for (i = 0; i < part->nr_intervals; i++) {
		const struct told_interval *p = &part->intervals[i];

		for (k = 0; k < whole->nr_intervals; k++) {
			const struct told_interval *w = &whole->intervals[k];

			if (w->tid == p->tid && w->i.from_ns < p->i.to_ns &&
			    p->i.from_ns < w->i.to_ns)
				compare_interval(p, w, l);
		}
	}
}

static void compare_cpus(const struct told *whole, const struct told *part, struct less *l)
{
	u32 i, k;

	for (i = 0; i < part->nr_cpus; i++) {
		const struct lkst_cpu_interval *p = &part->cpus[i], *w;

		for (k = 0; k < whole->nr_cpus; k++) {
			w = &whole->cpus[k];
			if (w->cpu != p->cpu || w->from_ns >= p->to_ns || p->from_ns >= w->to_ns ||
			    !p->life)
				continue;
			if (!w->life || w->life->tid != p->life->tid)
				find(l, "CPU %u %llu-%llu runs %d", p->cpu,
				     (unsigned long long)p->from_ns, (unsigned long long)p->to_ns,
				     p->life->tid);
			else if (w->from_ns == p->from_ns && w->to_ns == p->to_ns &&
				 (p->irq_ns > w->irq_ns ||
				  p->irq_ns + p->softirq_ns > w->irq_ns + w->softirq_ns))
				find(l,
				     "CPU %u %llu-%llu: %llu ns of interrupts, %llu of softirqs, whole %llu and %llu",
				     p->cpu, (unsigned long long)p->from_ns,
				     (unsigned long long)p->to_ns, (unsigned long long)p->irq_ns,
				     (unsigned long long)p->softirq_ns,
				     (unsigned long long)w->irq_ns,
				     (unsigned long long)w->softirq_ns);
		}
	}
}

/* A context whose begin and end were recorded is one of the whole's. */
static void compare_frames(const struct told *whole, const struct told *part, struct less *l)
{
	u32 i, k;

	for (i = 0; i < part->nr_frames; i++) {
		const struct lkst_irq_context *p = &part->frames[i];

		if (p->is_cut || p->has_no_begin)
			continue;
		for (k = 0; k < whole->nr_frames; k++) {
			const struct lkst_irq_context *w = &whole->frames[k];

			if (w->cpu == p->cpu && w->to_ns == p->to_ns && w->context == p->context)
				break;
		}
		if (k == whole->nr_frames || whole->frames[k].from_ns != p->from_ns ||
		    whole->frames[k].number != p->number || whole->frames[k].code != p->code ||
		    whole->frames[k].tid != p->tid || whole->frames[k].inner_ns < p->inner_ns)
			find(l, "CPU %u is in %s %d %llu-%llu", p->cpu,
			     lkst_context_names[p->context], p->number,
			     (unsigned long long)p->from_ns, (unsigned long long)p->to_ns);
	}
}

/* A call that ends unseen lasts at least as long as is said; one that begins unseen begins no earlier. */
static bool is_call_like(const struct lkst_call_interval *p, const struct lkst_call_interval *w)
{
	if (p->has_entry && p->from_ns != w->from_ns)
		return false;
	if (p->call.nr != w->call.nr || p->from_ns > w->from_ns || p->to_ns > w->to_ns)
		return false;
	if (p->has_entry && p->has_exit)
		return p->to_ns == w->to_ns && w->has_entry && w->has_exit && p->ret == w->ret &&
		       p->running_ns == w->running_ns && p->ready_ns == w->ready_ns &&
		       p->blocked_ns == w->blocked_ns && p->longest_ns == w->longest_ns;
	return p->running_ns <= w->running_ns && p->ready_ns <= w->ready_ns &&
	       p->blocked_ns <= w->blocked_ns && p->longest_ns <= w->longest_ns;
}

static void compare_calls(const struct told *whole, const struct told *part, struct less *l)
{
	u32 i, k;

	for (i = 0; i < part->nr_calls; i++) {
		const struct lkst_call_interval *p = &part->calls[i];

		for (k = 0; k < whole->nr_calls; k++) {
			const struct lkst_call_interval *w = &whole->calls[k];

			if (w->life->tid == p->life->tid &&
			    (p->has_entry ? w->from_ns == p->from_ns : w->to_ns == p->to_ns) &&
			    is_call_like(p, w))
				break;
		}
		/* Nothing is told of the call in which a thread ends. */
		if (k == whole->nr_calls && (p->has_exit || !p->life->is_over))
			find(l,
			     "thread %d is in call %d %llu-%llu%s%s, running %llu ns, ready %llu, blocked %llu",
			     p->life->tid, p->call.nr, (unsigned long long)p->from_ns,
			     (unsigned long long)p->to_ns, p->has_entry ? "" : ", entry unseen",
			     p->has_exit ? "" : ", exit unseen", (unsigned long long)p->running_ns,
			     (unsigned long long)p->ready_ns, (unsigned long long)p->blocked_ns);
	}
}

static void compare_faults(const struct told *whole, const struct told *part, struct less *l)
{
	u32 i, k;

	for (i = 0; i < part->nr_faults; i++) {
		const struct lkst_fault_interval *p = &part->faults[i], *w;

		for (k = 0; k < whole->nr_faults; k++) {
			w = &whole->faults[k];
			if (w->life->tid == p->life->tid && w->from_ns == p->from_ns &&
			    w->to_ns == p->to_ns && w->address == p->address)
				break;
		}
		if (k == whole->nr_faults)
			find(l, "thread %d is in a fault %llu-%llu", p->life->tid,
			     (unsigned long long)p->from_ns, (unsigned long long)p->to_ns);
	}
}

void less_compare(const struct told *whole, const struct told *part, struct less *ret_less)
{
	*ret_less = (struct less){};
	compare_intervals(whole, part, ret_less);
	compare_cpus(whole, part, ret_less);
	compare_frames(whole, part, ret_less);
	compare_calls(whole, part, ret_less);
	compare_faults(whole, part, ret_less);
}
