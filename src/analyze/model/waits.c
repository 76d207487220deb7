/* SPDX-License-Identifier: GPL-2.0-only */
/* What threads wait for, and who wakes them: system calls, locks, faults, work, wake-ups. */
#include <string.h>

#include "abi/fault.h"
#include "abi/lock.h"
#include "analyze/model/model_parts.h"
#include "trace/known/call_result.h"

enum lkst_cause lkst_syscall_cause(const struct lkst_syscall *call)
{
	/* Calls whose first argument is a file descriptor have a cause of FILE, SOCKET or SYNC. */
	static const u8 causes[LKST_NR_SYS_WAITS] = {
		[LKST_SYS_WAIT_none] = LKST_CAUSE_SYSCALL,     [LKST_SYS_WAIT_file] = LKST_CAUSE_FILE,
		[LKST_SYS_WAIT_file_in] = LKST_CAUSE_FILE,     [LKST_SYS_WAIT_socket] = LKST_CAUSE_SOCKET,
		[LKST_SYS_WAIT_socket_in] = LKST_CAUSE_SOCKET, [LKST_SYS_WAIT_poll] = LKST_CAUSE_POLL,
		[LKST_SYS_WAIT_sleep] = LKST_CAUSE_SLEEP,      [LKST_SYS_WAIT_futex] = LKST_CAUSE_FUTEX,
		[LKST_SYS_WAIT_child] = LKST_CAUSE_CHILD,      [LKST_SYS_WAIT_signal] = LKST_CAUSE_SIGNAL,
		[LKST_SYS_WAIT_ipc] = LKST_CAUSE_IPC,	       [LKST_SYS_WAIT_ipc_in] = LKST_CAUSE_IPC,
		[LKST_SYS_WAIT_sync] = LKST_CAUSE_SYNC,
	};

	return causes[call->waits];
}

/* ---- waiting ---------------------------------------------------------------------- */

static void wait_in_call(struct lkst_wait *w)
{
	const struct lkst_syscall_now *call = &w->call;

	w->cause = call->row >= 0 ? lkst_syscall_cause(&lkst_syscalls[call->row]) : LKST_CAUSE_SYSCALL;
	if (!call->has_args || !call->nr_args)
		return;
	if (w->cause == LKST_CAUSE_FUTEX)
		w->object = call->args[0];
	if (w->cause == LKST_CAUSE_FILE || w->cause == LKST_CAUSE_SOCKET ||
	    w->cause == LKST_CAUSE_SYNC)
		w->fd = (s32)call->args[0];
}

/*
 * Whether the fault that @t began and was not seen to end is still what it waits in. Most wait uninterruptibly; one
 * that a program serves (userfaultfd(2)) does not, which only the registers tell from a fault that is over. A thread
 * freezes on its way back to the program.
 */
static bool is_in_fault(const struct lkst_model_thread *t, u32 task_state)
{
	return t->in_fault && !(task_state & STATE_FROZEN) && (t->where == LKST_WHERE_NONE || t->fault_is_kernels ||
			       !(task_state & STATE_INTERRUPTIBLE));
}

struct lkst_model_lock lkst_model_lock_of(u64 address, u32 flags, s32 tid, u32 is)
{
	return (struct lkst_model_lock){ .address = address,
					 .flags = flags,
					 .holder_tid = is == LKST_HOLDER_OWNER ? tid : 0,
					 .last_tid = is == LKST_HOLDER_READER || is == LKST_HOLDER_TAKER ? tid : 0 };
}

/* A futex that lends priority is a lock of the kernel's, too, but first of all the program's. */
static bool is_futex(const struct lkst_model_lock *lock, const struct lkst_wait *w)
{
	return lock->flags == LKST_LOCK_RT && w->task_state & STATE_INTERRUPTIBLE && w->call.row >= 0 &&
	       lkst_syscall_cause(&lkst_syscalls[w->call.row]) == LKST_CAUSE_FUTEX;
}

static void wait_for_lock(const struct lkst_model_lock *lock, struct lkst_wait *w)
{
	w->holder_tid = lock->holder_tid;
	if (is_futex(lock, w)) {
		wait_in_call(w);
		return;
	}
	w->cause = LKST_CAUSE_LOCK;
	w->object = lock->address;
	w->lock_flags = lock->flags;
	w->last_tid = lock->last_tid;
}

