/* SPDX-License-Identifier: GPL-2.0-only */
/* What threads wait for, and who wakes them: system calls, locks, faults, work, wake-ups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/lock.h"
#include "analyze/model/model_parts.h"

enum {
	STATE_STOPPED = 4 | 8,
	STATE_UNINTERRUPTIBLE = 2,
	STATE_NO_LOAD = 0x400, /* with it, uninterruptible means idle */
};

/* Calls whose first argument is a file descriptor have a cause of FILE, SOCKET or SYNC. */
static const struct {
	u8 cause;
	const char *names; /* each followed by a space */
} causes[] = {
	{ LKST_CAUSE_FILE,
	  "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 "
	  "ioctl splice tee vmsplice getdents getdents64 " },
	{ LKST_CAUSE_SOCKET, "accept accept4 connect recvfrom recvmsg recvmmsg sendto sendmsg "
			     "sendmmsg recv send recvmmsg_time64 " },
	{ LKST_CAUSE_POLL,
	  "poll ppoll select _newselect pselect6 epoll_wait epoll_pwait epoll_pwait2 "
	  "io_uring_enter io_getevents io_pgetevents ppoll_time64 pselect6_time64 "
	  "epoll_wait_old " },
	{ LKST_CAUSE_SLEEP, "nanosleep clock_nanosleep clock_nanosleep_time64 " },
	{ LKST_CAUSE_FUTEX, "futex futex_time64 futex_wait futex_waitv " },
	{ LKST_CAUSE_CHILD, "wait4 waitid waitpid " },
	{ LKST_CAUSE_SIGNAL, "pause rt_sigsuspend sigsuspend rt_sigtimedwait "
			     "rt_sigtimedwait_time64 " },
	{ LKST_CAUSE_IPC, "msgsnd msgrcv semop semtimedop semtimedop_time64 ipc mq_timedsend "
			  "mq_timedreceive mq_timedsend_time64 mq_timedreceive_time64 flock " },
	{ LKST_CAUSE_SYNC, "fsync fdatasync sync_file_range syncfs sync msync " },
};

/* Whether @name is one of @names. */
static bool is_among(const char *name, const char *names)
{
	size_t length = strlen(name);
	const char *p;

	for (p = names; *p; p += strcspn(p, " ") + 1)
		if (!strncmp(p, name, length) && p[length] == ' ')
			return true;
	return false;
}

enum lkst_cause lkst_syscall_cause(const struct lkst_syscall *call)
{
	unsigned int i;

	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (is_among(call->name, causes[i].names))
			return causes[i].cause;
	return LKST_CAUSE_SYSCALL;
}

/* Looks up what each system call waits for. */
static int find_causes(struct lkst_model *s)
{
	unsigned int row;

	s->cause_of = calloc(lkst_nr_syscalls, 1);
	if (!s->cause_of)
		return -ENOMEM;
	for (row = 0; row < lkst_nr_syscalls; row++)
		s->cause_of[row] = lkst_syscall_cause(&lkst_syscalls[row]);
	return 0;
}

/* ---- waiting ---------------------------------------------------------------------- */

static void wait_in_call(const struct lkst_model *s, const struct lkst_model_thread *t,
			 struct lkst_wait *w)
{
	w->cause = t->call.row >= 0 ? s->cause_of[t->call.row] : LKST_CAUSE_SYSCALL;
	if (!t->call.has_args || !t->call.nr_args)
		return;
	if (w->cause == LKST_CAUSE_FUTEX)
		w->object = t->call.args[0];
	if (w->cause == LKST_CAUSE_FILE || w->cause == LKST_CAUSE_SOCKET ||
	    w->cause == LKST_CAUSE_SYNC)
		w->fd = (s32)t->call.args[0];
}

void lkst_model_wait(const struct lkst_model *s, struct lkst_model_thread *t, u32 task_state)
{
	struct lkst_wait *w = &t->wait;

	*w = (struct lkst_wait){ .task_state = task_state,
				 .call = { .row = -1, .nr = -1 },
				 .fd = -1 };
	if (t->in_call)
		w->call = t->call;
	if (t->in_lock) {
		w->cause = LKST_CAUSE_LOCK;
		w->object = t->lock;
		w->lock_flags = t->lock_flags;
	} else if (t->in_fault) {
		w->cause = LKST_CAUSE_FAULT;
		w->object = t->fault_address;
		w->code = t->fault_ip;
	} else if (t->in_call) {
		wait_in_call(s, t, w);
	} else if (t->life->is_kernel) {
		w->cause = LKST_CAUSE_KERNEL;
		w->object = t->work_function;
	} else if (t->knows_call) {
		w->cause = LKST_CAUSE_USER;
	}
}

