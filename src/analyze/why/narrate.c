/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about stretches: what ran, what was ready and who ran instead, what is missing. */
#include "analyze/why/narrate.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/why/narrate_machine.h"
#include "analyze/why/narrate_running.h"

enum {
	SEARCH_MAX = 1 << 20, /* records looked through for one stretch */
	OCCUPANTS_MAX = 64,   /* threads that are distinguished */
	OCCUPANTS_TOLD = 4,
	SHARE_MIN = 5,	     /* percent */
	REALTIME_PRIO = 100, /* below: real-time, MAX_RT_PRIO in include/linux/sched/prio.h */
};

void lkst_narrate_cite(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	const struct lkst_event_ref *m;

	if (i == LKST_NOWHERE)
		return;
	m = &t->w->moments[i];
	lkst_account_cite(t->account, s, m->ns, m->cpu, m->tid, lkst_event_ref_name(t->w, i));
}

static u64 narrate_percent(u64 part, u64 whole)
{
	return whole ? (u64)((double)part * 100 / (double)whole + 0.5) : 0;
}

/* ---- sums ------------------------------------------------------------------------- */

/* "ran 1 ms, ready 2 ms": of each state as far as there is any. */
static void tell_sums(struct lkst_narrator *t, struct lkst_account_step *s, const u64 *sum_ns)
{
	static const struct {
		u8 state;
		const char *words, *key;
	} sums[] = {
		{ LKST_STRETCH_RAN, "ran", "ran_ns" },
		{ LKST_STRETCH_READY, "ready", "ready_ns" },
		{ LKST_STRETCH_BLOCKED, "blocked", "blocked_ns" },
		{ LKST_STRETCH_ABSENT, "not there", "absent_ns" },
		{ LKST_STRETCH_UNKNOWN, "not known", "unknown_ns" },
	};
	const char *comma = "";
	size_t i;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		if (!sum_ns[sums[i].state])
			continue;
		lkst_account_say(t->account, s, "%s%s ", comma, sums[i].words);
		lkst_account_fact(t->account, s, sums[i].key, LKST_ACCOUNT_DURATION,
				  sum_ns[sums[i].state]);
		comma = ", ";
	}
}

const char *lkst_narrate_cgroup(const struct lkst_narrator *t, u64 id)
{
	const struct lkst_cgroup *cgroup = lkst_cgroups_find(lkst_threads_cgroups(t->w->threads), id);

	return !cgroup ? NULL : cgroup->container[0] ? cgroup->container : cgroup->path;
}

void lkst_narrate_owner(struct lkst_narrator *t, struct lkst_account_step *s, const char *key, s32 tid, s32 than)
{
	const u64 id = lkst_threads_cgroup_of(t->w->threads, tid);
	const char *owner = id != lkst_threads_cgroup_of(t->w->threads, than) ? lkst_narrate_cgroup(t, id) : NULL;

	if (!owner)
		return;
	lkst_account_say(t->account, s, " of ");
	lkst_account_text(t->account, s, key, owner, strlen(owner));
}

void lkst_narrate_interval(struct lkst_narrator *t, struct lkst_account_step *s,
			   const struct lkst_stretches *line)
{
	const char *owner = lkst_narrate_cgroup(t, lkst_threads_cgroup_of(t->w->threads, s->tid));

	tell_sums(t, s, line->sum_ns);
	if (owner) {
		lkst_account_say(t->account, s, "; in ");
		lkst_account_text(t->account, s, "cgroup", owner, strlen(owner));
	}
	if (s->from_ns < t->w->from_ns)
		lkst_account_say(
			t->account, s,
			"; there are more records than are looked at at once: only the last "
			"%u are",
			t->w->nr);
}

void lkst_narrate_rest(struct lkst_narrator *t, struct lkst_account_step *s, u32 nr,
		       const u64 *sum_ns)
{
	lkst_account_fact(t->account, s, "count", LKST_ACCOUNT_NUMBER, nr);
	lkst_account_say(t->account, s, " shorter stretch%s: ", nr == 1 ? "" : "es");
	tell_sums(t, s, sum_ns);
}

