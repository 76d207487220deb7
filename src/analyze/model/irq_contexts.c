/* SPDX-License-Identifier: GPL-2.0-only */
/* The contexts that interrupt threads: interrupts of every kind, tasklets, timers. */
#include <errno.h>

#include "analyze/model/model_parts.h"

enum {
	SOFTIRQ_HRTIMER = 8, /* HRTIMER_SOFTIRQ, include/linux/interrupt.h */
};

/* Counts the time of interrupts up to @ns. */
void lkst_model_account(struct lkst_model_cpu *c, u64 ns)
{
	u64 passed = ns > c->account_ns ? ns - c->account_ns : 0;
	const struct lkst_model_frame *top = c->depth ? &c->frames[c->depth - 1] : NULL;

	if (top && !top->is_unsure)
		*(top->is_softirq ? &c->softirq_ns : &c->irq_ns) += passed;
	if (ns > c->account_ns)
		c->account_ns = ns;
}

/* ---- contexts --------------------------------------------------------------------- */

static int tell_frame(struct lkst_model *s, struct lkst_model_cpu *c, u64 ns, bool is_cut)
{
	struct lkst_irq_context *f = &c->frames[c->depth].frame;

	f->to_ns = ns > f->from_ns ? ns : f->from_ns;
	f->is_cut = is_cut;
	if (c->depth)
		c->frames[c->depth - 1].frame.inner_ns += f->to_ns - f->from_ns;
	return lkst_model_tell_frame(s, f);
}

static int irq_contexts_cut(struct lkst_model *s, struct lkst_model_cpu *c, u32 depth, u64 ns)
{
	int err = 0;

	lkst_model_account(c, ns);
	while (c->depth > depth && err >= 0) {
		c->depth--;
		s->doubts.unmatched++;
		err = tell_frame(s, c, ns, true);
	}
	return err;
}

int lkst_model_cut_stale_frames(struct lkst_model *s, struct lkst_model_cpu *c, u64 ns)
{
	u64 end_ns;
	u32 i;

	for (i = 0; i < c->depth; i++) {
		end_ns = lkst_limited_since(s->limited, c->frames[i].id, c->frames[i].frame.from_ns, ns);
		if (end_ns != UINT64_MAX)
			return irq_contexts_cut(s, c, i, end_ns);
	}
	return 0;
}

int lkst_model_cut_frames(struct lkst_model *s, struct lkst_model_cpu *c, u32 depth, u64 ns)
{
	int err = lkst_model_cut_stale_frames(s, c, ns);

	return err < 0 ? err : irq_contexts_cut(s, c, depth, ns);
}

int lkst_model_in_thread(struct lkst_model *s, struct lkst_model_cpu *c, u64 ns)
{
	c->in_thread_ns = ns;
	return c->depth ? lkst_model_cut_frames(s, c, 0, ns) : 0;
}

/* Contexts of which a CPU has only one at a time: a further one means that the end was missed. */
static bool excludes(const struct lkst_irq_context *a, const struct lkst_irq_context *b)
{
	if (a->context != b->context)
		return false;
	if (a->context == LKST_CONTEXT_SOFTIRQ)
		return true;
	return a->number == b->number && a->code == b->code &&
	       (a->context == LKST_CONTEXT_IRQ || a->context == LKST_CONTEXT_VECTOR);
}

/* Whether it is an interrupt or a softirq, and not what runs in one: a timer's function, a tasklet. */
static bool is_base(const struct lkst_irq_context *f)
{
	return f->context == LKST_CONTEXT_IRQ || f->context == LKST_CONTEXT_VECTOR ||
	       f->context == LKST_CONTEXT_SOFTIRQ;
}

/*
 * The outermost context that @f, the first on the CPU that was recorded, is in. Interrupts interrupt softirqs, and
 * neither interrupts its own kind. Timers and tasklets run in softirqs; high-resolution timers in interrupts, most of
 * them.
 */
static u8 outer_of(const struct lkst_model *s, const struct lkst_model_cpu *c, const struct lkst_irq_context *f)
{
	const bool lacks_softirqs = lkst_lacks(&s->lacks, LKST_LACK_SOFTIRQS, c->in_thread_ns, f->from_ns);

	if (f->context == LKST_CONTEXT_SOFTIRQ)
		return f->context;
	if (f->context == LKST_CONTEXT_TIMER || f->context == LKST_CONTEXT_TASKLET)
		return LKST_CONTEXT_SOME_SOFTIRQ;
	if (lacks_softirqs)
		return LKST_CONTEXT_UNKNOWN;
	return is_base(f) ? f->context : LKST_CONTEXT_INTERRUPT;
}

