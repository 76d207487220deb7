/* SPDX-License-Identifier: GPL-2.0-only */
/* The outermost interrupts and softirqs of CPUs, added up by the thread that they interrupted. */
#include "analyze/waiting/taken.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/softirq.h"
#include "abi/syscalls.h"
#include "base/vec.h"

enum {
	ADJACENT_NS = 20 * 1000, /* between an interrupt's end and the softirqs that run behind it */
	TIMERS_MAX = 1024,	 /* functions of timers */
	TIMERS_AT_ONCE = 4,
};

struct lkst_taken_cpu {
	u64 behind_ns; /* when an interrupt, or a softirq behind one, was over last */
	/* The functions of timers that have run in the interrupt, or softirq, that is not over; not all have room. */
	u64 timers[TIMERS_AT_ONCE];
	unsigned int nr_timers;
};

/* Which of LKST_TAKEN_* it is; -1: none, or what the thread does itself. */
static int taken_kind_of(struct lkst_taken_cpu *cpu, const struct lkst_irq_context *f)
{
	int kind;

	if (f->context == LKST_CONTEXT_IRQ)
		kind = LKST_TAKEN_IRQ;
	else if (f->context == LKST_CONTEXT_VECTOR)
		kind = LKST_TAKEN_VECTOR;
	else if (f->context == LKST_CONTEXT_SOFTIRQ && (u32)f->number < LKST_NR_SOFTIRQS &&
		 f->from_ns <= cpu->behind_ns + ADJACENT_NS)
		kind = f->number;
	else
		return -1;
	cpu->behind_ns = f->to_ns;
	return kind;
}

/* Whether it is what the thread sends on its own machine: packets are received in a call of its own that sends. */
static bool is_its_sending(const struct lkst_taken *x, const struct lkst_irq_context *f)
{
	struct lkst_thread_now now;

	return f->context == LKST_CONTEXT_SOFTIRQ && f->number == LKST_SOFTIRQ_NET_RX &&
	       lkst_model_thread(x->model, f->tid, &now) && now.call && now.call->row >= 0 &&
	       lkst_syscall_sends(&lkst_syscalls[now.call->row]);
}

/*
 * An interrupt takes more than the function that it is for: its time, and a softirq's, is that of the timers that have
 * run in it, in equal parts.
 */
static void count_timers(struct lkst_taken *x, const struct lkst_taken_cpu *cpu, u64 ns)
{
	unsigned int i;

	for (i = 0; i < cpu->nr_timers; i++) {
		const u64 *known = lkst_map_find(&x->timers, cpu->timers[i]);
		const u64 sum = (known ? *known : 0) + ns / cpu->nr_timers;

		if (lkst_map_set(&x->timers, cpu->timers[i], sum) == -ENOMEM)
			x->error = -ENOMEM;
		if (sum > x->timer_ns) {
			x->timer_ns = sum;
			x->timer_code = cpu->timers[i];
		}
	}
}

/* Not those of an interrupt that has interrupted a softirq: that one's time is not theirs. */
static void keep_timer(struct lkst_taken_cpu *cpu, const struct lkst_irq_context *f)
{
	if (f->depth == 1 && f->code && f->code != LKST_HASH_NONE && cpu->nr_timers < TIMERS_AT_ONCE &&
	    (f->context == LKST_CONTEXT_HRTIMER || f->context == LKST_CONTEXT_TIMER))
		cpu->timers[cpu->nr_timers++] = f->code;
}

/* Whether what takes time by @kind takes it for timers, if some have run in it. */
static bool is_for_timers(int kind)
{
	return kind >= LKST_NR_SOFTIRQS || kind == LKST_SOFTIRQ_TIMER || kind == LKST_SOFTIRQ_HRTIMER;
}

static int taken_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct lkst_taken *x = ctx;
	struct lkst_taken_cpu *cpu = lkst_vec_reach(x->cpus, x->nr_cpus, f->cpu);
	const struct lkst_thread_life *life;
	u64 *sum = NULL;
	int kind = -1;

	if (!cpu)
		return x->error = -ENOMEM;
	if (f->depth) {
		keep_timer(cpu, f);
		return x->error;
	}
	if (!f->is_cut && !f->has_no_begin)
		kind = taken_kind_of(cpu, f);
	life = kind >= 0 && f->tid > 0 ? lkst_model_life_of(x->model, f->tid, f->cpu) : NULL;
	if (life && !life->is_kernel && !is_its_sending(x, f)) {
		sum = lkst_vec_reach(x->lives, x->nr_lives, life->nr);
		if (!sum)
			return x->error = -ENOMEM;
		*sum += f->to_ns - f->from_ns;
		x->by_ns[kind] += f->to_ns - f->from_ns;
		if (is_for_timers(kind))
			count_timers(x, cpu, f->to_ns - f->from_ns);
	}
	cpu->nr_timers = 0;
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
	free(x->cpus);
	*x = (struct lkst_taken){};
}

u64 lkst_taken_from(const struct lkst_taken *x, u32 life)
{
	return life < x->nr_lives ? x->lives[life] : 0;
}

bool lkst_taken_is_by_timer(const struct lkst_taken *x)
{
	u64 all_ns = 0;
	u32 i;

	for (i = 0; i < LKST_NR_TAKEN; i++)
		all_ns += x->by_ns[i];
	return x->timer_ns > all_ns / 2;
}