void lkst_narrate_gap(struct lkst_narrator *t, struct lkst_account_step *s,
		      const struct lkst_gap *gap)
{
	struct lkst_account_step *g =
		lkst_account_add(t->account, s, "gap", gap->from_ns, gap->to_ns, s->tid);

	lkst_account_say(t->account, g, "records of CPU ");
	lkst_account_fact(t->account, g, "cpu", LKST_ACCOUNT_NUMBER, gap->cpu);
	lkst_account_say(t->account, g, " are missing (%s): what is told here may not be all",
			 gap->why);
	if (gap->events) {
		lkst_account_say(t->account, g, "; ");
		lkst_account_fact(t->account, g, "events", LKST_ACCOUNT_NUMBER, gap->events);
		lkst_account_say(t->account, g, " events");
	}
	if (gap->blocks) {
		lkst_account_say(t->account, g, "; ");
		lkst_account_fact(t->account, g, "blocks", LKST_ACCOUNT_NUMBER, gap->blocks);
		lkst_account_say(t->account, g, " blocks");
	}
}

/* ---- ran ---------------------------------------------------------------------------- */

/* What takes a CPU's time from its thread: its entry and its exit. */
static const struct {
	u16 entry, exit;
} interrupts[] = {
	{ LKST_EV_irq_handler_entry, LKST_EV_irq_handler_exit },
	{ LKST_EV_softirq_entry, LKST_EV_softirq_exit },
	{ LKST_EV_local_timer_entry, LKST_EV_local_timer_exit },
	{ LKST_EV_reschedule_entry, LKST_EV_reschedule_exit },
	{ LKST_EV_call_function_entry, LKST_EV_call_function_exit },
	{ LKST_EV_call_function_single_entry, LKST_EV_call_function_single_exit },
};
enum { NR_INTERRUPTS = sizeof(interrupts) / sizeof(interrupts[0]), NESTED_MAX = 16 };

/* The interrupts that a CPU is in, by their entries, the outermost first. */
struct nested {
	u32 at[NESTED_MAX];
	u32 nr;
};

/* The innermost that began with an event of kind @entry ends, and those in it; true: it was the outermost. */
static bool end_nested(const struct lkst_excerpt *w, struct nested *x, u16 entry)
{
	u32 nr;

	for (nr = x->nr; nr > 0; nr--) {
		if (lkst_event_ref_kind(w, x->at[nr - 1]) != entry)
			continue;
		x->nr = nr - 1;
		return !x->nr;
	}
	return false;
}

/* Takes in moment @i. Returns how much of the CPU's time the interrupts took that it ends. */
static u64 take_nested(const struct lkst_excerpt *w, u32 i, struct nested *x)
{
	const u16 kind = lkst_event_ref_kind(w, i);
	u32 n;

	/* What has ended, unseen, may have done so at once; and no interrupt switches. */
	if (x->nr && (kind == LKST_EV_sched_switch || lkst_excerpt_may_be_over(w, x->at[0], w->moments[i].ns)))
		x->nr = 0;
	for (n = 0; n < NR_INTERRUPTS; n++) {
		if (kind == interrupts[n].entry && x->nr < NESTED_MAX)
			x->at[x->nr++] = i;
		if (kind == interrupts[n].exit && end_nested(w, x, interrupts[n].entry))
			return w->moments[i].ns - w->moments[x->at[0]].ns;
	}
	return 0;
}

