/* SPDX-License-Identifier: GPL-2.0-only */
/* The state model: making it, calling its subscribers, and the state now. */
#include "analyze/model/model.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/control.h"
#include "analyze/model/model_parts.h"
#include "base/vec.h"
#include "trace/read/ends.h"

const char *const lkst_run_names[] = {
	[LKST_RUN_UNKNOWN] = "unknown", [LKST_RUN_RUNNING] = "running", [LKST_RUN_READY] = "ready",
	[LKST_RUN_BLOCKED] = "blocked", [LKST_RUN_STOPPED] = "stopped", [LKST_RUN_NEW] = "new",
	[LKST_RUN_DEAD] = "dead",
};
_Static_assert(sizeof(lkst_run_names) / sizeof(char *) == LKST_NR_RUNS, "a name per state");

const char *const lkst_ready_names[] = {
	[LKST_READY_UNKNOWN] = "unknown",     [LKST_READY_WOKEN] = "woken",
	[LKST_READY_PREEMPTED] = "preempted", [LKST_READY_YIELDED] = "yielded",
	[LKST_READY_CREATED] = "created",     [LKST_READY_THROTTLED] = "throttled",
};
_Static_assert(sizeof(lkst_ready_names) / sizeof(char *) == LKST_NR_READIES, "a name per reason");

const char *const lkst_cause_names[] = {
	[LKST_CAUSE_UNKNOWN] = "unknown", [LKST_CAUSE_SYSCALL] = "syscall",
	[LKST_CAUSE_FILE] = "file",	  [LKST_CAUSE_SOCKET] = "socket",
	[LKST_CAUSE_POLL] = "poll",	  [LKST_CAUSE_SLEEP] = "sleep",
	[LKST_CAUSE_FUTEX] = "futex",	  [LKST_CAUSE_CHILD] = "child",
	[LKST_CAUSE_SIGNAL] = "signal",	  [LKST_CAUSE_IPC] = "ipc",
	[LKST_CAUSE_SYNC] = "sync",	  [LKST_CAUSE_LOCK] = "lock",
	[LKST_CAUSE_FAULT] = "fault",	  [LKST_CAUSE_IO] = "io",
	[LKST_CAUSE_KERNEL] = "kernel",	  [LKST_CAUSE_USER] = "user",
};
_Static_assert(sizeof(lkst_cause_names) / sizeof(char *) == LKST_NR_CAUSES, "a name per cause");

const char *const lkst_context_names[] = {
	[LKST_CONTEXT_THREAD] = "thread",   [LKST_CONTEXT_IRQ] = "irq",
	[LKST_CONTEXT_VECTOR] = "vector",   [LKST_CONTEXT_SOFTIRQ] = "softirq",
	[LKST_CONTEXT_TASKLET] = "tasklet", [LKST_CONTEXT_TIMER] = "timer",
	[LKST_CONTEXT_HRTIMER] = "hrtimer", [LKST_CONTEXT_NMI] = "nmi",
	[LKST_CONTEXT_INTERRUPT] = "interrupt", [LKST_CONTEXT_SOME_SOFTIRQ] = "some softirq",
	[LKST_CONTEXT_UNKNOWN] = "unknown",
};
_Static_assert(sizeof(lkst_context_names) / sizeof(char *) == LKST_NR_CONTEXTS,
	       "a name per context");

/* ---- subscribers ------------------------------------------------------------------ */

int lkst_model_subscribe(struct lkst_model *s, const struct lkst_model_calls *calls, void *ctx)
{
	struct lkst_model_subscriber *added = lkst_vec_add(s->subscribers, s->nr_subscribers);

	if (!added)
		return -ENOMEM;
	*added = (struct lkst_model_subscriber){ calls, ctx };
	return 1;
}

/* Calls @call of every subscriber that has it. */
#define TELL(s, call, arg)                                                                         \
	({                                                                                         \
		u32 lkst_i;                                                                        \
		int lkst_err = 0;                                                                  \
		for (lkst_i = 0; lkst_i < (s)->nr_subscribers && lkst_err >= 0; lkst_i++) {        \
			const struct lkst_model_subscriber *lkst_to = &(s)->subscribers[lkst_i];   \
			if (lkst_to->calls->call)                                                  \
				lkst_err = lkst_to->calls->call(lkst_to->ctx, arg);                \
		}                                                                                  \
		if (lkst_err < 0)                                                                  \
			(s)->error = lkst_err;                                                     \
		lkst_err;                                                                          \
	})

