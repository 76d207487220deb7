/* SPDX-License-Identifier: GPL-2.0-only */
/* What the machine was like while a thread ran. */
#include "analyze/why/narrate_machine.h"

#include "abi/perf_counter.h"

enum {
	SEARCH_MAX = 1 << 16, /* records looked through for one stretch */
	SHARE_MIN = 5,	      /* percent of the time, for what a hypervisor took */
	SLOW_MAX = 80,	      /* percent of the highest frequency */
	LATE_NS =
		100000000, /* after a stretch, a record of what was taken in it comes within this */
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

	for (steps = 0; i < list.nr && steps < SEARCH_MAX; i++, steps++) {
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

	for (i = begin, steps = 0; i && last == LKST_NOWHERE && steps < SEARCH_MAX; i--, steps++)
		if (is_for(w, list.at[i - 1], x->cpu))
			last = list.at[i - 1];
	for (i = begin, steps = 0; i < list.nr && steps < SEARCH_MAX; i++, steps++) {
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

/* ---- counters -------------------------------------------------------------------------------- */

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

void lkst_narrate_machine(struct lkst_narrator *t, struct lkst_account_step *s,
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