/* Whether @t is known to be on its way back to its program. */
static bool is_behind(const struct lkst_model *s, const struct lkst_model_thread *t)
{
	if (t->where == LKST_WHERE_CALL)
		return t->where_flags & LKST_WHERE_BEHIND && !s->is_arm64;
	return t->knows_call && !t->in_call && !t->in_fault && !t->may_fault;
}

void lkst_model_wait(const struct lkst_model *s, struct lkst_model_thread *t, u32 task_state)
{
	struct lkst_wait *w = &t->wait;

	*w = (struct lkst_wait){ .task_state = task_state,
				 .call = { .row = -1, .nr = -1 },
				 .fd = -1 };
	if (lkst_model_call_of(t))
		w->call = *lkst_model_call_of(t);
	if (is_in_fault(t, task_state))
		w->fault_ns = t->fault_ns;
	if (t->blocker.address || t->in_lock) {
		wait_for_lock(t->blocker.address ? &t->blocker : &t->lock, w);
		t->blocker.address = 0;
	} else if (is_in_fault(t, task_state)) {
		w->cause = LKST_CAUSE_FAULT;
		w->object = t->fault_address;
		w->code = t->fault_ip;
	} else if (lkst_model_call_of(t) && !is_behind(s, t)) {
		wait_in_call(w);
	} else if (t->life->is_kernel || t->where == LKST_WHERE_KERNEL) {
		w->cause = LKST_CAUSE_KERNEL;
		w->object = t->work_function;
	} else if (is_behind(s, t)) {
		w->cause = LKST_CAUSE_USER;
	}
}

/* ---- wake-ups --------------------------------------------------------------------- */

/* What interrupts on @c at the moment, by what was recorded of it. */
static void describe_interrupt(const struct lkst_model_cpu *c, struct lkst_waker *w)
{
	const struct lkst_irq_context *f = &c->frames[c->depth - 1].frame;

	w->context = f->context;
	w->number = f->number;
	w->code = f->code;
	w->object = f->object;
	w->outer = c->frames[0].outer;
	if (w->outer == c->frames[0].frame.context)
		w->outer_number = c->frames[0].frame.number;
}

/* A thread that runs its program wakes nobody: something has interrupted it, of which nothing was recorded. */
static bool waits_is_in_program(const struct lkst_model_thread *t)
{
	return t && t->knows_call && !t->in_call && !t->in_fault && !t->may_fault && !t->is_fresh &&
	       !t->life->is_kernel;
}

/* Where the record does not say what wakes: by what is known of the CPU. */
static void guess_context(const struct lkst_model *s, const struct lkst_model_cpu *c, struct lkst_waker *w)
{
	const struct lkst_model_frame *top = c->depth ? &c->frames[c->depth - 1] : NULL;

	if (lkst_model_may_be_interrupted(s, c, top, w->ns))
		w->context = w->outer = LKST_CONTEXT_UNKNOWN;
	else if (top)
		describe_interrupt(c, w);
	else if (waits_is_in_program(c->thread))
		w->context = w->outer = LKST_CONTEXT_UNKNOWN;
}

/* What interrupts is an interrupt or a softirq, as @kind says. Which one is known if it was recorded. */
static void take_context(const struct lkst_model_cpu *c, enum lkst_waker_kind kind, struct lkst_waker *w)
{
	const bool is_softirq = kind == LKST_WAKER_SOFTIRQ;

	const struct lkst_model_frame *top = c->depth ? &c->frames[c->depth - 1] : NULL;

	if (top && !top->is_unsure && top->is_softirq == is_softirq) {
		describe_interrupt(c, w);
		return;
	}
	w->context = is_softirq ? LKST_CONTEXT_SOME_SOFTIRQ : LKST_CONTEXT_INTERRUPT;
	/* An interrupt that was not recorded may have interrupted a softirq. */
	w->outer = top ? c->frames[0].outer : is_softirq ? w->context : LKST_CONTEXT_UNKNOWN;
	if (top && w->outer == c->frames[0].frame.context)
		w->outer_number = c->frames[0].frame.number;
}