int lkst_model_tell_interval(struct lkst_model *s, struct lkst_interval *i)
{
	if (i->to_ns <= s->from_ns)
		return 0;
	if (i->from_ns < s->from_ns) {
		i->from_ns = s->from_ns;
		i->flags |= LKST_INTERVAL_EARLIER;
	}
	return TELL(s, interval, i);
}

int lkst_model_tell_cpu(struct lkst_model *s, struct lkst_cpu_interval *i)
{
	u64 length_ns = i->to_ns - i->from_ns, cut_ns;

	if (i->to_ns <= s->from_ns)
		return 0;
	if (i->from_ns < s->from_ns) {
		/* It is not known how much of the interrupts was in the window: they are taken in proportion. */
		cut_ns = i->to_ns - s->from_ns;
		i->irq_ns = (u64)((double)i->irq_ns * cut_ns / length_ns);
		i->softirq_ns = (u64)((double)i->softirq_ns * cut_ns / length_ns);
		i->from_ns = s->from_ns;
		i->flags |= LKST_INTERVAL_EARLIER;
	}
	return TELL(s, cpu, i);
}

int lkst_model_tell_cpu_now(struct lkst_model *s, struct lkst_cpu_now *c)
{
	if (c->to_ns < s->from_ns)
		return 0;
	if (c->from_ns < s->from_ns)
		c->from_ns = s->from_ns;
	return TELL(s, cpu_now, c);
}

int lkst_model_tell_frame(struct lkst_model *s, const struct lkst_irq_context *f)
{
	struct lkst_irq_context clipped = *f;

	clipped.has_no_begin |= f->from_ns < s->from_ns;
	return f->to_ns < s->from_ns ? 0 : TELL(s, frame, &clipped);
}

int lkst_model_tell_call(struct lkst_model *s, struct lkst_call_interval *c)
{
	return c->to_ns < s->from_ns ? 0 : TELL(s, call, c);
}

int lkst_model_tell_fault(struct lkst_model *s, const struct lkst_fault_interval *f)
{
	return f->to_ns < s->from_ns ? 0 : TELL(s, fault, f);
}

int lkst_model_tell_over(struct lkst_model *s, const struct lkst_thread_life *life)
{
	return life->end_ns < s->from_ns ? 0 : TELL(s, over, life);
}

/* ---- the end ------------------------------------------------------------------------ */

/* The call that @t is in lasts until the pass ends, or as long as it is known. */
static int finish_call(struct lkst_model *s, struct lkst_model_thread *t, u64 known_ns, u64 end_ns)
{
	struct lkst_call_interval c = { .life = t->life,
					.call = t->call,
					.from_ns = t->call.from_ns,
					.to_ns = end_ns,
					.has_entry = true,
					.flags = LKST_INTERVAL_OPEN,
					.running_ns = t->running_ns,
					.ready_ns = t->ready_ns,
					.blocked_ns = t->blocked_ns,
					.sleep_ns = t->sleep_ns,
					.longest_ns = t->longest_ns,
					.longest_cause = t->longest_cause };

	if (known_ns < end_ns && t->run != LKST_RUN_RUNNING)
		c.to_ns = t->run == LKST_RUN_UNKNOWN || t->since_ns > known_ns ? t->since_ns
									       : known_ns;
	return t->in_call ? lkst_model_tell_call(s, &c) : 0;
}

