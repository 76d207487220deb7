/* SPDX-License-Identifier: GPL-2.0-only */
/* What threads do with their time: run, wait for a CPU, or wait for something else. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

enum {
	KEY_READY = 0x100, /* bits of a key: why a thread is ready, what it is blocked on */
	KEY_CAUSE = 0x200,
	NUMBER_MASK = 0xff,
};

/* A life's time in each state. */
struct procstate_times {
	u64 ns[LKST_NR_RUNS];
	u64 nr_running; /* how often it was put on a CPU */
};

struct procstate {
	struct lkst_analysis_state work;
	struct procstate_times *times; /* by life */
	u32 nr_times;
};

static void procstate_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	u32 number = key & NUMBER_MASK;

	if (key & KEY_READY)
		snprintf(text, LKST_KEY_TEXT, "ready:%s", lkst_ready_names[number]);
	else if (key & KEY_CAUSE)
		snprintf(text, LKST_KEY_TEXT, "blocked:%s", lkst_cause_names[number]);
	else
		snprintf(text, LKST_KEY_TEXT, "%s", lkst_run_names[number]);
}

/* The times of life @nr; NULL: no memory. */
static struct procstate_times *times_of(struct procstate *p, u32 nr)
{
	return lkst_vec_reach(p->times, p->nr_times, nr);
}

static int procstate_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct procstate *p = ctx;
	struct lkst_tally *t = &p->work.tallies[0];
	struct procstate_times *times;
	u64 key = i->run, ns = i->to_ns - i->from_ns;
	u32 cpu = i->cpu < 0 ? 0 : (u32)i->cpu;
	int err;

	if (i->life->idle_cpu >= 0)
		return 0;
	if (t->has_filter && !lkst_tally_passes(t, i->life->tid, cpu))
		return 0;
	times = times_of(p, i->life->nr);
	if (!times)
		return -ENOMEM;
	times->ns[i->run] += ns;
	times->nr_running += i->run == LKST_RUN_RUNNING;
	if (i->run == LKST_RUN_UNKNOWN || i->run == LKST_RUN_DEAD)
		return 0;
	if (i->run == LKST_RUN_READY)
		key = KEY_READY | i->ready;
	else if (i->run == LKST_RUN_BLOCKED && i->wait)
		key = KEY_CAUSE | lkst_analysis_cause(&p->work, i);
	/*
	 * An interval that was not seen whole counts in the sums, but says nothing about how long
	 * such intervals are.
	 */
	if (!lkst_analysis_is_whole(t, i, key, &err))
		return err;
	return lkst_tally_add(t, key, ns, i->from_ns, i->life->tid, cpu);
}

static const struct lkst_column columns[] = {
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its last name" },
	{ "pid", "process", LKST_COLUMN_PID, "its process" },
	{ "running", "running", LKST_COLUMN_DURATION, "on a CPU" },
	{ "ready", "ready", LKST_COLUMN_DURATION, "waiting for a CPU" },
	{ "blocked", "blocked", LKST_COLUMN_DURATION, "waiting for something else" },
	{ "stopped", "stopped", LKST_COLUMN_DURATION, "by a signal or a debugger" },
	{ "unknown", "unknown", LKST_COLUMN_DURATION, "where nothing shows what, as in a gap" },
	{ "runs", "runs", LKST_COLUMN_COUNT, "how often it was put on a CPU" },
	{ "share", "of a CPU", LKST_COLUMN_PERCENT, "running, of the time that is known of it" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void procstate_put_row(struct lkst_table *table, const struct lkst_thread_life *life,
			      const struct procstate_times *times)
{
	const u64 *ns = times->ns;
	u64 known = ns[LKST_RUN_RUNNING] + ns[LKST_RUN_READY] + ns[LKST_RUN_BLOCKED] +
		    ns[LKST_RUN_STOPPED] + ns[LKST_RUN_NEW];

	lkst_table_row(table);
	lkst_table_s64(table, life->tid);
	lkst_table_text(table, life->comm, strnlen(life->comm, sizeof(life->comm)));
	if (life->pid)
		lkst_table_s64(table, life->pid);
	else
		lkst_table_none(table);
	lkst_table_u64(table, ns[LKST_RUN_RUNNING]);
	lkst_table_u64(table, ns[LKST_RUN_READY]);
	lkst_table_u64(table, ns[LKST_RUN_BLOCKED]);
	lkst_table_u64(table, ns[LKST_RUN_STOPPED]);
	lkst_table_u64(table, ns[LKST_RUN_UNKNOWN]);
	lkst_table_u64(table, times->nr_running);
	if (known)
		lkst_table_double(table, 100.0 * (double)ns[LKST_RUN_RUNNING] / (double)known);
	else
		lkst_table_none(table);
}

static int procstate_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct procstate *p = (struct procstate *)w;
	struct lkst_table *table;
	u32 nr;

	if (w->list)
		return 0;
	table = lkst_tables_add(set, "procstate_threads", "Process states: by thread", columns,
				NR_COLUMNS);
	if (!table)
		return -ENOMEM;
	for (nr = 0; nr < p->nr_times && nr < lkst_model_nr_lives(w->state); nr++) {
		const u64 *ns = p->times[nr].ns;

		/* Threads that are only known to exist are left out. */
		if (ns[LKST_RUN_RUNNING] || ns[LKST_RUN_READY] || ns[LKST_RUN_BLOCKED] ||
		    ns[LKST_RUN_STOPPED])
			procstate_put_row(table, lkst_model_life(w->state, nr), &p->times[nr]);
	}
	lkst_table_sort(table, (unsigned int)lkst_table_column(table, "running"), true);
	return table->error;
}

static const struct lkst_model_calls calls = { .interval = procstate_on_interval };

static int procstate_begin(struct lkst_analysis_state *w)
{
	int err;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "procstate",
							   .title = "Process states",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = procstate_put_key });
	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : lkst_feed_has(w->feed, LKST_EV_sched_switch);
}

static void procstate_fini(struct lkst_analysis_state *w)
{
	free(((struct procstate *)w)->times);
}

const struct lkst_analysis lkst_analysis_procstate = {
	.name = "procstate",
	.heritage = "H18",
	.title = "Process states",
	.help = "how long threads run, wait for a CPU, and are blocked, and on what",
	.measures = "the state model's intervals (doc/states.md), by state, and by thread",
	.events =
		"sched_* and for what they wait on, syscall_* page_fault_* contention_* block_rq_*",
	.needs_state = true,
	.rests_on_model = true,
	.at_most = "unknown",
	.size = sizeof(struct procstate),
	.begin = procstate_begin,
	.end = procstate_end,
	.fini = procstate_fini,
};
