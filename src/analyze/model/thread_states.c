/* SPDX-License-Identifier: GPL-2.0-only */
/* The states of threads: an event ends a state, and proves what it was. */
#include "analyze/model/model_parts.h"

/* The time from which the state of @t may have changed, unseen; UINT64_MAX: there is none. */
static u64 doubt_of(const struct lkst_model *s, const struct lkst_model_thread *t)
{
	u64 ns;

	if (t->has_doubt || t->run == LKST_RUN_UNKNOWN)
		return t->since_ns;
	/* A gap of the CPU it runs on ends RUNNING at once; nothing revives the dead. */
	if (t->run == LKST_RUN_RUNNING || t->run == LKST_RUN_DEAD || t->nr_gaps == s->nr_gaps)
		return UINT64_MAX;
	ns = s->gaps_ns[t->nr_gaps];
	return ns > t->since_ns ? ns : t->since_ns;
}

enum lkst_run lkst_model_run(const struct lkst_model *s, const struct lkst_model_thread *t)
{
	return doubt_of(s, t) == UINT64_MAX ? t->run : LKST_RUN_UNKNOWN;
}

/* Whether a signal could have ended the wait, which was for none of the kernel's own locks, pages and disks. */
static bool is_sleep(const struct lkst_wait *w)
{
	return w->task_state & STATE_INTERRUPTIBLE && w->cause != LKST_CAUSE_LOCK &&
	       w->cause != LKST_CAUSE_FAULT && w->cause != LKST_CAUSE_IO;
}

/* Adds the stretch that is over to the system call that the thread is in. */
static void account_call(struct lkst_model_thread *t, const struct lkst_interval *i)
{
	u64 from_ns = i->from_ns > t->call.from_ns ? i->from_ns : t->call.from_ns, ns;

	if (!t->in_call || from_ns >= i->to_ns)
		return;
	ns = i->to_ns - from_ns;
	if (i->run == LKST_RUN_RUNNING)
		t->running_ns += ns;
	else if (i->run == LKST_RUN_READY)
		t->ready_ns += ns;
	else if (i->run == LKST_RUN_BLOCKED || i->run == LKST_RUN_STOPPED)
		t->blocked_ns += ns;
	if (i->run == LKST_RUN_BLOCKED && i->wait && is_sleep(i->wait))
		t->sleep_ns += ns;
	if (i->run == LKST_RUN_BLOCKED && ns > t->longest_ns) {
		t->longest_ns = ns;
		t->longest_cause = i->wait ? i->wait->cause : LKST_CAUSE_UNKNOWN;
	}
}

/* Reports a stretch of @t's time. @wait: why, if it was blocked. */
static int thread_states_tell(struct lkst_model *s, struct lkst_model_thread *t, u64 from_ns, u64 to_ns,
			      enum lkst_run run, const struct lkst_wait *wait, const struct lkst_waker *waker,
			      u8 flags)
{
	struct lkst_interval i = {
		.life = t->life,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.run = (u8)run,
		.flags = flags,
		.cpu = t->cpu,
		.wait = wait,
		.waker = waker,
		.call = lkst_model_call_of(t),
	};

	if (from_ns >= to_ns)
		return 0;
	if (run == LKST_RUN_READY) {
		i.ready = t->ready;
		i.cpu = lkst_model_queue_of(s, t, from_ns, to_ns);
	}
	account_call(t, &i);
	return lkst_model_tell_interval(s, &i);
}

/* Reports a stretch in the state that @t is in. */
static int tell_current(struct lkst_model *s, struct lkst_model_thread *t, u64 to_ns,
			const struct lkst_waker *waker, u8 flags)
{
	bool is_waiting = t->run == LKST_RUN_BLOCKED || t->run == LKST_RUN_STOPPED;

	if (t->run == LKST_RUN_READY)
		waker = t->has_waker ? &t->waker : NULL;
	return thread_states_tell(s, t, t->since_ns, to_ns, t->run, is_waiting ? &t->wait : NULL,
				  is_waiting || t->run == LKST_RUN_READY ? waker : NULL, flags | t->flags);
}

/*
 * Whether a wait of @t that ends at @ns, or goes on then, is the one in which it was listed: nothing has happened to it
 * before, and it was listed meanwhile; or nothing has happened to it at all.
 */
static bool is_still_listed_wait(const struct lkst_model_thread *t, u64 ns)
{
	return t->has_listed_wait && !t->is_seen && (t->listed_ns <= ns || t->is_over);
}

/* A state that is only known by the event that ended it. */
static int tell_inferred(struct lkst_model *s, struct lkst_model_thread *t, u64 from_ns, u64 to_ns,
			 enum lkst_run run, const struct lkst_waker *waker, u8 flags)
{
	const struct lkst_wait unknown = { .call = { .row = -1, .nr = -1 }, .fd = -1 };
	const struct lkst_wait wait = is_still_listed_wait(t, to_ns) ? t->listed_wait : unknown;
	bool is_waiting = run == LKST_RUN_BLOCKED || run == LKST_RUN_STOPPED;

