/* SPDX-License-Identifier: GPL-2.0-only */
/* Who runs on each CPU, and the contexts that interrupt: switches, wake-ups' targets, interrupts. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "analyze/model.h"

/* TASK_* bits that do not mean waiting (include/linux/sched.h, the same since Linux 4.14). */
enum {
	STATE_STOPPED = 4 | 8,
	STATE_DEAD = 0x10 | 0x20 | 0x80,
};

/* ---- CPUs ------------------------------------------------------------------------- */

static struct lkst_model_cpu *make_cpu(struct lkst_state *s, u32 nr)
{
	struct lkst_model_cpu *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->idle = lkst_model_life(s, 0);
	if (!c->idle) {
		free(c);
		return NULL;
	}
	c->idle->idle_cpu = (s32)nr;
	c->idle->is_kernel = true;
	snprintf(c->idle->comm, sizeof(c->idle->comm), "swapper/%u", nr);
	c->nr = nr;
	c->tid = -1;
	c->since_ns = c->cover_ns = c->account_ns = c->last_ns = s->begin_ns;
	return c;
}

struct lkst_model_cpu *lkst_model_cpu(struct lkst_state *s, u32 cpu)
{
	u32 room = s->nr_cpus ? s->nr_cpus : 1;

	/* The reader lets no CPU number through that is not below LKST_CPUS_MAX. */
	if (cpu >= s->nr_cpus) {
		struct lkst_model_cpu **grown;

		while (room <= cpu)
			room *= 2;
		grown = reallocarray(s->cpus, room, sizeof(struct lkst_model_cpu *));
		if (!grown)
			return NULL;
		memset(grown + s->nr_cpus, 0, (room - s->nr_cpus) * sizeof(*grown));
		s->cpus = grown;
		s->nr_cpus = room;
	}
	if (!s->cpus[cpu])
		s->cpus[cpu] = make_cpu(s, cpu);
	return s->cpus[cpu];
}

/* ---- time ------------------------------------------------------------------------- */

/* Counts the time of interrupts up to @ns. */
static void account(struct lkst_model_cpu *c, u64 ns)
{
	u64 passed = ns > c->account_ns ? ns - c->account_ns : 0;

	if (c->depth && c->frames[c->depth - 1].is_softirq)
		c->softirq_ns += passed;
	else if (c->depth)
		c->irq_ns += passed;
	if (ns > c->account_ns)
		c->account_ns = ns;
}

/* Tells of the CPU's time up to @ns, of which it is known who ran; @c goes on from there. */
static int close_cpu(struct lkst_state *s, struct lkst_model_cpu *c, u64 ns, u8 flags)
{
	struct lkst_cpu_interval i = { .cpu = c->nr,
				       .from_ns = c->since_ns,
				       .to_ns = ns,
				       .life = c->life,
				       .flags = flags | c->flags };

	account(c, ns);
	i.irq_ns = c->irq_ns;
	i.softirq_ns = c->softirq_ns;
	c->irq_ns = c->softirq_ns = 0;
	c->since_ns = ns;
	c->flags = 0;
	return i.from_ns < i.to_ns ? lkst_model_tell_cpu(s, &i) : 0;
}

static void set_running(struct lkst_model_cpu *c, struct lkst_model_thread *t)
{
	c->thread = t;
	c->life = t ? t->life : c->idle;
	c->tid = t ? t->life->tid : 0;
}

/* ---- contexts --------------------------------------------------------------------- */

static int tell_frame(struct lkst_state *s, struct lkst_model_cpu *c, u64 ns, bool is_cut)
{
	struct lkst_frame *f = &c->frames[c->depth].frame;

	f->to_ns = ns > f->from_ns ? ns : f->from_ns;
	f->is_cut = is_cut;
	if (c->depth)
		c->frames[c->depth - 1].frame.inner_ns += f->to_ns - f->from_ns;
	return lkst_model_tell_frame(s, f);
}

/* Ends the contexts above the first @depth, whose ends were not seen. */
static int cut_frames(struct lkst_state *s, struct lkst_model_cpu *c, u32 depth, u64 ns)
{
	int err = 0;

	account(c, ns);
	while (c->depth > depth && err >= 0) {
		c->depth--;
		s->doubts.unmatched++;
		err = tell_frame(s, c, ns, true);
	}
	return err;
}

