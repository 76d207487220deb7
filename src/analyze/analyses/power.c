/* SPDX-License-Identifier: GPL-2.0-only */
/* How CPUs sleep, how fast their clocks are, and what a hypervisor takes of their time. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

enum {
	CPUS_MAX = 4096,
	IDLE_STATES =
		16, /* the kernel has 10 at most: CPUIDLE_STATE_MAX, include/linux/cpuidle.h */
	STEP_KHZ = 100000, /* frequencies that differ by this are distinguished */
	FREQUENCIES = 128, /* further ones count as the highest */
};

struct power_idle {
	u64 ns, longest_ns, nr, nr_below, nr_above;
};

struct power_clock {
	u64 ns, nr;
};

/* What holds since a record, until another one says otherwise. */
struct power_since {
	bool is_known;
	u16 buffer;
	u64 ns;
	u32 what; /* idle state, or step of the frequency */
};

struct power_cpu {
	struct power_since idle, clock;
	u64 idle_known_ns,
		clock_known_ns; /* in which it is known whether it slept, and how fast the clock was */
	struct power_since awake;
	struct power_idle states[IDLE_STATES];
	struct power_clock *clocks; /* by step; NULL: no change of the clock was recorded */
	u64 stolen_ns, most_stolen_ns, nr_stolen;
};

struct power {
	struct lkst_analysis_state work;
	struct power_cpu *cpus;
	u32 nr_cpus;
	u64 from_ns, to_ns; /* of the window */
};

static struct power_cpu *power_reach(struct power *p, s64 cpu, int *ret_err)
{
	struct power_cpu *c =
		cpu < 0 || cpu >= CPUS_MAX ? NULL : lkst_vec_reach(p->cpus, p->nr_cpus, (u32)cpu);

	*ret_err = cpu < 0 || cpu >= CPUS_MAX || c ? 0 : -ENOMEM;
	return c;
}

