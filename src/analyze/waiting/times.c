/* SPDX-License-Identifier: GPL-2.0-only */
/* The time of each thread by state, what took it while it ran, and its ticks; added up by name when it is asked for. */
#include "analyze/waiting/times.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "base/vec.h"

enum {
	TICKS_MAX = 1 << 16, /* functions of threads; further ones have no name */
	LEAST_PERCENT = 1,   /* of a group's time that text tells */
};

const char *const lkst_time_part_words[] = {
	[LKST_TIME_PROGRAM] = "program",   [LKST_TIME_KERNEL] = "kernel",	[LKST_TIME_MEMORY] = "memory",
	[LKST_TIME_INTERRUPTS] = "interrupts", [LKST_TIME_STOLEN] = "stolen", [LKST_TIME_NO_TICK] = "no tick",
	[LKST_TIME_READY] = "ready",	   [LKST_TIME_THROTTLED] = "throttled", [LKST_TIME_BLOCKED] = "blocked",
	[LKST_TIME_STOPPED] = "stopped",   [LKST_TIME_UNKNOWN] = "unknown",
};

/* A thread. */
struct lkst_times_thread {
	u64 ran_ns, ready_ns, throttled_ns, stopped_ns, unknown_ns;
	u64 blocked_ns[LKST_NR_CAUSES];
	u64 interrupts_ns, stolen_ns; /* of ran_ns, and these may be of the same moments */
	u64 program, memory, softirq; /* ticks */
};

/* Its ticks in a function of the kernel. */
struct lkst_times_ticks {
	u64 function; /* where it begins; 0: it has no name */
	u64 nr;
	u32 life;
};

static struct lkst_times_thread *times_thread_of(struct lkst_times *t, const struct lkst_thread_life *life)
{
	struct lkst_times_thread *x = lkst_vec_reach(t->threads, t->nr_threads, life->nr);

	if (!x)
		t->error = -ENOMEM;
	return x;
}

/* ---- the pass --------------------------------------------------------------------- */

static int times_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_times *t = ctx;
	const u64 ns = i->to_ns > i->from_ns ? i->to_ns - i->from_ns : 0;
	struct lkst_times_thread *x;

	if (i->life->tid <= 0)
		return 0;
	x = times_thread_of(t, i->life);
	if (!x)
		return t->error;
	switch (i->run) {
	case LKST_RUN_RUNNING:
		x->ran_ns += ns;
		break;
	case LKST_RUN_READY:
		*(i->ready == LKST_READY_THROTTLED ? &x->throttled_ns : &x->ready_ns) += ns;
		break;
	case LKST_RUN_BLOCKED:
		x->blocked_ns[i->wait && i->wait->cause < LKST_NR_CAUSES ? i->wait->cause : LKST_CAUSE_UNKNOWN] += ns;
		break;
	case LKST_RUN_STOPPED:
		x->stopped_ns += ns;
		break;
	case LKST_RUN_UNKNOWN:
		x->unknown_ns += ns;
		break;
	default:
		break;
	}
	return 0;
}

static int times_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct lkst_times *t = ctx;
	struct lkst_times_thread *x = i->life && i->life->tid > 0 ? times_thread_of(t, i->life) : NULL;

	if (x)
		x->interrupts_ns += i->irq_ns + i->softirq_ns;
	return t->error;
}

/* A hypervisor's share of a time is known, and not when in it that was: what is left if all else of that time was. */
static int times_on_steal(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_steal *e = record;
	struct lkst_times *t = ctx;
	const struct lkst_thread_life *life = lkst_model_running(t->model, r->cpu);
	const u64 window_ns = e->window_ns < r->ns ? e->window_ns : r->ns;
	const u64 stolen_ns = e->stolen_ns < window_ns ? e->stolen_ns : window_ns;
	struct lkst_thread_now now;
	struct lkst_times_thread *x;
	u64 own_ns;

	if (!life || life->tid <= 0 || !lkst_model_thread(t->model, life->tid, &now) || now.run != LKST_RUN_RUNNING)
		return 0;
	own_ns = now.since_ns < r->ns ? r->ns - now.since_ns : 0;
	own_ns = own_ns < window_ns ? own_ns : window_ns;
	x = times_thread_of(t, life);
	if (x && stolen_ns > window_ns - own_ns)
		x->stolen_ns += stolen_ns - (window_ns - own_ns);
	return t->error;
}

