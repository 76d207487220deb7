/* SPDX-License-Identifier: GPL-2.0-only */
/* Who runs on each CPU: switches, gaps, and what a record proves by its thread. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "analyze/model/model_parts.h"
#include "base/vec.h"

/* TASK_* bits that do not mean waiting (include/linux/sched.h, the same since Linux 4.14). */
/* ---- CPUs ------------------------------------------------------------------------- */

static struct lkst_model_cpu *make_cpu(struct lkst_model *s, u16 nr)
{
	struct lkst_model_cpu *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->idle = lkst_model_life_now(s, 0);
	if (!c->idle) {
		free(c);
		return NULL;
	}
	c->idle->idle_cpu = nr;
	c->idle->is_kernel = true;
	snprintf(c->idle->comm, sizeof(c->idle->comm), "swapper/%u", nr);
	c->idle->has_comm = true;
	c->nr = nr;
	c->tid = -1;
	c->since_ns = c->cover_ns = c->account_ns = c->last_ns = s->begin_ns;
	return c;
}

struct lkst_model_cpu *lkst_model_cpu(struct lkst_model *s, u32 cpu)
{
	/* The reader rejects CPU numbers from LKST_CPUS_MAX on. */
	struct lkst_model_cpu **c = lkst_vec_reach(s->cpus, s->nr_cpus, cpu);

	if (c && !*c)
		*c = make_cpu(s, (u16)cpu);
	return c ? *c : NULL;
}

/* ---- time ------------------------------------------------------------------------- */

/* Reports the CPU's time up to @ns, of which it is known who ran; @c continues from there. */
static int close_cpu(struct lkst_model *s, struct lkst_model_cpu *c, u64 ns, u8 flags)
{
	struct lkst_cpu_interval i = { .cpu = c->nr,
				       .from_ns = c->since_ns,
				       .to_ns = ns,
				       .life = c->life,
				       .flags = flags | c->flags };

	lkst_model_account(c, ns);
	i.irq_ns = c->irq_ns;
	i.softirq_ns = c->softirq_ns;
	c->irq_ns = c->softirq_ns = 0;
	c->since_ns = ns;
	c->flags = 0;
	return i.from_ns < i.to_ns ? lkst_model_tell_cpu(s, &i) : 0;
}

static void cpus_set_running(struct lkst_model_cpu *c, struct lkst_model_thread *t)
{
	c->thread = t;
	c->life = t ? t->life : c->idle;
	c->tid = t ? t->life->tid : 0;
}

/* ---- gaps ------------------------------------------------------------------------- */

int lkst_model_lose_cpu(struct lkst_model *s, struct lkst_model_cpu *c, u64 from_ns, u64 to_ns,
			bool is_gap)
{
	struct lkst_model_thread *t = c->thread;
	struct lkst_cpu_now now = { .cpu = c->nr };
	int err;

	if (from_ns < c->since_ns)
		from_ns = c->since_ns;
	now.from_ns = from_ns;
	now.to_ns = to_ns > from_ns ? to_ns : from_ns;
	err = lkst_model_cut_frames(s, c, 0, from_ns);
	if (err >= 0 && c->life)
		err = close_cpu(s, c, from_ns, 0);
	if (err >= 0 && c->life)
		err = lkst_model_tell_cpu_now(s, &now);
	c->life = NULL;
	c->thread = NULL;
	c->tid = -1;
	c->request.rq = 0;
	if (to_ns > c->cover_ns)
		c->cover_ns = to_ns;
	if (err >= 0 && t)
		err = is_gap ? lkst_model_lose_in_gap(s, t, from_ns, to_ns)
			     : lkst_model_lose(s, t, from_ns, to_ns);
	return err;
}

static int cpus_add_time(u64 **list, u32 *nr, u64 ns)
{
	u64 *added = lkst_vec_add(*list, *nr);

	if (!added)
		return -ENOMEM;
	*added = ns;
	return 0;
}

/* @t, believed to run on some CPU, turns up elsewhere at @ns. */
static int cpus_leave(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	struct lkst_model_cpu *c = s->cpus[t->cpu];

	s->doubts.elsewhere++;
	return c->thread == t ? lkst_model_lose_cpu(s, c, c->last_ns, ns, false) : 0;
}