/* The request that ended on @c in the context of this wake-up, which is @kind: then the wake-up before it was, too. */
static void take_request(const struct lkst_model *s, struct lkst_model_cpu *c, u8 kind, struct lkst_waker *w)
{
	struct lkst_model_request *request = lkst_model_completed(s, c, kind, w->ns);

	if (!request)
		return;
	request->context = kind;
	w->rq = request->rq;
	w->dev = request->dev;
	w->sector = request->sector;
}

/* What is going on on @c when it wakes a thread. @e: what the record says of that; NULL: it is another event's. */
static int describe_waker(struct lkst_model *s, struct lkst_model_cpu *c, const struct lkst_record *r,
			  const struct lkst_rec_sched_waking *e, struct lkst_waker *w)
{
	const struct lkst_model_thread *t = c->thread;
	const u8 kind = e ? e->context : LKST_WAKER_UNKNOWN;
	const struct lkst_syscall_now none = { .row = -1, .nr = -1 };
	int err = lkst_model_cut_stale_frames(s, c, r->ns);

	if (err >= 0 && c->thread)
		err = lkst_model_forget_stale(s, c->thread, r->ns);

	*w = (struct lkst_waker){ .ns = r->ns,
				  .tid = r->tid,
				  .life = c->life ? c->life->nr : LKST_LIFE_NONE,
				  .cpu = r->cpu,
				  .target_cpu = -1,
				  .call = e ? lkst_model_waking_call(s, e) : none };
	take_request(s, c, kind, w);
	if (kind == LKST_WAKER_UNKNOWN)
		guess_context(s, c, w);
	else if (kind != LKST_WAKER_THREAD)
		take_context(c, kind, w);
	if (w->context != LKST_CONTEXT_THREAD)
		return err;
	if (t)
		lkst_model_continue(t, &w->call);
	/* Its entry, if it was recorded, has the arguments, too. */
	if (t && t->in_call && (w->call.nr < 0 || w->call.nr == t->call.nr))
		w->call = t->call;
	if (w->call.nr < 0 && t && t->life->is_kernel)
		w->code = t->work_function;
	return err;
}

/* What the wake-up proves about the wait of @t. */
static void waits_explain(struct lkst_model_thread *t, const struct lkst_waker *by)
{
	struct lkst_wait *w = &t->wait;
	bool in_futex;

	if (by->rq &&
	    (w->task_state & (STATE_UNINTERRUPTIBLE | STATE_NO_LOAD)) == STATE_UNINTERRUPTIBLE) {
		w->cause = LKST_CAUSE_IO;
		w->code = 0;
		w->object = by->rq;
		w->dev = by->dev;
		w->sector = by->sector;
		return;
	}
	if (by->context != LKST_CONTEXT_THREAD)
		return;
	/* Whoever releases a lock of the kernel wakes the thread that waits for it. Of those who read it, it is one. */
	if (w->cause == LKST_CAUSE_LOCK && !w->holder_tid && !w->last_tid)
		w->holder_tid = by->tid;
	in_futex = by->call.row >= 0 && !strncmp(lkst_syscalls[by->call.row].name, "futex", 5);
	if (w->cause == LKST_CAUSE_FUTEX && !w->holder_tid && in_futex && by->call.has_args &&
	    by->call.args[0] == w->object)
		w->holder_tid = by->tid;
}

/* @t is ready from @ns on, because of @by, if that @is_known. */
static int waits_wake(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
		      const struct lkst_waker *by, bool is_known, s32 cpu)
{
	int err;

	if (is_known && (t->run == LKST_RUN_BLOCKED || t->run == LKST_RUN_STOPPED))
		waits_explain(t, by);
	err = lkst_model_change(s, t, ns, LKST_RUN_BLOCKED, LKST_RUN_READY, is_known ? by : NULL);
	t->waker = *by;
	t->ready = LKST_READY_WOKEN;
	t->has_waker = is_known;
	t->has_pending = false;
	if (cpu >= 0)
		t->cpu = cpu;
	return err;
}

/* Finds the thread that is woken. A thread that is dead as far as is known has a new life. */
static int find_target(struct lkst_model *s, s32 tid, u64 ns, struct lkst_model_thread **ret_thread)
{
	struct lkst_model_thread *t = lkst_model_get(s, tid);

	*ret_thread = t;
	if (t && lkst_model_run(s, t) == LKST_RUN_DEAD)
		*ret_thread = lkst_model_reuse(s, t, ns);
	return t && !*ret_thread ? lkst_model_error(s) : 0;
}

