/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rule about sleeping in interrupts. A thread that is switched away from while it is in an
 * interrupt, and not because another has a higher priority, sleeps where it must not. That the
 * interrupt had not ended is proven by its end, which the same thread reaches later without having
 * begun it again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lint/lint_pass.h"
#include "base/vec.h"

enum {
	FRAMES_MAX = 8, /* of interrupts that interrupt each other */
	SLEEPERS_MAX = 4096,
};

/* An interrupt or softirq that has begun. */
struct frame {
	bool is_soft;
	s32 number;
	struct lkst_sight begin;
};

struct lint_sleep_cpu {
	struct frame frames[FRAMES_MAX];
	u32 nr;
};

/* A thread that was switched away from in one. */
struct sleeper {
	s32 tid; /* 0: free */
	bool is_back;
	struct frame frame;
	struct lkst_sight sleep;
};

struct sleep {
	struct lkst_lint_pass *pass;
	struct lint_sleep_cpu *cpus;
	u32 nr_cpus;
	struct sleeper sleepers[SLEEPERS_MAX];
	u32 nr_sleepers; /* in use, the others follow them */
};

static struct lint_sleep_cpu *lint_sleep_cpu_of(struct sleep *s, u32 nr)
{
	return nr < LKST_CPUS_MAX ? lkst_vec_reach(s->cpus, s->nr_cpus, nr) : NULL;
}

static struct sleeper *find_sleeper(struct sleep *s, s32 tid)
{
	u32 i;

	for (i = 0; i < s->nr_sleepers; i++)
		if (s->sleepers[i].tid == tid)
			return &s->sleepers[i];
	return NULL;
}

static void remove_sleeper(struct sleep *s, struct sleeper *sleeper)
{
	if (sleeper)
		*sleeper = s->sleepers[--s->nr_sleepers];
}

/* ---- events --------------------------------------------------------------------------- */

static int begin_frame(struct sleep *s, const struct lkst_record *r, bool is_soft, s32 number)
{
	struct lint_sleep_cpu *c = lint_sleep_cpu_of(s, r->cpu);
	struct sleeper *sleeper = find_sleeper(s, r->tid);

	if (!c)
		return -ENOMEM;
	/* It has ended without our seeing it. */
	if (sleeper && sleeper->frame.is_soft == is_soft && sleeper->frame.number == number)
		remove_sleeper(s, sleeper);
	if (c->nr == FRAMES_MAX)
		c->nr = 0;
	c->frames[c->nr++] = (struct frame){ is_soft, number, lkst_sight_of(r) };
	return 0;
}

static int end_frame(struct sleep *s, const struct lkst_record *r, bool is_soft, s32 number)
{
	struct lint_sleep_cpu *c = lint_sleep_cpu_of(s, r->cpu);
	struct sleeper *sleeper = find_sleeper(s, r->tid);
	struct lkst_finding f = { .rule = LKST_LINT_SLEEP, .nr_sights = 3 };
	u32 i;

	if (!c)
		return -ENOMEM;
	for (i = c->nr; i; i--)
		if (c->frames[i - 1].is_soft == is_soft && c->frames[i - 1].number == number) {
			c->nr = i - 1;
			return 0;
		}
	if (!sleeper || !sleeper->is_back || sleeper->frame.is_soft != is_soft ||
	    sleeper->frame.number != number)
		return 0;
	f.what = is_soft ? "a softirq" : "an interrupt";
	f.sights[0] = sleeper->frame.begin;
	f.sights[1] = sleeper->sleep;
	f.sights[2] = lkst_sight_of(r);
	remove_sleeper(s, sleeper);
	return lkst_lint_add(s->pass, &f);
}

static int lint_sleep_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_switch *w = record;
	struct sleep *s = ctx;
	struct lint_sleep_cpu *c = lint_sleep_cpu_of(s, r->cpu);
	struct sleeper *sleeper = find_sleeper(s, w->next_tid);

	if (!c)
		return -ENOMEM;
	if (sleeper)
		sleeper->is_back = true;
	if (c->nr && w->prev_state && r->tid > 0 && c->frames[c->nr - 1].begin.tid == r->tid) {
		remove_sleeper(s, find_sleeper(s, r->tid));
		if (s->nr_sleepers < SLEEPERS_MAX)
			s->sleepers[s->nr_sleepers++] =
				(struct sleeper){ r->tid, false, c->frames[c->nr - 1],
						  lkst_sight_of(r) };
	}
	c->nr = 0;
	return 0;
}

static int lint_sleep_on_irq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	return begin_frame(ctx, r, false, ((const struct lkst_rec_irq_handler_entry *)record)->irq);
}

static int lint_sleep_on_irq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_frame(ctx, r, false, ((const struct lkst_rec_irq_handler_exit *)record)->irq);
}

static int lint_sleep_on_softirq_entry(void *ctx, const struct lkst_record *r, const void *record)
{
	return begin_frame(ctx, r, true, (s32)((const struct lkst_rec_softirq_entry *)record)->vec);
}

static int lint_sleep_on_softirq_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	return end_frame(ctx, r, true, (s32)((const struct lkst_rec_softirq_exit *)record)->vec);
}

/* ---- the group ------------------------------------------------------------------------ */

static void sleep_gap(void *ctx)
{
	struct sleep *s = ctx;
	u32 i;

	for (i = 0; i < s->nr_cpus; i++)
		s->cpus[i].nr = 0;
	s->nr_sleepers = 0;
}

static int sleep_end(void *ctx)
{
	return 0;
}

static void sleep_free(void *ctx)
{
	struct sleep *s = ctx;

	if (s)
		free(s->cpus);
	free(s);
}

static int sleep_begin(struct lkst_lint_pass *p, void **ret_ctx)
{
	static const struct {
		u16 index;
		lkst_feed_call *call;
	} wishes[] = {
		{ LKST_EV_irq_handler_entry, lint_sleep_on_irq_entry },
		{ LKST_EV_irq_handler_exit, lint_sleep_on_irq_exit },
		{ LKST_EV_softirq_entry, lint_sleep_on_softirq_entry },
		{ LKST_EV_softirq_exit, lint_sleep_on_softirq_exit },
		{ LKST_EV_sched_switch, lint_sleep_on_switch },
	};
	struct sleep *s;
	size_t i;
	int r = 0;

	if (!p->wants[LKST_LINT_SLEEP])
		return 0;
	s = *ret_ctx = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->pass = p;
	for (i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && r >= 0; i++)
		r = lkst_feed_event(p->feed, wishes[i].index, wishes[i].call, s);
	return r;
}

const struct lkst_lint_group lkst_lint_sleep = {
	.begin = sleep_begin,
	.gap = sleep_gap,
	.end = sleep_end,
	.free = sleep_free,
};