	t->ready = LKST_READY_UNKNOWN;
	return thread_states_tell(s, t, from_ns, to_ns, run, is_waiting ? &wait : NULL, is_waiting ? waker : NULL,
				  flags | LKST_INTERVAL_EARLIER);
}

/* The time since which no record is missing that could contradict what later records prove. */
static u64 cover_of(const struct lkst_model *s, const struct lkst_model_thread *t)
{
	u64 ns = s->cover_ns > t->cover_ns ? s->cover_ns : t->cover_ns;

	/* A thread that was never seen before is not even known to have existed. */
	if (!t->is_seen && !t->life->is_born && ns < s->life_cover_ns)
		ns = s->life_cover_ns;
	return ns;
}

/* The call, lock or fault that @t is in may be over, unseen, at any time from @ns on. */
static int forget_call(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	int err = t->in_call ? lkst_model_end_call(s, t, ns, NULL) : 0;

	t->knows_call = t->in_lock = t->in_fault = false;
	t->blocker.address = 0;
	t->where = LKST_WHERE_UNKNOWN;
	return err;
}

/* A time in which the state of a thread may have changed, unseen. */
struct doubt {
	u64 from_ns, to_ns;
	bool is_gap; /* its own events may be missing as well */
};

/* The state of @t since @doubt is known only by the event that ended it. */
static int tell_doubtful(struct lkst_model *s, struct lkst_model_thread *t, struct doubt doubt,
			 u64 ns, enum lkst_run before, const struct lkst_waker *waker, u8 flags)
{
	u64 doubt_ns = doubt.from_ns < ns ? doubt.from_ns : ns, cover_ns = doubt.to_ns;
	int err = 0;

	if (t->run != LKST_RUN_UNKNOWN)
		err = tell_current(s, t, doubt_ns, NULL, doubt_ns < ns ? LKST_INTERVAL_CUT : 0);
	if (err >= 0 && doubt.is_gap)
		err = forget_call(s, t, doubt_ns);
	if (before == LKST_RUN_UNKNOWN || cover_ns > ns)
		cover_ns = ns;
	if (cover_ns < doubt_ns)
		cover_ns = doubt_ns;
	if (err >= 0)
		err = thread_states_tell(s, t, doubt_ns, cover_ns, LKST_RUN_UNKNOWN, NULL, NULL,
					 cover_ns == ns ? flags : 0);
	if (err >= 0)
		err = tell_inferred(s, t, cover_ns, ns, before, waker, flags);
	return err;
}

/* Nothing is missing, and yet the state does not fit the event that ended it. */
static int tell_contradiction(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
			      enum lkst_run before, const struct lkst_waker *waker)
{
	bool is_waiting = t->run == LKST_RUN_BLOCKED || t->run == LKST_RUN_STOPPED;
	struct doubt doubt = { t->since_ns, s->loss_cover_ns, false };

	/* A CPU was seen to have lost a switch meanwhile, and so may have lost what is missing here. */
	if (t->nr_losses != s->nr_losses) {
		if (s->losses_ns[t->nr_losses] > t->since_ns)
			doubt.from_ns = s->losses_ns[t->nr_losses];
		return tell_doubtful(s, t, doubt, ns, before, waker, 0);
	}
	if (is_waiting && before == LKST_RUN_READY && !s->has_wakeups)
		return tell_current(s, t, ns, NULL, LKST_INTERVAL_NO_WAKE);
	if (is_waiting && before == LKST_RUN_READY)
		s->doubts.no_wake++;
	else
		s->doubts.missed++;
	return thread_states_tell(s, t, t->since_ns, ns, LKST_RUN_UNKNOWN, NULL, NULL, 0);
}

static bool is_consistent(enum lkst_run run, enum lkst_run before)
{
	return run == before || (run == LKST_RUN_STOPPED && before == LKST_RUN_BLOCKED);
}

static void thread_states_begin(struct lkst_model *s, struct lkst_model_thread *t, u64 ns, enum lkst_run run)
{
	t->run = (u8)run;
	t->since_ns = ns;
	t->flags = 0;
	if (run == LKST_RUN_RUNNING) {
		t->where = LKST_WHERE_UNKNOWN;
		t->blocker.address = 0;
	}
	t->keeps_call = false;
	t->nr_gaps = s->nr_gaps;
	t->nr_losses = s->nr_losses;
	/* A gap on some CPU that reaches beyond now may change it at any moment, unseen. */
	t->has_doubt = ns < s->cover_ns && run != LKST_RUN_RUNNING && run != LKST_RUN_DEAD;
	t->is_seen = true;
}

