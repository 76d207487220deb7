/* SPDX-License-Identifier: GPL-2.0-only */
/* The outermost interrupts and softirqs of CPUs, added up by the thread that they interrupted. */
#include "analyze/waiting/taken.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
	ADJACENT_NS = 20 * 1000, /* between an interrupt's end and the softirqs that run behind it */
	TIMERS_MAX = 1024,	 /* functions of timers */
};

/* Which of LKST_TAKEN_* it is; -1: none, or what the thread does itself. */
static int taken_kind_of(struct lkst_taken *x, const struct lkst_irq_context *f)
{
	u64 *behind_ns = lkst_vec_reach(x->behind_ns, x->nr_cpus, f->cpu);
	int kind;

	if (!behind_ns) {
		x->error = -ENOMEM;
		return -1;
	}
	if (f->context == LKST_CONTEXT_IRQ)
		kind = LKST_TAKEN_IRQ;
	else if (f->context == LKST_CONTEXT_VECTOR)
		kind = LKST_TAKEN_VECTOR;
	else if (f->context == LKST_CONTEXT_SOFTIRQ && (u32)f->number < LKST_NR_SOFTIRQS &&
		 f->from_ns <= *behind_ns + ADJACENT_NS)
		kind = f->number;
	else
		return -1;
	*behind_ns = f->to_ns;
	return kind;
}

/* A timer's function runs within an interrupt, or a softirq, which is counted as a whole. */
static void count_timer(struct lkst_taken *x, const struct lkst_irq_context *f)
{
	const u64 *known = lkst_map_find(&x->timers, f->code);
	const u64 sum = (known ? *known : 0) + (f->to_ns - f->from_ns);

	if (lkst_map_set(&x->timers, f->code, sum) == -ENOMEM)
		x->error = -ENOMEM;
	if (sum > x->timer_ns) {
		x->timer_ns = sum;
		x->timer_code = f->code;
	}
}

static int taken_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_taken *x = ctx;
	const struct lkst_thread_life *life;
	u64 *sum;
	int kind;

	if (f->is_cut || f->has_no_begin)
		return x->error;
	kind = f->depth ? -1 : taken_kind_of(x, f);
	life = f->tid > 0 ? lkst_model_life_of(x->model, f->tid, f->cpu) : NULL;
	if (!life || life->is_kernel)
		return x->error;
	if (f->code && f->code != LKST_HASH_NONE &&
	    (f->context == LKST_CONTEXT_HRTIMER || f->context == LKST_CONTEXT_TIMER))
		count_timer(x, f);
	if (kind < 0)
		return x->error;
	sum = lkst_vec_reach(x->lives, x->nr_lives, life->nr);
	if (!sum)
		return x->error = -ENOMEM;
	*sum += f->to_ns - f->from_ns;
	x->by_ns[kind] += f->to_ns - f->from_ns;
	return x->error;
}

int lkst_taken_subscribe(struct lkst_taken *x, struct lkst_model *model)
{
	static const struct lkst_model_calls calls = { .frame = taken_on_frame };

	x->model = model;
	x->timers.max = TIMERS_MAX;
	return lkst_model_subscribe(model, &calls, x);
}

void lkst_taken_fini(struct lkst_taken *x)
{
	free(x->lives);
	lkst_map_fini(&x->timers);
	free(x->behind_ns);
	*x = (struct lkst_taken){};
}

u64 lkst_taken_from(const struct lkst_taken *x, u32 life)
{
	return life < x->nr_lives ? x->lives[life] : 0;
}
