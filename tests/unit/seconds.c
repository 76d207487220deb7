/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What is counted of each second against a made-up machine, which notes itself how long everything took as it makes it
 * happen, and adds that up in its own way: values in lists, and their places among powers of two by division.
 */
#include "analyze/seconds/seconds.h"

#include <stdarg.h>

#include "abi/syscalls.h"
#include "analyze/analyses/analysis.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/read/merge.h"

enum {
	CPUS = 3,
	THREADS = 9,
	FIRST_TID = 100,
	REQUESTS = 6,
	SECONDS = 6,
	VALUES_MAX = 1 << 14, /* of a measure in a second */
};
#define SECOND 200000ULL /* ns, in this machine */
#define BEGIN 1000000000ULL

enum state { SLEEPS, READY, RUNS };

struct machine {
	u64 rng, now;
	struct make_trace *out;
	struct {
		enum state state;
		u64 since; /* it was woken or preempted */
		u64 call;  /* when it entered its call, 0: it is in none */
		u64 lock;  /* when it began to wait for a lock, 0: it does not */
	} threads[THREADS];
	s32 current[CPUS]; /* its place, -1: idle */
	struct {
		u64 since, inner;
		u32 kind; /* 1: interrupt, 2: softirq */
	} irqs[CPUS][3];
	u32 depth[CPUS];
	u64 cpu_since[CPUS];
	u64 requests[REQUESTS]; /* when they were issued first, 0: not */
	u32 left[REQUESTS];	/* bytes */
	bool requeued[REQUESTS];

	/* What it has noted. */
	u64 values[SECONDS][LKST_NR_MEASURES][VALUES_MAX];
	u32 nr[SECONDS][LKST_NR_MEASURES];
	u64 times[SECONDS][4]; /* threads, irq, softirq, idle */
	u32 switches[SECONDS], records[SECONDS];
};

static struct lkst_err err;
static struct machine m;

static u32 roll(u32 sides)
{
	m.rng = m.rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(m.rng >> 33) % sides;
}

static u32 second_of(u64 ns)
{
	return (u32)((ns - BEGIN) / SECOND);
}

static void note(enum lkst_measure measure, u64 ns)
{
	u32 s = second_of(m.now);

	if (m.nr[s][measure] == VALUES_MAX)
		abort();
	m.values[s][measure][m.nr[s][measure]++] = ns;
}

/* The CPU has done the same up to now, in however many seconds. */
static void note_time(u32 cpu)
{
	u32 what = m.depth[cpu] ? m.irqs[cpu][m.depth[cpu] - 1].kind : m.current[cpu] >= 0 ? 0 : 3;

	while (m.cpu_since[cpu] < m.now) {
		u32 s = second_of(m.cpu_since[cpu]);
		u64 end = BEGIN + (s + 1) * SECOND;

		end = end < m.now ? end : m.now;
		m.times[s][what] += end - m.cpu_since[cpu];
		m.cpu_since[cpu] = end;
	}
}

__attribute__((format(printf, 2, 3))) static void record(u32 cpu, const char *format, ...)
{
	char event[256], line[512];
	va_list args;
	s32 tid = m.current[cpu] >= 0 ? FIRST_TID + m.current[cpu] : 0;

	va_start(args, format);
	vsnprintf(event, sizeof(event), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "%s cpu=%u tid=%d ns=%llu\n", event, cpu, tid,
		 (unsigned long long)m.now);
	if (make_text(m.out, line))
		abort();
	m.records[second_of(m.now)]++;
	m.now += 1 + roll(40);
}

