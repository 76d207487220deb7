/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace at first sight: what the machine did, and what stands out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "analyze/analyses/meanwhile.h"
#include "analyze/engine/labels.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/known/call_result.h"

enum {
	WORST = 3,	   /* of each kind that stand out */
	BUSY_PERCENT = 90, /* a CPU that stands out */
	TEXT = 160,
	STATE_INTERRUPTIBLE = 1, /* TASK_INTERRUPTIBLE, include/linux/sched.h */
	MOST_PERCENT = 50,	 /* of a wait: what the CPU did meanwhile is said */
};

/* What may stand out. */
enum wait_kind {
	KIND_READY,
	KIND_CALL,
	KIND_FAULT,
	KIND_IO,
	KIND_IRQ,
	KIND_LOCK,
	NR_KINDS,
};

static const struct {
	const char *what;
	u64 least_ns; /* less is not worth mentioning */
} kinds[] = {
	[KIND_READY] = { "waited for a CPU", 1000000 },
	[KIND_CALL] = { "blocked in a system call", 10000000 },
	[KIND_FAULT] = { "blocked in a page fault", 1000000 },
	[KIND_IO] = { "waited for a disk", 10000000 },
	[KIND_IRQ] = { "interrupts kept the CPU", 1000000 },
	[KIND_LOCK] = { "waited for a kernel lock", 1000000 },
};

/* One of the worst. */
struct worst {
	u64 ns, at_ns;
	u32 life; /* LKST_LIFE_NONE: not a thread's */
	u32 cpu;
	char text[TEXT];
};

struct summary {
	struct lkst_analysis_state work;
	struct lkst_labels disks;
	u64 nr_switches, nr_wakeups, nr_calls, nr_failed, nr_faults, nr_requests, request_bytes;
	u64 nr_sent, nr_received, nr_forks, nr_ends, nr_frames, nr_gaps;
	struct lkst_meanwhile meanwhile; /* what each CPU did, too */
	u8 *seen; /* by life: 1: it ran */
	u32 nr_seen;
	u64 nr_ran;
	struct worst worst[NR_KINDS][WORST];
	struct lkst_notes conditions; /* events that were recorded only in part */
};

/* ---- events that masksets recorded only in part (doc/masksets.md) ---------------------------- */

enum { ROW_SHOWN = 160 };

static int on_condition(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_condition *condition = record;
	char text[4 * ROW_SHOWN + 1];
	const u8 *row;
	u32 length;

	if (r->event->nr_fields < 2)
		return 0;
	row = lkst_record_field(r, 1, &length);
	if (length > ROW_SHOWN)
		length = ROW_SHOWN;
	*lkst_put_escaped(text, (const char *)row, length, "") = 0;
	lkst_notes_add(ctx,
		       "Only in part recorded, by maskset %llu: %s; nothing here counts the rest.",
		       (unsigned long long)condition->maskset, text);
	return 0;
}

/* Has @f add a sentence to @notes for each such row, whatever the window. @notes must stay. 0 or -ENOMEM. */
static int conditions_subscribe(struct lkst_notes *notes, struct lkst_feed *f)
{
	int r = lkst_feed_event(f, LKST_EV_state_condition, on_condition, notes);

	return r < 0 ? r : 0;
}

/* ---- the worst -------------------------------------------------------------------- */

/* Whether @ns is among the worst so far, and if so, at which place: the rest moves down. */
static struct worst *worst_slot(struct summary *s, enum wait_kind kind, u64 ns)
{
	struct worst *w = s->worst[kind];
	unsigned int i = WORST;

	if (ns < kinds[kind].least_ns || ns <= w[WORST - 1].ns)
		return NULL;
	while (i && ns > w[i - 1].ns)
		i--;
	memmove(&w[i + 1], &w[i], (WORST - 1 - i) * sizeof(*w));
	w[i] = (struct worst){ .ns = ns };
	return &w[i];
}

/* "read(fd 5)" */
static void summary_put_call(char text[TEXT], const struct lkst_wait *w)
{
	const char *name = w->call.row >= 0 ? lkst_syscalls[w->call.row].name : "a system call";

	if (w->fd >= 0)
		snprintf(text, TEXT, "in %s on file descriptor %d", name, w->fd);
	else
		snprintf(text, TEXT, "in %s", name);
}

/*
 * Waiting that is a program's own choice says nothing, however long it is. What can be interrupted in a
 * read or write is waiting for a pipe, a terminal or the like, not for a disk.
 */