int lkst_model_in_thread(struct lkst_state *s, struct lkst_model_cpu *c, u64 ns)
{
	return c->depth ? cut_frames(s, c, 0, ns) : 0;
}

/* Contexts of which a CPU has only one at a time: a further one means that the end was missed. */
static bool excludes(const struct lkst_frame *a, const struct lkst_frame *b)
{
	if (a->context != b->context)
		return false;
	if (a->context == LKST_CONTEXT_SOFTIRQ)
		return true;
	return a->number == b->number && a->code == b->code &&
	       (a->context == LKST_CONTEXT_IRQ || a->context == LKST_CONTEXT_VECTOR);
}

static int push(struct lkst_state *s, const struct lkst_record *r, struct lkst_frame frame)
{
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	bool is_softirq = frame.context != LKST_CONTEXT_IRQ && frame.context != LKST_CONTEXT_VECTOR;
	u32 i;
	int err = 0;

	if (!c)
		return lkst_model_error(s);
	for (i = 0; i < c->depth && err >= 0; i++)
		if (excludes(&c->frames[i].frame, &frame))
			err = cut_frames(s, c, i, r->ns);
	if (c->depth == LKST_FRAMES_MAX && err >= 0)
		err = cut_frames(s, c, 0, r->ns);
	if (err < 0)
		return err;
	account(c, r->ns);
	/* A timer or tasklet takes the time of the interrupt that it runs in. */
	if (c->depth && frame.context != LKST_CONTEXT_SOFTIRQ && is_softirq)
		is_softirq = c->frames[c->depth - 1].is_softirq;
	if (!c->depth)
		c->rq = 0;
	frame.cpu = r->cpu;
	frame.from_ns = r->ns;
	frame.depth = (u8)c->depth;
	frame.tid = r->tid;
	c->frames[c->depth++] = (struct lkst_model_frame){ frame, is_softirq };
	return 0;
}

/* Ends the innermost context like @frame, and what was not seen to end within it. */
static int pop(struct lkst_state *s, const struct lkst_record *r, struct lkst_frame frame)
{
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	u32 i;
	int err;

	if (!c)
		return lkst_model_error(s);
	for (i = c->depth; i > 0; i--) {
		const struct lkst_frame *f = &c->frames[i - 1].frame;

		if (f->context == frame.context && f->number == frame.number &&
		    f->object == frame.object)
			break;
	}
	if (!i) {
		/* It began before the trace or in a gap, unless something is amiss. */
		s->doubts.unmatched++;
		return 0;
	}
	err = cut_frames(s, c, i, r->ns);
	if (err < 0)
		return err;
	account(c, r->ns);
	c->depth--;
	if (!c->depth)
		c->rq = 0;
	return tell_frame(s, c, r->ns, false);
}

/* ---- gaps ------------------------------------------------------------------------- */

int lkst_model_lose_cpu(struct lkst_state *s, struct lkst_model_cpu *c, u64 from_ns, u64 to_ns,
			bool is_gap)
{
	struct lkst_model_thread *t = c->thread;
	int err;

	if (from_ns < c->since_ns)
		from_ns = c->since_ns;
	err = cut_frames(s, c, 0, from_ns);
	if (err >= 0 && c->life)
		err = close_cpu(s, c, from_ns, 0);
	c->life = NULL;
	c->thread = NULL;
	c->tid = -1;
	c->rq = 0;
	if (to_ns > c->cover_ns)
		c->cover_ns = to_ns;
	if (err >= 0 && t)
		err = is_gap ? lkst_model_lose_in_gap(s, t, from_ns, to_ns)
			     : lkst_model_lose(s, t, from_ns, to_ns);
	return err;
}

/* Appends @ns to a list whose room doubles whenever it is used up. */
static int add_time(u64 **list, u32 *nr, u64 ns)
{
	if (!(*nr & (*nr - 1))) {
		u64 *grown = reallocarray(*list, *nr ? *nr * 2 : 1, sizeof(u64));

		if (!grown)
			return -ENOMEM;
		*list = grown;
	}
	(*list)[(*nr)++] = ns;
	return 0;
}

/* @t, believed to run on some CPU, turns up elsewhere at @ns. */
static int leave(struct lkst_state *s, struct lkst_model_thread *t, u64 ns)
{
	struct lkst_model_cpu *c = s->cpus[t->cpu];

	s->doubts.elsewhere++;
	return c->thread == t ? lkst_model_lose_cpu(s, c, c->last_ns, ns, false) : 0;
}

