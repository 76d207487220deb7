/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about stretches: what ran, what was ready and who ran instead, what is missing. */
#include "analyze/why/narrate.h"

#include <stdlib.h>
#include <string.h>

#include "abi/perf_counter.h"
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

/* ---- what the machine was like while a thread ran -------------------------------------------- */

enum {
	MACHINE_SEARCH_MAX = 1 << 16, /* records looked through for one stretch */
	SLOW_MAX = 80,		      /* percent of the highest frequency */
	LATE_NS = 100000000, /* after a stretch, a record of what was taken in it comes within this */
	KHZ_PER_MHZ = 1000,
};

/* What the hypervisor took: a record says so of the time since the last look, and not of each moment in it. */
struct taken_sum {
	u64 least_ns, most_ns;
	u32 first; /* the record that shows the first of it; LKST_NOWHERE: there is none */
};

static void narrate_machine_add_taken(const struct lkst_excerpt *w, const struct lkst_stretch *x,
				      struct taken_sum *taken)
{
	struct lkst_places_list list = lkst_excerpt_kind(w, LKST_EV_steal);
	u32 i = lkst_moments_before_ns(w, list, x->from_ns), steps;

	for (steps = 0; i < list.nr && steps < MACHINE_SEARCH_MAX; i++, steps++) {
		const struct lkst_event_ref *m = &w->moments[list.at[i]];
		u64 stolen_ns, window_ns, from_ns, overlap_ns, other_ns;

		if (m->ns > x->to_ns + LATE_NS)
			break;
		if (m->cpu != x->cpu)
			continue;
		stolen_ns = lkst_event_ref_int(w, list.at[i], "stolen_ns");
		window_ns = lkst_event_ref_int(w, list.at[i], "window_ns");
		window_ns = window_ns < m->ns ? window_ns : m->ns;
		stolen_ns = stolen_ns < window_ns ? stolen_ns : window_ns;
		from_ns = m->ns - window_ns > x->from_ns ? m->ns - window_ns : x->from_ns;
		overlap_ns = x->to_ns < m->ns ? x->to_ns : m->ns;
		if (overlap_ns <= from_ns)
			continue;
		overlap_ns -= from_ns;
		other_ns = window_ns - overlap_ns;
		taken->least_ns += stolen_ns > other_ns ? stolen_ns - other_ns : 0;
		taken->most_ns += stolen_ns < overlap_ns ? stolen_ns : overlap_ns;
		taken->first = taken->first == LKST_NOWHERE ? list.at[i] : taken->first;
	}
}

static void narrate_machine_tell_taken(struct lkst_narrator *t, struct lkst_account_step *s,
				       const struct taken_sum *taken)
{
	lkst_account_say(t->account, s, ", of which the hypervisor took ");
	if (!taken->least_ns)
		lkst_account_say(t->account, s, "up to ");
	if (taken->least_ns) {
		lkst_account_fact(t->account, s, "stolen_ns", LKST_ACCOUNT_DURATION,
				  taken->least_ns);
		if (taken->least_ns == taken->most_ns)
			return;
		lkst_account_say(t->account, s, " to ");
	}
	lkst_account_fact(t->account, s, "stolen_at_most_ns", LKST_ACCOUNT_DURATION,
			  taken->most_ns);
}

/* The clock in the stretches: MHz times ns, and of how many ns it is known. */
struct clock_sum {
	double mhz_ns, known_ns;
	u32 max_khz, first; /* the record that set the first; LKST_NOWHERE: there is none */
};

static void add_clock_part(const struct lkst_excerpt *w, const struct lkst_stretch *x, u32 set,
			   u64 to_ns, struct clock_sum *clock)
{
	const u64 since_ns = w->moments[set].ns,
		  from_ns = since_ns > x->from_ns ? since_ns : x->from_ns;
	const u64 until_ns = to_ns < x->to_ns ? to_ns : x->to_ns;

	if (until_ns <= from_ns)
		return;
	clock->mhz_ns += (double)lkst_event_ref_int(w, set, "khz") / KHZ_PER_MHZ *
			 (double)(until_ns - from_ns);
	clock->known_ns += (double)(until_ns - from_ns);
	clock->first = clock->first == LKST_NOWHERE ? set : clock->first;
}

static bool is_for(const struct lkst_excerpt *w, u32 set, s32 cpu)
{
	return (s32)lkst_event_ref_int(w, set, "target_cpu") == cpu;
}

static void add_clock(const struct lkst_excerpt *w, const struct lkst_stretch *x,
		      struct clock_sum *clock)
{
	struct lkst_places_list list = lkst_excerpt_kind(w, LKST_EV_cpu_frequency);
	u32 begin = lkst_moments_before_ns(w, list, x->from_ns), last = LKST_NOWHERE, max_khz, i,
	    steps;

	for (i = begin, steps = 0; i && last == LKST_NOWHERE && steps < MACHINE_SEARCH_MAX; i--, steps++)
		if (is_for(w, list.at[i - 1], x->cpu))
			last = list.at[i - 1];
	for (i = begin, steps = 0; i < list.nr && steps < MACHINE_SEARCH_MAX; i++, steps++) {
		if (w->moments[list.at[i]].ns >= x->to_ns)
			break;
		if (!is_for(w, list.at[i], x->cpu))
			continue;
		if (last != LKST_NOWHERE)
			add_clock_part(w, x, last, w->moments[list.at[i]].ns, clock);
		last = list.at[i];
	}
	if (last != LKST_NOWHERE)
		add_clock_part(w, x, last, x->to_ns, clock);
	max_khz = lkst_excerpt_max_khz(w, (u32)x->cpu);
	clock->max_khz = max_khz > clock->max_khz ? max_khz : clock->max_khz;
}