static bool summary_is_chosen(const struct lkst_wait *wait)
{
	u8 cause = wait->cause;

	return (cause == LKST_CAUSE_FILE && wait->task_state & STATE_INTERRUPTIBLE) ||
	       cause == LKST_CAUSE_POLL || cause == LKST_CAUSE_SLEEP || cause == LKST_CAUSE_FUTEX ||
	       cause == LKST_CAUSE_CHILD || cause == LKST_CAUSE_SIGNAL ||
	       cause == LKST_CAUSE_SOCKET || cause == LKST_CAUSE_IPC;
}

static void take_blocked(struct summary *s, const struct lkst_interval *i, u64 ns)
{
	const struct lkst_wait *wait = i->wait;
	enum wait_kind kind = wait->cause == LKST_CAUSE_IO	   ? KIND_IO
			 : wait->cause == LKST_CAUSE_FAULT ? KIND_FAULT
			 : wait->cause == LKST_CAUSE_LOCK  ? KIND_LOCK
							   : KIND_CALL;
	const char *disk;
	struct worst *w;

	if (lkst_analysis_is_inferred(i) || summary_is_chosen(wait) || (kind == KIND_CALL && wait->call.row < 0))
		return;
	w = worst_slot(s, kind, ns);
	if (!w)
		return;
	w->at_ns = i->from_ns;
	w->life = i->life->nr;
	w->cpu = i->cpu < 0 ? 0 : (u32)i->cpu;
	if (kind == KIND_CALL) {
		summary_put_call(w->text, wait);
	} else if (kind == KIND_IO) {
		disk = lkst_labels_find(&s->disks, LKST_LABEL_DISK, wait->dev);
		snprintf(w->text, TEXT, "disk %s, sector %llu%s%s", disk ? disk : "?",
			 (unsigned long long)wait->sector, wait->call.row >= 0 ? ", in " : "",
			 wait->call.row >= 0 ? lkst_syscalls[wait->call.row].name : "");
	} else if (kind == KIND_LOCK && wait->holder_tid) {
		snprintf(w->text, TEXT, "until thread %d released it", wait->holder_tid);
	} else if (kind == KIND_FAULT) {
		snprintf(w->text, TEXT, "at address 0x%llx", (unsigned long long)wait->object);
	}
}

/* A thread is kept from running on a CPU that is idle where its cgroup has used up its quota. */
static void put_meanwhile(const struct summary *s, const struct lkst_interval *i, u32 cpu, char text[TEXT])
{
	const double ns = (double)(i->to_ns - i->from_ns);
	struct lkst_cpu_sums sums;

	if (!lkst_meanwhile_find(&s->meanwhile, s->work.state, i, &sums))
		snprintf(text, TEXT, "taken off a CPU; it then waited for CPU %u", cpu);
	else if (100.0 * (double)sums.idle_ns >= MOST_PERCENT * ns)
		snprintf(text, TEXT, "kept from running, although CPU %u was idle for %.0f %% of it", cpu,
			 100.0 * (double)sums.idle_ns / ns);
	else if (100.0 * (double)sums.busy_ns >= MOST_PERCENT * ns)
		snprintf(text, TEXT, "taken off CPU %u, which others had for %.0f %% of it", cpu,
			 100.0 * (double)sums.busy_ns / ns);
	else
		snprintf(text, TEXT, "taken off CPU %u; who had it is not known of most of it", cpu);
}

static void take_ready(struct summary *s, const struct lkst_interval *i, u64 ns)
{
	struct worst *w = lkst_analysis_is_inferred(i) ? NULL : worst_slot(s, KIND_READY, ns);
	const struct lkst_thread_life *waker;

	if (!w)
		return;
	w->at_ns = i->from_ns;
	w->life = i->life->nr;
	w->cpu = i->cpu < 0 ? 0 : (u32)i->cpu;
	if (i->ready == LKST_READY_PREEMPTED || i->ready == LKST_READY_YIELDED) {
		put_meanwhile(s, i, w->cpu, w->text);
	} else if (i->waker && i->waker->context == LKST_CONTEXT_THREAD) {
		waker = lkst_model_life(s->work.state, i->waker->life);
		snprintf(w->text, TEXT, "of CPU %u, after %s/%d woke it", w->cpu,
			 waker ? waker->comm : "?", i->waker->tid);
	} else if (i->waker) {
		snprintf(w->text, TEXT, "of CPU %u, after a %s woke it", w->cpu,
			 lkst_context_names[i->waker->context]);
	}
}