/* ---- wake-ups --------------------------------------------------------------------- */

/* What is going on on @c at the moment when it wakes a thread. */
static void describe_waker(const struct lkst_model_cpu *c, const struct lkst_record *r,
			   struct lkst_waker *w)
{
	const struct lkst_model_thread *t = c->thread;

	*w = (struct lkst_waker){ .ns = r->ns,
				  .tid = r->tid,
				  .life = c->life ? c->life->nr : LKST_LIFE_NONE,
				  .cpu = r->cpu,
				  .target_cpu = -1,
				  .call = { .row = -1, .nr = -1 },
				  .rq = c->rq };
	if (c->rq) {
		w->dev = c->dev;
		w->sector = c->sector;
	}
	if (c->depth) {
		const struct lkst_irq_context *f = &c->frames[c->depth - 1].frame;

		w->context = f->context;
		w->number = f->number;
		w->code = f->code;
		w->object = f->object;
		w->outer = c->frames[0].frame.context;
		w->outer_number = c->frames[0].frame.number;
	} else if (t && t->in_call) {
		w->call = t->call;
	} else if (t && t->life->is_kernel) {
		w->code = t->work_function;
	}
}

/* What the wake-up proves about the wait of @t. */
static void explain(struct lkst_model_thread *t, const struct lkst_waker *by)
{
	struct lkst_wait *w = &t->wait;
	bool is_futex;

	if (by->rq &&
	    (w->task_state & (STATE_UNINTERRUPTIBLE | STATE_NO_LOAD)) == STATE_UNINTERRUPTIBLE) {
		w->cause = LKST_CAUSE_IO;
		w->object = by->rq;
		w->dev = by->dev;
		w->sector = by->sector;
		return;
	}
	if (by->context != LKST_CONTEXT_THREAD)
		return;
	/* Whoever releases a lock of the kernel wakes the thread that waits for it. */
	if (w->cause == LKST_CAUSE_LOCK)
		w->holder_tid = by->tid;
	is_futex = by->call.row >= 0 && !strncmp(lkst_syscalls[by->call.row].name, "futex", 5);
	if (w->cause == LKST_CAUSE_FUTEX && is_futex && by->call.has_args &&
	    by->call.args[0] == w->object)
		w->holder_tid = by->tid;
}

/* @t is ready from @ns on, because of @by, if that @is_known. */
static int wake(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
		const struct lkst_waker *by, bool is_known, s32 cpu)
{
	int err;

	if (is_known && (t->run == LKST_RUN_BLOCKED || t->run == LKST_RUN_STOPPED))
		explain(t, by);
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

static int on_waking(void *ctx, const struct lkst_record *r, const void *record)
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
	describe_waker(c, r, &by);
	if (run != LKST_RUN_RUNNING && e->target_tid != r->tid)
		return wake(s, t, r->ns, &by, true, -1);
	t->waker = by;
	t->has_pending = true;
	return 0;
}

static int on_wakeup(void *ctx, const struct lkst_record *r, const void *record)
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
	run = lkst_model_run(s, t);
	if (t->run == LKST_RUN_READY && t->has_waker && !t->waker.queued_ns) {
		t->waker.queued_ns = r->ns;
		t->waker.target_cpu = e->target_cpu;
	}
	if (run == LKST_RUN_READY)
		t->cpu = e->target_cpu;
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
		describe_waker(c, r, &by);
	by.queued_ns = r->ns;
	by.target_cpu = e->target_cpu;
	return wake(s, t, r->ns, &by, is_known, e->target_cpu);
}

static int on_wakeup_new(void *ctx, const struct lkst_record *r, const void *record)
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
	describe_waker(c, r, &t->waker);
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
	t->in_call = t->in_lock = t->in_fault = false;
	t->no_call_ns = ns;
	return lkst_model_tell_call(s, &c);
}