/* @c is known to run what @r says, since @from_ns. */
static int cpus_prove(struct lkst_model *s, struct lkst_model_cpu *c, const struct lkst_record *r,
		      u64 from_ns)
{
	struct lkst_model_thread *t = NULL;
	struct lkst_cpu_now now = { .cpu = c->nr, .to_ns = r->ns };
	int err;

	if (r->tid) {
		t = lkst_model_get(s, r->tid);
		if (!t)
			return 0;
		if (lkst_model_run(s, t) == LKST_RUN_DEAD)
			t = lkst_model_reuse(s, t, from_ns);
		if (!t)
			return -ENOMEM;
	}
	/* It was not known to run here: so it came unseen, since the last event. */
	if (t && lkst_model_run(s, t) != LKST_RUN_UNKNOWN) {
		from_ns = r->ns;
		err = t->run == LKST_RUN_RUNNING ? cpus_leave(s, t, r->ns)
						 : lkst_model_lose(s, t, c->last_ns, r->ns);
		if (err < 0)
			return err;
	}
	if (from_ns < c->since_ns)
		from_ns = c->since_ns;
	if (t && from_ns < t->since_ns)
		from_ns = t->since_ns;
	err = close_cpu(s, c, from_ns, 0);
	cpus_set_running(c, t);
	c->flags = LKST_INTERVAL_EARLIER;
	c->last_ns = r->ns;
	now.life = c->life;
	now.from_ns = from_ns;
	if (err >= 0)
		err = lkst_model_tell_cpu_now(s, &now);
	return err < 0 || !t ? err : lkst_model_prove_running(s, t, c, from_ns);
}

struct lkst_model_cpu *lkst_model_at_slowly(struct lkst_model *s, const struct lkst_record *r)
{
	struct lkst_model_cpu *c = lkst_model_cpu(s, r->cpu);
	u64 from_ns;
	int err = 0;

	if (!c)
		return NULL;
	/* In a gap of this CPU's records a record of another buffer proves no more than a moment. */
	if (r->ns < c->cover_ns)
		return c;
	from_ns = c->cover_ns;
	if (c->life && c->thread && lkst_model_takes_over(s, c->thread, r->tid, r->ns)) {
		cpus_set_running(c, c->thread);
		c->last_ns = r->ns;
		return c;
	}
	if (c->life) {
		/* A switch is missing: the recorder was restricted, or skipped it. */
		s->doubts.missed++;
		s->loss_cover_ns = from_ns = r->ns;
		err = cpus_add_time(&s->losses_ns, &s->nr_losses, c->last_ns);
		if (err >= 0)
			err = lkst_model_lose_cpu(s, c, c->last_ns, r->ns, false);
	}
	if (err >= 0)
		err = cpus_prove(s, c, r, from_ns);
	return err < 0 ? NULL : c;
}

int lkst_model_thread_at(struct lkst_model *s, const struct lkst_record *r,
			 struct lkst_model_thread **ret_thread)
{
	struct lkst_model_cpu *c = lkst_model_at(s, r);

	*ret_thread = NULL;
	if (!c)
		return lkst_model_error(s);
	*ret_thread = c->life ? c->thread : lkst_model_find(s, r->tid);
	return 0;
}

static int cpus_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c;
	int err;

	if (!lkst_buffer_is_of_kernel(gap->buffer))
		return 0;
	s->doubts.gaps += !gap->is_pause;
	if (gap->to_ns > s->life_cover_ns)
		s->life_cover_ns = gap->to_ns;
	if (gap->buffer == LKST_BUFFER_LIFE)
		return 0;
	c = lkst_model_cpu(s, gap->cpu);
	err = c ? cpus_add_time(&s->gaps_ns, &s->nr_gaps, gap->from_ns) : -ENOMEM;
	if (gap->to_ns > s->cover_ns)
		s->cover_ns = gap->to_ns;
	return err < 0 ? err : lkst_model_lose_cpu(s, c, gap->from_ns, gap->to_ns, true);
}

int lkst_model_finish_cpu(struct lkst_model *s, struct lkst_model_cpu *c, u64 end_ns)
{
	int err = lkst_model_finish_frames(s, c, end_ns);

	return err < 0 ? err : close_cpu(s, c, end_ns, LKST_INTERVAL_OPEN);
}

/* ---- switches --------------------------------------------------------------------- */

/* Why @t, which could have gone on, does not. */
static enum lkst_ready ready_of(const struct lkst_model_thread *t)
{
	const struct lkst_syscall_now *call = lkst_model_call_of(t);

	if (t->where_flags & LKST_WHERE_THROTTLED && t->where != LKST_WHERE_UNKNOWN)
		return LKST_READY_THROTTLED;
	if (call && !call->may_be_over && call->row >= 0 && !strcmp(lkst_syscalls[call->row].name, "sched_yield"))
		return LKST_READY_YIELDED;
	if (t->where == LKST_WHERE_UNKNOWN && !t->knows_call && t->may_call)
		return LKST_READY_UNKNOWN;
	return LKST_READY_PREEMPTED;
}