/* ---- what comes by ------------------------------------------------------------------ */

static int summary_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct summary *s = ctx;
	u64 ns = i->to_ns - i->from_ns;
	u8 *seen;

	if (i->run == LKST_RUN_BLOCKED) {
		take_blocked(s, i, ns);
	} else if (i->run == LKST_RUN_READY) {
		take_ready(s, i, ns);
		s->nr_wakeups += i->ready == LKST_READY_WOKEN;
	} else if (i->run == LKST_RUN_RUNNING) {
		seen = lkst_vec_reach(s->seen, s->nr_seen, i->life->nr);
		if (!seen)
			return -ENOMEM;
		s->nr_ran += !*seen;
		*seen = 1;
	}
	return 0;
}

static int summary_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	return lkst_meanwhile_add(&((struct summary *)ctx)->meanwhile, i);
}

/* "irq:24:eth0", "softirq:TIMER", "timer:process_timeout", "local_timer". */
static void name_frame(const struct summary *s, const struct lkst_irq_context *f,
		       char text[LKST_KEY_TEXT])
{
	char prefix[32];

	switch (f->context) {
	case LKST_CONTEXT_IRQ:
		lkst_name_irq(s->work.labels, f->number, text);
		break;
	case LKST_CONTEXT_SOFTIRQ:
		lkst_name_softirq((u32)f->number, text);
		break;
	case LKST_CONTEXT_VECTOR:
		lkst_name_vector(f->code, text);
		break;
	default:
		snprintf(prefix, sizeof(prefix), "%s:", lkst_context_names[f->context]);
		lkst_name_address(s->work.symbols, prefix, f->code, text);
	}
}

static int summary_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct summary *s = ctx;
	char name[LKST_KEY_TEXT];
	struct worst *w;

	if (f->has_no_begin)
		return 0;
	s->nr_frames++;
	if (f->depth || f->is_cut)
		return 0;
	w = worst_slot(s, KIND_IRQ, f->to_ns - f->from_ns);
	if (!w)
		return 0;
	w->at_ns = f->from_ns;
	w->life = LKST_LIFE_NONE;
	w->cpu = f->cpu;
	name_frame(s, f, name);
	snprintf(w->text, TEXT, "CPU %u, %s", f->cpu, name);
	return 0;
}

static int summary_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct summary *s = ctx;

	s->nr_calls += c->has_exit;
	s->nr_failed += c->has_exit && lkst_call_has_failed(c->call.row, c->ret);
	return 0;
}

static int summary_on_over(void *ctx, const struct lkst_thread_life *life)
{
	((struct summary *)ctx)->nr_ends++;
	return 0;
}

static int summary_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	((struct summary *)ctx)->nr_switches++;
	return 0;
}

static int summary_on_fork(void *ctx, const struct lkst_record *r, const void *record)
{
	((struct summary *)ctx)->nr_forks++;
	return 0;
}

static int summary_on_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	((struct summary *)ctx)->nr_faults++;
	return 0;
}

static int summary_on_request(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *e = record;
	struct summary *s = ctx;

	s->nr_requests++;
	s->request_bytes += e->bytes;
	return 0;
}

static int on_sent(void *ctx, const struct lkst_record *r, const void *record)
{
	((struct summary *)ctx)->nr_sent++;
	return 0;
}

static int on_received(void *ctx, const struct lkst_record *r, const void *record)
{
	((struct summary *)ctx)->nr_received++;
	return 0;
}

static int summary_on_gap(void *ctx, const struct lkst_gap *gap)
{
	if (!gap->is_pause)
		((struct summary *)ctx)->nr_gaps++;
	return 0;
}

/* ---- tables ----------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "what", "what", LKST_COLUMN_TEXT, "what is counted" },
	{ "count", "count", LKST_COLUMN_COUNT, "how many" },
	{ "rate", "per second", LKST_COLUMN_RATIO, "of them in a second" },
	{ "time", "time", LKST_COLUMN_DURATION, "how long" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of all CPUs' known time" },
	{ "note", "", LKST_COLUMN_TEXT, "more about it" },
	{ "at_least", NULL, LKST_COLUMN_FLAG,
	  "count and rate may be more: not all such events were recorded, to keep to the cost limit" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

struct summary_row {
	const char *what;
	bool has_count, has_rate, has_time, has_share;
	bool is_at_least, time_is_at_least; /* the count and the rate; the time and the share */
	u64 count, time_ns;
	double share;
	const char *note;
};