static int count_function(struct lkst_times *t, const struct lkst_thread_life *life, u64 ip)
{
	u64 offset = 0, key;
	const u64 function = lkst_symbols_find(t->symbols, ip, &offset) ? ip - offset : 0;
	const u64 *at;
	struct lkst_times_ticks *ticks;
	int err;

	key = (function ^ (u64)life->nr << 48 ^ (u64)life->nr << 24) * 0x9e3779b97f4a7c15 >> 1;
	/* Two kinds of ticks under one number: look on. */
	while ((at = lkst_map_find(&t->functions, key)) &&
	       (t->ticks[*at].life != life->nr || t->ticks[*at].function != function))
		key++;
	if (at) {
		t->ticks[*at].nr++;
		return 0;
	}
	err = key == LKST_HASH_NONE ? -ENOSPC : lkst_map_set(&t->functions, key, t->nr_ticks);
	if (err == -ENOSPC && function)
		return count_function(t, life, 0);
	ticks = err ? NULL : lkst_vec_add(t->ticks, t->nr_ticks);
	if (!ticks)
		return err == -ENOSPC ? 0 : -ENOMEM;
	*ticks = (struct lkst_times_ticks){ function, 1, life->nr };
	return 0;
}

static int times_on_tick(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_tick *e = record;
	struct lkst_times *t = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(t->model, r->tid, r->cpu);
	struct lkst_times_thread *x = life && life->tid > 0 ? times_thread_of(t, life) : NULL;

	if (!x)
		return t->error;
	if (e->where == LKST_WHERE_SOFTIRQ)
		x->softirq++;
	else if (e->flags & LKST_WHERE_MEMORY)
		x->memory++;
	else if (e->where == LKST_WHERE_USER)
		x->program++;
	else if (e->where != LKST_WHERE_UNKNOWN)
		return count_function(t, life, e->ip);
	return 0;
}

int lkst_times_subscribe(struct lkst_times *t, struct lkst_feed *f, struct lkst_model *model,
			 struct lkst_symbols *symbols)
{
	static const struct lkst_model_calls calls = { .interval = times_on_interval, .cpu = times_on_cpu };
	int r;

	t->model = model;
	t->symbols = symbols;
	t->functions.max = TICKS_MAX;
	r = lkst_model_subscribe(model, &calls, t);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_tick, times_on_tick, t);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_steal, times_on_steal, t);
	return r < 0 ? r : 1;
}

void lkst_times_fini(struct lkst_times *t)
{
	lkst_map_fini(&t->functions);
	free(t->threads);
	free(t->ticks);
	*t = (struct lkst_times){};
}

/* ---- a group ---------------------------------------------------------------------- */

struct times_sums {
	struct lkst_times_thread all;
	u64 in_kernel; /* ticks */
	struct lkst_time functions[LKST_TIMES_FUNCTIONS + 1]; /* the last: others */
	u32 nr_functions;
};

static bool times_is_of(const struct lkst_times *t, struct lkst_whose *scope, u32 life, const char comm[16])
{
	const struct lkst_thread_life *l = lkst_model_life(t->model, life);

	return l && !strncmp(l->comm, comm, sizeof(l->comm)) && lkst_whose_chooses(scope, life) > 0;
}

static void times_add_thread(struct lkst_times_thread *all, const struct lkst_times_thread *x)
{
	const u64 interrupts_ns = x->interrupts_ns < x->ran_ns ? x->interrupts_ns : x->ran_ns;
	const u64 left_ns = x->ran_ns - interrupts_ns;
	unsigned int i;

	all->ran_ns += x->ran_ns;
	all->ready_ns += x->ready_ns;
	all->throttled_ns += x->throttled_ns;
	all->stopped_ns += x->stopped_ns;
	all->unknown_ns += x->unknown_ns;
	for (i = 0; i < LKST_NR_CAUSES; i++)
		all->blocked_ns[i] += x->blocked_ns[i];
	all->interrupts_ns += interrupts_ns;
	all->stolen_ns += x->stolen_ns < left_ns ? x->stolen_ns : left_ns;
	all->program += x->program;
	all->memory += x->memory;
	all->softirq += x->softirq;
}

