/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The figures of a stretch of time against a made-up machine, which notes itself what every thread, CPU, interrupt and
 * request did, and adds that up in its own way.
 */
#include "analyze/top/figures.h"

#include "lib/make_trace.h"
#include "lib/unit.h"

enum {
	CPUS = 2,
	THREADS = 7,
	FIRST_TID = 100,
	STEPS = 4000,
	NOTES_MAX = 16 * STEPS,
	WINDOWS = 5,
	NOBODY = -1,
};

/* What a thread may wait in, and what that counts as. */
static const struct {
	const char *call;
	u32 prev_state;
	u8 cause;
} waits[] = {
	{ "futex", 1, LKST_CAUSE_FUTEX }, { "fsync", 2, LKST_CAUSE_SYNC },
	{ "read", 1, LKST_CAUSE_FILE },	  { "clock_nanosleep", 1, LKST_CAUSE_SLEEP },
	{ "wait4", 1, LKST_CAUSE_CHILD },
};
enum { NR_WAITS = sizeof(waits) / sizeof(waits[0]) };

/* Something was so from `from` to `to`. */
enum what { RUNS, READY, BLOCKED, IDLE, INTERRUPT, REQUEST };
struct note {
	u8 what, cause; /* BLOCKED: enum lkst_cause */
	s32 who;	/* a thread; IDLE: a CPU; INTERRUPT: its number; REQUEST: a disk */
	u64 from, to;
};

struct machine {
	u64 rng, now;
	struct make_trace *out;
	s32 current[CPUS]; /* a thread by its place, NOBODY */
	u64 idle_since[CPUS];
	struct {
		u8 what, cause;
		int wait; /* in waits[], -1: none yet */
		bool in_call;
		u64 since;
	} threads[THREADS];
	u64 requests[4]; /* since when they are on their way, 0: not */
	struct note notes[NOTES_MAX];
	u32 nr_notes;
};

static struct lkst_err err;
static char dir[64], path[80];

static struct lkst_catalog *catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 100;
	unsigned int i;

	for (i = 0; i < NR_WAITS; i++, id += 2)
		if (lkst_catalog_add_syscall(
			    &err, c, id, id + 1,
			    (unsigned int)(lkst_syscall_find(false, waits[i].call) -
					   lkst_syscalls)))
			abort();
	return c;
}

static u32 roll(struct machine *m, u32 sides)
{
	m->rng = m->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(m->rng >> 33) % sides;
}

static void note(struct machine *m, u8 what, u8 cause, s32 who, u64 from)
{
	if (m->nr_notes == NOTES_MAX)
		abort();
	m->notes[m->nr_notes++] = (struct note){ what, cause, who, from, m->now };
}

static void record(struct machine *m, u32 cpu, const char *event, const char *fields)
{
	s32 thread = m->current[cpu];
	char line[256];

	snprintf(line, sizeof(line), "%s cpu=%u tid=%d ns=%llu %s\n", event, cpu,
		 thread == NOBODY ? 0 : FIRST_TID + thread, (unsigned long long)m->now, fields);
	if (make_text(m->out, line))
		abort();
}

/* The thread is in another state from now on. */
static void become(struct machine *m, s32 thread, u8 what, u8 cause)
{
	note(m, m->threads[thread].what, m->threads[thread].cause, thread,
	     m->threads[thread].since);
	m->threads[thread].what = what;
	m->threads[thread].cause = cause;
	m->threads[thread].since = m->now;
}

static s32 any(struct machine *m, u8 what)
{
	u32 first = roll(m, THREADS), i;

	for (i = 0; i < THREADS; i++)
		if (m->threads[(first + i) % THREADS].what == what)
			return (s32)((first + i) % THREADS);
	return NOBODY;
}