/* How much of the time interrupts took on the CPU. A begin without an end, or the reverse, does not count. */
static u64 time_in_interrupts(const struct lkst_excerpt *w, u32 cpu_nr, u64 from_ns, u64 to_ns)
{
	struct lkst_places_list cpu = lkst_excerpt_cpu(w, cpu_nr);
	u32 place = lkst_moments_before_ns(w, cpu, from_ns), steps = 0;
	struct nested nested = {};
	u64 sum_ns = 0;

	for (; place < cpu.nr && steps < SEARCH_MAX; place++, steps++) {
		if (w->moments[cpu.at[place]].ns > to_ns)
			break;
		sum_ns += take_nested(w, cpu.at[place], &nested);
	}
	return sum_ns;
}

void lkst_narrate_ran(struct lkst_narrator *t, struct lkst_account_step *s,
		      const struct lkst_stretch *stretch)
{
	u64 ns = stretch->cpu < 0
			 ? 0
			 : time_in_interrupts(t->w, (u32)stretch->cpu, s->from_ns, s->to_ns);

	lkst_account_say(t->account, s, "ran on CPU ");
	lkst_account_fact(t->account, s, "cpu", LKST_ACCOUNT_NUMBER, (u64)stretch->cpu);
	if (narrate_percent(ns, s->to_ns - s->from_ns) >= SHARE_MIN) {
		lkst_account_say(t->account, s, ", of it ");
		lkst_account_fact(t->account, s, "interrupts_ns", LKST_ACCOUNT_DURATION, ns);
		lkst_account_say(t->account, s, " in interrupts");
	}
	lkst_narrate_running(t, s, stretch, stretch);
	lkst_narrate_machine(t, s, stretch, stretch);
	lkst_narrate_cite(t, s, stretch->begin);
	lkst_narrate_cite(t, s, stretch->end);
}

void lkst_narrate_ran_often(struct lkst_narrator *t, struct lkst_account_step *s, u32 nr,
			    u64 ran_ns, const struct lkst_stretch *first,
			    const struct lkst_stretch *last)
{
	lkst_account_say(t->account, s, "ran for ");
	lkst_account_fact(t->account, s, "ran_ns", LKST_ACCOUNT_DURATION, ran_ns);
	lkst_account_say(t->account, s, " of this, in ");
	lkst_account_fact(t->account, s, "count", LKST_ACCOUNT_NUMBER, nr);
	lkst_account_say(t->account, s, " stretches");
	lkst_narrate_running(t, s, first, last);
	lkst_narrate_machine(t, s, first, last);
	lkst_narrate_cite(t, s, first->begin);
	lkst_narrate_cite(t, s, last->end);
}

/* ---- ready -------------------------------------------------------------------------- */

/* A thread that ran on the CPU meanwhile; 0: nobody did. */
struct occupant {
	s32 tid;
	u32 first; /* the switch to it, LKST_NOWHERE: not recorded */
	u64 ns;
};

struct occupants {
	struct occupant list[OCCUPANTS_MAX];
	u32 nr;
};

static void add_occupant(struct occupants *o, s32 tid, u32 first, u64 ns)
{
	u32 i;

	for (i = 0; i < o->nr && o->list[i].tid != tid; i++)
		;
	if (i == OCCUPANTS_MAX)
		return;
	if (i == o->nr)
		o->list[o->nr++] = (struct occupant){ .tid = tid, .first = first };
	o->list[i].ns += ns;
}