static void tell_clock(struct lkst_narrator *t, struct lkst_account_step *s,
		       const struct clock_sum *clock)
{
	const double mhz = clock->mhz_ns / clock->known_ns;
	const u32 max_mhz = clock->max_khz / KHZ_PER_MHZ;

	if (mhz * 100 >= (double)max_mhz * SLOW_MAX)
		return;
	lkst_account_say(t->account, s, ", at ");
	lkst_account_fact(t->account, s, "mhz", LKST_ACCOUNT_NUMBER, (u64)(mhz + 0.5));
	lkst_account_say(t->account, s, " MHz of ");
	lkst_account_fact(t->account, s, "max_mhz", LKST_ACCOUNT_NUMBER, max_mhz);
	lkst_narrate_cite(t, s, clock->first);
}

/* ---- its counters ---------------------------------------------------------------------------- */

struct counter_sums {
	u64 sums[LKST_NR_PERF_COUNTERS];
	u32 kinds; /* bit n: counter n was counted */
};

/* The record of a stretch comes where it ends. A part of a stretch that goes beyond the interval has none. */
static void add_counters(const struct lkst_excerpt *w, s32 tid, const struct lkst_stretch *x,
			 struct counter_sums *counters)
{
	static const char *const kinds[] = { "kind1", "kind2", "kind3", "kind4" };
	static const char *const values[] = { "value1", "value2", "value3", "value4" };
	struct lkst_places_list list = lkst_excerpt_thread(w, tid);
	unsigned int k;
	u32 i;

	if (x->end == LKST_NOWHERE || w->moments[x->end].ns != x->to_ns ||
	    x->begin == LKST_NOWHERE || w->moments[x->begin].ns != x->from_ns)
		return;
	/* Just before the switch that ends the stretch: the same program has made both. */
	i = lkst_moments_before_ns(w, list, x->to_ns + 1);
	while (i && w->moments[list.at[i - 1]].ns > x->from_ns &&
	       lkst_event_ref_kind(w, list.at[i - 1]) != LKST_EV_perf_counters)
		i--;
	if (!i || w->moments[list.at[i - 1]].ns <= x->from_ns)
		return;
	for (k = 0; k < LKST_PERF_AT_ONCE; k++) {
		u64 kind = lkst_event_ref_int(w, list.at[i - 1], kinds[k]);

		if (!kind || kind >= LKST_NR_PERF_COUNTERS)
			continue;
		counters->sums[kind] += lkst_event_ref_int(w, list.at[i - 1], values[k]);
		counters->kinds |= 1U << kind;
	}
}

static void tell_counters(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct counter_sums *counters)
{
	static const char *const keys[LKST_NR_PERF_COUNTERS] = {
#define P(number, id, name, type, config) [number] = #id,
		LKST_PERF_COUNTERS(P)
#undef P
	};
	const char *comma = "; counted: ";
	unsigned int i;

	for (i = 1; i < LKST_NR_PERF_COUNTERS; i++) {
		if (!(counters->kinds & 1U << i))
			continue;
		lkst_account_say(t->account, s, "%s%s ", comma, lkst_perf_counter_names[i]);
		lkst_account_fact(t->account, s, keys[i], LKST_ACCOUNT_NUMBER, counters->sums[i]);
		comma = ", ";
	}
}

/*
 * Adds to @s, if it is a significant part of the stretches from @first to @last in which the thread ran, what the
 * hypervisor took of the CPU's time; the frequency of the clock, if that was clearly below the highest; and what was
 * counted in those of the stretches that are whole.
 */
static void narrate_machine(struct lkst_narrator *t, struct lkst_account_step *s,
			    const struct lkst_stretch *first, const struct lkst_stretch *last)
{
	struct taken_sum taken = { .first = LKST_NOWHERE };
	struct clock_sum clock = { .first = LKST_NOWHERE };
	struct counter_sums counters = {};
	const struct lkst_stretch *x;
	u64 ran_ns = 0;

	for (x = first; x <= last; x++) {
		if (x->state != LKST_STRETCH_RAN || x->cpu < 0)
			continue;
		ran_ns += x->to_ns - x->from_ns;
		narrate_machine_add_taken(t->w, x, &taken);
		add_clock(t->w, x, &clock);
		add_counters(t->w, s->tid, x, &counters);
	}
	if (taken.most_ns && taken.most_ns >= ran_ns / 100 * SHARE_MIN) {
		narrate_machine_tell_taken(t, s, &taken);
		lkst_narrate_cite(t, s, taken.first);
	}
	/* What is not known of half of the time is not told. */
	if (clock.known_ns > 0 && clock.known_ns * 2 >= (double)ran_ns)
		tell_clock(t, s, &clock);
	tell_counters(t, s, &counters);
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
	narrate_machine(t, s, stretch, stretch);
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
	narrate_machine(t, s, first, last);
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