static void do_switch(u32 cpu)
{
	s32 before = m.current[cpu], next = -1;
	u32 i, first = roll(THREADS), state = 0;

	if (m.depth[cpu] || (before >= 0 && m.threads[before].lock))
		return;
	for (i = 0; i < THREADS && next < 0; i++)
		if (m.threads[(first + i) % THREADS].state == READY)
			next = (s32)((first + i) % THREADS);
	if (next < 0 && before < 0)
		return;
	/* It may be preempted only if there is another. */
	if (before >= 0)
		state = next < 0 || roll(2) ? 1 : 0;
	note_time(cpu);
	if (before >= 0) {
		m.threads[before].state = state ? SLEEPS : READY;
		m.threads[before].since = m.now;
	}
	if (next >= 0) {
		note(LKST_MEASURE_RUNQUEUE, m.now - m.threads[next].since);
		m.threads[next].state = RUNS;
	}
	m.switches[second_of(m.now)]++;
	m.records[second_of(m.now)]++;
	char line[256];

	snprintf(line, sizeof(line),
		 "sched_switch cpu=%u tid=%d ns=%llu next_tid=%d prev_state=%u\n", cpu,
		 before >= 0 ? FIRST_TID + before : 0, (unsigned long long)m.now,
		 next >= 0 ? FIRST_TID + next : 0, state);
	if (make_text(m.out, line))
		abort();
	m.current[cpu] = next;
	m.now += 1 + roll(40);
}

static void do_wake(u32 cpu)
{
	u32 t = roll(THREADS);

	if (m.threads[t].state != SLEEPS)
		return;
	m.threads[t].state = READY;
	m.threads[t].since = m.now;
	record(cpu, "sched_waking target_tid=%d", FIRST_TID + (s32)t);
	if (roll(2))
		record(cpu, "sched_wakeup target_tid=%d", FIRST_TID + (s32)t);
}

static void do_call(u32 cpu)
{
	s32 t = m.current[cpu];

	if (t < 0 || m.depth[cpu] || m.threads[t].lock)
		return;
	if (!m.threads[t].call) {
		m.threads[t].call = m.now;
		record(cpu, "syscall_entry_read");
		return;
	}
	note(LKST_MEASURE_SYSCALL, m.now - m.threads[t].call);
	m.threads[t].call = 0;
	record(cpu, "syscall_exit_read ret=0");
}

static void do_lock(u32 cpu)
{
	s32 t = m.current[cpu];

	if (t < 0 || m.depth[cpu])
		return;
	if (!m.threads[t].lock) {
		m.threads[t].lock = m.now;
		record(cpu, "contention_begin lock=%d flags=1", 1000 + t);
		if (roll(2))
			record(cpu, "contention_begin lock=%d flags=2", 1000 + t);
		return;
	}
	note(LKST_MEASURE_LOCK, m.now - m.threads[t].lock);
	m.threads[t].lock = 0;
	record(cpu, "contention_end lock=%d", 1000 + t);
}

static void do_irq(u32 cpu)
{
	u32 depth = m.depth[cpu], kind;
	u64 took;

	note_time(cpu);
	if (depth < 3 && roll(2)) {
		/* A softirq does not interrupt an interrupt, nor another softirq. */
		kind = depth ? 1 : 1 + roll(2);
		m.irqs[cpu][depth].since = m.now;
		m.irqs[cpu][depth].inner = 0;
		m.irqs[cpu][depth].kind = kind;
		m.depth[cpu]++;
		if (kind == 1)
			record(cpu, "irq_handler_entry irq=%u", 20 + depth);
		else
			record(cpu, "softirq_entry vec=3");
		return;
	}
	if (!depth)
		return;
	depth = --m.depth[cpu];
	took = m.now - m.irqs[cpu][depth].since;
	kind = m.irqs[cpu][depth].kind;
	note(kind == 1 ? LKST_MEASURE_IRQ : LKST_MEASURE_SOFTIRQ, took - m.irqs[cpu][depth].inner);
	if (depth)
		m.irqs[cpu][depth - 1].inner += took;
	if (kind == 1)
		record(cpu, "irq_handler_exit irq=%u", 20 + depth);
	else
		record(cpu, "softirq_exit vec=3");
}