/* @c is known to run what @r says, since @from_ns. */
static int prove(struct lkst_state *s, struct lkst_model_cpu *c, const struct lkst_record *r,
		 u64 from_ns)
{
	struct lkst_model_thread *t = NULL;
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
	/* What was known of it is not that it ran here: then it came unseen, since the last event. */
	if (t && lkst_model_run(s, t) != LKST_RUN_UNKNOWN) {
		from_ns = r->ns;
		err = t->run == LKST_RUN_RUNNING ? leave(s, t, r->ns)
						 : lkst_model_lose(s, t, c->last_ns, r->ns);
		if (err < 0)
			return err;
	}
	if (from_ns < c->since_ns)
		from_ns = c->since_ns;
	if (t && from_ns < t->since_ns)
		from_ns = t->since_ns;
	err = close_cpu(s, c, from_ns, 0);
	set_running(c, t);
	c->flags = LKST_INTERVAL_EARLIER;
	c->last_ns = r->ns;
	return err < 0 || !t ? err : lkst_model_prove_running(s, t, c, from_ns);
}

struct lkst_model_cpu *lkst_model_at_slowly(struct lkst_state *s, const struct lkst_record *r)
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
		set_running(c, c->thread);
		c->last_ns = r->ns;
		return c;
	}
	if (c->life) {
		/* A switch is missing: the recorder was restricted, or skipped it. */
		s->doubts.missed++;
		s->loss_cover_ns = from_ns = r->ns;
		err = add_time(&s->losses_ns, &s->nr_losses, c->last_ns);
		if (err >= 0)
			err = lkst_model_lose_cpu(s, c, c->last_ns, r->ns, false);
	}
	if (err >= 0)
		err = prove(s, c, r, from_ns);
	return err < 0 ? NULL : c;
}

int lkst_model_thread_at(struct lkst_state *s, const struct lkst_record *r,
			 struct lkst_model_thread **ret_thread)
{
	struct lkst_model_cpu *c = lkst_model_at(s, r);

	*ret_thread = NULL;
	if (!c)
		return lkst_model_error(s);
	*ret_thread = c->life ? c->thread : lkst_model_find(s, r->tid);
	return 0;
}

static int on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_state *s = ctx;
	struct lkst_model_cpu *c;
	int err;

	if (gap->buffer == LKST_BUFFER_STATE)
		return 0;
	s->doubts.gaps++;
	if (gap->to_ns > s->life_cover_ns)
		s->life_cover_ns = gap->to_ns;
	if (gap->buffer == LKST_BUFFER_LIFE)
		return 0;
	c = lkst_model_cpu(s, gap->cpu);
	err = c ? add_time(&s->gaps_ns, &s->nr_gaps, gap->from_ns) : -ENOMEM;
	if (gap->to_ns > s->cover_ns)
		s->cover_ns = gap->to_ns;
	return err < 0 ? err : lkst_model_lose_cpu(s, c, gap->from_ns, gap->to_ns, true);
}

int lkst_model_finish_cpu(struct lkst_state *s, struct lkst_model_cpu *c, u64 end_ns)
{
	int err = 0;

	account(c, end_ns);
	while (c->depth && err >= 0) {
		c->depth--;
		err = tell_frame(s, c, end_ns, true);
	}
	return err < 0 ? err : close_cpu(s, c, end_ns, LKST_INTERVAL_OPEN);
}

/* ---- switches --------------------------------------------------------------------- */