static void summary_put_row(struct lkst_table *t, u64 window_ns, struct summary_row row)
{
	lkst_table_row(t);
	lkst_table_str(t, row.what);
	if (row.has_count)
		lkst_table_u64(t, row.count);
	else
		lkst_table_none(t);
	if (row.has_count && row.is_at_least)
		lkst_table_at_least(t);
	if (row.has_rate && window_ns)
		lkst_table_double(t, (double)row.count * 1e9 / (double)window_ns);
	else
		lkst_table_none(t);
	if (row.has_rate && window_ns && row.is_at_least)
		lkst_table_at_least(t);
	if (row.has_time)
		lkst_table_u64(t, row.time_ns);
	else
		lkst_table_none(t);
	if (row.has_time && row.time_is_at_least)
		lkst_table_at_least(t);
	if (row.has_share)
		lkst_table_double(t, row.share);
	else
		lkst_table_none(t);
	if (row.has_share && row.time_is_at_least)
		lkst_table_at_least(t);
	lkst_table_str(t, row.note ? row.note : "");
	lkst_table_bool(t, row.is_at_least || row.time_is_at_least);
}

static u64 summary_window_of(const struct lkst_analysis_state *w)
{
	u64 begin_ns, end_ns, from_ns, to_ns;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, &from_ns, &to_ns);
	begin_ns = lkst_model_begin(w->state);
	end_ns = to_ns < end_ns ? to_ns : end_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Of all CPUs. */
static struct lkst_cpu_sums sum_cpus(const struct summary *s)
{
	struct lkst_cpu_sums all = {};
	u32 cpu;

	for (cpu = 0; cpu < s->meanwhile.nr_cpus; cpu++) {
		all.busy_ns += s->meanwhile.cpus[cpu].busy_ns;
		all.idle_ns += s->meanwhile.cpus[cpu].idle_ns;
		all.unknown_ns += s->meanwhile.cpus[cpu].unknown_ns;
	}
	return all;
}

static u32 summary_count_cpus(const struct summary *s)
{
	u32 cpu, nr = 0;

	for (cpu = 0; cpu < s->meanwhile.nr_cpus; cpu++) {
		const struct lkst_cpu_sums *times = &s->meanwhile.cpus[cpu];

		nr += times->busy_ns || times->idle_ns;
	}
	return nr;
}

/* What is counted, and what it rests on. */
struct counted {
	const char *what;
	u64 count;
	enum lkst_event_index of; /* without it, 0 means nothing */
	const char *events;	  /* all of them, as shell patterns */
	const char *note;
};

/* A count of 0 is none where the events were not recorded; another is a lower bound where they were not always. */
static void summary_put_counted(const struct summary *s, struct lkst_table *t, u64 window_ns, const struct counted *c)
{
	char limited[LKST_LIMITED_TEXT], note[LKST_LIMITED_TEXT + TEXT];
	bool has = c->count || !lkst_unrecorded_is(s->work.unrecorded, c->of), is_at_least;
	bool wants[LKST_EVENT_SPACE] = {};
	u64 from_ns, to_ns;

	lkst_analysis_window(&s->work, &from_ns, &to_ns);
	lkst_limited_match(s->work.limited, c->events, wants);
	is_at_least = lkst_limited_is(s->work.limited, wants, from_ns, to_ns, limited);
	if (is_at_least)
		has = c->count != 0;
	snprintf(note, sizeof(note), "%s%s%s%s", is_at_least ? limited : "", is_at_least ? " (the cost limit)" : "",
		 is_at_least && has && c->note ? "; " : "", has && c->note ? c->note : "");
	summary_put_row(t, window_ns,
			(struct summary_row){ c->what, has, has, .count = c->count, .note = note,
					      .is_at_least = is_at_least });
}

