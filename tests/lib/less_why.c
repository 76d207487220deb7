/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/less_why.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of what wakes, and the next less specific one. */
static const struct {
	const char *trigger, *above;
} triggers[] = {
	{ "thread", "unknown" },       { "timer", "interrupt" },   { "timer", "softirq" },
	{ "timer", "device" },	       { "disk", "device" },	   { "disk", "softirq" },
	{ "packet", "softirq" },       { "device", "interrupt" },  { "cpu", "interrupt" },
	{ "softirq", "some softirq" }, { "interrupt", "unknown" }, { "some softirq", "unknown" },
};

static bool is_trigger_above(const char *part, const char *whole)
{
	size_t i;

	if (!strcmp(part, whole) || !strcmp(part, "unknown"))
		return true;
	for (i = 0; i < sizeof(triggers) / sizeof(triggers[0]); i++)
		if (!strcmp(triggers[i].trigger, whole) &&
		    is_trigger_above(part, triggers[i].above))
			return true;
	return false;
}

/* Facts that are at least, or about, what they say; and those that what is told beside them decides. */
static bool is_bound(const char *key)
{
	return !strcmp(key, "interrupts_ns");
}

static bool is_apart(const char *key)
{
	return !strcmp(key, "count") || !strcmp(key, "longest_ns") || !strcmp(key, "blocked_ns");
}

static void find(struct less_why *l, const struct lkst_account_step *p, const char *what,
		 const char *key)
{
	if (l->wrong++)
		return;
	snprintf(l->text, sizeof(l->text), "%s of thread %d, %llu-%llu: %s %s", p->kind, p->tid,
		 (unsigned long long)p->from_ns, (unsigned long long)p->to_ns, what, key);
}

static bool is_fact_above(const struct lkst_account_part *p, const struct lkst_account_part *w)
{
	if (p->type == LKST_ACCOUNT_TEXT && w->type == LKST_ACCOUNT_TEXT)
		return !strcmp(p->key, "trigger") ? is_trigger_above(p->text, w->text)
						  : !strcmp(p->text, w->text);
	if (p->type == LKST_ACCOUNT_TEXT || w->type == LKST_ACCOUNT_TEXT)
		return false;
	return is_bound(p->key) ? p->value <= w->value : p->value == w->value;
}

/* Whether the two say different things of what woke; whether they may is looked at by the fact itself. */
static bool has_other_trigger(const struct lkst_account_step *w, const struct lkst_account_step *p)
{
	const struct lkst_account_part *x = lkst_account_find(w, "trigger"),
				       *y = lkst_account_find(p, "trigger");

	return x && y && strcmp(x->text, y->text) != 0;
}

/*
 * Whether the whole need not have fact @key of the part. The call of a thread on its way out is known to be over
 * there; where it says more of what woke, the interrupt or softirq is not told; nor is the function of a timer of which
 * it is known who has set it.
 */
static bool may_lack(const struct lkst_account_step *w, const struct lkst_account_step *p,
		     const char *key)
{
	if (!strcmp(key, "call"))
		return true;
	if (!strcmp(key, "softirq") || !strcmp(key, "irq") || !strcmp(key, "device"))
		return has_other_trigger(w, p);
	return !strcmp(key, "function") && lkst_account_find(w, "timer_ns");
}

static void compare_facts(const struct lkst_account_step *w, const struct lkst_account_step *p,
			  struct less_why *l)
{
	static const char *const counted[] = { "call", "trigger", "waker" };
	const struct lkst_account_part *part, *other;
	size_t i;

	for (part = p->parts; part; part = part->next) {
		if (!part->key || is_apart(part->key) || !strcmp(p->kind, "rest"))
			continue;
		other = lkst_account_find(w, part->key);
		if (!other && !may_lack(w, p, part->key))
			find(l, p, "the whole does not say", part->key);
		else if (other && !is_fact_above(part, other))
			find(l, p, "the whole has another", part->key);
	}
	for (i = 0; i < sizeof(counted) / sizeof(counted[0]) && !strcmp(p->kind, "blocked"); i++) {
		other = lkst_account_find(w, counted[i]);
		if (!other || (other->type == LKST_ACCOUNT_TEXT && !strcmp(other->text, "unknown")))
			continue;
		l->facts++;
		part = lkst_account_find(p, counted[i]);
		l->part_facts +=
			part && (part->type != LKST_ACCOUNT_TEXT || strcmp(part->text, "unknown"));
	}
}

/* Whom the step is about that says who had the CPU. */
static uint64_t occupant_of(const struct lkst_account_step *s)
{
	const struct lkst_account_part *part =
		strcmp(s->kind, "occupant") ? NULL : lkst_account_find(s, "occupant");

	return part ? part->value : 0;
}

/* The step of the whole that tells the same stretch as @p does; NULL: there it is told with others. */
static const struct lkst_account_step *find_step(const struct lkst_account_step *list,
						 const struct lkst_account_step *p)
{
	const struct lkst_account_step *w;

	for (w = list; w; w = w->next) {
		if (strcmp(w->kind, p->kind) || w->to_ns != p->to_ns ||
		    occupant_of(w) != occupant_of(p))
			continue;
		if (w->from_ns == p->from_ns && w->tid == p->tid)
			return w;
		/* A request has begun at the latest when it is issued, be it by another thread. */
		if (!strcmp(p->kind, "request") && w->from_ns <= p->from_ns)
			return w;
	}
	return NULL;
}

/* A stretch is told alone in both, or in neither: but for one that is in parts in one of them. */
static bool is_told_together(const char *kind)
{
	return !strcmp(kind, "rest") || !strcmp(kind, "many") || !strcmp(kind, "ran") ||
	       !strcmp(kind, "unknown") || !strcmp(kind, "ready") || !strcmp(kind, "occupant");
}

static void compare_steps(const struct lkst_account_step *whole,
			  const struct lkst_account_step *part, struct less_why *l)
{
	const struct lkst_account_step *p, *w;

	for (p = part; p; p = p->next) {
		w = find_step(whole, p);
		if (w) {
			compare_facts(w, p, l);
			compare_steps(w->steps, p->steps, l);
		} else if (!is_told_together(p->kind)) {
			find(l, p, "the whole does not tell", "it");
		}
	}
}

void less_why_compare(const struct lkst_account *whole, const struct lkst_account *part,
		      struct less_why *l)
{
	compare_steps(whole->root.steps, part->root.steps, l);
}

struct lkst_account *less_why_explain(const char *dir, s32 tid, u64 from_ns, u64 to_ns)
{
	struct lkst_account *a = NULL;
	struct lkst_excerpt *w;
	struct lkst_trace *t;
	struct lkst_err e = {};
	int err;

	if (lkst_trace_open(&e, dir, &t) || lkst_excerpt_new(&e, t, 0, UINT64_MAX, NULL, &w)) {
		fprintf(stderr, "less_why_explain: %s\n", e.text);
		abort();
	}
	err = lkst_why_explain(&e, w, tid, from_ns, to_ns, LKST_WHY_DEPTH, &a);
	if (err && err != -ENOENT) {
		fprintf(stderr, "less_why_explain: %s\n", e.text);
		abort();
	}
	lkst_excerpt_free(w);
	lkst_trace_close(t);
	return a;
}