static int waits_on_waking(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_waking *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t;
	struct lkst_waker by;
	enum lkst_run run;
	int err;

	if (!c)
		return lkst_model_error(s);
	err = find_target(s, e->target_tid, r->ns, &t);
	if (err < 0 || !t)
		return err;
	run = lkst_model_run(s, t);
	/* It was ready already, or runs and was about to sleep: then it may still sleep. */
	if (run == LKST_RUN_READY || run == LKST_RUN_NEW)
		return 0;
	err = describe_waker(s, c, r, e, &by);
	if (err < 0)
		return err;
	if (run != LKST_RUN_RUNNING && e->target_tid != r->tid) {
		err = waits_wake(s, t, r->ns, &by, true, -1);
		if (e->flags & LKST_WHERE_THROTTLED)
			t->ready = LKST_READY_THROTTLED;
		return err;
	}
	t->waker = by;
	t->has_pending = true;
	return 0;
}

static int waits_on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t;
	struct lkst_waker by;
	enum lkst_run run;
	bool is_known;
	int err;

	if (!c)
		return lkst_model_error(s);
	s->met_wakeup = true;
	err = find_target(s, e->target_tid, r->ns, &t);
	if (err < 0 || !t)
		return err;
	lkst_model_take_pending(s, t);
	run = lkst_model_run(s, t);
	if (t->run == LKST_RUN_READY && t->has_waker && !t->waker.queued_ns) {
		t->waker.queued_ns = r->ns;
		t->waker.target_cpu = e->target_cpu;
	}
	if (run == LKST_RUN_READY)
		t->cpu = e->target_cpu;
	/* It was woken before it slept, and does not. */
	if (run == LKST_RUN_RUNNING)
		t->has_pending = false;
	if (run == LKST_RUN_READY || run == LKST_RUN_RUNNING || run == LKST_RUN_NEW ||
	    e->target_tid == r->tid)
		return 0;
	/*
	 * The waking came first, while it still ran. Where none is recorded, this may be its waker's CPU. Where
	 * this one is missing, as that of a thread which the machine hides, nobody knows the waker.
	 */
	is_known = t->has_pending || !s->has_waking;
	if (t->has_pending)
		by = t->waker;
	else
		err = describe_waker(s, c, r, NULL, &by);
	if (err < 0)
		return err;
	by.queued_ns = r->ns;
	by.target_cpu = e->target_cpu;
	return waits_wake(s, t, r->ns, &by, is_known, e->target_cpu);
}

static int waits_on_wakeup_new(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_wakeup_new *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t = lkst_model_find(s, e->target_tid);
	int err;

	if (!c)
		return lkst_model_error(s);
	/* Its creation was not seen, but is not long ago. */
	if (!t || t->run != LKST_RUN_NEW) {
		t = t && t->is_seen ? lkst_model_reuse(s, t, r->ns)
				    : lkst_model_get(s, e->target_tid);
		if (!t)
			return 0;
		t->life->is_born = t->is_fresh = true;
	}
	/* Whoever creates a thread does it in a call of its own, or as a thread of the kernel's. */
	err = describe_waker(s, c, r, &(struct lkst_rec_sched_waking){ .context = LKST_WAKER_THREAD, .call = -1 },
			     &t->waker);
	if (err < 0)
		return err;
	t->waker.queued_ns = r->ns;
	t->waker.target_cpu = e->target_cpu;
	err = lkst_model_change(s, t, r->ns, LKST_RUN_NEW, LKST_RUN_READY, NULL);
	t->ready = LKST_READY_CREATED;
	t->has_waker = true;
	t->cpu = e->target_cpu;
	return err;
}

/* ---- system calls ----------------------------------------------------------------- */

