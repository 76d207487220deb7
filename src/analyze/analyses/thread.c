/* SPDX-License-Identifier: GPL-2.0-only */
/* What each thread does with its time, and the worst that happened to it. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"

/* A thread's time. */
struct thread_times {
	u64 running_ns, ready_ns, blocked_ns, stopped_ns, unknown_ns;
	u64 ready_max_ns, ready_max_at_ns, blocked_max_ns, blocked_max_at_ns;
	u64 nr_waits, nr_preempted, nr_migrations;
	s32 last_cpu; /* plus 1, 0: none yet */
	u8 blocked_max_cause;
};

struct analyses_thread {
	struct lkst_analysis_state work;
	struct thread_times *times;
	u32 nr_times;
};

static void thread_add_ready(struct thread_times *t, const struct lkst_interval *i, u64 ns)
{
	t->ready_ns += ns;
	t->nr_preempted += i->ready == LKST_READY_PREEMPTED;
	if (ns > t->ready_max_ns && !lkst_analysis_is_inferred(i)) {
		t->ready_max_ns = ns;
		t->ready_max_at_ns = i->from_ns;
	}
}

static void add_blocked(struct thread_times *t, const struct lkst_interval *i, u64 ns)
{
	t->blocked_ns += ns;
	t->nr_waits++;
	if (ns > t->blocked_max_ns && !lkst_analysis_is_inferred(i)) {
		t->blocked_max_ns = ns;
		t->blocked_max_at_ns = i->from_ns;
		t->blocked_max_cause = i->wait->cause;
	}
}

static int thread_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct analyses_thread *th = ctx;
	struct thread_times *t = lkst_vec_reach(th->times, th->nr_times, i->life->nr);
	u64 ns = i->to_ns - i->from_ns;

	if (!t)
		return -ENOMEM;
	switch (i->run) {
	case LKST_RUN_RUNNING:
		t->running_ns += ns;
		t->nr_migrations += t->last_cpu && t->last_cpu != i->cpu + 1;
		t->last_cpu = i->cpu + 1;
		break;
	case LKST_RUN_READY:
		thread_add_ready(t, i, ns);
		break;
	case LKST_RUN_BLOCKED:
		add_blocked(t, i, ns);
		break;
	case LKST_RUN_STOPPED:
		t->stopped_ns += ns;
		break;
	case LKST_RUN_UNKNOWN:
		t->unknown_ns += ns;
		break;
	default:
		break;
	}
	return 0;
}