static int by_ticks(const void *a, const void *b)
{
	const struct lkst_time *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int by_function(const void *a, const void *b)
{
	const struct lkst_time *x = a, *y = b;

	return x->function < y->function ? -1 : x->function > y->function;
}

/* Adds the ticks of the group's threads by function; those that are few, or have no name, are one. */
static void add_functions(const struct lkst_times *t, struct lkst_whose *scope, const char comm[16],
			  struct times_sums *s)
{
	struct lkst_time *list = calloc(t->nr_ticks + 1, sizeof(*list)), others = { .part = LKST_TIME_KERNEL };
	u32 i, k, nr = 0;

	for (i = 0; i < t->nr_ticks; i++) {
		const struct lkst_times_ticks *x = &t->ticks[i];

		if (!times_is_of(t, scope, x->life, comm))
			continue;
		s->in_kernel += x->nr;
		if (x->function && list)
			list[nr++] = (struct lkst_time){ LKST_TIME_KERNEL, 0, x->function, 0, x->nr };
		else
			others.ticks += x->nr;
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_function);
	for (i = 0, k = 0; i < nr; i++) {
		if (k && list[k - 1].function == list[i].function)
			list[k - 1].ticks += list[i].ticks;
		else
			list[k++] = list[i];
	}
	if (k)
		qsort(list, k, sizeof(*list), by_ticks);
	for (i = 0; i < k; i++) {
		if (i < LKST_TIMES_FUNCTIONS)
			s->functions[s->nr_functions++] = list[i];
		else
			others.ticks += list[i].ticks;
	}
	if (others.ticks)
		s->functions[s->nr_functions++] = others;
	free(list);
}

struct times_writer {
	struct lkst_time *list;
	u32 nr;
	/* What is divided by ticks. */
	u64 ns, ticks, ns_given, ticks_given;
};

static void times_put(struct times_writer *w, enum lkst_time_part part, u8 cause, u64 ns)
{
	if (ns)
		w->list[w->nr++] = (struct lkst_time){ .part = (u8)part, .cause = cause, .ns = ns };
}

/* A share by ticks, such that all are together w->ns. */
static void times_put_share(struct times_writer *w, enum lkst_time_part part, u64 function, u64 ticks)
{
	u64 until_ns;

	if (!ticks)
		return;
	w->ticks_given += ticks;
	until_ns = (u64)((__uint128_t)w->ns * w->ticks_given / w->ticks);
	w->list[w->nr++] = (struct lkst_time){ .part = (u8)part, .function = function, .ns = until_ns - w->ns_given,
					       .ticks = ticks };
	w->ns_given = until_ns;
}

u32 lkst_times_of(const struct lkst_times *t, struct lkst_whose *scope, const char comm[16],
		  struct lkst_time list[LKST_TIMES_MAX])
{
	struct times_sums s = {};
	struct times_writer w = { .list = list };
	bool has_interrupts;
	u32 i;

	for (i = 0; i < t->nr_threads; i++)
		if (times_is_of(t, scope, i, comm))
			times_add_thread(&s.all, &t->threads[i]);
	add_functions(t, scope, comm, &s);
	/* Where interrupts were measured, ticks in softirqs say nothing more. */
	has_interrupts = s.all.interrupts_ns > 0;
	w.ns = s.all.ran_ns - s.all.interrupts_ns - s.all.stolen_ns;
	w.ticks = s.all.program + s.all.memory + s.in_kernel + (has_interrupts ? 0 : s.all.softirq);
	times_put_share(&w, LKST_TIME_PROGRAM, 0, s.all.program);
	for (i = 0; i < s.nr_functions; i++)
		times_put_share(&w, LKST_TIME_KERNEL, s.functions[i].function, s.functions[i].ticks);
	times_put_share(&w, LKST_TIME_MEMORY, 0, s.all.memory);
	if (has_interrupts)
		times_put(&w, LKST_TIME_INTERRUPTS, 0, s.all.interrupts_ns);
	else
		times_put_share(&w, LKST_TIME_INTERRUPTS, 0, s.all.softirq);
	times_put(&w, LKST_TIME_STOLEN, 0, s.all.stolen_ns);
	times_put(&w, LKST_TIME_NO_TICK, 0, w.ticks ? 0 : w.ns);
	times_put(&w, LKST_TIME_READY, 0, s.all.ready_ns);
	times_put(&w, LKST_TIME_THROTTLED, 0, s.all.throttled_ns);
	for (i = 0; i < LKST_NR_CAUSES; i++)
		times_put(&w, LKST_TIME_BLOCKED, (u8)i, s.all.blocked_ns[i]);
	times_put(&w, LKST_TIME_STOPPED, 0, s.all.stopped_ns);
	times_put(&w, LKST_TIME_UNKNOWN, 0, s.all.unknown_ns);
	return w.nr;
}

/* ---- in words --------------------------------------------------------------------- */

struct times_text {
	char *text;
	size_t length;
	u64 whole_ns;
};

static void times_say(struct times_text *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void times_say(struct times_text *x, const char *format, ...)
{
	const size_t room = LKST_TIMES_TEXT - x->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(x->text + x->length, room, format, args);
	va_end(args);
	x->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static double times_share(const struct times_text *x, u64 ns)
{
	return x->whole_ns ? 100.0 * (double)ns / (double)x->whole_ns : 0;
}

static void say_on_cpu(const struct lkst_times *t, struct times_text *x, const struct lkst_time *p, u64 ran_ns)
{
	char name[LKST_SYMBOL_ROOM];

	switch ((enum lkst_time_part)p->part) {
	case LKST_TIME_PROGRAM:
		times_say(x, "in its program");
		break;
	case LKST_TIME_KERNEL:
		if (p->function)
			*lkst_symbols_put(t->symbols, name, p->function) = '\0';
		times_say(x, "in %.64s of the kernel", p->function ? name : "other functions");
		break;
	case LKST_TIME_MEMORY:
		times_say(x, "looking for memory");
		break;
	case LKST_TIME_INTERRUPTS:
		times_say(x, "taken by interrupts");
		break;
	case LKST_TIME_STOLEN:
		times_say(x, "taken by the hypervisor at least");
		break;
	default:
		times_say(x, "not known where");
		break;
	}
	times_say(x, " %.0f %%", ran_ns ? 100.0 * (double)p->ns / (double)ran_ns : 0);
}

static void say_running(const struct lkst_times *t, struct times_text *x, const struct lkst_time *list, u32 nr)
{
	u64 ran_ns = 0, ticks = 0;
	const char *joint = " (of that ";
	u32 i;

	for (i = 0; i < nr && lkst_time_is_on_cpu(list[i].part); i++) {
		ran_ns += list[i].ns;
		ticks += list[i].ticks;
	}
	times_say(x, "ran %.1f %%", times_share(x, ran_ns));
	for (i = 0; i < nr && lkst_time_is_on_cpu(list[i].part); i++) {
		if (list[i].ns * 100 < ran_ns * LEAST_PERCENT)
			continue;
		times_say(x, "%s", joint);
		say_on_cpu(t, x, &list[i], ran_ns);
		joint = ", ";
	}
	if (ticks)
		times_say(x, "; by %llu %s", (unsigned long long)ticks, ticks == 1 ? "tick" : "ticks");
	if (ran_ns)
		times_say(x, ")");
}

static void say_waiting(struct times_text *x, const struct lkst_time *list, u32 nr)
{
	const char *joint = "; blocked: ";
	u32 i;

	for (i = 0; i < nr; i++) {
		if (lkst_time_is_on_cpu(list[i].part) || list[i].part == LKST_TIME_BLOCKED ||
		    list[i].ns * 100 < x->whole_ns * LEAST_PERCENT)
			continue;
		times_say(x, ", %s %.1f %%",
			  list[i].part == LKST_TIME_UNKNOWN ? "not known" : lkst_time_part_words[list[i].part],
			  times_share(x, list[i].ns));
	}
	for (i = 0; i < nr; i++) {
		if (list[i].part != LKST_TIME_BLOCKED || list[i].ns * 100 < x->whole_ns * LEAST_PERCENT)
			continue;
		times_say(x, "%s%s %.1f %%", joint, lkst_cause_names[list[i].cause], times_share(x, list[i].ns));
		joint = ", ";
	}
}

void lkst_times_text(const struct lkst_times *t, const struct lkst_time *list, u32 nr, const char comm[16],
		     char text[LKST_TIMES_TEXT])
{
	struct times_text x = { .text = text };
	u32 i;

	text[0] = '\0';
	for (i = 0; i < nr; i++)
		x.whole_ns += list[i].ns;
	times_say(&x, "The time of threads called %.16s: ", comm);
	say_running(t, &x, list, nr);
	say_waiting(&x, list, nr);
}