int lkst_model_end_call(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
			const struct lkst_feed_syscall *exit)
{
	struct lkst_call_interval c = { .life = t->life,
					.call = t->call,
					.from_ns = t->in_call ? t->call.from_ns : t->no_call_ns,
					.to_ns = ns,
					.has_entry = t->in_call,
					.has_exit = exit != NULL,
					.entry_or_exit = exit };
	u64 since_ns = t->since_ns > c.from_ns ? t->since_ns : c.from_ns;

	if (exit)
		c.ret = exit->ret;
	if (t->in_call) {
		c.running_ns = t->running_ns;
		/* It runs while it leaves the call; that stretch has not been reported yet. */
		if (t->run == LKST_RUN_RUNNING && since_ns < ns)
			c.running_ns += ns - since_ns;
		c.ready_ns = t->ready_ns;
		c.blocked_ns = t->blocked_ns;
		c.sleep_ns = t->sleep_ns;
		c.longest_ns = t->longest_ns;
		c.longest_cause = t->longest_cause;
	} else if (exit) {
		c.call = (struct lkst_syscall_now){ .row = exit->row,
						    .nr = exit->nr,
						    .is_compat = exit->is_compat };
	}
	/* One that ends unseen may have ended at any time. */
	if (exit || !t->in_call)
		t->no_call_ns = ns;
	else
		t->no_call_ns = t->call.from_ns;
	t->in_call = t->in_lock = t->in_fault = false;
	return lkst_model_tell_call(s, &c);
}

static int on_call_entry(void *ctx, const struct lkst_record *r,
			 const struct lkst_feed_syscall *call)
{
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t = c ? (c->life ? c->thread : lkst_model_find(s, r->tid)) : NULL;
	struct lkst_syscall_now now;
	int err;

	if (!c)
		return lkst_model_error(s);
	err = lkst_model_in_thread(s, c, r->ns);
	if (t && err >= 0)
		err = lkst_model_forget_stale(s, t, r->ns);
	if (!t || err < 0)
		return err;
	if (t->in_call) {
		s->doubts.unmatched++;
		err = lkst_model_end_call(s, t, r->ns, NULL);
	}
	t->in_call = t->knows_call = true;
	t->call_id = r->event->id;
	t->in_lock = t->in_fault = t->is_fresh = t->may_call = t->may_fault = false;
	t->blocker.address = 0;
	t->running_ns = t->ready_ns = t->blocked_ns = t->sleep_ns = t->longest_ns = 0;
	t->longest_cause = LKST_CAUSE_UNKNOWN;
	now = (struct lkst_syscall_now){ .row = call->row,
					 .nr = call->nr,
					 .is_compat = call->is_compat,
					 .has_args = true,
					 .nr_args = call->nr_args,
					 .from_ns = r->ns };
	memcpy(now.args, call->args, sizeof(now.args));
	lkst_model_continue(t, &now);
	t->call = now;
	/* Any other call shows that the kernel did not go on with the one before. */
	t->has_interrupted &= lkst_call_continues_another(call->row);
	return err;
}

/* What @t was interrupted in, as it leaves the call with @exit: restart_syscall does not say it. */
static void keep_interrupted(struct lkst_model_thread *t, const struct lkst_feed_syscall *exit)
{
	if (!lkst_call_is_interrupted(exit->ret))
		t->has_interrupted = false;
	else if (t->in_call && !lkst_call_continues_another(t->call.row))
		t->has_interrupted = true;
}

static int on_call_exit(void *ctx, const struct lkst_record *r,
			const struct lkst_feed_syscall *call)
{
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t = c ? (c->life ? c->thread : lkst_model_find(s, r->tid)) : NULL;
	bool is_fresh;
	int err;

	if (!c)
		return lkst_model_error(s);
	err = lkst_model_in_thread(s, c, r->ns);
	if (t && err >= 0)
		err = lkst_model_forget_stale(s, t, r->ns);
	if (!t || err < 0)
		return err;
	/* A new thread leaves the call that its creator had entered. */
	is_fresh = t->is_fresh;
	t->is_fresh = false;
	keep_interrupted(t, call);
	if (t->in_call || !is_fresh)
		err = lkst_model_end_call(s, t, r->ns, call);
	t->knows_call = true;
	t->may_call = t->may_fault = false;
	t->no_call_ns = r->ns;
	return err;
}

/* ---- faults, locks, work ------------------------------------------------------------ */