static void do_disk(u32 cpu)
{
	u32 r = roll(REQUESTS), part;

	if (!m.requests[r] || m.requeued[r]) {
		if (!m.requests[r]) {
			m.requests[r] = m.now;
			m.left[r] = 512 * (1 + roll(4));
		}
		m.requeued[r] = false;
		record(cpu, "block_rq_issue rq=%u dev=8388608 bytes=%u", 5000 + r, m.left[r]);
		return;
	}
	if (!roll(5)) {
		m.requeued[r] = true;
		record(cpu, "block_rq_requeue rq=%u dev=8388608 bytes=%u", 5000 + r, m.left[r]);
		return;
	}
	if (!roll(9)) {
		m.requests[r] = 0;
		record(cpu, "block_rq_merge rq=%u dev=8388608 bytes=%u", 5000 + r, m.left[r]);
		return;
	}
	part = 512 * (1 + roll(m.left[r] / 512));
	m.left[r] -= part;
	if (!m.left[r]) {
		note(LKST_MEASURE_DISK, m.now - m.requests[r]);
		m.requests[r] = 0;
	}
	record(cpu, "block_rq_complete rq=%u dev=8388608 bytes=%u", 5000 + r, part);
}

static struct lkst_catalog *catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	unsigned int row = (unsigned int)(lkst_syscall_find(false, "read") - lkst_syscalls);

	if (lkst_catalog_add_syscall(&err, c, LKST_NR_EVENTS + 100, LKST_NR_EVENTS + 101, row))
		abort();
	return c;
}

