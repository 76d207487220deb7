// SPDX-License-Identifier: GPL-2.0-only
/* A look of `lkst top` as tables. */
#include "cmd/top/top_tables.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define ADD(set, name, title, columns)                                                             \
	lkst_tables_add(set, name, title, columns, sizeof(columns) / sizeof((columns)[0]))

bool lkst_top_is_own(const struct lkst_thread_figures *t)
{
	return t->pid == getpid();
}

double lkst_top_percent(u64 ns, u64 of_ns)
{
	return of_ns ? 100.0 * (double)ns / (double)of_ns : 0;
}

const char *lkst_top_container(const struct lkst_figures *f, const struct lkst_thread_figures *t)
{
	return f->known ? lkst_cgroups_container(lkst_threads_cgroups(f->known), t->cgroup) : "";
}

/* A share, and the time itself, which only programs get. */
static void top_tables_put_share(struct lkst_table *t, u64 ns, u64 of_ns)
{
	lkst_table_double(t, lkst_top_percent(ns, of_ns));
	lkst_table_u64(t, ns);
}

/* ---- what was not recorded all the time ------------------------------------------------------ */

static bool top_tables_is_limited(const struct lkst_figures *f, enum lkst_figures_part part)
{
	return f->limited[part][0] != '\0';
}

/* The number that was put last may be more; where none of it was recorded, it is not known. */
static void put_least(struct lkst_table *t, const struct lkst_figures *f, enum lkst_figures_part part, u64 value)
{
	if (top_tables_is_limited(f, part) && !value) {
		lkst_table_none(t);
		return;
	}
	lkst_table_u64(t, value);
	if (top_tables_is_limited(f, part))
		lkst_table_at_least(t);
}

static void put_least_share(struct lkst_table *t, const struct lkst_figures *f, enum lkst_figures_part part, u64 ns,
			    u64 of_ns)
{
	if (top_tables_is_limited(f, part) && !ns) {
		lkst_table_none(t);
		lkst_table_none(t);
		return;
	}
	lkst_table_double(t, lkst_top_percent(ns, of_ns));
	if (top_tables_is_limited(f, part))
		lkst_table_at_least(t);
	lkst_table_u64(t, ns);
}

/* Says of a table what it lacks. */
static void top_tables_note_limited(struct lkst_table *t, const struct lkst_figures *f, enum lkst_figures_part part)
{
	if (!top_tables_is_limited(f, part))
		return;
	t->is_at_least = true;
	lkst_notes_add(&t->notes, "Not all was recorded, to keep to the cost limit: %s.", f->limited[part]);
}

/* ---- the window and the recording ----------------------------------------------------------- */

static const struct lkst_column window_columns[] = {
	{ "from", "from", LKST_COLUMN_TIME, "when it begins" },
	{ "to", "to", LKST_COLUMN_TIME, "when it ends" },
	{ "time", "time", LKST_COLUMN_DURATION, "how long that is" },
	{ "records", "records", LKST_COLUMN_COUNT, "that were made in it" },
	{ "gaps", "gaps", LKST_COLUMN_COUNT, "places where records are missing" },
	{ "threads", "threads", LKST_COLUMN_COUNT, "that there were" },
};

static int put_window(const struct lkst_figures *f, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "window", "Window", window_columns);

	if (!t)
		return -ENOMEM;
	lkst_table_row(t);
	lkst_table_u64(t, f->from_ns);
	lkst_table_u64(t, f->to_ns);
	lkst_table_u64(t, f->to_ns > f->from_ns ? f->to_ns - f->from_ns : 0);
	lkst_table_u64(t, f->records);
	lkst_table_u64(t, f->gaps);
	lkst_table_u64(t, f->nr_threads);
	top_tables_note_limited(t, f, LKST_FIGURES_ANY);
	return t->error;
}

static const struct lkst_column recording_columns[] = {
	{ "cost", "cost", LKST_COLUMN_PERCENT, "what recording costs, of all CPUs' time" },
	{ "busiest", "on the worst CPU", LKST_COLUMN_PERCENT,
	  "the same of the CPU where it is most" },
	{ "history", "history", LKST_COLUMN_DURATION, "how long main holds records" },
	{ "limit", "limit", LKST_COLUMN_PERCENT, "the cost limit, of each CPU's time" },
	{ "left_out", "left out", LKST_COLUMN_COUNT, "kinds of events that are, to keep to it" },
	{ "lost", "lost", LKST_COLUMN_COUNT, "records that were lost since the look before" },
	{ "own", "lkst top", LKST_COLUMN_PERCENT, "of a CPU: what this command costs itself" },
};

