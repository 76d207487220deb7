/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perfetto: who runs where, and what is not known.
 *
 * The trace processor takes a thread for running until the next switch of its CPU, and for blocked until somebody wakes
 * it, whatever is missing in between. So a thread that is called "records missing" runs where it is not known who
 * does; and each thread that may have done something there gets a state that is none, as the kernel's name for it has
 * no meaning: it is switched to and from at once, since that is the only way to say so.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "export/perfetto/perfetto_cpu.h"

enum {
	/* At the end of a trace, this much may be unknown of a CPU without being an error. */
	TAIL_NS = 10000000,

	/* How the kernel keeps a thread's state, of which ftrace says the highest bit (include/linux/sched.h). */
	STATE_REPORTED = 0x7f,
	STATE_PARKED_DEAD = 0x80, /* TASK_DEAD */
	STATE_IDLE_BITS = 0x402,
	STATE_IDLE = 0x80, /* what ftrace has for these */
};

/* ---- threads --------------------------------------------------------------------------------- */

struct lkst_perfetto_thread *lkst_perfetto_find_thread(const struct lkst_perfetto *p, s32 tid)
{
	return lkst_hash_find(&p->of_thread, (u32)tid, sizeof(struct lkst_perfetto_thread));
}

struct lkst_perfetto_thread *lkst_perfetto_know(struct lkst_perfetto *p, s32 tid)
{
	struct lkst_perfetto_thread *t = lkst_perfetto_find_thread(p, tid);
	s32 *known;

	if (t && t->is_listed) {
		t->is_known = true;
		return t;
	}
	if (tid <= 0 || tid >= LKST_PERFETTO_MISSING_PID)
		return NULL;
	if (!t) {
		if (p->of_thread.nr >= LKST_PERFETTO_THREADS_MAX)
			return NULL;
		if (lkst_hash_reserve(&p->of_thread, sizeof(*t)) < 0) {
			p->error = -ENOMEM;
			return NULL;
		}
		t = lkst_hash_add(&p->of_thread, (u32)tid, sizeof(*t));
		t->cpu = t->call = -1;
	}
	known = lkst_vec_add(p->known, p->nr_known);
	if (!known) {
		p->error = -ENOMEM;
		return NULL;
	}
	*known = tid;
	t->place = p->nr_known - 1;
	t->is_known = t->is_listed = true;
	return t;
}

/* Takes @t out of the list: the last one gets its place. */
static void unlist(struct lkst_perfetto *p, struct lkst_perfetto_thread *t)
{
	s32 last = p->known[--p->nr_known];

	p->known[t->place] = last;
	lkst_perfetto_find_thread(p, last)->place = t->place;
	t->is_listed = false;
}

