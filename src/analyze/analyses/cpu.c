/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU does with its time: threads, interrupts, nothing. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/timeline.h"
#include "base/vec.h"

/* A CPU's time. */
struct cpu_times {
	u64 thread_ns, irq_ns, softirq_ns, idle_ns, unknown_ns;
	u64 nr_switches;
	struct lkst_timeline busy;
};

struct analyses_cpu {
	struct lkst_analysis_state work;
	struct cpu_times *times; /* by CPU */
	u32 nr_times;
	struct lkst_timeline_scale scale;
};

static int analyses_cpu_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct analyses_cpu *c = ctx;
	struct cpu_times *t = lkst_vec_reach(c->times, c->nr_times, i->cpu);
	u64 interrupts_ns = i->irq_ns + i->softirq_ns, ns = i->to_ns - i->from_ns;

	if (!t)
		return -ENOMEM;
	if (!i->life) {
		t->unknown_ns += ns;
		return 0;
	}
	t->irq_ns += i->irq_ns;
	t->softirq_ns += i->softirq_ns;
	ns = ns > interrupts_ns ? ns - interrupts_ns : 0;
	if (i->life->idle_cpu >= 0) {
		t->idle_ns += ns;
		return 0;
	}
	t->thread_ns += ns;
	lkst_timeline_add(&t->busy, &c->scale, i->from_ns, i->to_ns);
	return 0;
}

static int cpu_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	struct analyses_cpu *c = ctx;
	struct cpu_times *t = lkst_vec_reach(c->times, c->nr_times, r->cpu);

	if (!t)
		return -ENOMEM;
	t->nr_switches++;
	return 0;
}

static const struct lkst_column columns[] = {
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "busy", "busy", LKST_COLUMN_PERCENT, "of the known time, all but idle" },
	{ "threads", "threads", LKST_COLUMN_DURATION, "it ran threads" },
	{ "irq", "interrupts", LKST_COLUMN_DURATION, "in interrupts of devices and CPUs" },
	{ "softirq", "softirqs", LKST_COLUMN_DURATION,
	  "in softirqs, tasklets and timers" },
	{ "idle", "idle", LKST_COLUMN_DURATION, "it had nothing to do" },
	{ "unknown", "unknown", LKST_COLUMN_DURATION, "where nothing shows what, as in a gap" },
	{ "switches", "switches", LKST_COLUMN_COUNT, "how often it changed from one to another" },
	{ "chart", "busy, from the beginning to the end", LKST_COLUMN_TEXT,
	  "running threads, of each of 40 equal stretches" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int cpu_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct analyses_cpu *c = (const struct analyses_cpu *)w;
	char text[LKST_TIMELINE_TEXT];
	const bool lacks_interrupts = lkst_analysis_lacks(w, lkst_interrupts);
	struct lkst_table *table;
	u32 cpu;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	table = lkst_tables_add(set, "cpu", "CPUs", columns, NR_COLUMNS);
	if (!table)
		return -ENOMEM;
	for (cpu = 0; cpu < c->nr_times; cpu++) {
		const struct cpu_times *t = &c->times[cpu];
		u64 busy_ns = t->thread_ns + t->irq_ns + t->softirq_ns;

		if (!busy_ns && !t->idle_ns && !t->unknown_ns)
			continue;
		if (w->options->which.has_cpu && w->options->which.cpu != cpu)
			continue;
		lkst_table_row(table);
		lkst_table_s64(table, cpu);
		if (busy_ns + t->idle_ns)
			lkst_table_double(table,
					  100.0 * (double)busy_ns / (double)(busy_ns + t->idle_ns));
		else
			lkst_table_none(table);
		if (lacks_interrupts)
			lkst_table_at_least(table);
		lkst_table_u64(table, t->thread_ns);
		if (lacks_interrupts)
			lkst_table_at_most(table);
		lkst_table_u64(table, t->irq_ns);
		if (lacks_interrupts)
			lkst_table_at_least(table);
		/* Interrupts that are left out are told as the softirq's time that they interrupted. */
		if (lacks_interrupts)
			lkst_table_none(table);
		else
			lkst_table_u64(table, t->softirq_ns);
		lkst_table_u64(table, t->idle_ns);
		if (lacks_interrupts)
			lkst_table_at_most(table);
		lkst_table_u64(table, t->unknown_ns);
		lkst_table_u64(table, t->nr_switches);
		lkst_timeline_put(&t->busy, c->scale.slice_ns, text);
		lkst_table_str(table, text);
	}
	return table->error;
}

static const struct lkst_model_calls calls = { .cpu = analyses_cpu_on_cpu };

static int cpu_begin(struct lkst_analysis_state *w)
{
	struct analyses_cpu *c = (struct analyses_cpu *)w;
	u64 begin_ns, end_ns, from_ns, to_ns;
	bool has_switch;
	int err = 0;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, &from_ns, &to_ns);
	c->scale = lkst_timeline_scale(lkst_model_begin(w->state), end_ns < to_ns ? end_ns : to_ns);
	has_switch = lkst_analysis_want(w, LKST_EV_sched_switch, cpu_on_switch, &err);
	if (err >= 0)
		err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : has_switch;
}

static void cpu_fini(struct lkst_analysis_state *w)
{
	free(((struct analyses_cpu *)w)->times);
}

const struct lkst_analysis lkst_analysis_cpu = {
	.name = "cpu",
	.heritage = "F03",
	.title = "CPUs",
	.help = "how busy each CPU is, with threads and with interrupts",
	.measures = "the state model's intervals of CPUs and interrupts (doc/states.md)",
	.events = "sched_* irq_* softirq_* tasklet_* local_timer_* reschedule_* call_function_*",
	.needs_state = true,
	.has_shares = true,
	.ignores = LKST_IGNORES_TID | LKST_IGNORES_COMM | LKST_IGNORES_KEY,
	.size = sizeof(struct analyses_cpu),
	.begin = cpu_begin,
	.end = cpu_end,
	.fini = cpu_fini,
};