static int switch_out(struct lkst_state *s, struct lkst_model_thread *t, u64 ns, u32 state)
{
	enum lkst_run run = LKST_RUN_BLOCKED;
	int err;

	if (!state)
		run = LKST_RUN_READY;
	else if (state & STATE_DEAD)
		run = LKST_RUN_DEAD;
	else if (state & STATE_STOPPED)
		run = LKST_RUN_STOPPED;
	err = lkst_model_change(s, t, ns, LKST_RUN_RUNNING, run, NULL);
	if (run == LKST_RUN_READY) {
		t->has_waker = false;
		t->ready = t->in_call && t->call.row >= 0 &&
					   !strcmp(lkst_syscalls[t->call.row].name, "sched_yield")
				   ? LKST_READY_YIELDED
				   : LKST_READY_PREEMPTED;
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

static int switch_in(struct lkst_state *s, struct lkst_model_cpu *c, struct lkst_model_thread *t,
		     u64 ns)
{
	int err = 0;

	if (t->run == LKST_RUN_RUNNING)
		err = leave(s, t, ns);
	if (err >= 0)
		err = lkst_model_change(s, t, ns, LKST_RUN_READY, LKST_RUN_RUNNING, NULL);
	t->cpu = (s32)c->nr;
	t->has_pending = t->has_waker = false;
	return err;
}

static int on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *e = record;
	struct lkst_state *s = ctx;
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	struct lkst_model_thread *next = NULL;
	int err = 0;

	if (!c)
		return lkst_model_error(s);
	if (c->depth)
		err = cut_frames(s, c, 0, r->ns);
	if (err >= 0 && c->thread)
		err = switch_out(s, c->thread, r->ns, e->prev_state);
	if (err >= 0)
		err = close_cpu(s, c, r->ns, 0);
	c->rq = 0;
	if (e->next_tid) {
		next = lkst_model_get(s, e->next_tid);
		if (next && lkst_model_run(s, next) == LKST_RUN_DEAD)
			next = lkst_model_reuse(s, next, r->ns);
	}
	/* A number that cannot be a thread's is damage: then it is not known who runs. */
	set_running(c, next);
	if (e->next_tid && !next) {
		c->life = NULL;
		c->tid = -1;
	}
	return err < 0 || !next ? err : switch_in(s, c, next, r->ns);
}

static int on_migrate(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_migrate_task *e = record;
	struct lkst_model_thread *t = lkst_model_find(ctx, e->target_tid);

	/* Of a blocked one it is where it will be ready; of a running one it comes too soon. */
	if (t && t->run == LKST_RUN_READY)
		t->cpu = e->dest_cpu;
	return 0;
}

/* ---- interrupts ------------------------------------------------------------------- */

static int on_irq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_entry *e = record;

	return push(ctx, r,
		    (struct lkst_frame){
			    .context = LKST_CONTEXT_IRQ, .number = e->irq, .code = e->handler });
}

static int on_irq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_exit *e = record;

	return pop(ctx, r, (struct lkst_frame){ .context = LKST_CONTEXT_IRQ, .number = e->irq });
}

static int on_softirq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *e = record;

	return push(ctx, r,
		    (struct lkst_frame){ .context = LKST_CONTEXT_SOFTIRQ, .number = (s32)e->vec });
}

static int on_softirq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_exit *e = record;

	return pop(ctx, r,
		   (struct lkst_frame){ .context = LKST_CONTEXT_SOFTIRQ, .number = (s32)e->vec });
}

static int on_tasklet_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_tasklet_entry *e = record;

	return push(ctx, r,
		    (struct lkst_frame){ .context = LKST_CONTEXT_TASKLET,
					 .code = e->function,
					 .object = e->tasklet });
}

static int on_tasklet_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_tasklet_exit *e = record;

	return pop(ctx, r,
		   (struct lkst_frame){ .context = LKST_CONTEXT_TASKLET, .object = e->tasklet });
}

static int on_timer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_entry *e = record;

	return push(ctx, r,
		    (struct lkst_frame){ .context = LKST_CONTEXT_TIMER,
					 .code = e->function,
					 .object = e->timer });
}

static int on_timer_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_exit *e = record;

	return pop(ctx, r,
		   (struct lkst_frame){ .context = LKST_CONTEXT_TIMER, .object = e->timer });
}

static int on_hrtimer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_entry *e = record;

	return push(ctx, r,
		    (struct lkst_frame){ .context = LKST_CONTEXT_HRTIMER,
					 .code = e->function,
					 .object = e->hrtimer });
}

static int on_hrtimer_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_exit *e = record;

	return pop(ctx, r,
		   (struct lkst_frame){ .context = LKST_CONTEXT_HRTIMER, .object = e->hrtimer });
}

/* The records of all vectors are laid out alike. */
static int on_vector_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_entry *e = record;
	const struct lkst_model_vector *v = ctx;

	return push(v->state, r,
		    (struct lkst_frame){ .context = LKST_CONTEXT_VECTOR,
					 .number = (s32)e->vector,
					 .code = v->entry });
}