static int top_tables_put_recording(const struct lkst_top_look *look, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "recording", "Recording", recording_columns);
	const struct lkst_top_recording *r = &look->recording;

	if (!t)
		return -ENOMEM;
	lkst_table_row(t);
	if (r->is_known) {
		lkst_table_double(t, r->cost.us_per_second / 1e4 / (r->cost.nr_cpus ?: 1));
		lkst_table_double(t, r->cost.busiest_share * 100);
		lkst_table_u64(t, (u64)(r->history_s * 1e9));
		if (r->limit_ppm)
			lkst_table_double(t, r->limit_ppm / 1e4);
		else
			lkst_table_none(t);
		lkst_table_u64(t, r->nr_shed);
	} else {
		unsigned int i;

		for (i = 0; i < 5; i++)
			lkst_table_none(t);
	}
	if (look->has_lost)
		lkst_table_u64(t, look->lost);
	else
		lkst_table_none(t);
	if (look->has_own)
		lkst_table_double(t, look->own_share * 100);
	else
		lkst_table_none(t);
	return t->error;
}

/* ---- CPUs, interrupts, disks ---------------------------------------------------------------- */

static const struct lkst_column cpu_columns[] = {
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "threads", "threads", LKST_COLUMN_PERCENT, "running threads" },
	{ "threads", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "irq", "interrupts", LKST_COLUMN_PERCENT, "in interrupts" },
	{ "irq", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "softirq", "softirqs", LKST_COLUMN_PERCENT, "in softirqs" },
	{ "softirq", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "idle", "idle", LKST_COLUMN_PERCENT, "doing nothing" },
	{ "idle", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "unknown", "unknown", LKST_COLUMN_PERCENT, "where nothing shows what" },
	{ "unknown", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "cost", "recording", LKST_COLUMN_PERCENT, "what recording costs, of that" },
};

static int put_cpus(const struct lkst_top_look *look, u64 ns, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "cpus", "CPUs", cpu_columns);
	const struct lkst_cost *cost = &look->recording.cost;
	const struct lkst_figures *f = look->figures;
	u32 i;

	if (!t)
		return -ENOMEM;
	top_tables_note_limited(t, f, LKST_FIGURES_IRQS);
	for (i = 0; i < f->nr_cpus; i++) {
		const struct lkst_cpu_figures *c = &f->cpus[i];

		if (!(c->threads_ns + c->irq_ns + c->softirq_ns + c->idle_ns + c->unknown_ns))
			continue;
		lkst_table_row(t);
		lkst_table_s64(t, i);
		top_tables_put_share(t, c->threads_ns, ns);
		put_least_share(t, f, LKST_FIGURES_HARD, c->irq_ns, ns);
		put_least_share(t, f, LKST_FIGURES_SOFT, c->softirq_ns, ns);
		top_tables_put_share(t, c->idle_ns, ns);
		top_tables_put_share(t, c->unknown_ns, ns);
		if (look->recording.is_known && i < cost->nr_cpus)
			lkst_table_double(t, cost->cpu_shares[i] * 100);
		else
			lkst_table_none(t);
	}
	return t->error;
}

static const struct lkst_column irq_columns[] = {
	{ "name", "interrupt", LKST_COLUMN_TEXT, "the interrupt, softirq or timer" },
	{ "count", "count", LKST_COLUMN_COUNT, "how many" },
	{ "time", "time", LKST_COLUMN_DURATION, "how long, less what interrupted them" },
	{ "share", "of a CPU", LKST_COLUMN_PERCENT, "the same as share" },
	{ "worst", "longest", LKST_COLUMN_DURATION, "the longest one" },
	{ "partial", NULL, LKST_COLUMN_COUNT, "more, whose begin or end is not in the window" },
};

static int put_irqs(const struct lkst_figures *f, u64 ns, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "irqs", "Interrupts", irq_columns);
	u32 i;

	if (!t)
		return -ENOMEM;
	top_tables_note_limited(t, f, LKST_FIGURES_IRQS);
	for (i = 0; i < f->nr_irqs; i++) {
		const struct lkst_irq_figures *q = &f->irqs[i];

		lkst_table_row(t);
		lkst_table_str(t, q->name);
		put_least(t, f, LKST_FIGURES_IRQS, q->count);
		put_least(t, f, LKST_FIGURES_IRQS, q->ns);
		lkst_table_double(t, lkst_top_percent(q->ns, ns));
		put_least(t, f, LKST_FIGURES_IRQS, q->worst_ns);
		lkst_table_u64(t, q->nr_partial);
	}
	return t->error;
}