/* Another thread gets the CPU, if one is ready; its call ends. */
static void do_switch(struct machine *m, u32 cpu, u32 prev_state)
{
	s32 prev = m->current[cpu], next = any(m, READY);
	char fields[80];

	if (next == NOBODY && prev == NOBODY)
		return;
	if (prev == NOBODY)
		note(m, IDLE, 0, (s32)cpu, m->idle_since[cpu]);
	snprintf(fields, sizeof(fields), "next_tid=%d prev_state=%u",
		 next == NOBODY ? 0 : FIRST_TID + next, prev_state);
	record(m, cpu, "sched_switch", fields);
	if (prev != NOBODY && !prev_state)
		become(m, prev, READY, 0);
	m->current[cpu] = next;
	if (next == NOBODY) {
		m->idle_since[cpu] = m->now;
		return;
	}
	become(m, next, RUNS, 0);
	m->now += 10;
	if (m->threads[next].in_call) {
		snprintf(fields, sizeof(fields), "syscall_exit_%s",
			 waits[m->threads[next].wait].call);
		record(m, cpu, fields, "");
	}
	m->threads[next].in_call = false;
}

static void do_block(struct machine *m, u32 cpu)
{
	s32 thread = m->current[cpu];
	char event[64];
	int wait;

	if (thread == NOBODY)
		return;
	wait = (int)roll(m, NR_WAITS);
	snprintf(event, sizeof(event), "syscall_entry_%s", waits[wait].call);
	record(m, cpu, event, "");
	m->now += 1 + roll(m, 50);
	m->threads[thread].wait = wait;
	m->threads[thread].in_call = true;
	become(m, thread, BLOCKED, waits[wait].cause);
	do_switch(m, cpu, waits[wait].prev_state);
}

static void do_wake(struct machine *m, u32 cpu)
{
	s32 thread = any(m, BLOCKED);
	char fields[64];

	if (thread == NOBODY)
		return;
	snprintf(fields, sizeof(fields), "target_tid=%d target_cpu=%u", FIRST_TID + thread, cpu);
	record(m, cpu, "sched_waking", fields);
	become(m, thread, READY, 0);
	m->now += 5;
	record(m, cpu, "sched_wakeup", fields);
}

static void do_interrupt(struct machine *m, u32 cpu)
{
	u32 irq = 5 + roll(m, 3);
	u64 from = m->now;
	char fields[32];

	snprintf(fields, sizeof(fields), "irq=%u", irq);
	record(m, cpu, "irq_handler_entry", fields);
	m->now += 1 + roll(m, 300);
	record(m, cpu, "irq_handler_exit", fields);
	note(m, INTERRUPT, 0, (s32)irq, from);
}

/* A request of one of two disks begins, or ends. */
static void do_request(struct machine *m, u32 cpu)
{
	u32 i = roll(m, 4);
	char fields[96];

	snprintf(fields, sizeof(fields), "rq=%u dev=%u bytes=4096", 1 + i, 8 + i % 2);
	if (!m->requests[i]) {
		record(m, cpu, "block_rq_issue", fields);
		m->requests[i] = m->now;
		return;
	}
	record(m, cpu, "block_rq_complete", fields);
	note(m, REQUEST, 0, (s32)(8 + i % 2), m->requests[i]);
	m->requests[i] = 0;
}

static struct machine *run_machine(u64 seed)
{
	struct machine *m = calloc(1, sizeof(*m));
	unsigned int i;