static void make_machine(char dir[64], char path[80], u64 seed)
{
	static void (*const acts[])(u32 cpu) = { do_switch, do_switch, do_wake, do_wake, do_call,
						 do_call,   do_lock,   do_irq,	do_irq,	 do_disk };
	u32 i;

	memset(&m, 0, sizeof(m));
	m.rng = seed;
	m.now = BEGIN;
	make_scratch(dir);
	snprintf(path, 80, "%s/trace", dir);
	m.out = make_begin(path, catalog(), 4096);
	for (i = 0; i < CPUS; i++) {
		m.current[i] = -1;
		m.cpu_since[i] = BEGIN;
	}
	while (m.now < BEGIN + SECONDS * SECOND - 1000)
		acts[roll(sizeof(acts) / sizeof(acts[0]))](roll(CPUS));
	m.now = BEGIN + SECONDS * SECOND;
	for (i = 0; i < CPUS; i++)
		note_time(i);
	if (make_end(m.out))
		abort();
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The bucket of a value, found the long way. */
static u32 bucket_of(u64 value)
{
	u32 shift = 0;

	if (value < 32)
		return (u32)value;
	while (value >= 64) {
		value /= 2;
		shift++;
	}
	return 32 * (shift + 1) + (u32)(value - 32);
}

static u64 count_of(const struct lkst_hist *h, u32 bucket)
{
	return bucket - h->first < h->nr_buckets ? h->buckets[bucket - h->first] : 0;
}

static bool same(u32 s, const struct lkst_second *second, enum lkst_measure measure)
{
	const struct lkst_hist *h = &second->durations[measure];
	static u32 buckets[LKST_HISTOGRAM_ROW * LKST_HISTOGRAM_ROWS];
	u64 sum = 0, max = 0;
	u32 i;

	memset(buckets, 0, sizeof(buckets));
	for (i = 0; i < m.nr[s][measure]; i++) {
		u64 v = m.values[s][measure][i];

		sum += v;
		max = v > max ? v : max;
		buckets[bucket_of(v)]++;
	}
	if (h->count != m.nr[s][measure] || lkst_hist_sum(h) != sum ||
	    (h->count && h->max != max)) {
		printf("# second %u, %s: %llu of %u, %llu of %llu ns\n", s,
		       lkst_measure_names[measure], (unsigned long long)h->count, m.nr[s][measure],
		       (unsigned long long)lkst_hist_sum(h), (unsigned long long)sum);
		return false;
	}
	for (i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++)
		if (count_of(h, i) != buckets[i])
			return false;
	return true;
}

static bool same_second(u32 s, const struct lkst_second *second, const struct lkst_catalog *c)
{
	const struct lkst_second_times *t = &second->times;
	u32 measure;

	for (measure = 0; measure < LKST_NR_MEASURES; measure++)
		if (!same(s, second, measure))
			return false;
	return second->records == m.records[s] &&
	       second->events[lkst_catalog_find(c, "sched_switch")->id] == m.switches[s] &&
	       t->threads_ns == m.times[s][0] && t->irq_ns == m.times[s][1] &&
	       t->softirq_ns == m.times[s][2] && t->idle_ns + t->unknown_ns == m.times[s][3];
}

/* Feeds all of the trace, second by second. Returns how many of these were as the machine has noted. */
static u32 compare(const char *path)
{
	const struct lkst_seconds_options options = { .nr_cpus = CPUS, .from_ns = BEGIN };
	struct lkst_trace *t;
	struct lkst_merge *merge;
	struct lkst_seconds *s;
	struct lkst_record r;
	u32 i, good = 0;

	if (lkst_trace_open(&err, path, &t) || lkst_merge_new(&err, t, 0, UINT64_MAX, &merge) ||
	    lkst_seconds_new(&err, &options, &s))
		abort();
	for (i = 0; i < SECONDS; i++) {
		lkst_merge_begin(merge, BEGIN + (i + 1) * SECOND - 1);
		while (lkst_merge_next(merge, &r) > 0)
			if (lkst_seconds_feed(s, &r))
				abort();
		good += same_second(i, lkst_seconds_end(s, BEGIN + (i + 1) * SECOND),
				    lkst_trace_catalog(t));
		lkst_seconds_next(s);
	}
	lkst_seconds_free(s);
	lkst_merge_free(merge);
	lkst_trace_close(t);
	return good;
}

TEST(seconds_are_what_the_machine_did)
{
	u64 seed;

	for (seed = 1; seed <= 20; seed++) {
		char dir[64], path[80];
		u32 good;

		make_machine(dir, path, seed);
		good = compare(path);
		make_scratch_remove(path);
		make_scratch_remove(dir);
		CHECK_EQ(good, SECONDS);
	}
}

/* ---- what the analyses say ------------------------------------------------------------------- */

/* How many values the totals of analysis @i have: all of its tables called so. */
static u64 total_of(const struct lkst_analysis_run *run, unsigned int i, const char *const *names)
{
	const struct lkst_tables *set = lkst_analysis_run_tables(run, i);
	u64 sum = 0;
	unsigned int k;

	for (; *names; names++)
		for (k = 0; k < set->nr; k++)
			if (!strcmp(set->items[k]->name, *names) && set->items[k]->nr_rows)
				sum += lkst_table_cell(set->items[k], 0,
						       lkst_table_column(set->items[k], "count"))
					       ->u64;
	return sum;
}

TEST(seconds_count_what_the_analyses_count)
{
	static const struct lkst_analysis *const asked[] = {
		&lkst_analysis_waitdelay, &lkst_analysis_syscall, &lkst_analysis_lockwait,
		&lkst_analysis_biotime, &lkst_analysis_irq
	};
	static const char *const names[][3] = { { "waitdelay_total", "waitdelay_preempted_total" },
						{ "syscall_total" },
						{ "lockwait_total" },
						{ "biotime_total" },
						{ "irq_total" } };
	static const struct lkst_analysis_options options = { .to_ns = UINT64_MAX };
	enum { NR = sizeof(asked) / sizeof(asked[0]) };
	u64 counted[NR] = {}, measured[NR];
	struct lkst_analysis_run *run;
	struct lkst_trace *t;
	char dir[64], path[80];
	u32 s, i;

	make_machine(dir, path, 77);
	if (lkst_trace_open(&err, path, &t) ||
	    lkst_analysis_run_new(&err, t, &options, asked, NR, &run) ||
	    lkst_analysis_run_pass(&err, run))
		abort();
	for (i = 0; i < NR; i++)
		measured[i] = total_of(run, i, names[i]);
	lkst_analysis_run_free(run);
	lkst_trace_close(t);
	make_scratch_remove(path);
	make_scratch_remove(dir);
	/* What the machine has noted is what is counted, as the first test shows. */
	for (s = 0; s < SECONDS; s++) {
		counted[0] += m.nr[s][LKST_MEASURE_RUNQUEUE];
		counted[1] += m.nr[s][LKST_MEASURE_SYSCALL];
		counted[2] += m.nr[s][LKST_MEASURE_LOCK];
		counted[3] += m.nr[s][LKST_MEASURE_DISK];
		counted[4] += m.nr[s][LKST_MEASURE_IRQ] + m.nr[s][LKST_MEASURE_SOFTIRQ];
	}
	for (i = 0; i < NR; i++) {
		CHECK(counted[i] > 100);
		CHECK_EQ(counted[i], measured[i]);
	}
}

/* ---- what is not there ----------------------------------------------------------------------- */

static struct lkst_seconds *feed_text(const char *text, u64 to_ns,
				      const struct lkst_second **ret_second)
{
	const struct lkst_seconds_options options = { .nr_cpus = 2, .from_ns = 1 };
	struct lkst_trace *t;
	struct lkst_merge *merge;
	struct lkst_seconds *s;
	struct lkst_record r;
	struct lkst_gap gap;
	char dir[64] = "", path[80];

	make_trace_again(dir, text);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	if (lkst_trace_open(&err, path, &t) || lkst_merge_new(&err, t, 0, UINT64_MAX, &merge) ||
	    lkst_seconds_new(&err, &options, &s))
		abort();
	while (lkst_merge_next(merge, &r) > 0) {
		while (lkst_merge_gap(merge, &gap) > 0)
			lkst_seconds_gap(s, &gap);
		if (lkst_seconds_feed(s, &r))
			abort();
	}
	lkst_merge_free(merge);
	lkst_trace_close(t);
	make_scratch_remove(path);
	make_scratch_remove(dir);
	*ret_second = lkst_seconds_end(s, to_ns);
	return s;
}

/* It is woken while it still runs, and sleeps then: it is ready from when it slept, as the state model has it. */
TEST(seconds_know_of_threads_that_are_woken_too_early)
{
	const struct lkst_second *second;
	struct lkst_seconds *s =
		feed_text("sched_switch cpu=0 tid=0 ns=100 next_tid=7 prev_state=0\n"
			  "sched_waking cpu=1 tid=9 ns=200 target_tid=7\n"
			  "sched_switch cpu=0 tid=7 ns=300 next_tid=0 prev_state=1\n"
			  "sched_switch cpu=0 tid=0 ns=450 next_tid=7 prev_state=0\n",
			  1000, &second);

	CHECK_EQ(second->durations[LKST_MEASURE_RUNQUEUE].count, 1);
	CHECK_EQ(second->durations[LKST_MEASURE_RUNQUEUE].max, 150);
	/* The first time nobody saw since when it was ready. */
	CHECK_EQ(second->left_out[LKST_MEASURE_RUNQUEUE], 1);
	lkst_seconds_free(s);
}

/* A thread's number that is given out again; locks within locks. */
TEST(seconds_do_not_mix_up_what_belongs_together)
{
	const struct lkst_second *second;
	struct lkst_seconds *s =
		feed_text("sched_switch cpu=0 tid=0 ns=100 next_tid=7 prev_state=0\n"
			  "contention_begin cpu=0 tid=7 ns=110 lock=1 flags=2\n"
			  "contention_begin cpu=0 tid=7 ns=120 lock=2 flags=1\n"
			  "contention_end cpu=0 tid=7 ns=150 lock=2\n"
			  "contention_end cpu=0 tid=7 ns=200 lock=1\n"
			  "sched_switch cpu=0 tid=7 ns=300 next_tid=0 prev_state=128\n"
			  "sched_switch cpu=0 tid=0 ns=400 next_tid=7 prev_state=0\n",
			  1000, &second);
	const struct lkst_hist *locks = &second->durations[LKST_MEASURE_LOCK];

	/* 30 ns of the 90 were for the lock within. */
	CHECK_EQ(locks->count, 2);
	CHECK_EQ(locks->max, 60);
	CHECK_EQ(lkst_hist_sum(locks), 90);
	/* The second thread 7 is another. */
	CHECK_EQ(second->durations[LKST_MEASURE_RUNQUEUE].count, 0);
	CHECK_EQ(second->left_out[LKST_MEASURE_RUNQUEUE], 2);
	lkst_seconds_free(s);
}

/*
 * A wait that began before a gap may have ended in it, and another begun: it is not counted, but counted as left
 * out.
 */
TEST(seconds_leave_out_what_a_gap_may_have_cut)
{
	const struct lkst_second *second;
	struct lkst_seconds *s =
		feed_text("sched_waking cpu=0 tid=5 ns=100 target_tid=7\n"
			  "irq_handler_entry cpu=1 tid=0 ns=150 irq=9\n"
			  "!block cpu=0\n!skip cpu=0 blocks=2\n"
			  "sched_switch cpu=0 tid=5 ns=900 next_tid=7 prev_state=1\n"
			  "irq_handler_exit cpu=1 tid=0 ns=950 irq=9\n",
			  1000, &second);

	CHECK_EQ(second->durations[LKST_MEASURE_RUNQUEUE].count, 0);
	CHECK_EQ(second->left_out[LKST_MEASURE_RUNQUEUE], 1);
	CHECK_EQ(second->nr_gaps, 1);
	CHECK_EQ(second->lost_blocks, 2);
	/* What CPU 0 did in the gap is not known. */
	CHECK_EQ(second->times.unknown_ns, 99 + 800 + 149);
	lkst_seconds_free(s);
}

/* Calls that are left out to keep to the cost limit: the exit is of a later call than the entry. */
TEST(seconds_leave_out_what_was_not_recorded_meanwhile)
{
	const struct lkst_second *second;
	struct lkst_seconds *s =
		feed_text("sched_waking cpu=0 tid=5 ns=100 target_tid=7\n"
			  "shed_begin cpu=0 tid=5 ns=200 kind=\"sched_switch\"\n"
			  "shed_end cpu=0 tid=5 ns=800 kind=\"sched_switch\"\n"
			  "sched_switch cpu=0 tid=5 ns=900 next_tid=7 prev_state=1\n",
			  1000, &second);

	CHECK_EQ(second->durations[LKST_MEASURE_RUNQUEUE].count, 0);
	CHECK_EQ(second->left_out[LKST_MEASURE_RUNQUEUE], 1);
	lkst_seconds_free(s);
}

static const struct unit_test tests[] = {
	{ "seconds_are_what_the_machine_did", test_seconds_are_what_the_machine_did },
	{ "seconds_count_what_the_analyses_count", test_seconds_count_what_the_analyses_count },
	{ "seconds_know_of_threads_that_are_woken_too_early",
	  test_seconds_know_of_threads_that_are_woken_too_early },
	{ "seconds_do_not_mix_up_what_belongs_together",
	  test_seconds_do_not_mix_up_what_belongs_together },
	{ "seconds_leave_out_what_a_gap_may_have_cut",
	  test_seconds_leave_out_what_a_gap_may_have_cut },
	{ "seconds_leave_out_what_was_not_recorded_meanwhile",
	  test_seconds_leave_out_what_was_not_recorded_meanwhile },
};
UNIT_MAIN(tests)