int lkst_model_change(struct lkst_model *s, struct lkst_model_thread *t, u64 ns,
		      enum lkst_run before, enum lkst_run run, const struct lkst_waker *waker)
{
	bool is_gap = !t->keeps_call || t->nr_gaps != s->nr_gaps;
	struct doubt doubt = { doubt_of(s, t), cover_of(s, t), is_gap };
	int err;

	if (doubt.from_ns != UINT64_MAX)
		err = tell_doubtful(s, t, doubt, ns, before, waker, 0);
	else if (is_consistent(t->run, before))
		err = tell_current(s, t, ns, waker, 0);
	else
		err = tell_contradiction(s, t, ns, before, waker);
	thread_states_begin(s, t, ns, run);
	return err;
}

/* True if @t sleeps, but was woken just before, which may have ended that sleep already. */
static bool may_be_woken(const struct lkst_model_thread *t)
{
	return t->has_pending && (t->run == LKST_RUN_BLOCKED || t->run == LKST_RUN_STOPPED);
}

void lkst_model_take_pending(struct lkst_model *s, struct lkst_model_thread *t)
{
	if (!may_be_woken(t) || t->nr_losses != s->nr_losses || doubt_of(s, t) != UINT64_MAX)
		return;
	t->run = LKST_RUN_READY;
	t->ready = LKST_READY_WOKEN;
	t->has_waker = true;
}

int lkst_model_prove_running(struct lkst_model *s, struct lkst_model_thread *t,
			     struct lkst_model_cpu *c, u64 from_ns)
{
	int err;

	if (from_ns < t->since_ns)
		from_ns = t->since_ns;
	err = lkst_model_change(s, t, from_ns,
				doubt_of(s, t) == UINT64_MAX ? LKST_RUN_RUNNING : LKST_RUN_UNKNOWN,
				LKST_RUN_RUNNING, NULL);
	t->flags = LKST_INTERVAL_EARLIER;
	t->has_pending = false;
	t->cpu = (s32)c->nr;
	return err;
}

int lkst_model_lose(struct lkst_model *s, struct lkst_model_thread *t, u64 ns, u64 until_ns)
{
	int err;

	if (ns < t->since_ns)
		ns = t->since_ns;
	err = lkst_model_forget_stale(s, t, ns);
	if (err >= 0)
		err = tell_current(s, t, ns, NULL, LKST_INTERVAL_CUT);
	thread_states_begin(s, t, ns, LKST_RUN_UNKNOWN);
	t->has_doubt = true;
	t->cover_ns = until_ns;
	t->keeps_call = true;
	return err;
}

int lkst_model_lose_in_gap(struct lkst_model *s, struct lkst_model_thread *t, u64 ns, u64 until_ns)
{
	int err = lkst_model_lose(s, t, ns, until_ns);

	t->keeps_call = false;

	return err < 0 ? err : forget_call(s, t, t->since_ns);
}

int lkst_model_finish(struct lkst_model *s, struct lkst_model_thread *t, u64 known_ns, u64 end_ns)
{
	struct doubt doubt = { doubt_of(s, t), cover_of(s, t), true };
	enum lkst_run before = LKST_RUN_UNKNOWN;
	int err;

	if (known_ns < t->since_ns)
		known_ns = t->since_ns;
	/* Where sched_wakeup is recorded, it would have come. */
	if (may_be_woken(t) && doubt.from_ns == UINT64_MAX &&
	    (!s->met_wakeup || lkst_lacks(&s->lacks, LKST_LACK_WAKEUPS, t->waker.ns, end_ns)))
		known_ns = t->since_ns;
	/* A thread that runs is known as long as its CPU, and nothing revives the dead. */
	if (doubt.from_ns == UINT64_MAX && (t->run == LKST_RUN_RUNNING || t->run == LKST_RUN_DEAD))
		known_ns = end_ns;
	t->is_over = true;
	/* Nothing has happened to it: it is as it was listed, unless that was before the doubt. */
	if (t->is_listed && t->listed_state && (!t->is_seen || t->listed_ns >= known_ns))
		before = t->listed_state & STATE_DEAD	   ? LKST_RUN_DEAD
			 : t->listed_state & STATE_STOPPED ? LKST_RUN_STOPPED
							   : LKST_RUN_BLOCKED;
	if (doubt.from_ns == UINT64_MAX)
		err = tell_current(s, t, known_ns, NULL, LKST_INTERVAL_OPEN);
	else
		err = tell_doubtful(s, t, doubt, known_ns, before, NULL, LKST_INTERVAL_OPEN);
	if (err >= 0 && known_ns < end_ns)
		err = thread_states_tell(s, t, known_ns, end_ns, LKST_RUN_UNKNOWN, NULL, NULL,
					 LKST_INTERVAL_OPEN);
	return err;
}