/* How much of the time from @since to @to_ns is in the window, and without a gap; 0: nothing of it is known. */
static u64 known_ns(struct power *p, const struct power_since *since, u32 cpu, u64 to_ns)
{
	u64 from_ns = since->ns > p->from_ns ? since->ns : p->from_ns;

	if (!since->is_known || to_ns <= from_ns ||
	    lkst_gap_test_crosses(p->work.gap_test, cpu, since->buffer, since->ns, to_ns))
		return 0;
	return to_ns - from_ns;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* What the CPU was in, asleep or not, ends at @ns. */
static void end_idle(struct power *p, struct power_cpu *c, u32 cpu, u64 ns)
{
	u64 awake_ns = known_ns(p, &c->awake, cpu, ns), asleep_ns = known_ns(p, &c->idle, cpu, ns);

	c->idle_known_ns += awake_ns + asleep_ns;
	if (asleep_ns) {
		struct power_idle *s = &c->states[c->idle.what];

		s->ns += asleep_ns;
		s->longest_ns = asleep_ns > s->longest_ns ? asleep_ns : s->longest_ns;
	}
	c->awake.is_known = c->idle.is_known = false;
}

static int on_idle(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_cpu_idle *x = record;
	struct power *p = ctx;
	int err;
	struct power_cpu *c = power_reach(p, r->cpu, &err);

	if (!c)
		return err;
	end_idle(p, c, r->cpu, r->ns);
	if (x->state < 0) {
		c->awake = (struct power_since){ true, (u16)r->buffer, r->ns, 0 };
		return 0;
	}
	c->idle = (struct power_since){ true, (u16)r->buffer, r->ns,
					x->state < IDLE_STATES ? (u32)x->state : IDLE_STATES - 1 };
	c->states[c->idle.what].nr += r->ns >= p->from_ns;
	return 0;
}

static int on_miss(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_cpu_idle_miss *x = record;
	struct power *p = ctx;
	int err;
	struct power_cpu *c = power_reach(p, r->cpu, &err);

	if (!c || x->state < 0 || x->state >= IDLE_STATES || r->ns < p->from_ns)
		return err;
	if (x->is_below)
		c->states[x->state].nr_below++;
	else
		c->states[x->state].nr_above++;
	return 0;
}

/* ---- clock ----------------------------------------------------------------------------------- */

static void end_clock(struct power *p, struct power_cpu *c, u32 cpu, u64 ns)
{
	u64 ran_ns = known_ns(p, &c->clock, cpu, ns);

	c->clock_known_ns += ran_ns;
	if (c->clocks)
		c->clocks[c->clock.what].ns += ran_ns;
}

static int on_frequency(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_cpu_frequency *x = record;
	u32 step = (u32)(((u64)x->khz + STEP_KHZ / 2) / STEP_KHZ);
	struct power *p = ctx;
	int err;
	struct power_cpu *c = power_reach(p, x->target_cpu, &err);

	if (!c)
		return err;
	if (!c->clocks) {
		c->clocks = calloc(FREQUENCIES, sizeof(*c->clocks));
		if (!c->clocks)
			return -ENOMEM;
	}
	/* Another CPU may have made the record, so that a gap of any matters. */
	end_clock(p, c, LKST_GAP_TEST_ANY, r->ns);
	c->clock = (struct power_since){ true, (u16)r->buffer, r->ns,
					 step < FREQUENCIES ? step : FREQUENCIES - 1 };
	c->clocks[c->clock.what].nr += r->ns >= p->from_ns;
	return 0;
}

/* ---- stolen time ----------------------------------------------------------------------------- */

static int power_on_steal(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_steal *x = record;
	struct power *p = ctx;
	int err;
	struct power_cpu *c = power_reach(p, r->cpu, &err);

	if (!c || r->ns < p->from_ns)
		return err;
	c->stolen_ns += x->stolen_ns;
	c->most_stolen_ns = x->stolen_ns > c->most_stolen_ns ? x->stolen_ns : c->most_stolen_ns;
	c->nr_stolen++;
	return 0;
}

static int power_on_end(void *ctx, u64 end_ns)
{
	struct power *p = ctx;
	u32 i;

	p->to_ns = end_ns;
	for (i = 0; i < p->nr_cpus; i++) {
		end_idle(p, &p->cpus[i], i, end_ns);
		end_clock(p, &p->cpus[i], LKST_GAP_TEST_ANY, end_ns);
	}
	return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct lkst_column idle_columns[] = {
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "state", "state", LKST_COLUMN_NUMBER, "the idle state: the higher, the deeper" },
	{ "name", "name", LKST_COLUMN_TEXT, "what its driver calls it" },
	{ "count", "count", LKST_COLUMN_COUNT, "how often the CPU entered it" },
	{ "total", "total", LKST_COLUMN_DURATION, "how long it was in it" },
	{ "share", "share", LKST_COLUMN_PERCENT,
	  "of the time in which it is known whether it slept" },
	{ "max", "longest", LKST_COLUMN_DURATION, "how long it was in it at most at a time" },
	{ "too_shallow", "too shallow", LKST_COLUMN_COUNT,
	  "how often a deeper state would have fitted" },
	{ "too_deep", "too deep", LKST_COLUMN_COUNT, "how often it slept too short for this one" },
};

static const struct lkst_column clock_columns[] = {
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "mhz", "MHz", LKST_COLUMN_NUMBER, "the frequency, to the nearest 100 MHz" },
	{ "count", "count", LKST_COLUMN_COUNT, "how often it was chosen" },
	{ "total", "total", LKST_COLUMN_DURATION, "how long it lasted" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of the time in which the frequency is known" },
};

static const struct lkst_column steal_columns[] = {
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "stolen", "stolen", LKST_COLUMN_DURATION, "what the hypervisor took of its time" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of the whole time" },
	{ "count", "count", LKST_COLUMN_COUNT,
	  "records of it: ticks after which it was 0.1 ms or more" },
	{ "max", "most", LKST_COLUMN_DURATION, "how much there was in one of them" },
};

static void power_put_share(struct lkst_table *t, u64 part, u64 whole)
{
	if (whole)
		lkst_table_double(t, 100.0 * (double)part / (double)whole);
	else
		lkst_table_none(t);
}

static void put_idle(const struct power *p, struct lkst_table *t, u32 cpu)
{
	const struct power_cpu *c = &p->cpus[cpu];
	u32 i;

	for (i = 0; i < IDLE_STATES; i++) {
		const struct power_idle *s = &c->states[i];
		const char *name = lkst_labels_find(p->work.labels, LKST_LABEL_IDLE, i);

		if (!s->nr && !s->ns && !s->nr_below && !s->nr_above)
			continue;
		lkst_table_row(t);
		lkst_table_s64(t, cpu);
		lkst_table_s64(t, i);
		if (name)
			lkst_table_str(t, name);
		else
			lkst_table_none(t);
		lkst_table_u64(t, s->nr);
		lkst_table_u64(t, s->ns);
		power_put_share(t, s->ns, c->idle_known_ns);
		lkst_table_u64(t, s->longest_ns);
		lkst_table_u64(t, s->nr_below);
		lkst_table_u64(t, s->nr_above);
	}
}

static void power_put_clock(const struct power *p, struct lkst_table *t, u32 cpu)
{
	const struct power_cpu *c = &p->cpus[cpu];
	u32 i;

	for (i = 0; c->clocks && i < FREQUENCIES; i++) {
		if (!c->clocks[i].nr && !c->clocks[i].ns)
			continue;
		lkst_table_row(t);
		lkst_table_s64(t, cpu);
		lkst_table_s64(t, (s64)i * STEP_KHZ / 1000);
		lkst_table_u64(t, c->clocks[i].nr);
		lkst_table_u64(t, c->clocks[i].ns);
		power_put_share(t, c->clocks[i].ns, c->clock_known_ns);
	}
}

static void put_steal(const struct power *p, struct lkst_table *t, u32 cpu)
{
	const struct power_cpu *c = &p->cpus[cpu];

	if (!c->nr_stolen)
		return;
	lkst_table_row(t);
	lkst_table_s64(t, cpu);
	lkst_table_u64(t, c->stolen_ns);
	power_put_share(t, c->stolen_ns, p->to_ns > p->from_ns ? p->to_ns - p->from_ns : 0);
	lkst_table_u64(t, c->nr_stolen);
	lkst_table_u64(t, c->most_stolen_ns);
}

/* The tables, and when there is one: where its event was recorded. */
static const struct {
	enum lkst_event_index index;
	const char *name, *title;
	const struct lkst_column *columns;
	unsigned int nr_columns;
	void (*put)(const struct power *p, struct lkst_table *t, u32 cpu);
} parts[] = {
#define COLUMNS(list) list, sizeof(list) / sizeof((list)[0])
	{ LKST_EV_cpu_idle, "power_idle", "Idle states", COLUMNS(idle_columns), put_idle },
	{ LKST_EV_cpu_frequency, "power_frequency", "Frequencies of CPUs", COLUMNS(clock_columns),
	  power_put_clock },
	{ LKST_EV_steal, "power_steal", "Time that a hypervisor took", COLUMNS(steal_columns),
	  put_steal },
#undef COLUMNS
};

static int power_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct power *p = (const struct power *)w;
	struct lkst_table *table;
	int err = 0;
	size_t i;
	u32 cpu;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++) {
		if (!lkst_feed_has(w->feed, parts[i].index))
			continue;
		table = lkst_tables_add(set, parts[i].name, parts[i].title, parts[i].columns,
					parts[i].nr_columns);
		if (!table)
			return -ENOMEM;
		for (cpu = 0; cpu < p->nr_cpus; cpu++)
			if (!w->options->which.has_cpu || w->options->which.cpu == cpu)
				parts[i].put(p, table, cpu);
		err = table->error;
	}
	return err;
}