	if (!m)
		abort();
	m->rng = seed;
	m->now = 1000;
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	m->out = make_begin(path, catalog(), 4096);
	for (i = 0; i < CPUS; i++) {
		m->current[i] = NOBODY;
		m->idle_since[i] = m->now;
		record(m, i, "test_text", "name=x");
	}
	for (i = 0; i < THREADS; i++) {
		m->threads[i].what = BLOCKED;
		m->threads[i].cause = LKST_CAUSE_UNKNOWN;
		m->threads[i].since = m->now;
	}
	for (i = 0; i < STEPS; i++) {
		static void (*const actions[])(
			struct machine *, u32) = { do_block, do_wake, do_interrupt, do_request };
		u32 cpu = roll(m, CPUS), action = roll(m, 6);

		m->now += 1 + roll(m, 2000);
		if (action < 4)
			actions[action](m, cpu);
		else if (m->current[cpu] == NOBODY || any(m, READY) != NOBODY)
			do_switch(m, cpu, 0);
	}
	if (make_end(m->out))
		abort();
	for (i = 0; i < THREADS; i++)
		become(m, (s32)i, BLOCKED, 0);
	for (i = 0; i < CPUS; i++)
		if (m->current[i] == NOBODY)
			note(m, IDLE, 0, (s32)i, m->idle_since[i]);
	return m;
}

/* How long it was so between two times. */
static u64 sum(const struct machine *m, u8 what, int cause, s32 who, u64 from, u64 to)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < m->nr_notes; i++) {
		const struct note *n = &m->notes[i];
		u64 begin = n->from > from ? n->from : from, end = n->to < to ? n->to : to;

		if (n->what == what && n->who == who && end > begin &&
		    (cause < 0 || n->cause == cause))
			ns += end - begin;
	}
	return ns;
}

/* Those that ended between two times: how many, their time, and the longest. */
static u64 ended(const struct machine *m, u8 what, s32 who, u64 from, u64 to, u64 *ret_ns,
		 u64 *ret_longest)
{
	u64 nr = 0;
	u32 i;

	*ret_ns = *ret_longest = 0;
	for (i = 0; i < m->nr_notes; i++) {
		const struct note *n = &m->notes[i];

		if (n->what != what || n->who != who || n->to < from || n->to > to ||
		    (what == INTERRUPT && n->from < from))
			continue;
		nr++;
		*ret_ns += n->to - n->from;
		*ret_longest = n->to - n->from > *ret_longest ? n->to - n->from : *ret_longest;
	}
	return nr;
}

static void expect_threads(const struct machine *m, const struct lkst_figures *f)
{
	unsigned int i, cause;

	CHECK_EQ(f->nr_threads, THREADS);
	for (i = 0; i < THREADS; i++) {
		const struct lkst_thread_figures *t = &f->threads[i];

		CHECK_EQ(t->tid, FIRST_TID + i);
		CHECK_EQ(t->running_ns, sum(m, RUNS, -1, (s32)i, f->from_ns, f->to_ns));
		CHECK_EQ(t->ready_ns, sum(m, READY, -1, (s32)i, f->from_ns, f->to_ns));
		/* A request that was done just before the wake-up makes sync io. */
		for (cause = 0; cause < LKST_NR_CAUSES; cause++)
			if (cause != LKST_CAUSE_SYNC && cause != LKST_CAUSE_IO)
				CHECK_EQ(t->blocked_ns[cause],
					 sum(m, BLOCKED, (int)cause, (s32)i, f->from_ns, f->to_ns));
		CHECK_EQ(lkst_figures_blocked(t, LKST_BLOCKED_DISK),
			 sum(m, BLOCKED, LKST_CAUSE_SYNC, (s32)i, f->from_ns, f->to_ns));
		CHECK_EQ(t->unknown_ns, 0);
		CHECK_EQ(lkst_figures_blocked(t, LKST_BLOCKED_LOCK),
			 t->blocked_ns[LKST_CAUSE_FUTEX]);
		CHECK_EQ(t->running_ns + t->ready_ns + lkst_figures_blocked_all(t),
			 f->to_ns - f->from_ns);
	}
}