/* Each CPU's records were copied at a moment of its own: what it did after that is not known. */
static int model_finish_cpus(struct lkst_model *s, u64 end_ns, u64 *ret_known_ns)
{
	u64 known_ns;
	u32 i;
	int err = s->error;

	*ret_known_ns = end_ns;
	for (i = 0; i < s->nr_cpus && err >= 0; i++) {
		struct lkst_model_cpu *c = s->cpus[i];

		if (!c)
			continue;
		if (!lkst_trace_cpu_end(lkst_feed_trace(s->feed), i, &known_ns))
			known_ns = end_ns;
		/* Its records in other buffers may have been copied later. */
		known_ns = known_ns > c->last_ns ? known_ns : c->last_ns;
		known_ns = known_ns > c->account_ns ? known_ns : c->account_ns;
		if (known_ns < end_ns) {
			*ret_known_ns = known_ns < *ret_known_ns ? known_ns : *ret_known_ns;
			err = lkst_model_lose_cpu(s, c, known_ns, end_ns, false);
		}
		if (err >= 0)
			err = lkst_model_finish_cpu(s, c, end_ns);
	}
	return err;
}

static int model_on_end(void *ctx, u64 end_ns)
{
	struct lkst_model *s = ctx;
	u64 known_ns;
	u32 i, k;
	int err = model_finish_cpus(s, end_ns, &known_ns);

	for (i = 0; i < LKST_TID_MAX / LKST_TIDS_LEAF; i++)
		for (k = 0; s->tids[i] && k < LKST_TIDS_LEAF && err >= 0; k++) {
			struct lkst_model_thread *t = s->tids[i][k];

			if (t)
				err = lkst_model_forget_stale(s, t, end_ns);
			if (t && err >= 0)
				err = lkst_model_finish(s, t, known_ns, end_ns);
			if (t && err >= 0)
				err = finish_call(s, t, known_ns, end_ns);
		}
	return err;
}

/* ---- how things stand now ----------------------------------------------------------- */

/* When the CPU that runs @t had its last event. */
static u64 model_last_of(const struct lkst_model *s, const struct lkst_model_thread *t)
{
	return t->cpu >= 0 && (u32)t->cpu < s->nr_cpus && s->cpus[t->cpu] ? s->cpus[t->cpu]->last_ns : t->since_ns;
}

bool lkst_model_thread(const struct lkst_model *s, s32 tid, struct lkst_thread_now *ret_thread)
{
	const struct lkst_model_thread *t = lkst_model_find(s, tid);
	struct lkst_thread_now now = {};

	if (!t)
		return false;
	now.life = t->life;
	now.run = (u8)lkst_model_run(s, t);
	now.cpu = t->cpu;
	now.since_ns = t->since_ns;
	if (now.run == LKST_RUN_READY) {
		now.ready = t->ready;
		now.waker = t->has_waker ? &t->waker : NULL;
	}
	if (now.run == LKST_RUN_BLOCKED || now.run == LKST_RUN_STOPPED)
		now.wait = &t->wait;
	if (now.run == LKST_RUN_READY)
		now.cpu = lkst_model_queue_of(s, t, t->since_ns, t->since_ns);
	if (now.run != LKST_RUN_UNKNOWN && !lkst_model_is_stale_call(s, t, model_last_of(s, t)))
		now.call = lkst_model_call_of(t);
	*ret_thread = now;
	return true;
}

static const struct lkst_model_cpu *model_cpu_of(const struct lkst_model *s, u32 cpu)
{
	return cpu < s->nr_cpus ? s->cpus[cpu] : NULL;
}

const struct lkst_thread_life *lkst_model_life_of(const struct lkst_model *s, s32 tid, u32 cpu)
{
	const struct lkst_model_thread *t = lkst_model_find(s, tid);
	const struct lkst_model_cpu *c = model_cpu_of(s, cpu);

	if (!tid)
		return c ? c->idle : NULL;
	return t ? t->life : NULL;
}

const struct lkst_thread_life *lkst_model_running(const struct lkst_model *s, u32 cpu)
{
	const struct lkst_model_cpu *c = model_cpu_of(s, cpu);

	return c ? c->life : NULL;
}

const struct lkst_irq_context *lkst_model_context(const struct lkst_model *s, u32 cpu)
{
	const struct lkst_model_cpu *c = model_cpu_of(s, cpu);

	return c && c->depth ? &c->frames[c->depth - 1].frame : NULL;
}

const struct lkst_irq_context *lkst_model_frame(const struct lkst_model *s, u32 cpu,
						unsigned int depth)
{
	const struct lkst_model_cpu *c = model_cpu_of(s, cpu);

	return c && depth < c->depth ? &c->frames[depth].frame : NULL;
}