static int on_call_entry(void *ctx, const struct lkst_record *r,
			 const struct lkst_feed_syscall *call)
{
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t = c ? (c->life ? c->thread : lkst_model_find(s, r->tid)) : NULL;
	int err = 0;

	if (!c)
		return lkst_model_error(s);
	if (c->depth)
		err = lkst_model_in_thread(s, c, r->ns);
	if (!t || err < 0)
		return err;
	if (t->in_call) {
		s->doubts.unmatched++;
		err = lkst_model_end_call(s, t, r->ns, NULL);
	}
	t->in_call = t->knows_call = true;
	t->in_lock = t->in_fault = t->is_fresh = false;
	t->running_ns = t->ready_ns = t->blocked_ns = t->sleep_ns = t->longest_ns = 0;
	t->longest_cause = LKST_CAUSE_UNKNOWN;
	t->call = (struct lkst_syscall_now){ .row = call->row,
					     .nr = call->nr,
					     .is_compat = call->is_compat,
					     .has_args = true,
					     .nr_args = call->nr_args,
					     .from_ns = r->ns };
	memcpy(t->call.args, call->args, sizeof(t->call.args));
	return err;
}

static int on_call_exit(void *ctx, const struct lkst_record *r,
			const struct lkst_feed_syscall *call)
{
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *t = c ? (c->life ? c->thread : lkst_model_find(s, r->tid)) : NULL;
	bool is_fresh;
	int err = 0;

	if (!c)
		return lkst_model_error(s);
	if (c->depth)
		err = lkst_model_in_thread(s, c, r->ns);
	if (!t || err < 0)
		return err;
	/* A new thread leaves the call that its creator had entered. */
	is_fresh = t->is_fresh;
	t->is_fresh = false;
	if (t->in_call || !is_fresh)
		err = lkst_model_end_call(s, t, r->ns, call);
	t->knows_call = true;
	t->no_call_ns = r->ns;
	return err;
}

/* ---- faults, locks, work ------------------------------------------------------------ */

static int on_user_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_page_fault_user *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err < 0 || !t)
		return err;
	/* In a call it would be the kernel's fault. */
	t->in_fault = true;
	t->in_lock = false;
	t->fault_address = e->address;
	t->fault_ip = e->ip;
	t->fault_ns = r->ns;
	return 0;
}

/* When it ends is seen only where the kernel's functions can be hooked. */
static int on_kernel_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_model *s = ctx;

	return s->has_fault_exit ? on_user_fault(ctx, r, record) : 0;
}

static int on_fault_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err < 0 || !t || !t->in_fault)
		return err;
	t->in_fault = false;
	return lkst_model_tell_fault(ctx, &(struct lkst_fault_interval){ .life = t->life,
									 .from_ns = t->fault_ns,
									 .to_ns = r->ns,
									 .address = t->fault_address });
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
	c->thread->lock = e->lock;
	c->thread->lock_flags = e->flags;
	return 0;
}

static int on_contention_end(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_contention_end *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t && t->lock == e->lock)
		t->in_lock = false;
	return err;
}

static int on_work(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_workqueue_execute_start *e = record;
	struct lkst_model_thread *t;
	int err = lkst_model_thread_at(ctx, r, &t);

	if (err >= 0 && t)
		t->work_function = e->function;
	return err;
}

static int on_work_end(void *ctx, const struct lkst_record *r, const void *record)
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
		{ LKST_EV_sched_waking, on_waking },
		{ LKST_EV_sched_wakeup, on_wakeup },
		{ LKST_EV_sched_wakeup_new, on_wakeup_new },
		{ LKST_EV_page_fault_user, on_user_fault },
		{ LKST_EV_page_fault_kernel, on_kernel_fault },
		{ LKST_EV_page_fault_exit, on_fault_exit },
		{ LKST_EV_signal_deliver, on_signal },
		{ LKST_EV_contention_begin, on_contention },
		{ LKST_EV_contention_end, on_contention_end },
		{ LKST_EV_workqueue_execute_start, on_work },
		{ LKST_EV_workqueue_execute_end, on_work_end },
	};
	u32 i;
	int err = find_causes(s);

	s->has_waking = lkst_feed_has(s->feed, LKST_EV_sched_waking);
	s->has_wakeups = s->has_waking || lkst_feed_has(s->feed, LKST_EV_sched_wakeup);
	s->has_fault_exit = lkst_feed_has(s->feed, LKST_EV_page_fault_exit);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && err >= 0; i++)
		err = lkst_feed_event(s->feed, rows[i].index, rows[i].call, s);
	return err < 0 ? err : lkst_feed_syscalls(s->feed, on_call_entry, on_call_exit, s);
}