static int cpus_switch_out(struct lkst_model *s, struct lkst_model_thread *t, const struct lkst_record *r,
			   const struct lkst_rec_sched_switch *e)
{
	enum lkst_run run = LKST_RUN_BLOCKED;
	const u32 state = e->prev_state;
	const u64 ns = r->ns;
	int err;

	if (!state)
		run = LKST_RUN_READY;
	else if (state & STATE_DEAD)
		run = LKST_RUN_DEAD;
	else if (state & STATE_STOPPED)
		run = LKST_RUN_STOPPED;
	err = lkst_model_forget_stale(s, t, ns);
	if (err >= 0)
		err = lkst_model_locate(s, t, r, e);
	if (err >= 0)
		err = lkst_model_change(s, t, ns, LKST_RUN_RUNNING, run, NULL);
	if (run == LKST_RUN_READY) {
		t->has_waker = false;
		t->ready = ready_of(t);
	} else if (run == LKST_RUN_DEAD) {
		t->in_call = false;
		t->life->is_over = true;
		t->life->end_ns = ns;
		if (err >= 0)
			err = lkst_model_tell_over(s, t->life);
	} else {
		lkst_model_wait(s, t, state);
	}
	return err;
}

static int cpus_switch_in(struct lkst_model *s, struct lkst_model_cpu *c, struct lkst_model_thread *t,
			  u64 ns)
{
	int err = 0;

	if (t->run == LKST_RUN_RUNNING)
		err = cpus_leave(s, t, ns);
	else
		lkst_model_take_pending(s, t);
	if (err >= 0)
		err = lkst_model_change(s, t, ns, LKST_RUN_READY, LKST_RUN_RUNNING, NULL);
	t->cpu = (s32)c->nr;
	t->has_pending = t->has_waker = false;
	return err;
}

static int cpus_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *next = NULL;
	int err = 0;

	if (!c)
		return lkst_model_error(s);
	if (c->depth)
		err = lkst_model_cut_frames(s, c, 0, r->ns);
	if (err >= 0 && c->thread)
		err = cpus_switch_out(s, c->thread, r, e);
	if (err >= 0)
		err = close_cpu(s, c, r->ns, 0);
	c->request.rq = 0;
	c->in_thread_ns = r->ns;
	if (e->next_tid) {
		next = lkst_model_get(s, e->next_tid);
		if (next && lkst_model_run(s, next) == LKST_RUN_DEAD)
			next = lkst_model_reuse(s, next, r->ns);
	}
	/* A number that cannot be a thread's is damage: then the running thread is not known. */
	cpus_set_running(c, next);
	if (e->next_tid && !next) {
		c->life = NULL;
		c->tid = -1;
	}
	return err < 0 || !next ? err : cpus_switch_in(s, c, next, r->ns);
}

static int on_migrate(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_migrate_task *e = record;
	struct lkst_model_thread *t = lkst_model_find(ctx, e->target_tid);

	if (t)
		lkst_model_take_pending(ctx, t);
	/* Of a blocked one it is where it will be ready; of a running one it comes too soon. */
	if (t && t->run == LKST_RUN_READY)
		t->cpu = e->dest_cpu;
	return 0;
}

static int on_completion(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *e = record;
	struct lkst_model_cpu *c = lkst_model_at(ctx, r);
	int err;

	if (!c)
		return lkst_model_error(ctx);
	err = lkst_model_cut_stale_frames(ctx, c, r->ns);
	if (err >= 0)
		lkst_model_complete(ctx, c,
				    (struct lkst_model_request){
					    .rq = e->rq, .sector = e->sector, .ns = r->ns, .dev = e->dev });
	return err;
}

/* ---- subscribing ------------------------------------------------------------------ */

int lkst_model_subscribe_cpus(struct lkst_model *s)
{
	static const struct {
		enum lkst_event_index index;
		lkst_feed_call *call;
	} rows[] = {
		{ LKST_EV_sched_switch, cpus_on_switch },
		{ LKST_EV_sched_migrate_task, on_migrate },
		{ LKST_EV_block_rq_complete, on_completion },
	};
	u32 i;
	int err = lkst_feed_gaps(s->feed, cpus_on_gap, s);

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && err >= 0; i++)
		err = lkst_feed_event(s->feed, rows[i].index, rows[i].call, s);
	return err;
}