/* Whose time @f takes, on top of what is on @c. */
static struct lkst_model_frame irq_contexts_place(const struct lkst_model *s, const struct lkst_model_cpu *c, u16 id,
						  struct lkst_irq_context f)
{
	const struct lkst_model_frame *below = c->depth ? &c->frames[c->depth - 1] : NULL;
	struct lkst_model_frame x = { .frame = f, .id = id };

	x.outer = below ? c->frames[0].outer : outer_of(s, c, &f);
	x.is_softirq = f.context != LKST_CONTEXT_IRQ && f.context != LKST_CONTEXT_VECTOR;
	if (is_base(&f) || !below) {
		x.is_softirq &= f.context != LKST_CONTEXT_HRTIMER;
		x.is_unsure = x.outer == LKST_CONTEXT_UNKNOWN && f.context == LKST_CONTEXT_HRTIMER;
		return x;
	}
	/* It takes the time of the interrupt that it runs in, which may not have been recorded. */
	x.is_softirq = below->is_softirq;
	x.is_unsure = below->is_unsure;
	if (f.context == LKST_CONTEXT_HRTIMER && below->frame.context == LKST_CONTEXT_SOFTIRQ)
		x.is_softirq = below->frame.number == SOFTIRQ_HRTIMER;
	return x;
}

static int irq_contexts_push(struct lkst_model *s, const struct lkst_record *r, struct lkst_irq_context frame)
{
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	u32 i;
	int err;

	if (!c)
		return lkst_model_error(s);
	err = lkst_model_cut_stale_frames(s, c, r->ns);
	for (i = 0; i < c->depth && err >= 0; i++)
		if (excludes(&c->frames[i].frame, &frame))
			err = lkst_model_cut_frames(s, c, i, r->ns);
	if (c->depth == LKST_IRQ_CONTEXTS_MAX && err >= 0)
		err = lkst_model_cut_frames(s, c, 0, r->ns);
	if (err < 0)
		return err;
	lkst_model_account(c, r->ns);
	c->request.rq = 0;
	frame.cpu = r->cpu;
	frame.from_ns = r->ns;
	frame.depth = (u8)c->depth;
	frame.tid = r->tid;
	c->frames[c->depth] = irq_contexts_place(s, c, r->event->id, frame);
	c->depth++;
	return 0;
}

/* Ends the innermost context like @frame, and those within it whose end was not seen. */
static int irq_contexts_pop(struct lkst_model *s, const struct lkst_record *r, struct lkst_irq_context frame)
{
	struct lkst_model_cpu *c = lkst_model_at(s, r);
	u32 i;
	int err;

	if (!c)
		return lkst_model_error(s);
	err = lkst_model_cut_stale_frames(s, c, r->ns);
	if (err < 0)
		return err;
	for (i = c->depth; i > 0; i--) {
		const struct lkst_irq_context *f = &c->frames[i - 1].frame;

		if (f->context == frame.context && f->number == frame.number &&
		    f->object == frame.object)
			break;
	}
	if (!i) {
		/* It began before the trace or in a gap, unless something is amiss. */
		s->doubts.unmatched++;
		frame.cpu = r->cpu;
		frame.from_ns = frame.to_ns = r->ns;
		frame.tid = r->tid;
		frame.has_no_begin = true;
		return lkst_model_tell_frame(s, &frame);
	}
	err = lkst_model_cut_frames(s, c, i, r->ns);
	if (err < 0)
		return err;
	lkst_model_account(c, r->ns);
	c->depth--;
	/* Whatever it was in may not have been recorded. */
	if (!c->depth && c->frames[0].outer == c->frames[0].frame.context)
		c->in_thread_ns = r->ns;
	return tell_frame(s, c, r->ns, false);
}

int lkst_model_finish_frames(struct lkst_model *s, struct lkst_model_cpu *c, u64 end_ns)
{
	int err = lkst_model_cut_stale_frames(s, c, end_ns);

	lkst_model_account(c, end_ns);
	while (c->depth && err >= 0) {
		c->depth--;
		err = tell_frame(s, c, end_ns, true);
	}
	return err;
}

/* ---- requests of disks -------------------------------------------------------------- */