/* What is counted over the window, one row each, with its rate. */
static void summary_put_counts(const struct summary *s, struct lkst_table *t, u64 window_ns)
{
	char failed[64], bytes[64];
	const struct counted counts[] = {
		{ "threads created", s->nr_forks, LKST_EV_task_newtask, "task_newtask", NULL },
		{ "threads ended", s->nr_ends, LKST_EV_sched_process_exit, "sched_process_exit", NULL },
		{ "switches", s->nr_switches, LKST_EV_sched_switch, "sched_switch", NULL },
		{ "wake-ups", s->nr_wakeups, LKST_EV_sched_waking, "sched_waking sched_wakeup", NULL },
		{ "interrupts", s->nr_frames, LKST_EV_irq_handler_entry, lkst_analysis_irq.events,
		  "softirqs and timers too" },
		{ "system calls", s->nr_calls, LKST_EV_syscall_entry_unknown, "*syscall_exit_*", failed },
		{ "page faults", s->nr_faults, LKST_EV_page_fault_user, "page_fault_user page_fault_kernel", NULL },
		{ "disk requests", s->nr_requests, LKST_EV_block_rq_complete, "block_rq_complete", bytes },
		{ "packets sent", s->nr_sent, LKST_EV_net_dev_start_xmit, "net_dev_start_xmit", NULL },
		{ "packets received", s->nr_received, LKST_EV_netif_receive_skb, "netif_receive_skb", NULL },
	};
	unsigned int i;

	snprintf(failed, sizeof(failed), "%llu failed", (unsigned long long)s->nr_failed);
	snprintf(bytes, sizeof(bytes), "%.1f MiB", (double)s->request_bytes / 1048576.0);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		summary_put_counted(s, t, window_ns, &counts[i]);
}

static int put_summary(const struct summary *s, struct lkst_tables *set)
{
	const struct lkst_catalog *c = lkst_trace_catalog(lkst_feed_trace(s->work.feed));
	struct lkst_table *t =
		lkst_tables_add(set, "summary", "What the machine did", columns, NR_COLUMNS);
	const struct lkst_cpu_sums all = sum_cpus(s);
	u64 window_ns = summary_window_of(&s->work), known_ns = all.busy_ns + all.idle_ns;
	char machine[256];

	if (!t)
		return -ENOMEM;
	snprintf(machine, sizeof(machine), "%s, Linux %s", c->hostname, c->release);
	summary_put_row(t, window_ns,
			(struct summary_row){ .what = "recorded",
			      .has_time = true,
			      .time_ns = window_ns,
			      .note = machine });
	summary_put_row(t, window_ns,
			(struct summary_row){ .what = "events",
			      .has_count = true,
			      .has_rate = true,
			      .count = lkst_feed_records(s->work.feed) });
	summary_put_row(t, window_ns,
			(struct summary_row){ .what = "CPUs, busy",
			      .has_count = true,
			      .count = summary_count_cpus(s),
			      .has_time = true,
			      .time_ns = all.busy_ns,
			      .time_is_at_least = lkst_analysis_lacks(&s->work, lkst_interrupts),
			      .has_share = known_ns != 0,
			      .share = known_ns ? 100.0 * (double)all.busy_ns / (double)known_ns
						: 0 });
	summary_put_row(t, window_ns,
			(struct summary_row){ .what = "threads that ran", .has_count = true, .count = s->nr_ran });
	summary_put_counts(s, t, window_ns);
	return t->error;
}

static const struct lkst_column findings[] = {
	{ "what", "what", LKST_COLUMN_TEXT, "what stands out" },
	{ "took", "took", LKST_COLUMN_DURATION, "how long" },
	{ "at", "at", LKST_COLUMN_TIME, "when it began" },
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "comm", "name", LKST_COLUMN_TEXT, "its last name" },
	{ "detail", "", LKST_COLUMN_TEXT, "more about it" },
};
enum { NR_FINDINGS = sizeof(findings) / sizeof(findings[0]) };

static void summary_put_finding(const struct summary *s, struct lkst_table *t, enum wait_kind kind,
				const struct worst *w)
{
	const struct lkst_thread_life *life = lkst_model_life(s->work.state, w->life);

	lkst_table_row(t);
	lkst_table_str(t, kinds[kind].what);
	lkst_table_u64(t, w->ns);
	lkst_table_u64(t, w->at_ns);
	if (life) {
		lkst_table_s64(t, life->tid);
		lkst_table_text(t, life->comm, strnlen(life->comm, sizeof(life->comm)));
	} else {
		lkst_table_none(t);
		lkst_table_none(t);
	}
	lkst_table_str(t, w->text);
}