static int waits_on_user_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_user *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err < 0 || !t)
		return err;
	/* In a call it would be the kernel's fault. */
	t->in_fault = true;
	t->fault_is_kernels = t->may_fault = false;
	t->in_lock = false;
	t->fault_address = e->address;
	t->fault_ip = e->ip;
	t->fault_ns = r->ns;
	return 0;
}

/* When it ends is seen only where the kernel's functions can be hooked. */
static int waits_on_kernel_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_model *s = ctx;
	struct lkst_model_thread *t;
	int err;

	if (!s->has_fault_exit)
		return 0;
	err = waits_on_user_fault(ctx, r, record);
	if (err >= 0)
		err = lkst_model_thread_at(ctx, r, &t);
	if (err >= 0 && t)
		t->fault_is_kernels = true;
	return err;
}

static int waits_on_fault_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_exit *x = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err < 0 || !t || !t->in_fault || x->result & LKST_FAULT_RETRY)
		return err;
	t->in_fault = false;
	/* Where the end of one and the begin of the next may be missing, this may be the end of another. */
	if (lkst_lacks(&s->lacks, LKST_LACK_FAULTS, t->fault_ns, r->ns) &&
	    lkst_lacks(&s->lacks, LKST_LACK_FAULT_ENDS, t->fault_ns, r->ns))
		return 0;
	return lkst_model_tell_fault(ctx, &(struct lkst_fault_interval){ .life = t->life,
									 .from_ns = t->fault_ns,
									 .to_ns = r->ns,
									 .address = t->fault_address,
									 .is_kernels = t->fault_is_kernels });
}

/* A signal is taken on the way back to the program: what the thread did before is over. */
static int on_signal(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t)
		t->in_fault = false;
	return err;
}

static int on_contention(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_begin *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);

	if (!c)
		return lkst_model_error(s);
	if (!c->thread || c->depth || e->flags & LKST_LOCK_SPIN)
		return 0;
	c->thread->in_lock = true;
	c->thread->lock = lkst_model_lock_of(e->lock, e->flags, e->holder_tid, e->holder_is);
	c->thread->lock_ns = r->ns;
	return 0;
}

static int on_blocker(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_blocker *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t)
		t->blocker = lkst_model_lock_of(e->lock, e->flags, e->holder_tid, e->holder_is);
	return err;
}

static int on_contention_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_end *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t && t->lock.address == e->lock)
		t->in_lock = false;
	return err;
}

static int waits_on_work(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_workqueue_execute_start *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t) {
		t->work_function = e->function;
		t->work_ns = r->ns;
	}
	return err;
}

static int waits_on_work_end(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t)
		t->work_function = 0;
	return err;
}

/* ---- subscribing ------------------------------------------------------------------ */

int lkst_model_subscribe_waits(struct lkst_model *s)
{
	static const struct {
		enum lkst_event_index index;
		lkst_feed_call *call;
	} rows[] = {
		{ LKST_EV_sched_waking, waits_on_waking },
		{ LKST_EV_sched_wakeup, waits_on_wakeup },
		{ LKST_EV_sched_wakeup_new, waits_on_wakeup_new },
		{ LKST_EV_page_fault_user, waits_on_user_fault },
		{ LKST_EV_page_fault_kernel, waits_on_kernel_fault },
		{ LKST_EV_page_fault_exit, waits_on_fault_exit },
		{ LKST_EV_signal_deliver, on_signal },
		{ LKST_EV_sched_blocker, on_blocker },
		{ LKST_EV_contention_begin, on_contention },
		{ LKST_EV_contention_end, on_contention_end },
		{ LKST_EV_workqueue_execute_start, waits_on_work },
		{ LKST_EV_workqueue_execute_end, waits_on_work_end },
	};
	u32 i;
	int err = 0;

	s->has_waking = lkst_feed_has(s->feed, LKST_EV_sched_waking);
	s->has_wakeups = s->has_waking || lkst_feed_has(s->feed, LKST_EV_sched_wakeup);
	s->has_fault_exit = lkst_feed_has(s->feed, LKST_EV_page_fault_exit);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && err >= 0; i++)
		err = lkst_feed_event(s->feed, rows[i].index, rows[i].call, s);
	return err < 0 ? err : lkst_feed_syscalls(s->feed, on_call_entry, on_call_exit, s);
}