static void expect_cpus(const struct machine *m, const struct lkst_figures *f)
{
	u64 irq_ns = 0, noted_ns = 0;
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		const struct lkst_cpu_figures *cpu = &f->cpus[i];
		u64 all = cpu->threads_ns + cpu->idle_ns + cpu->irq_ns + cpu->softirq_ns;
		u64 idle = sum(m, IDLE, -1, (s32)i, f->from_ns, f->to_ns);

		CHECK_EQ(all + cpu->unknown_ns, f->to_ns - f->from_ns);
		CHECK(cpu->idle_ns <= idle && cpu->idle_ns + cpu->irq_ns >= idle);
		CHECK_EQ(cpu->unknown_ns, 0);
		irq_ns += cpu->irq_ns;
	}
	for (i = 5; i < 8; i++)
		noted_ns += sum(m, INTERRUPT, -1, (s32)i, f->from_ns, f->to_ns);
	/* An interrupt that lies across an end is divided in proportion. */
	CHECK(irq_ns + 600 > noted_ns && noted_ns + 600 > irq_ns);
}

static void expect_kinds(const struct machine *m, const struct lkst_figures *f)
{
	u64 ns, longest;
	u32 i;

	CHECK_EQ(f->nr_irqs, 3);
	for (i = 0; i < f->nr_irqs; i++) {
		const struct lkst_irq_figures *irq = &f->irqs[i];

		CHECK_EQ(irq->context, LKST_CONTEXT_IRQ);
		CHECK_EQ(irq->count, ended(m, INTERRUPT, (s32)irq->number, f->from_ns, f->to_ns,
					   &ns, &longest));
		CHECK_EQ(irq->ns, ns);
		CHECK_EQ(irq->worst_ns, longest);
		CHECK(!i || irq->ns <= irq[-1].ns);
	}
	CHECK_EQ(f->nr_disks, 2);
	for (i = 0; i < f->nr_disks; i++) {
		const struct lkst_disk_figures *disk = &f->disks[i];

		CHECK_EQ(disk->requests,
			 ended(m, REQUEST, (s32)disk->dev, f->from_ns, f->to_ns, &ns, &longest));
		CHECK_EQ(disk->sum_ns, ns);
		CHECK_EQ(disk->worst_ns, longest);
		CHECK_EQ(disk->bytes, 4096 * disk->requests);
		CHECK_EQ(disk->no_begin, 0);
		CHECK(disk->in_flight <= 2);
	}
}

TEST(figures_are_those_of_the_machine)
{
	u64 seed;

	for (seed = 1; seed < 9 && !unit_failed; seed++) {
		struct machine *m = run_machine(seed);
		struct lkst_trace *t = NULL;
		u64 begin, end, records = 0;
		unsigned int i;

		CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
		lkst_trace_range(t, &begin, &end);
		for (i = 0; i < WINDOWS && !unit_failed; i++) {
			struct lkst_figures_options o = {
				.from_ns = begin + (end - begin) / WINDOWS * i,
				.to_ns = begin + (end - begin) / WINDOWS * (i + 1),
			};
			struct lkst_figures *f = NULL;

			CHECK_EQ(lkst_figures_new(&err, t, &o, &f), 0);
			CHECK_EQ(f->from_ns, o.from_ns);
			CHECK_EQ(f->to_ns, o.to_ns);
			expect_threads(m, f);
			expect_cpus(m, f);
			expect_kinds(m, f);
			records += f->records;
			lkst_figures_free(f);
		}
		CHECK(records > STEPS / 2);
		lkst_trace_close(t);
		make_scratch_remove(dir);
		free(m);
	}
}

/* ---- single cases ------------------------------------------------------------------------ */

/* The figures of all of the trace @text, after @before. */
static struct lkst_figures *figures_of(const char *text, const struct lkst_figures *before)
{
	struct lkst_figures_options o = { .to_ns = UINT64_MAX, .before = before };
	struct lkst_figures *f = NULL;
	struct lkst_trace *t = NULL;
	struct make_trace *made;