static void perfetto_running_set_running(struct lkst_perfetto *p, const struct lkst_perfetto_cpu *c, s32 tid)
{
	struct lkst_perfetto_thread *t = lkst_perfetto_know(p, tid);

	if (t)
		t->cpu = (s32)c->nr;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* A number of the file's; the kernel's own interrupts have the opposite one here. */
static s64 positive(s32 number)
{
	return number < 0 ? -(s64)number : number;
}

static void put_context_end(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			    const struct lkst_perfetto_context *context, bool has_result,
			    u32 result)
{
	u32 at[2];
	struct lkst_protobuf *b = lkst_perfetto_begin_kernel_event(
		p, c, ns > context->ns ? ns : context->ns, c->tid,
		context->is_softirq ? LKST_PERFETTO_SOFTIRQ_EXIT : LKST_PERFETTO_IRQ_EXIT, at);

	lkst_protobuf_s64(b, 1, positive(context->number));
	if (has_result)
		lkst_protobuf_u64(b, 2, result);
	lkst_perfetto_end_kernel_event(b, at);
}

static void end_contexts(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u32 nr, u64 ns)
{
	while (c->nr_contexts > nr)
		put_context_end(p, c, ns, &c->contexts[--c->nr_contexts], false, 0);
}

void lkst_perfetto_end_context(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			       bool is_softirq, s32 number, u32 result)
{
	u32 i = c->nr_contexts;

	while (i > 0 &&
	       (c->contexts[i - 1].number != number || c->contexts[i - 1].is_softirq != is_softirq))
		i--;
	if (!i)
		return;
	end_contexts(p, c, i, ns);
	c->nr_contexts--;
	put_context_end(p, c, ns, &c->contexts[c->nr_contexts], !is_softirq, result);
}

void lkst_perfetto_begin_context(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
				 bool is_softirq, s32 number, const char *name)
{
	struct lkst_protobuf *b;
	u32 at[2];

	/* What would nest deeper than a CPU can has ends that are missing. */
	if (c->nr_contexts == LKST_PERFETTO_CONTEXTS_MAX)
		end_contexts(p, c, 0, ns);
	c->contexts[c->nr_contexts++] = (struct lkst_perfetto_context){ ns, is_softirq, number };
	b = lkst_perfetto_begin_kernel_event(
		p, c, ns, c->tid,
		is_softirq ? LKST_PERFETTO_SOFTIRQ_ENTRY : LKST_PERFETTO_IRQ_ENTRY, at);
	lkst_protobuf_s64(b, 1, positive(number));
	if (!is_softirq)
		lkst_perfetto_put_cut_text(b, 2, name);
	lkst_perfetto_end_kernel_event(b, at);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void lkst_perfetto_end_call(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
			    s16 call, bool has_result, s64 result)
{
	u32 at[2];
	struct lkst_protobuf *b =
		lkst_perfetto_begin_kernel_event(p, c, ns, tid, LKST_PERFETTO_SYS_EXIT, at);

	lkst_protobuf_s64(b, 1, call);
	if (has_result)
		lkst_protobuf_s64(b, 2, result);
	lkst_perfetto_end_kernel_event(b, at);
}

void lkst_perfetto_cut_call(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c,
			    struct lkst_perfetto_thread *t, u64 ns)
{
	if (t->call >= 0)
		lkst_perfetto_end_call(p, c, ns > t->call_ns ? ns : t->call_ns, (s32)t->tid,
				       t->call, false, 0);
	t->call = -1;
}

/* ---- what is not known ------------------------------------------------------------------------ */

/* From @ns on it is not known who runs on @c. */
static void perfetto_running_lose(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, u32 state)
{
	struct lkst_perfetto_thread *t = lkst_perfetto_find_thread(p, c->tid);

	if (c->is_missing)
		return;
	end_contexts(p, c, 0, ns);
	if (t) {
		lkst_perfetto_cut_call(p, c, t, ns);
		t->cpu = -1;
		t->is_known = false;
	}
	lkst_perfetto_put_switch(p, c, ns, state, LKST_PERFETTO_MISSING_TID + (s32)c->nr,
				 LKST_PERFETTO_PRIO_DEFAULT);
	c->is_missing = true;
}

/* On @c, which is lost at @ns, any thread that runs nowhere else may have run. */
static void forget_threads(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns)
{
	s32 missing = LKST_PERFETTO_MISSING_TID + (s32)c->nr;
	u32 i, nr = 0;

	for (i = 0; i < p->nr_known; i++) {
		struct lkst_perfetto_thread *t = lkst_perfetto_find_thread(p, p->known[i]);

		if (t->cpu >= 0) {
			t->place = nr;
			p->known[nr++] = p->known[i];
			continue;
		}
		t->is_listed = false;
		if (!t->is_known)
			continue;
		t->is_known = false;
		lkst_perfetto_cut_call(p, c, t, ns);
		lkst_perfetto_put_switch(p, c, ns, LKST_PERFETTO_SLEEPS, (s32)t->tid,
					 LKST_PERFETTO_PRIO_DEFAULT);
		lkst_perfetto_put_switch(p, c, ns, LKST_PERFETTO_UNKNOWN, missing,
					 LKST_PERFETTO_PRIO_DEFAULT);
	}
	p->nr_known = nr;
}

int lkst_perfetto_lose_cpu(struct lkst_perfetto *p, const struct lkst_gap *gap, bool is_end)
{
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu(p, gap->cpu);
	u64 ns = gap->from_ns > p->begin_ns ? gap->from_ns : p->begin_ns;
	bool is_tail;

	if (!c)
		return p->error;
	is_tail = is_end && gap->to_ns < ns + TAIL_NS;
	if (!is_tail && c->is_missing)
		forget_threads(p, c, ns);
	if (!gap->is_pause && c->has_bundle) {
		lkst_perfetto_flush(p, c);
		c->has_lost = true;
	}
	if (gap->to_ns > c->from_ns)
		c->from_ns = gap->to_ns;
	if (!is_tail && gap->to_ns > p->gap_until_ns)
		p->gap_until_ns = gap->to_ns;
	return p->error;
}

/* ---- what is known ---------------------------------------------------------------------------- */

/* Thread @tid, which ran on @c, does nothing from @ns on: it is followed no longer. */
static void perfetto_running_end_thread(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, s32 tid, u64 ns)
{
	struct lkst_perfetto_thread *t = lkst_perfetto_find_thread(p, tid);

	if (!t)
		return;
	lkst_perfetto_cut_call(p, c, t, ns);
	if (t->is_listed)
		unlist(p, t);
	lkst_hash_remove(&p->of_thread, t, sizeof(*t));
}

static s16 prio_of(const struct lkst_perfetto *p, s32 tid)
{
	const struct lkst_thread *t = tid > 0 ? lkst_threads_find(p->threads, tid) : NULL;

	return t && t->has_prio ? t->prio : LKST_PERFETTO_PRIO_DEFAULT;
}

/* Thread @tid has run on @c since @ns, of which it was not known. */
static void perfetto_running_find(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid)
{
	lkst_perfetto_put_switch(p, c, ns, LKST_PERFETTO_SLEEPS, tid, prio_of(p, tid));
	c->is_missing = false;
	perfetto_running_set_running(p, c, tid);
}

/* A thread of a process that runs another program gets the number of the process (de_thread(), fs/exec.c). */
static void take_over(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid)
{
	perfetto_running_end_thread(p, c, c->tid, ns);
	lkst_perfetto_put_switch(p, c, ns, LKST_PERFETTO_DEAD, tid, prio_of(p, tid));
	perfetto_running_set_running(p, c, tid);
}

/* Who runs on a CPU is known, or is not, as the state model says, which gets each record and gap before. */
static int on_cpu_now(void *ctx, const struct lkst_cpu_now *now)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu(p, now->cpu);
	bool is_tail = now->to_ns >= p->x->end_ns && now->to_ns < now->from_ns + TAIL_NS;

	if (!p->has_begun)
		p->error = lkst_perfetto_start(p);
	if (!c || p->error)
		return p->error;
	perfetto_running_lose(p, c, now->from_ns, is_tail ? LKST_PERFETTO_READY : LKST_PERFETTO_UNKNOWN);
	if (now->life)
		perfetto_running_find(p, c, now->from_ns, now->life->tid);
	return p->error;
}

/* A stretch of a CPU that is over. What it began with was before the window, or is shown only by its end. */
static int perfetto_running_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct lkst_perfetto *p = ctx;
	struct lkst_perfetto_cpu *c = i->life ? lkst_perfetto_cpu(p, i->cpu) : NULL;

	if (!p->has_begun)
		p->error = lkst_perfetto_start(p);
	if (!c || p->error)
		return p->error;
	if (c->is_missing)
		perfetto_running_find(p, c, i->from_ns, i->life->tid);
	else if (c->tid != i->life->tid)
		take_over(p, c, i->to_ns, i->life->tid);
	return p->error;
}