bool lkst_model_may_be_interrupted(const struct lkst_model *s, const struct lkst_model_cpu *c,
				   const struct lkst_model_frame *in, u64 ns)
{
	const u64 since_ns = in ? in->frame.from_ns : c->in_thread_ns;

	/* Nothing interrupts an interrupt. */
	if (in && !in->is_softirq && !in->is_unsure)
		return false;
	return lkst_lacks(&s->lacks, LKST_LACK_INTERRUPTS, since_ns, ns) ||
	       (!in && lkst_lacks(&s->lacks, LKST_LACK_SOFTIRQS, since_ns, ns));
}

/* The innermost interrupt or softirq on @c, whatever timer or tasklet runs in it; NULL: none. */
static struct lkst_model_frame *base_of(struct lkst_model_cpu *c)
{
	u32 i;

	for (i = c->depth; i > 0; i--)
		if (is_base(&c->frames[i - 1].frame))
			return &c->frames[i - 1];
	return NULL;
}

void lkst_model_complete(const struct lkst_model *s, struct lkst_model_cpu *c, struct lkst_model_request request)
{
	struct lkst_model_frame *base = base_of(c);

	if (lkst_model_may_be_interrupted(s, c, base, request.ns))
		request.rq = 0;
	request.context = LKST_WAKER_UNKNOWN;
	if (base)
		request.context = base->is_softirq ? LKST_WAKER_SOFTIRQ : LKST_WAKER_INTERRUPT;
	*(base ? &base->request : &c->request) = request;
}

struct lkst_model_request *lkst_model_completed(const struct lkst_model *s, struct lkst_model_cpu *c, u8 kind, u64 ns)
{
	struct lkst_model_frame *base = base_of(c);
	struct lkst_model_request *request = base ? &base->request : &c->request;

	if (!request->rq)
		return NULL;
	if (kind != LKST_WAKER_UNKNOWN && request->context != LKST_WAKER_UNKNOWN)
		return kind == request->context ? request : NULL;
	return lkst_model_may_be_interrupted(s, c, base, ns) ? NULL : request;
}

/* ---- interrupts ------------------------------------------------------------------- */

static int irq_contexts_on_irq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_entry *e = record;

	return irq_contexts_push(ctx, r,
				 (struct lkst_irq_context){
			    .context = LKST_CONTEXT_IRQ, .number = e->irq, .code = e->handler });
}

static int irq_contexts_on_irq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_irq_handler_exit *e = record;

	return irq_contexts_pop(ctx, r,
				(struct lkst_irq_context){ .context = LKST_CONTEXT_IRQ, .number = e->irq });
}

static int irq_contexts_on_softirq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_entry *e = record;

	return irq_contexts_push(ctx, r,
				 (struct lkst_irq_context){ .context = LKST_CONTEXT_SOFTIRQ,
					       .number = (s32)e->vec });
}

static int irq_contexts_on_softirq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_softirq_exit *e = record;

	return irq_contexts_pop(ctx, r,
				(struct lkst_irq_context){ .context = LKST_CONTEXT_SOFTIRQ,
					      .number = (s32)e->vec });
}

static int on_tasklet_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_tasklet_entry *e = record;

	return irq_contexts_push(ctx, r,
				 (struct lkst_irq_context){ .context = LKST_CONTEXT_TASKLET,
					       .code = e->function,
					       .object = e->tasklet });
}

static int on_tasklet_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_tasklet_exit *e = record;

	return irq_contexts_pop(ctx, r,
				(struct lkst_irq_context){ .context = LKST_CONTEXT_TASKLET,
					      .object = e->tasklet });
}

static int irq_contexts_on_timer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_entry *e = record;

	return irq_contexts_push(ctx, r,
				 (struct lkst_irq_context){ .context = LKST_CONTEXT_TIMER,
					       .code = e->function,
					       .object = e->timer });
}

static int on_timer_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_timer_expire_exit *e = record;

	return irq_contexts_pop(ctx, r,
				(struct lkst_irq_context){ .context = LKST_CONTEXT_TIMER, .object = e->timer });
}

static int irq_contexts_on_hrtimer_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_entry *e = record;

	return irq_contexts_push(ctx, r,
				 (struct lkst_irq_context){ .context = LKST_CONTEXT_HRTIMER,
					       .code = e->function,
					       .object = e->hrtimer });
}

static int on_hrtimer_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_hrtimer_expire_exit *e = record;

	return irq_contexts_pop(ctx, r,
				(struct lkst_irq_context){ .context = LKST_CONTEXT_HRTIMER,
					      .object = e->hrtimer });
}