	if (before)
		o.from_ns = before->to_ns;
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	made = make_begin(path, catalog(), 4096);
	if (make_text(made, text) || make_end(made) || lkst_trace_open(&err, path, &t) ||
	    lkst_figures_new(&err, t, &o, &f))
		abort();
	lkst_trace_close(t);
	make_scratch_remove(dir);
	return f;
}

static const char first[] = "state_thread thread_tid=5 thread_pid=4 state=1 comm=five\n"
			    "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
			    "syscall_entry_futex cpu=0 tid=5 ns=1100\n"
			    "sched_switch cpu=0 tid=5 ns=1200 next_tid=0 prev_state=1\n"
			    "test_text cpu=0 tid=0 ns=2000 name=x\n";

/* A wait that began earlier than what is read keeps its cause, as long as it is of the same thread. */
TEST(figures_take_over_what_threads_wait_for)
{
	static const char later[] = "state_thread thread_tid=5 thread_pid=%s state=1 comm=five\n"
				    "test_text cpu=0 tid=0 ns=1900 name=x\n"
				    "test_text cpu=0 tid=0 ns=3000 name=x\n";
	struct lkst_figures *one = figures_of(first, NULL), *two, *three, *four;
	char text[512];

	CHECK_EQ(one->threads[0].blocked_ns[LKST_CAUSE_FUTEX], 800);
	CHECK_EQ(one->threads[0].run, LKST_RUN_BLOCKED);
	CHECK_STR(one->threads[0].comm, "five");
	snprintf(text, sizeof(text), later, "4");
	two = figures_of(text, one);
	CHECK_EQ(two->from_ns, 2000);
	CHECK_EQ(two->threads[0].blocked_ns[LKST_CAUSE_FUTEX], 1000);
	/* And on. */
	three = figures_of("state_thread thread_tid=5 thread_pid=4 state=1\n"
			   "test_text cpu=0 tid=0 ns=2900 name=x\n"
			   "sched_waking cpu=0 tid=0 ns=3500 target_tid=5\n"
			   "test_text cpu=0 tid=0 ns=4000 name=x\n",
			   two);
	CHECK_EQ(three->threads[0].blocked_ns[LKST_CAUSE_FUTEX], 500);
	CHECK_EQ(three->threads[0].ready_ns, 500);
	/* Another thread of the same number. */
	snprintf(text, sizeof(text), later, "9");
	four = figures_of(text, one);
	CHECK_EQ(four->threads[0].blocked_ns[LKST_CAUSE_FUTEX], 0);
	CHECK_EQ(four->threads[0].blocked_ns[LKST_CAUSE_UNKNOWN], 1000);
	lkst_figures_free(one);
	lkst_figures_free(two);
	lkst_figures_free(three);
	lkst_figures_free(four);
}

/* Nothing is recorded any more when the stretch begins: it has no length, and none below zero. */
TEST(figures_after_the_last_record_are_of_no_time)
{
	struct lkst_figures before = { .to_ns = 5000 }, *f = figures_of(first, &before);

	CHECK_EQ(f->from_ns, 5000);
	CHECK_EQ(f->to_ns, 5000);
	CHECK_EQ(f->records, 0);
	CHECK_EQ(f->nr_threads, 0);
	lkst_figures_free(f);
}

/*
 * The buffer of lives reaches back further than the others: a thread whose creation is only there, and which did
 * nothing since, is as the list of threads has it.
 */
TEST(figures_know_cgroups_of_threads)
{
	struct lkst_figures *f = figures_of(
		"state_clock ns=9000 monotonic_ns=9000 boottime_ns=9000\n"
		"state_thread ns=9001 thread_tid=7 thread_pid=7 state=1 comm=a cgroup=10\n"
		"state_cgroup ns=9001 cgroup=10 path=/system.slice/a.service\n"
		"test_text cpu=0 tid=0 ns=2000 name=x\n"
		"test_text cpu=0 tid=0 ns=3000 name=x\n",
		NULL);
	u32 i;

	for (i = 0; i < f->nr_threads && f->threads[i].tid != 7; i++)
		;
	CHECK(i < f->nr_threads);
	CHECK_EQ(f->threads[i].cgroup, 10);
	CHECK_STR(lkst_cgroups_container(lkst_threads_cgroups(f->known), 10), "unit:a.service");
	lkst_figures_free(f);
}

