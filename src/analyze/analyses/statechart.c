/* SPDX-License-Identifier: GPL-2.0-only */
/* What some threads did, state by state, drawn along the time of the trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/timeline.h"
#include "base/vec.h"

struct chart {
	struct lkst_analysis_state work;
	struct lkst_timeline_scale scale;
	struct lkst_timeline lines[LKST_NR_RUNS];
	u64 ns[LKST_NR_RUNS];
	u64 peak_ns; /* the most that any slice has of all states */
	u8 *seen;    /* by life: 1: it was counted */
	u32 nr_seen;
	u32 nr_threads;
};

/* Which threads are drawn: those that are asked for by number or name, else none. */
static bool statechart_is_wanted(const struct lkst_analysis_state *w, const struct lkst_thread_life *life)
{
	const struct lkst_tally_options *which = &w->options->which;

	if (!lkst_tally_chooses_threads(which))
		return false;
	return lkst_analysis_chooses(w, life);
}

static int statechart_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct chart *c = ctx;
	u8 *seen;

	if (!statechart_is_wanted(&c->work, i->life))
		return 0;
	seen = lkst_vec_reach(c->seen, c->nr_seen, i->life->nr);
	if (!seen)
		return -ENOMEM;
	c->nr_threads += !*seen;
	*seen = 1;
	c->ns[i->run] += i->to_ns - i->from_ns;
	lkst_timeline_add(&c->lines[i->run], &c->scale, i->from_ns, i->to_ns);
	return 0;
}

static const struct lkst_column columns[] = {
	{ "state", "state", LKST_COLUMN_TEXT, "what they did" },
	{ "time", "time", LKST_COLUMN_DURATION, "how long, all threads together" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of their time" },
	{ "chart", "from the beginning to the end", LKST_COLUMN_TEXT,
	  "the share of each of 40 equal stretches" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static u64 peak_of(const struct chart *c)
{
	u64 peak_ns = 0, ns;
	unsigned int i, run;

	for (i = 0; i < LKST_TIMELINE_SLICES; i++) {
		for (run = 0, ns = 0; run < LKST_NR_RUNS; run++)
			ns += c->lines[run].ns[i];
		peak_ns = ns > peak_ns ? ns : peak_ns;
	}
	return peak_ns;
}

static int statechart_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	static const u8 order[] = { LKST_RUN_RUNNING, LKST_RUN_READY, LKST_RUN_BLOCKED,
				    LKST_RUN_STOPPED, LKST_RUN_NEW,   LKST_RUN_DEAD,
				    LKST_RUN_UNKNOWN };
	const struct chart *c = (const struct chart *)w;
	char text[LKST_TIMELINE_TEXT];
	struct lkst_table *table;
	u64 sum_ns = 0, peak_ns = peak_of(c);
	unsigned int i;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	table = lkst_tables_add(set, "chart", "States", columns, NR_COLUMNS);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < LKST_NR_RUNS; i++)
		sum_ns += c->ns[i];
	for (i = 0; i < sizeof(order); i++) {
		if (!c->ns[order[i]])
			continue;
		lkst_timeline_put(&c->lines[order[i]], peak_ns, text);
		lkst_table_row(table);
		lkst_table_str(table, lkst_run_names[order[i]]);
		lkst_table_u64(table, c->ns[order[i]]);
		lkst_table_double(table, 100.0 * (double)c->ns[order[i]] / (double)sum_ns);
		lkst_table_str(table, text);
	}
	if (c->nr_threads > 1)
		lkst_notes_add(&table->notes, "%u threads are drawn together.", c->nr_threads);
	if (!lkst_tally_chooses_threads(&w->options->which))
		lkst_notes_add(&table->notes,
			       "Threads are drawn that are asked for: --tid, --pid, --comm, --cgroup.");
	return table->error;
}

static const struct lkst_model_calls calls = { .interval = statechart_on_interval };

static int statechart_begin(struct lkst_analysis_state *w)
{
	struct chart *c = (struct chart *)w;
	u64 begin_ns, end_ns, from_ns, to_ns;
	int err;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, &from_ns, &to_ns);
	c->scale = lkst_timeline_scale(lkst_model_begin(w->state), end_ns < to_ns ? end_ns : to_ns);
	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : lkst_feed_has(w->feed, LKST_EV_sched_switch);
}

static void statechart_fini(struct lkst_analysis_state *w)
{
	free(((struct chart *)w)->seen);
}

const struct lkst_analysis lkst_analysis_chart = {
	.name = "chart",
	.heritage = "F04",
	.title = "States",
	.help = "what the threads that are asked for do, drawn along the time",
	.measures = "the state model's intervals (doc/states.md) of --tid, --comm or --cgroup",
	.events = "sched_*",
	.needs_state = true,
	.has_shares = true,
	.ignores = LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct chart),
	.begin = statechart_begin,
	.end = statechart_end,
	.fini = statechart_fini,
};