/* Sentences on the whole. */
static void summary_note(const struct summary *s, struct lkst_table *t)
{
	const struct lkst_model_doubts *d = lkst_model_doubts(s->work.state);
	const struct lkst_cpu_sums all = sum_cpus(s);
	const u64 all_ns = all.busy_ns + all.idle_ns + all.unknown_ns;
	unsigned int i;
	u32 cpu;

	for (i = 0; i < s->conditions.nr; i++)
		lkst_notes_add(&t->notes, "%s", s->conditions.text[i]);
	for (cpu = 0; cpu < s->meanwhile.nr_cpus; cpu++) {
		const struct lkst_cpu_sums *times = &s->meanwhile.cpus[cpu];

		if (times->busy_ns &&
		    times->busy_ns * 100 >= (times->busy_ns + times->idle_ns) * BUSY_PERCENT)
			lkst_notes_add(&t->notes, "CPU %u was busy %.0f %% of the time.", cpu,
				       100.0 * (double)times->busy_ns /
					       (double)(times->busy_ns + times->idle_ns));
	}
	if (s->nr_gaps)
		lkst_notes_add(&t->notes,
			       "Records are missing at %llu places (`lkst check` lists them); what "
			       "happened there is unknown.",
			       (unsigned long long)s->nr_gaps);
	if (all.unknown_ns && all_ns)
		lkst_notes_add(&t->notes, "Who ran is not known of %.1f %% of the CPUs' time.",
			       100.0 * (double)all.unknown_ns / (double)all_ns);
	if (d->missed)
		lkst_notes_add(
			&t->notes,
			"%llu times a CPU turned out to run another thread than its last switch "
			"says: the recording was restricted to some threads, or some cannot be "
			"seen.",
			(unsigned long long)d->missed);
}

static int summary_put_findings(const struct summary *s, struct lkst_tables *set)
{
	struct lkst_table *t =
		lkst_tables_add(set, "findings", "What stands out", findings, NR_FINDINGS);
	unsigned int kind, i;

	if (!t)
		return -ENOMEM;
	for (kind = 0; kind < NR_KINDS; kind++)
		for (i = 0; i < WORST && s->worst[kind][i].ns; i++)
			summary_put_finding(s, t, kind, &s->worst[kind][i]);
	summary_note(s, t);
	return t->error;
}

static int summary_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct summary *s = (const struct summary *)w;
	u64 from_ns, to_ns;
	int err;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	lkst_analysis_window(w, &from_ns, &to_ns);
	err = put_summary(s, set) ?: lkst_limited_put(w->limited, from_ns, to_ns, set);
	return err ? err : summary_put_findings(s, set);
}

/* ---- the analysis ------------------------------------------------------------------- */

static const struct lkst_model_calls calls = {
	.interval = summary_on_interval,
	.cpu = summary_on_cpu,
	.frame = summary_on_frame,
	.call = summary_on_call,
	.over = summary_on_over,
};

static int summary_begin(struct lkst_analysis_state *w)
{
	struct summary *s = (struct summary *)w;
	bool has_any = false;
	int err = 0;

	lkst_analysis_want(w, LKST_EV_sched_switch, summary_on_switch, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_task_newtask, summary_on_fork, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_page_fault_user, summary_on_fault, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_page_fault_kernel, summary_on_fault, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_block_rq_complete, summary_on_request, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_net_dev_start_xmit, on_sent, &err);
	has_any |= lkst_analysis_want(w, LKST_EV_netif_receive_skb, on_received, &err);
	if (err >= 0)
		err = conditions_subscribe(&s->conditions, w->feed);
	if (err >= 0)
		err = lkst_labels_subscribe(&s->disks, w->feed);
	if (err >= 0)
		err = lkst_feed_gaps(w->feed, summary_on_gap, s);
	if (err >= 0)
		err = lkst_model_subscribe(w->state, &calls, s);
	return err < 0 ? err : lkst_feed_has(w->feed, LKST_EV_sched_switch) || has_any;
}

static void summary_fini(struct lkst_analysis_state *w)
{
	struct summary *s = (struct summary *)w;

	lkst_labels_fini(&s->disks);
	lkst_meanwhile_fini(&s->meanwhile);
	free(s->seen);
	lkst_notes_fini(&s->conditions);
}

const struct lkst_analysis lkst_analysis_summary = {
	.name = "summary",
	.title = "Summary",
	.help = "a trace at first sight: what the machine did, and what stands out",
	.measures = "counts of events, and the longest waits by the state model (doc/states.md)",
	.events = "sched_* syscall_* page_fault_* block_* net_* irq_* softirq_* contention_*",
	.needs_state = true,
	.has_shares = true,
	.ignores = LKST_IGNORES_TID | LKST_IGNORES_COMM | LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct summary),
	.begin = summary_begin,
	.end = summary_end,
	.fini = summary_fini,
};