/* The CPU of @r; NULL: it is not followed, or that failed. */
static struct lkst_perfetto_cpu *perfetto_running_cpu_of(struct lkst_perfetto *p, const struct lkst_record *r)
{
	struct lkst_perfetto_cpu *c = lkst_perfetto_cpu(p, r->cpu);

	if (!p->has_begun)
		p->error = lkst_perfetto_start(p);
	return p->error ? NULL : c;
}

struct lkst_perfetto_cpu *lkst_perfetto_cpu_at(struct lkst_perfetto *p, const struct lkst_record *r)
{
	struct lkst_perfetto_cpu *c = perfetto_running_cpu_of(p, r);
	const struct lkst_thread_life *runs;

	if (!c || __builtin_expect(c->tid == r->tid, 1))
		return c;
	runs = lkst_model_running(p->model, r->cpu);
	if (!runs || runs->tid != r->tid)
		return NULL;
	/* Of one that has run since before the window nothing has been said yet. */
	if (c->is_missing)
		perfetto_running_find(p, c, p->begin_ns, r->tid);
	else
		take_over(p, c, r->ns, r->tid);
	return c;
}

/* ---- switches -------------------------------------------------------------------------------- */

/* What ftrace has for a state that the kernel keeps as @state. */
static u32 reported_state(u32 state)
{
	u32 bits = state & STATE_REPORTED;

	if ((state & STATE_IDLE_BITS) == STATE_IDLE_BITS)
		return STATE_IDLE;
	if (bits)
		return 1U << (31 - __builtin_clz(bits));
	return state & STATE_PARKED_DEAD ? LKST_PERFETTO_DEAD : LKST_PERFETTO_READY;
}

/* Who runs on @c leaves it. While records of another CPU are missing, it may do anything there from then on. */
static u32 left_state(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, u32 state)
{
	struct lkst_perfetto_thread *t;

	if (state & STATE_PARKED_DEAD)
		perfetto_running_end_thread(p, c, c->tid, ns);
	t = lkst_perfetto_find_thread(p, c->tid);
	if (!t)
		return reported_state(state);
	t->cpu = -1;
	if (ns >= p->gap_until_ns)
		return reported_state(state);
	lkst_perfetto_cut_call(p, c, t, ns);
	t->is_known = false;
	return LKST_PERFETTO_UNKNOWN;
}

void lkst_perfetto_switch(struct lkst_perfetto *p, const struct lkst_record *r,
			  const struct lkst_rec_sched_switch *x)
{
	struct lkst_perfetto_cpu *c = perfetto_running_cpu_of(p, r);

	if (!c)
		return;
	/* A number that no thread can have is damage: then it is not known who runs. */
	if (!lkst_model_running(p->model, r->cpu)) {
		perfetto_running_lose(p, c, r->ns, LKST_PERFETTO_UNKNOWN);
		return;
	}
	/* What interrupts has ended before. */
	if (c->nr_contexts)
		end_contexts(p, c, 0, r->ns);
	lkst_perfetto_put_switch(p, c, r->ns,
				 c->is_missing ? LKST_PERFETTO_SLEEPS
					       : left_state(p, c, r->ns, x->prev_state),
				 x->next_tid, x->next_prio);
	c->is_missing = false;
	perfetto_running_set_running(p, c, x->next_tid);
}

int lkst_perfetto_subscribe_running(struct lkst_perfetto *p)
{
	static const struct lkst_model_calls calls = { .cpu = perfetto_running_on_cpu, .cpu_now = on_cpu_now };

	p->begin_ns = lkst_model_begin(p->model);
	return lkst_model_subscribe(p->model, &calls, p);
}