TEST(figures_have_threads_that_did_nothing_since_they_were_made)
{
	struct lkst_figures *f = figures_of(
		"state_clock ns=9000 monotonic_ns=9000 boottime_ns=9000\n"
		"state_thread ns=9001 thread_tid=7 thread_pid=7 state=1 start_ns=90 comm=new\n"
		"task_newtask cpu=0 buffer=1 tid=5 ns=100 child_tid=7 child_comm=old\n"
		"!skip cpu=0 blocks=3\n"
		"test_text cpu=0 tid=0 ns=2000 name=x\n"
		"test_text cpu=0 tid=0 ns=3000 name=x\n",
		NULL);
	u32 i;

	CHECK_EQ(f->from_ns, 2000);
	for (i = 0; i < f->nr_threads && f->threads[i].tid != 7; i++)
		;
	CHECK(i < f->nr_threads);
	CHECK_EQ(lkst_figures_blocked_all(&f->threads[i]), 1000);
	CHECK_EQ(f->threads[i].unknown_ns, 0);
	CHECK_EQ(f->threads[i].run, LKST_RUN_BLOCKED);
	lkst_figures_free(f);
}

TEST(figures_of_requests_in_parts_and_again)
{
	struct lkst_figures *f = figures_of("state_disk dev=8 name=sda\n"
					    "block_rq_complete ns=50 rq=9 dev=8 bytes=512\n"
					    "block_rq_issue ns=100 rq=1 dev=8 bytes=8192\n"
					    "block_rq_requeue ns=200 rq=1 dev=8 bytes=8192\n"
					    "block_rq_issue ns=300 rq=1 dev=8 bytes=8192\n"
					    "block_rq_complete ns=400 rq=1 dev=8 bytes=4096\n"
					    "block_rq_issue ns=450 rq=2 dev=8 bytes=4096\n"
					    "block_rq_issue ns=460 rq=3 dev=8 bytes=4096\n"
					    "block_rq_merge ns=470 rq=3 dev=8 bytes=4096\n"
					    "block_rq_complete ns=500 rq=1 dev=8 bytes=4096\n",
					    NULL);

	CHECK_EQ(f->nr_disks, 1);
	CHECK_STR(f->disks[0].name, "sda");
	CHECK_EQ(f->disks[0].requests, 1);
	CHECK_EQ(f->disks[0].worst_ns, 400);
	CHECK_EQ(f->disks[0].bytes, 8704);
	CHECK_EQ(f->disks[0].no_begin, 1);
	CHECK_EQ(f->disks[0].in_flight, 1);
	lkst_figures_free(f);
}

TEST(figures_have_the_worst_call_and_the_ledger)
{
	struct lkst_figures *f =
		figures_of("state_loss loss_cpu=0 cause=0 count=3\n"
			   "state_loss loss_cpu=1 cause=0 count=4\n"
			   "state_skipped count=2 hook=x\n"
			   "sched_switch cpu=0 tid=0 ns=1000 next_tid=5\n"
			   "syscall_entry_wait4 cpu=0 tid=5 ns=1100\n"
			   "sched_switch cpu=0 tid=5 ns=1200 next_tid=0 prev_state=1\n"
			   "sched_waking cpu=0 tid=0 ns=9000 target_tid=5\n"
			   "sched_switch cpu=0 tid=0 ns=9100 next_tid=5\n"
			   "syscall_exit_wait4 cpu=0 tid=5 ns=9200\n"
			   "syscall_entry_fsync cpu=0 tid=5 ns=9300\n"
			   "syscall_exit_fsync cpu=0 tid=5 ns=9900\n"
			   "!skip cpu=0 blocks=2\n"
			   "test_text cpu=0 tid=5 ns=10000 name=x\n",
			   NULL);

	CHECK(f->has_worst);
	CHECK_EQ(f->worst.tid, 5);
	CHECK_EQ(f->worst.from_ns, 9300);
	CHECK_EQ(f->worst.to_ns, 9900);
	CHECK_EQ(f->lost[LKST_LOSS_LEVEL], 7);
	CHECK_EQ(f->skipped, 2);
	CHECK_EQ(f->gaps, 1);
	lkst_figures_free(f);
}