static const struct lkst_column columns[] = {
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its last name" },
	{ "pid", "process", LKST_COLUMN_PID, "its process" },
	{ "running", "running", LKST_COLUMN_DURATION, "on a CPU" },
	{ "share", "of a CPU", LKST_COLUMN_PERCENT, "running, of the time that the trace covers" },
	{ "ready", "ready", LKST_COLUMN_DURATION, "waiting for a CPU" },
	{ "blocked", "blocked", LKST_COLUMN_DURATION, "waiting for something else" },
	{ "waits", "waits", LKST_COLUMN_COUNT, "how often it waited for something" },
	{ "preempted", "preempted", LKST_COLUMN_COUNT, "how often a CPU was taken from it" },
	{ "migrations", "migrations", LKST_COLUMN_COUNT, "how often it came to another CPU" },
	{ "stopped", "stopped", LKST_COLUMN_DURATION, "by a signal or a debugger" },
	{ "unknown", "unknown", LKST_COLUMN_DURATION, "where nothing shows what, as in a gap" },
	{ "container", "container", LKST_COLUMN_TEXT, "the container or unit that its cgroup's path shows" },
	{ "cgroup", "cgroup", LKST_COLUMN_TEXT, "its last cgroup" },
	{ "uid", "user", LKST_COLUMN_NUMBER, "the user who runs its process" },
	{ "args", "arguments", LKST_COLUMN_TEXT, "those of its process's program; ... after what is cut" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static const struct lkst_column longest[] = {
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its last name" },
	{ "ready", "for a CPU", LKST_COLUMN_DURATION, "the longest time of waiting for a CPU" },
	{ "ready_at", "at", LKST_COLUMN_TIME, "when that began" },
	{ "blocked", "else", LKST_COLUMN_DURATION,
	  "the longest time of waiting for something else" },
	{ "blocked_at", "at", LKST_COLUMN_TIME, "when that began" },
	{ "blocked_on", "for", LKST_COLUMN_TEXT, "what it waited for" },
};
enum { NR_LONGEST = sizeof(longest) / sizeof(longest[0]) };

static void thread_put_who(struct lkst_table *table, const struct lkst_thread_life *life)
{
	lkst_table_row(table);
	lkst_table_s64(table, life->tid);
	lkst_table_text(table, life->comm, strnlen(life->comm, sizeof(life->comm)));
}

static void thread_put_row(struct lkst_table *table, const struct lkst_thread_life *life,
			   const struct thread_times *t, u64 window_ns)
{
	thread_put_who(table, life);
	if (life->pid)
		lkst_table_s64(table, life->pid);
	else
		lkst_table_none(table);
	lkst_table_u64(table, t->running_ns);
	if (window_ns)
		lkst_table_double(table, 100.0 * (double)t->running_ns / (double)window_ns);
	else
		lkst_table_none(table);
	lkst_table_u64(table, t->ready_ns);
	lkst_table_u64(table, t->blocked_ns);
	lkst_table_u64(table, t->nr_waits);
	lkst_table_u64(table, t->nr_preempted);
	lkst_table_u64(table, t->nr_migrations);
	lkst_table_u64(table, t->stopped_ns);
	lkst_table_u64(table, t->unknown_ns);
}

static void thread_put_command(struct lkst_table *table, const struct lkst_command_line *command)
{
	char text[LKST_COMMAND_LINE_TEXT];

	if (command)
		lkst_table_s64(table, command->uid);
	else
		lkst_table_none(table);
	if (command && command->length)
		lkst_table_str(table, lkst_command_line_text(command, text));
	else
		lkst_table_none(table);
}

/* A duration and when it was; nothing if it never was. */
static void thread_put_moment(struct lkst_table *table, u64 ns, u64 at_ns)
{
	if (ns) {
		lkst_table_u64(table, ns);
		lkst_table_u64(table, at_ns);
	} else {
		lkst_table_none(table);
		lkst_table_none(table);
	}
}

static void put_longest(struct lkst_table *table, const struct lkst_thread_life *life,
			const struct thread_times *t)
{
	thread_put_who(table, life);
	thread_put_moment(table, t->ready_max_ns, t->ready_max_at_ns);
	thread_put_moment(table, t->blocked_max_ns, t->blocked_max_at_ns);
	if (t->blocked_max_ns)
		lkst_table_str(table, lkst_cause_names[t->blocked_max_cause]);
	else
		lkst_table_none(table);
}

static bool thread_is_wanted(const struct lkst_analysis_state *w, const struct lkst_thread_life *life,
			     const struct thread_times *t)
{
	/* Threads that are only known to exist are left out. */
	return t && (t->running_ns || t->ready_ns || t->nr_waits || t->stopped_ns) &&
	       lkst_analysis_chooses_life(w, life);
}

static u64 thread_window_of(const struct lkst_analysis_state *w)
{
	u64 begin_ns, end_ns, from_ns, to_ns;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, &from_ns, &to_ns);
	begin_ns = lkst_model_begin(w->state);
	end_ns = to_ns < end_ns ? to_ns : end_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static int thread_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct analyses_thread *th = (const struct analyses_thread *)w;
	struct lkst_table *table, *worst;
	u64 window_ns = thread_window_of(w);
	u32 nr;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	table = lkst_tables_add(set, "thread", "Threads", columns, NR_COLUMNS);
	worst = lkst_tables_add(set, "thread_longest", "Threads: the longest waits", longest,
				NR_LONGEST);
	if (!table || !worst)
		return -ENOMEM;
	for (nr = 0; nr < lkst_model_nr_lives(w->state); nr++) {
		const struct lkst_thread_life *life = lkst_model_life(w->state, nr);
		const struct thread_times *t = nr < th->nr_times ? &th->times[nr] : NULL;

		if (!thread_is_wanted(w, life, t))
			continue;
		thread_put_row(table, life, t, window_ns);
		lkst_analysis_put_cgroup(w, table, lkst_model_cgroup(w->state, life));
		thread_put_command(table, lkst_model_command(w->state, life));
		put_longest(worst, life, t);
	}
	lkst_table_sort(table, (unsigned int)lkst_table_column(table, "running"), true);
	lkst_table_sort(worst, (unsigned int)lkst_table_column(worst, "ready"), true);
	return table->error ? table->error : worst->error;
}

static const struct lkst_model_calls calls = { .interval = thread_on_interval };

static int thread_begin(struct lkst_analysis_state *w)
{
	int err;

	err = lkst_model_subscribe(w->state, &calls, w);
	return err < 0 ? err : lkst_feed_has(w->feed, LKST_EV_sched_switch);
}

static void thread_fini(struct lkst_analysis_state *w)
{
	free(((struct analyses_thread *)w)->times);
}

const struct lkst_analysis lkst_analysis_thread = {
	.name = "thread",
	.heritage = "F03",
	.title = "Threads",
	.help = "how long each thread runs and waits, and its longest waits",
	.measures = "the state model's intervals (doc/states.md), by thread",
	.events =
		"sched_* and for what they wait on, syscall_* page_fault_* contention_* block_rq_*",
	.needs_state = true,
	.rests_on_model = true,
	.exact = "share",
	.at_most = "unknown",
	.ignores = LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct analyses_thread),
	.begin = thread_begin,
	.end = thread_end,
	.fini = thread_fini,
};
