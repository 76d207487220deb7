// SPDX-License-Identifier: GPL-2.0-only
/* Chooses, adds up and sorts the rows of `lkst top`. */
#include "cmd/top/top_rows.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const struct lkst_choice columns[] = {
	[LKST_TOP_TID] = { "tid", "the thread's number" },
	[LKST_TOP_PID] = { "pid", "the process's number" },
	[LKST_TOP_CPU] = { "cpu", "the CPU where it ran last" },
	[LKST_TOP_RUNNING] = { "running", "time on a CPU" },
	[LKST_TOP_READY] = { "ready", "time ready, waiting for a CPU" },
	[LKST_TOP_DISK] = { "disk", "time blocked, for a disk" },
	[LKST_TOP_LOCK] = { "lock", "time blocked, for a lock or futex" },
	[LKST_TOP_SLEEP] = { "sleep", "time blocked, for a time" },
	[LKST_TOP_OTHER] = { "other", "time blocked, for anything else" },
	[LKST_TOP_UNKNOWN] = { "unknown", "time of which nothing shows what it did" },
	[LKST_TOP_NAME] = { "name", "its name" },
	[LKST_TOP_WORST_READY] = { "worst", "the longest single time ready" },
};

bool lkst_top_column_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i < LKST_NR_TOP_COLUMNS)
		*ret_choice = columns[i];
	return i < LKST_NR_TOP_COLUMNS;
}

u64 lkst_top_time(const struct lkst_thread_figures *t, enum lkst_top_column column)
{
	switch (column) {
	case LKST_TOP_RUNNING:
		return t->running_ns;
	case LKST_TOP_READY:
		return t->ready_ns;
	case LKST_TOP_DISK:
		return lkst_figures_blocked(t, LKST_BLOCKED_DISK);
	case LKST_TOP_LOCK:
		return lkst_figures_blocked(t, LKST_BLOCKED_LOCK);
	case LKST_TOP_SLEEP:
		return lkst_figures_blocked(t, LKST_BLOCKED_SLEEP);
	case LKST_TOP_OTHER:
		return lkst_figures_blocked(t, LKST_BLOCKED_OTHER) + t->stopped_ns;
	case LKST_TOP_UNKNOWN:
		return t->unknown_ns;
	case LKST_TOP_WORST_READY:
		return t->ready_max_ns;
	default:
		return 0;
	}
}

/* ---- choosing ------------------------------------------------------------------------------- */

static bool top_rows_has_name(const struct lkst_thread_figures *t, const char *name)
{
	char comm[sizeof(t->comm) + 1] = "";

	if (!name || !*name)
		return true;
	memcpy(comm, t->comm, sizeof(t->comm));
	return strpbrk(name, "*?[") ? !fnmatch(name, comm, 0) : strcasestr(comm, name) != NULL;
}

static bool has_cgroup(const struct lkst_figures *f, const struct lkst_thread_figures *t, const char *glob)
{
	return !glob || (f->known && lkst_cgroups_match(lkst_threads_cgroups(f->known), t->cgroup, glob));
}

/* A thread whose process is not known stands for itself. */
static s32 top_rows_process_of(const struct lkst_thread_figures *t)
{
	return t->pid ? t->pid : t->tid;
}