static const struct lkst_column disk_columns[] = {
	{ "disk", "disk", LKST_COLUMN_TEXT, "the disk" },
	{ "requests", "requests", LKST_COLUMN_COUNT, "that were done" },
	{ "bytes", "bytes", LKST_COLUMN_BYTES, "of them" },
	{ "in_flight", "in flight", LKST_COLUMN_COUNT, "that are not done at the end" },
	{ "mean", "mean", LKST_COLUMN_DURATION, "how long one took" },
	{ "worst", "worst", LKST_COLUMN_DURATION, "how long the slowest took" },
	{ "no_begin", NULL, LKST_COLUMN_COUNT, "more, of which the begin is not known" },
};

static int top_tables_put_disks(const struct lkst_figures *f, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "disks", "Disks", disk_columns);
	u32 i;

	if (!t)
		return -ENOMEM;
	top_tables_note_limited(t, f, LKST_FIGURES_DISKS);
	for (i = 0; i < f->nr_disks; i++) {
		const struct lkst_disk_figures *d = &f->disks[i];

		lkst_table_row(t);
		lkst_table_str(t, d->name);
		put_least(t, f, LKST_FIGURES_DISKS, d->requests);
		put_least(t, f, LKST_FIGURES_DISKS, d->bytes);
		if (top_tables_is_limited(f, LKST_FIGURES_DISKS))
			lkst_table_none(t);
		else
			lkst_table_u64(t, d->in_flight);
		if (d->requests)
			lkst_table_u64(t, d->sum_ns / d->requests);
		else
			lkst_table_none(t);
		if (d->requests)
			put_least(t, f, LKST_FIGURES_DISKS, d->worst_ns);
		else
			lkst_table_none(t);
		lkst_table_u64(t, d->no_begin);
	}
	return t->error;
}

/* ---- threads -------------------------------------------------------------------------------- */

static const struct lkst_column thread_columns[] = {
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "pid", "process", LKST_COLUMN_PID, "its process" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its name" },
	{ NULL, "+", LKST_COLUMN_TEXT, "a thread of lkst top itself" },
	{ "own", NULL, LKST_COLUMN_FLAG, "a thread of lkst top itself" },
	{ "kernel", NULL, LKST_COLUMN_FLAG, "a kernel thread" },
	{ "threads", NULL, LKST_COLUMN_COUNT, "of a process: how many" },
	{ "cpu", "CPU", LKST_COLUMN_CPU, "where it ran last" },
	{ "running", "running", LKST_COLUMN_PERCENT, "on a CPU" },
	{ "running", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "ready", "ready", LKST_COLUMN_PERCENT, "waiting for a CPU" },
	{ "ready", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "disk", "disk", LKST_COLUMN_PERCENT, "blocked, for a disk" },
	{ "disk", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "lock", "lock", LKST_COLUMN_PERCENT, "blocked, for a lock or futex" },
	{ "lock", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "sleep", "sleep", LKST_COLUMN_PERCENT, "blocked, for a time" },
	{ "sleep", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "other", "other", LKST_COLUMN_PERCENT, "blocked, for anything else, or stopped" },
	{ "other", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "unknown", "unknown", LKST_COLUMN_PERCENT, "where nothing shows what it did" },
	{ "unknown", NULL, LKST_COLUMN_DURATION, "the same as time" },
	{ "worst_ready", "worst ready", LKST_COLUMN_DURATION,
	  "the longest time of waiting for a CPU" },
	{ "runs", NULL, LKST_COLUMN_COUNT, "how often it came to a CPU" },
	{ "state", "now", LKST_COLUMN_TEXT, "what it does at the end" },
	{ "blocked_on", "blocked on", LKST_COLUMN_TEXT, "what it was blocked on longest" },
	{ "container", "container", LKST_COLUMN_TEXT, "the container or unit that its cgroup's path shows" },
	{ "cgroup", NULL, LKST_COLUMN_TEXT, "its cgroup" },
};

static void top_tables_put_cgroup(struct lkst_table *table, const struct lkst_figures *f,
				  const struct lkst_thread_figures *t)
{
	const struct lkst_cgroups *cgroups = f->known ? lkst_threads_cgroups(f->known) : NULL;
	const char *container = lkst_top_container(f, t);
	char text[LKST_CGROUP_TEXT];

	if (container[0])
		lkst_table_str(table, container);
	else
		lkst_table_none(table);
	if (cgroups && t->cgroup)
		lkst_table_str(table, lkst_cgroups_text(cgroups, t->cgroup, text));
	else
		lkst_table_none(table);
}