static int power_begin(struct lkst_analysis_state *w)
{
	struct power *p = (struct power *)w;
	u64 begin_ns, end_ns;
	int err = 0;
	bool has;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, &p->from_ns, &p->to_ns);
	if (p->from_ns < begin_ns)
		p->from_ns = begin_ns;
	/* What holds when the window begins was recorded before it. */
	lkst_feed_always(w->feed, true);
	has = lkst_analysis_want(w, LKST_EV_cpu_idle, on_idle, &err);
	has |= lkst_analysis_want(w, LKST_EV_cpu_frequency, on_frequency, &err);
	lkst_feed_always(w->feed, false);
	lkst_analysis_want(w, LKST_EV_cpu_idle_miss, on_miss, &err);
	has |= lkst_analysis_want(w, LKST_EV_steal, power_on_steal, &err);
	if (err >= 0)
		err = lkst_feed_end(w->feed, power_on_end, w);
	return err < 0 ? err : has;
}

static void power_fini(struct lkst_analysis_state *w)
{
	struct power *p = (struct power *)w;
	u32 i;

	for (i = 0; i < p->nr_cpus; i++)
		free(p->cpus[i].clocks);
	free(p->cpus);
}

const struct lkst_analysis lkst_analysis_power = {
	.name = "power",
	.title = "Sleep, clock and stolen time of CPUs",
	.help = "idle states and frequencies of each CPU, and what a hypervisor took of its time",
	.measures =
		"cpu_idle to the next of the same CPU; cpu_frequency to the next for the same CPU; "
		"what each record steal says",
	.events = "cpu_idle cpu_idle_miss cpu_frequency steal",
	.ignores = LKST_IGNORES_TID | LKST_IGNORES_COMM | LKST_IGNORES_KEY,
	.has_shares = true,
	.size = sizeof(struct power),
	.begin = power_begin,
	.end = power_end,
	.fini = power_fini,
};