static int narrate_by_time(const void *a, const void *b)
{
	u64 x = ((const struct occupant *)a)->ns, y = ((const struct occupant *)b)->ns;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The switch to @tid on @cpu at @ns, LKST_NOWHERE: none is recorded. */
static u32 find_switch(const struct lkst_excerpt *w, u32 cpu, s32 tid, u64 ns)
{
	struct lkst_places_list list = lkst_excerpt_cpu(w, cpu);
	u32 i;

	for (i = lkst_moments_before_ns(w, list, ns);
	     i < list.nr && w->moments[list.at[i]].ns == ns; i++)
		if (lkst_event_ref_kind(w, list.at[i]) == LKST_EV_sched_switch &&
		    w->moments[list.at[i]].target == tid)
			return list.at[i];
	return LKST_NOWHERE;
}

/* Who ran on the CPU in that time by the state model, the longest first. */
static void find_occupants(const struct lkst_excerpt *w, u32 cpu, u64 from_ns, u64 to_ns,
			   struct occupants *ret_occupants)
{
	struct lkst_places_list list = lkst_state_intervals_on(w->states, cpu);
	u32 i = lkst_state_intervals_before_ns(w->states, list, from_ns), steps;

	*ret_occupants = (struct occupants){};
	for (steps = 0; i < list.nr && steps < SEARCH_MAX; i++, steps++) {
		const struct lkst_state_interval *interval = &w->states->list[list.at[i]];
		u64 begin_ns = interval->from_ns > from_ns ? interval->from_ns : from_ns;
		u64 end_ns = interval->to_ns < to_ns ? interval->to_ns : to_ns;

		if (interval->from_ns >= to_ns)
			break;
		add_occupant(ret_occupants, interval->tid,
			     find_switch(w, cpu, interval->tid, interval->from_ns), end_ns - begin_ns);
	}
	qsort(ret_occupants->list, ret_occupants->nr, sizeof(struct occupant), narrate_by_time);
}

static void tell_occupant(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct occupant *o, u64 whole_ns)
{
	const struct lkst_thread *thread = lkst_threads_find(t->w->threads, o->tid);

	if (!o->tid) {
		lkst_account_say(t->account, s, "was idle ");
	} else {
		lkst_account_say(t->account, s, "ran ");
		lkst_account_fact(t->account, s, "occupant", LKST_ACCOUNT_THREAD, (u64)o->tid);
		lkst_narrate_owner(t, s, "occupant_cgroup", o->tid, s->tid);
		if (thread && thread->has_prio && thread->prio < REALTIME_PRIO)
			lkst_account_say(t->account, s, ", a real-time thread,");
		lkst_account_say(t->account, s, " for ");
	}
	lkst_account_fact(t->account, s, "occupied_ns", LKST_ACCOUNT_DURATION, o->ns);
	lkst_account_say(t->account, s, " (");
	lkst_account_fact(t->account, s, "share", LKST_ACCOUNT_PERCENT, narrate_percent(o->ns, whole_ns));
	lkst_account_say(t->account, s, ")");
	lkst_narrate_cite(t, s, o->first);
}

void lkst_narrate_ready(struct lkst_narrator *t, struct lkst_account_step *s,
			const struct lkst_stretch *stretch)
{
	u64 whole_ns = s->to_ns - s->from_ns;
	struct occupants o = {};
	u32 i;

	lkst_account_say(t->account, s, "ready");
	lkst_narrate_cite(t, s, stretch->begin);
	if (stretch->cpu >= 0) {
		lkst_account_say(t->account, s, ", but CPU ");
		lkst_account_fact(t->account, s, "cpu", LKST_ACCOUNT_NUMBER, (u64)stretch->cpu);
		lkst_account_say(t->account, s, " ");
		find_occupants(t->w, (u32)stretch->cpu, s->from_ns, s->to_ns, &o);
	}
	if (o.nr)
		tell_occupant(t, s, &o.list[0], whole_ns);
	else
		lkst_account_say(t->account, s, "%s",
				 stretch->cpu < 0 ? "; where is not recorded"
						  : "ran what is not recorded");
	/* The longest is in the sentence; the others follow. */
	for (i = 1; i < o.nr && i < OCCUPANTS_TOLD; i++) {
		struct lkst_account_step *one;

		if (narrate_percent(o.list[i].ns, whole_ns) < SHARE_MIN)
			break;
		one = lkst_account_add(t->account, s, "occupant", s->from_ns, s->to_ns, s->tid);
		lkst_account_say(t->account, one, "it also ");
		tell_occupant(t, one, &o.list[i], whole_ns);
	}
	lkst_narrate_cite(t, s, stretch->end);
}