/* A request that was sent before disks were left out, and one done after, are not one; counts are least ones. */
TEST(figures_say_what_was_left_out)
{
#define REQUESTS \
	"sched_switch cpu=0 tid=0 ns=1000000 next_tid=5\n" \
	"block_rq_issue cpu=0 tid=5 ns=2000000 rq=64 dev=8 bytes=4096\n" \
	"block_rq_complete cpu=0 tid=5 ns=2500000 rq=64 dev=8 bytes=4096\n" \
	"block_rq_issue cpu=0 tid=5 ns=3000000 rq=64 dev=8 bytes=4096\n"
#define REQUESTS_END \
	"block_rq_complete cpu=0 tid=5 ns=900000000 rq=64 dev=8 bytes=4096\n" \
	"sched_switch cpu=0 tid=5 ns=1000000000 next_tid=0\n"
	struct lkst_figures *f = figures_of(REQUESTS REQUESTS_END, NULL);

	CHECK_EQ(f->disks[0].requests, 2);
	CHECK_EQ(f->disks[0].worst_ns, 897000000);
	CHECK_STR(f->limited[LKST_FIGURES_ANY], "");
	lkst_figures_free(f);
	f = figures_of(REQUESTS
		       "shed_begin cpu=0 tid=0 buffer=1 ns=400000000 cost=1 kind=block_rq_issue\n"
		       "shed_begin cpu=0 tid=0 buffer=1 ns=400000000 cost=1 kind=block_rq_complete\n"
		       "shed_end cpu=0 tid=0 buffer=1 ns=800000000 left_out=400000000 kind=block_rq_issue\n"
		       "shed_end cpu=0 tid=0 buffer=1 ns=800000000 left_out=400000000 kind=block_rq_complete\n"
		       REQUESTS_END,
		       NULL);
	CHECK_EQ(f->disks[0].requests, 1);
	CHECK_EQ(f->disks[0].worst_ns, 500000);
	CHECK(strstr(f->limited[LKST_FIGURES_DISKS], "block_rq_"));
	CHECK(strstr(f->limited[LKST_FIGURES_ANY], "block_rq_"));
	CHECK_STR(f->limited[LKST_FIGURES_CALLS], "");
	CHECK_STR(f->limited[LKST_FIGURES_IRQS], "");
	lkst_figures_free(f);
}

static const struct unit_test tests[] = {
	{ "figures_say_what_was_left_out", test_figures_say_what_was_left_out },
	{ "figures_are_those_of_the_machine", test_figures_are_those_of_the_machine },
	{ "figures_take_over_what_threads_wait_for", test_figures_take_over_what_threads_wait_for },
	{ "figures_after_the_last_record_are_of_no_time",
	  test_figures_after_the_last_record_are_of_no_time },
	{ "figures_know_cgroups_of_threads", test_figures_know_cgroups_of_threads },
	{ "figures_have_threads_that_did_nothing_since_they_were_made",
	  test_figures_have_threads_that_did_nothing_since_they_were_made },
	{ "figures_of_requests_in_parts_and_again", test_figures_of_requests_in_parts_and_again },
	{ "figures_have_the_worst_call_and_the_ledger",
	  test_figures_have_the_worst_call_and_the_ledger },
};
UNIT_MAIN(tests)