static int on_vector_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_exit *e = record;
	const struct lkst_model_vector *v = ctx;

	return pop(v->state, r,
		   (struct lkst_frame){ .context = LKST_CONTEXT_VECTOR, .number = (s32)e->vector });
}

static int on_nmi(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_nmi_handler *e = record;
	struct lkst_model_cpu *c = lkst_model_at(ctx, r);
	struct lkst_frame f = { .context = LKST_CONTEXT_NMI, .cpu = r->cpu, .code = e->handler };

	if (!c)
		return lkst_model_error(ctx);
	f.to_ns = r->ns;
	f.from_ns = r->ns > e->duration_ns ? r->ns - e->duration_ns : 0;
	f.tid = r->tid;
	f.depth = (u8)c->depth;
	return lkst_model_tell_frame(ctx, &f);
}

static int on_completion(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *e = record;
	struct lkst_model_cpu *c = lkst_model_at(ctx, r);

	if (!c)
		return lkst_model_error(ctx);
	c->rq = e->rq;
	c->dev = e->dev;
	c->sector = e->sector;
	return 0;
}

/* ---- subscribing ------------------------------------------------------------------ */

/* An event that begins a context and the one that ends it. */
struct pair {
	enum lkst_event_index entry, exit;
	lkst_feed_call *on_entry, *on_exit;
};

static const struct pair pairs[] = {
	{ LKST_EV_irq_handler_entry, LKST_EV_irq_handler_exit, on_irq_entry, on_irq_exit },
	{ LKST_EV_softirq_entry, LKST_EV_softirq_exit, on_softirq_entry, on_softirq_exit },
	{ LKST_EV_tasklet_entry, LKST_EV_tasklet_exit, on_tasklet_entry, on_tasklet_exit },
	{ LKST_EV_timer_expire_entry, LKST_EV_timer_expire_exit, on_timer_entry, on_timer_exit },
	{ LKST_EV_hrtimer_expire_entry, LKST_EV_hrtimer_expire_exit, on_hrtimer_entry,
	  on_hrtimer_exit },
};

static const struct pair vectors[] = {
	{ LKST_EV_local_timer_entry, LKST_EV_local_timer_exit, on_vector_entry, on_vector_exit },
	{ LKST_EV_reschedule_entry, LKST_EV_reschedule_exit, on_vector_entry, on_vector_exit },
	{ LKST_EV_call_function_entry, LKST_EV_call_function_exit, on_vector_entry,
	  on_vector_exit },
	{ LKST_EV_call_function_single_entry, LKST_EV_call_function_single_exit, on_vector_entry,
	  on_vector_exit },
};
_Static_assert(sizeof(vectors) / sizeof(vectors[0]) == LKST_MODEL_VECTORS, "a row per vector");
_Static_assert(sizeof(struct lkst_rec_local_timer_entry) ==
		       sizeof(struct lkst_rec_call_function_single_exit),
	       "vectors' records are alike");

/* A context whose end is not in the trace would never end. */
static int subscribe_pair(struct lkst_state *s, const struct pair *p, void *ctx)
{
	int err;

	if (!lkst_feed_has(s->feed, p->entry) || !lkst_feed_has(s->feed, p->exit))
		return 0;
	err = lkst_feed_event(s->feed, p->entry, p->on_entry, ctx);
	return err < 0 ? err : lkst_feed_event(s->feed, p->exit, p->on_exit, ctx);
}

int lkst_model_subscribe_cpus(struct lkst_state *s)
{
	static const struct {
		enum lkst_event_index index;
		lkst_feed_call *call;
	} rows[] = {
		{ LKST_EV_sched_switch, on_switch },
		{ LKST_EV_sched_migrate_task, on_migrate },
		{ LKST_EV_nmi_handler, on_nmi },
		{ LKST_EV_block_rq_complete, on_completion },
	};
	u32 i;
	int err = lkst_feed_gaps(s->feed, on_gap, s);

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && err >= 0; i++)
		err = lkst_feed_event(s->feed, rows[i].index, rows[i].call, s);
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && err >= 0; i++)
		err = subscribe_pair(s, &pairs[i], s);
	for (i = 0; i < LKST_MODEL_VECTORS && err >= 0; i++) {
		s->vectors[i] = (struct lkst_model_vector){ s, vectors[i].entry };
		err = subscribe_pair(s, &vectors[i], &s->vectors[i]);
	}
	return err;
}