static int top_rows_by_process(const void *a, const void *b)
{
	const struct lkst_thread_figures *x = a, *y = b;
	s32 p = top_rows_process_of(x), q = top_rows_process_of(y);

	if (p != q)
		return (p > q) - (p < q);
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Adds thread @t to the row of its process. A process does what the busiest of its threads does. */
static void top_rows_add(struct lkst_thread_figures *row, const struct lkst_thread_figures *t)
{
	static const u8 rank[LKST_NR_RUNS] = {
		[LKST_RUN_RUNNING] = 6, [LKST_RUN_READY] = 5, [LKST_RUN_BLOCKED] = 4,
		[LKST_RUN_STOPPED] = 3, [LKST_RUN_NEW] = 2,   [LKST_RUN_UNKNOWN] = 1
	};
	unsigned int i;

	/* Its name is that of the thread whose number it has. */
	if (t->tid == top_rows_process_of(t))
		memcpy(row->comm, t->comm, sizeof(row->comm));
	if (t->running_ns > row->running_ns)
		row->cpu = t->cpu;
	if (rank[t->run % LKST_NR_RUNS] > rank[row->run % LKST_NR_RUNS]) {
		row->run = t->run;
		row->cause = t->cause;
	}
	row->running_ns += t->running_ns;
	row->ready_ns += t->ready_ns;
	row->stopped_ns += t->stopped_ns;
	row->unknown_ns += t->unknown_ns;
	row->nr_runs += t->nr_runs;
	row->nr_threads += t->nr_threads;
	row->is_over &= t->is_over;
	if (t->ready_max_ns > row->ready_max_ns)
		row->ready_max_ns = t->ready_max_ns;
	for (i = 0; i < LKST_NR_CAUSES; i++)
		row->blocked_ns[i] += t->blocked_ns[i];
}

static void join_processes(struct lkst_top_rows *rows)
{
	u32 nr = 0, i;

	if (!rows->nr)
		return;
	qsort(rows->list, rows->nr, sizeof(*rows->list), top_rows_by_process);
	for (i = 0; i < rows->nr; i++) {
		struct lkst_thread_figures *last = nr ? &rows->list[nr - 1] : NULL;

		if (last && last->tid == top_rows_process_of(&rows->list[i])) {
			top_rows_add(last, &rows->list[i]);
			continue;
		}
		rows->list[nr] = rows->list[i];
		rows->list[nr].tid = rows->list[nr].pid = top_rows_process_of(&rows->list[i]);
		nr++;
	}
	rows->nr = nr;
}

/* ---- sorting -------------------------------------------------------------------------------- */

static int top_rows_order(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

/* Shares from the greatest, numbers and names from the least; what is equal, by thread. */
static int top_rows_compare(const void *a, const void *b, void *ctx)
{
	const struct lkst_thread_figures *x = a, *y = b;
	const struct lkst_top_wish *wish = ctx;
	int sign = wish->is_reversed ? -1 : 1, r;

	switch (wish->sort) {
	case LKST_TOP_TID:
		r = 0;
		break;
	case LKST_TOP_PID:
		r = (x->pid > y->pid) - (x->pid < y->pid);
		break;
	case LKST_TOP_CPU:
		r = (x->cpu > y->cpu) - (x->cpu < y->cpu);
		break;
	case LKST_TOP_NAME:
		r = strncmp(x->comm, y->comm, sizeof(x->comm));
		break;
	default:
		r = top_rows_order(lkst_top_time(y, wish->sort), lkst_top_time(x, wish->sort));
		/* Where nobody has any, those who did something come first. */
		r = r ?: top_rows_order(y->running_ns, x->running_ns);
	}
	if (r || wish->sort != LKST_TOP_TID)
		return r ? sign * r : (x->tid > y->tid) - (x->tid < y->tid);
	return sign * ((x->tid > y->tid) - (x->tid < y->tid));
}

int lkst_top_rows_make(const struct lkst_figures *f, const struct lkst_top_wish *wish,
		       struct lkst_top_rows *ret_rows)
{
	struct lkst_top_rows rows = { calloc(f->nr_threads + 1, sizeof(*rows.list)), 0 };
	u32 nr = 0, i;

	if (!rows.list)
		return -ENOMEM;
	for (i = 0; i < f->nr_threads; i++)
		if ((!wish->pid || top_rows_process_of(&f->threads[i]) == wish->pid) &&
		    has_cgroup(f, &f->threads[i], wish->cgroup))
			rows.list[rows.nr++] = f->threads[i];
	if (wish->is_by_process)
		join_processes(&rows);
	for (i = 0; i < rows.nr; i++)
		if (top_rows_has_name(&rows.list[i], wish->name))
			rows.list[nr++] = rows.list[i];
	rows.nr = nr;
	if (nr)
		qsort_r(rows.list, nr, sizeof(*rows.list), top_rows_compare, (void *)wish);
	*ret_rows = rows;
	return 0;
}

void lkst_top_rows_fini(struct lkst_top_rows *rows)
{
	free(rows->list);
	*rows = (struct lkst_top_rows){};
}