/* The records of all vectors are laid out alike. */
static int irq_contexts_on_vector_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_entry *e = record;
	const struct lkst_model_vector *v = ctx;

	return irq_contexts_push(v->state, r,
				 (struct lkst_irq_context){ .context = LKST_CONTEXT_VECTOR,
					       .number = (s32)e->vector,
					       .code = v->entry });
}

static int irq_contexts_on_vector_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_local_timer_exit *e = record;
	const struct lkst_model_vector *v = ctx;

	return irq_contexts_pop(v->state, r,
				(struct lkst_irq_context){ .context = LKST_CONTEXT_VECTOR,
					      .number = (s32)e->vector,
					      .code = v->entry });
}

static int on_nmi(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_nmi_handler *e = record;
	struct lkst_model_cpu *c = lkst_model_at(ctx, r);
	struct lkst_irq_context f = { .context = LKST_CONTEXT_NMI,
				      .cpu = r->cpu,
				      .code = e->handler };

	if (!c)
		return lkst_model_error(ctx);
	f.to_ns = r->ns;
	f.from_ns = r->ns > e->duration_ns ? r->ns - e->duration_ns : 0;
	f.tid = r->tid;
	f.depth = (u8)c->depth;
	if (c->depth)
		c->frames[c->depth - 1].frame.inner_ns += f.to_ns - f.from_ns;
	return lkst_model_tell_frame(ctx, &f);
}

/* ---- subscribing ------------------------------------------------------------------ */

/* An event that begins a context and the one that ends it. */
struct irq_contexts_pair {
	enum lkst_event_index entry, exit;
	lkst_feed_call *on_entry, *on_exit;
};

static const struct irq_contexts_pair pairs[] = {
	{ LKST_EV_irq_handler_entry, LKST_EV_irq_handler_exit, irq_contexts_on_irq_entry, irq_contexts_on_irq_exit },
	{ LKST_EV_softirq_entry, LKST_EV_softirq_exit, irq_contexts_on_softirq_entry, irq_contexts_on_softirq_exit },
	{ LKST_EV_tasklet_entry, LKST_EV_tasklet_exit, on_tasklet_entry, on_tasklet_exit },
	{ LKST_EV_timer_expire_entry, LKST_EV_timer_expire_exit, irq_contexts_on_timer_entry, on_timer_exit },
	{ LKST_EV_hrtimer_expire_entry, LKST_EV_hrtimer_expire_exit, irq_contexts_on_hrtimer_entry,
	  on_hrtimer_exit },
};

static const struct irq_contexts_pair vectors[] = {
	{ LKST_EV_local_timer_entry, LKST_EV_local_timer_exit, irq_contexts_on_vector_entry,
	  irq_contexts_on_vector_exit },
	{ LKST_EV_reschedule_entry, LKST_EV_reschedule_exit, irq_contexts_on_vector_entry,
	  irq_contexts_on_vector_exit },
	{ LKST_EV_call_function_entry, LKST_EV_call_function_exit, irq_contexts_on_vector_entry,
	  irq_contexts_on_vector_exit },
	{ LKST_EV_call_function_single_entry, LKST_EV_call_function_single_exit, irq_contexts_on_vector_entry,
	  irq_contexts_on_vector_exit },
};
_Static_assert(sizeof(vectors) / sizeof(vectors[0]) == LKST_MODEL_VECTORS, "a row per vector");
_Static_assert(sizeof(struct lkst_rec_local_timer_entry) ==
		       sizeof(struct lkst_rec_call_function_single_exit),
	       "vectors' records are alike");

/* A context whose end is not in the trace would never end. */
static int subscribe_pair(struct lkst_model *s, const struct irq_contexts_pair *p, void *ctx)
{
	int err;

	if (!lkst_feed_has(s->feed, p->entry) || !lkst_feed_has(s->feed, p->exit))
		return 0;
	err = lkst_feed_event(s->feed, p->entry, p->on_entry, ctx);
	return err < 0 ? err : lkst_feed_event(s->feed, p->exit, p->on_exit, ctx);
}

int lkst_model_subscribe_frames(struct lkst_model *s)
{
	u32 i;
	int err = lkst_feed_event(s->feed, LKST_EV_nmi_handler, on_nmi, s);

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && err >= 0; i++)
		err = subscribe_pair(s, &pairs[i], s);
	for (i = 0; i < LKST_MODEL_VECTORS && err >= 0; i++) {
		s->vectors[i] = (struct lkst_model_vector){ s, vectors[i].entry };
		err = subscribe_pair(s, &vectors[i], &s->vectors[i]);
	}
	return err;
}