const struct lkst_thread_life *lkst_model_life(const struct lkst_model *s, u32 nr)
{
	return nr < s->nr_lives ? &s->lives[nr / LKST_LIVES_CHUNK][nr % LKST_LIVES_CHUNK] : NULL;
}

u32 lkst_model_nr_lives(const struct lkst_model *s)
{
	return s->nr_lives;
}

u64 lkst_model_nr_further(const struct lkst_model *s)
{
	return s->nr_further;
}

u32 lkst_model_nr_cpus(const struct lkst_model *s)
{
	return s->nr_cpus;
}

u64 lkst_model_begin(const struct lkst_model *s)
{
	return s->from_ns;
}

u64 lkst_model_complete_from(const struct lkst_model *s)
{
	return s->complete_from_ns;
}

const struct lkst_model_doubts *lkst_model_doubts(const struct lkst_model *s)
{
	return &s->doubts;
}

/* ---- lifetime --------------------------------------------------------------------- */

/* Where the records begin, those of the life buffer aside: it reaches back much further. */
static void find_beginning(struct lkst_model *s, const struct lkst_trace *t)
{
	u64 end_ns;
	unsigned int i;

	lkst_trace_range(t, &s->complete_from_ns, &end_ns);
	s->begin_ns = UINT64_MAX;
	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, i);
		const struct lkst_block *first;

		if (!lkst_buffer_is_of_kernel(info->buffer) || info->buffer == LKST_BUFFER_LIFE ||
		    !info->nr_blocks)
			continue;
		first = lkst_trace_block(t, i, 0);
		if (first->begin_ns < s->begin_ns)
			s->begin_ns = first->begin_ns;
		if (first->seq && first->begin_ns > s->complete_from_ns)
			s->complete_from_ns = first->begin_ns;
	}
	if (s->begin_ns == UINT64_MAX)
		s->begin_ns = s->complete_from_ns;
	if (s->begin_ns < lkst_feed_begins(s->feed))
		s->begin_ns = lkst_feed_begins(s->feed);
	if (s->complete_from_ns < s->begin_ns)
		s->complete_from_ns = s->begin_ns;
}

int lkst_model_new(struct lkst_err *e, struct lkst_feed *f, struct lkst_model **ret_state)
{
	struct lkst_model *s = calloc(1, sizeof(*s));
	u64 to_ns;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "making the state model");
	s->feed = f;
	s->further = LKST_LIFE_NONE;
	find_beginning(s, lkst_feed_trace(f));
	lkst_feed_window(f, &s->from_ns, &to_ns);
	if (s->from_ns < s->begin_ns)
		s->from_ns = s->begin_ns;
	if (!lkst_feed_has(f, LKST_EV_task_newtask) &&
	    !lkst_feed_has(f, LKST_EV_sched_process_fork))
		s->life_cover_ns = UINT64_MAX;
	lkst_feed_always(f, true);
	err = lkst_model_prepare_calls(s);
	if (err >= 0)
		err = lkst_model_subscribe_lives(s);
	if (err >= 0)
		err = lkst_model_subscribe_cpus(s);
	if (err >= 0)
		err = lkst_model_subscribe_frames(s);
	if (err >= 0)
		err = lkst_model_subscribe_waits(s);
	if (err >= 0)
		err = lkst_feed_end(f, model_on_end, s);
	lkst_feed_always(f, false);
	if (err < 0) {
		lkst_model_free(s);
		return lkst_err_sys(e, err, "making the state model");
	}
	err = lkst_model_prepare_lacks(e, s);
	if (err) {
		lkst_model_free(s);
		return err;
	}
	*ret_state = s;
	return 0;
}

void lkst_model_free(struct lkst_model *s)
{
	u32 i;

	if (!s)
		return;
	lkst_model_free_lives(s);
	for (i = 0; i < s->nr_cpus; i++)
		free(s->cpus[i]);
	free(s->cpus);
	free(s->gaps_ns);
	free(s->losses_ns);
	free(s->former);
	free(s->forms);
	lkst_model_free_lacks(s);
	free(s->subscribers);
	free(s);
}