static void top_tables_put_thread(struct lkst_table *table, const struct lkst_figures *f,
				  const struct lkst_thread_figures *t, u64 ns)
{
	static const u8 shares[] = { LKST_TOP_RUNNING, LKST_TOP_READY, LKST_TOP_DISK,
				     LKST_TOP_LOCK,    LKST_TOP_SLEEP, LKST_TOP_OTHER,
				     LKST_TOP_UNKNOWN };
	unsigned int cause = lkst_figures_longest_cause(t), i;

	lkst_table_row(table);
	lkst_table_s64(table, t->tid);
	if (t->pid)
		lkst_table_s64(table, t->pid);
	else
		lkst_table_none(table);
	lkst_table_text(table, t->comm, strnlen(t->comm, sizeof(t->comm)));
	lkst_table_str(table, lkst_top_is_own(t) ? "+" : "");
	lkst_table_bool(table, lkst_top_is_own(t));
	lkst_table_bool(table, t->is_kernel);
	lkst_table_u64(table, (u64)t->nr_threads);
	if (t->cpu >= 0)
		lkst_table_s64(table, t->cpu);
	else
		lkst_table_none(table);
	for (i = 0; i < sizeof(shares); i++) {
		const u64 share_ns = lkst_top_time(t, shares[i]);

		if (shares[i] == LKST_TOP_DISK || shares[i] == LKST_TOP_LOCK)
			put_least_share(table, f, shares[i] == LKST_TOP_DISK ? LKST_FIGURES_DISKS : LKST_FIGURES_LOCKS,
					share_ns, ns);
		else
			top_tables_put_share(table, share_ns, ns);
	}
	lkst_table_u64(table, t->ready_max_ns);
	lkst_table_u64(table, t->nr_runs);
	lkst_table_str(table, lkst_run_names[t->run]);
	if (cause < LKST_NR_CAUSES)
		lkst_table_str(table, lkst_cause_names[cause]);
	else
		lkst_table_none(table);
	top_tables_put_cgroup(table, f, t);
}

static int top_tables_put_threads(const struct lkst_figures *f, const struct lkst_top_rows *rows, u64 ns,
				  struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "threads", "Threads", thread_columns);
	u32 i;

	if (!t)
		return -ENOMEM;
	top_tables_note_limited(t, f, LKST_FIGURES_DISKS);
	top_tables_note_limited(t, f, LKST_FIGURES_LOCKS);
	for (i = 0; i < rows->nr; i++)
		top_tables_put_thread(t, f, &rows->list[i], ns);
	return t->error;
}

/* ---- sentences ------------------------------------------------------------------------------ */

static const struct lkst_column worst_columns[] = {
	{ "tid", NULL, LKST_COLUMN_TID, "the thread" },
	{ "from", NULL, LKST_COLUMN_TIME, "when the call began" },
	{ "time", NULL, LKST_COLUMN_DURATION, "how long it took" },
	{ "why", "the longest wait in a system call that does not wait by design", LKST_COLUMN_TEXT,
	  "why, as `lkst why` says it" },
};

static int put_worst(const struct lkst_top_look *look, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "worst", "Worst wait", worst_columns);
	const struct lkst_worst *w = &look->figures->worst;

	if (!t)
		return -ENOMEM;
	top_tables_note_limited(t, look->figures, LKST_FIGURES_CALLS);
	if (!look->worst[0])
		return 0;
	lkst_table_row(t);
	lkst_table_s64(t, w->tid);
	lkst_table_u64(t, w->from_ns);
	lkst_table_u64(t, w->to_ns - w->from_ns);
	lkst_table_str(t, look->worst);
	return t->error;
}

static const struct lkst_column found_columns[] = {
	{ "text", "what stands out", LKST_COLUMN_TEXT,
	  "the worst of each kind that lkst report finds" },
};

static int put_found(const struct lkst_top_look *look, struct lkst_tables *set)
{
	struct lkst_table *t = ADD(set, "stands_out", "What stands out", found_columns);

	if (!t)
		return -ENOMEM;
	top_tables_note_limited(t, look->figures, LKST_FIGURES_ANY);
	if (look->stands_out[0]) {
		lkst_table_row(t);
		lkst_table_str(t, look->stands_out);
	}
	return t->error;
}

int lkst_top_tables(const struct lkst_top_look *look, const struct lkst_top_rows *rows,
		    struct lkst_tables *set)
{
	const struct lkst_figures *f = look->figures;
	u64 ns = f->to_ns > f->from_ns ? f->to_ns - f->from_ns : 0;

	return put_window(f, set) ?: top_tables_put_recording(look, set) ?: put_cpus(look, ns, set)
	       ?: top_tables_put_threads(f, rows, ns, set) ?: put_irqs(f, ns, set) ?: top_tables_put_disks(f, set)
	       ?: put_worst(look, set)
	       ?: put_found(look, set);
}
