/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The state model against a made-up machine: a scheduler of random decisions knows the state of
 * every thread at every moment, and writes the trace that such a machine would. What the model
 * reports, with rings that begin late and gaps, must never contradict the truth; and where nothing
 * is missing, nothing may be unknown.
 */
#include "lib/states.h"

#include "lib/machine.h"
#include "lib/unit.h"

enum {
	CPUS = 4,
	THREADS_MAX = 600, /* in all: no number is given out twice here */
	FIRST_TID = 100,
	STEPS = 6000,
	TRUTHS_MAX = 64 * 1024,
	IDLE = 0,
};

/* What is really so: from `ns` on the thread is in state `run`. */
struct truth {
	u64 ns;
	u8 run;
	s16 cpu;
};

struct machine {
	u64 rng, now;
	bool has_wakeups; /* sched_wakeup is recorded, which says when a thread is on a queue */
	bool has_races;
	struct make_trace *out;
	u64 gap_to[CPUS];    /* the CPU's records are lost until then */
	bool has_lost[CPUS]; /* some were */
	s32 current[CPUS];   /* a tid */
	u32 nr_threads;
	struct {
		u8 run;
		bool is_waking; /* on its way to the queue */
		struct truth truths[STEPS / 4];
		u32 nr_truths;
	} threads[THREADS_MAX];
	u64 unknown_ns, known_ns, wrong;
	char wrong_text[256];
};

static u32 roll(struct machine *m, u32 sides)
{
	m->rng = m->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(m->rng >> 33) % sides;
}

static void set(struct machine *m, s32 tid, u8 run, s32 cpu)
{
	u32 i = (u32)(tid - FIRST_TID);

	if (tid == IDLE)
		return;
	m->threads[i].run = run;
	if (m->threads[i].nr_truths == STEPS / 4)
		abort();
	m->threads[i].truths[m->threads[i].nr_truths++] = (struct truth){ m->now, run, (s16)cpu };
}

/* Records a line, unless the CPU's records are being lost. */
static void record(struct machine *m, u32 cpu, u32 buffer, const char *event, const char *fields)
{
	char line[512];

	if (buffer == 0 && m->now < m->gap_to[cpu]) {
		m->has_lost[cpu] = true;
		return;
	}
	if (buffer == 0 && m->has_lost[cpu]) {
		snprintf(line, sizeof(line), "!skip cpu=%u blocks=1\n", cpu);
		if (make_text(m->out, line))
			abort();
		m->has_lost[cpu] = false;
	}
	snprintf(line, sizeof(line), "%s cpu=%u buffer=%u tid=%d ns=%llu %s\n", event, cpu, buffer,
		 m->current[cpu], (unsigned long long)m->now, fields);
	if (make_text(m->out, line))
		abort();
}

/* A random thread in state @run, or IDLE. */
static s32 any(struct machine *m, u8 run)
{
	u32 i, first = roll(m, m->nr_threads);

	for (i = 0; i < m->nr_threads; i++) {
		u32 k = (first + i) % m->nr_threads;

		if (m->threads[k].run == run && !m->threads[k].is_waking)
			return FIRST_TID + (s32)k;
	}
	return IDLE;
}

static void do_switch(struct machine *m, u32 cpu, u32 prev_state)
{
	s32 prev = m->current[cpu], next = any(m, LKST_RUN_READY);
	char fields[64];

	if (next == prev)
		return;
	snprintf(fields, sizeof(fields), "next_tid=%d prev_state=%u", next,
		 prev == IDLE ? 0 : prev_state);
	record(m, cpu, 0, "sched_switch", fields);
	set(m, prev,
	    !prev_state		   ? LKST_RUN_READY
	    : prev_state & 0x80	   ? LKST_RUN_DEAD
	    : prev_state & (4 | 8) ? LKST_RUN_STOPPED
				   : LKST_RUN_BLOCKED,
	    -1);
	m->current[cpu] = next;
	set(m, next, LKST_RUN_RUNNING, (s32)cpu);
}

/* Wakes a thread, from an interrupt or not. */
static void do_wake(struct machine *m, u32 cpu)
{
	s32 target = any(m, roll(m, 8) ? LKST_RUN_BLOCKED : LKST_RUN_STOPPED);
	bool is_irq = m->current[cpu] == IDLE || roll(m, 2);
	char fields[64];

	if (target == IDLE)
		return;
	if (is_irq)
		record(m, cpu, 0, "irq_handler_entry", "irq=7");
	m->now += 1 + roll(m, 50);
	snprintf(fields, sizeof(fields), "target_tid=%d target_cpu=%u", target, roll(m, CPUS));
	record(m, cpu, 0, "sched_waking", fields);
	set(m, target, LKST_RUN_READY, -1);
	m->now += 1 + roll(m, 50);
	if (m->has_wakeups)
		record(m, cpu, 0, "sched_wakeup", fields);
	m->now += 1 + roll(m, 50);
	if (is_irq)
		record(m, cpu, 0, "irq_handler_exit", "irq=7");
}

/*
 * CPU @cpu wakes the thread of another one, which is on its way to sleep: it leaves that CPU, and is ready then,
 * though only later put on a queue. Or it was not asleep yet, and goes on.
 */
static void do_race(struct machine *m, u32 cpu)
{
	u32 other = roll(m, CPUS);
	s32 target = m->current[other];
	bool goes_on = !roll(m, 3);
	char fields[64];

	if (!m->has_races || other == cpu || target == IDLE || m->current[cpu] == IDLE ||
	    m->threads[target - FIRST_TID].nr_truths < 3)
		return;
	snprintf(fields, sizeof(fields), "target_tid=%d target_cpu=%u", target, other);
	record(m, cpu, 0, "sched_waking", fields);
	m->now += 1 + roll(m, 50);
	if (!goes_on) {
		m->threads[target - FIRST_TID].is_waking = true;
		do_switch(m, other, 1);
		m->threads[target - FIRST_TID].is_waking = false;
		set(m, target, LKST_RUN_READY, -1);
		m->now += m->has_wakeups ? 1 + roll(m, 50) : 0;
	}
	if (m->has_wakeups)
		record(m, cpu, 0, "sched_wakeup", fields);
}

static void do_fork(struct machine *m, u32 cpu)
{
	s32 child = FIRST_TID + (s32)m->nr_threads;
	char fields[64];

	if (m->nr_threads == THREADS_MAX || m->current[cpu] == IDLE)
		return;
	snprintf(fields, sizeof(fields), "child_tid=%d child_comm=child", child);
	m->nr_threads++;
	record(m, cpu, 1, "task_newtask", fields);
	set(m, child, LKST_RUN_NEW, -1);
	m->threads[m->nr_threads - 1].is_waking = true;
	m->now += 1 + roll(m, 100);
	snprintf(fields, sizeof(fields), "target_tid=%d target_cpu=%u", child, roll(m, CPUS));
	record(m, cpu, 0, "sched_wakeup_new", fields);
	set(m, child, LKST_RUN_READY, -1);
	m->threads[m->nr_threads - 1].is_waking = false;
}

static void step(struct machine *m)
{
	static const u32 states[] = { 0, 0, 1, 1, 1, 2, 4, 0x402, 0x80 };
	u32 cpu = roll(m, CPUS);

	m->now += 1 + roll(m, 400);
	switch (roll(m, 6)) {
	case 0:
	case 1:
		do_wake(m, cpu);
		break;
	case 2:
		if (roll(m, 4) == 0)
			do_fork(m, cpu);
		else
			do_race(m, cpu);
		break;
	default:
		do_switch(m, cpu,
			  m->current[cpu] == IDLE ? 0
						  : states[roll(m, sizeof(states) / sizeof(u32))]);
	}
}

/* Some threads are there from the start, in any state. */
static void begin(struct machine *m)
{
	u32 i;

	m->now = 1000;
	m->nr_threads = 60;
	for (i = 0; i < m->nr_threads; i++)
		set(m, FIRST_TID + (s32)i,
		    (u8[]){ LKST_RUN_BLOCKED, LKST_RUN_READY, LKST_RUN_STOPPED }[roll(m, 3)], -1);
	for (i = 0; i < CPUS; i++) {
		m->current[i] = any(m, LKST_RUN_READY);
		set(m, m->current[i], LKST_RUN_RUNNING, (s32)i);
	}
}

static const char letters[] = "URWBSND";

/* Compares what is reported of a stretch with the truth. */
static int judge(void *ctx, const struct lkst_interval *i)
{
	struct machine *m = ctx;
	u32 k, thread = (u32)(i->life->tid - FIRST_TID);
	const struct truth *t = m->threads[thread].truths;
	u32 nr = m->threads[thread].nr_truths;

	if (i->run == LKST_RUN_UNKNOWN) {
		m->unknown_ns += i->to_ns - i->from_ns;
		return 0;
	}
	m->known_ns += i->to_ns - i->from_ns;
	for (k = 0; k < nr; k++) {
		u64 end_ns = k + 1 < nr ? t[k + 1].ns : UINT64_MAX;
		/* Before its first event a stopped thread is no more than waiting, as far as is known. */
		bool is_right = t[k].run == i->run ||
				(t[k].run == LKST_RUN_STOPPED && i->run == LKST_RUN_BLOCKED);

		if (end_ns <= i->from_ns || t[k].ns >= i->to_ns)
			continue;
		if (is_right && (i->run != LKST_RUN_RUNNING || t[k].cpu == i->cpu))
			continue;
		if (!m->wrong++)
			snprintf(m->wrong_text, sizeof(m->wrong_text),
				 "thread %d: told %c %llu-%llu on %d, but is %c on %d from %llu on",
				 i->life->tid, letters[i->run], (unsigned long long)i->from_ns,
				 (unsigned long long)i->to_ns, i->cpu, letters[t[k].run], t[k].cpu,
				 (unsigned long long)t[k].ns);
	}
	return 0;
}

/* Makes a machine, lets it run, and takes the model's reports. Returns 0 if they are the truth. */
static int run(u64 seed, bool has_late_rings, bool has_gaps, bool has_wakeups, struct machine *m)
{
	static const struct lkst_model_calls calls = { .interval = judge };
	struct states *st = calloc(1, sizeof(*st));
	int i, failed;

	memset(m, 0, sizeof(*m));
	m->rng = seed * 7919 + 1;
	m->has_wakeups = has_wakeups;
	/* The model believes that a thread that is woken slept, unless it has seen it run. */
	m->has_races = !has_late_rings && !has_gaps;
	make_scratch(st->dir);
	st->tid = st->cpu = -2;
	m->out = make_begin(st->dir, NULL, 4096);
	for (i = 0; i < CPUS && has_late_rings; i++) {
		m->gap_to[i] = 1000 + roll(m, 100000);
		m->has_lost[i] = true;
	}
	begin(m);
	for (i = 0; i < CPUS; i++)
		record(m, (u32)i, 0, "test:nothing", "");
	for (i = 0; i < STEPS; i++) {
		u32 cpu = roll(m, CPUS);

		if (has_gaps && roll(m, 300) == 0 && m->now > m->gap_to[cpu])
			m->gap_to[cpu] = m->now + roll(m, 5000);
		step(m);
	}
	for (i = 0; i < CPUS; i++) {
		m->gap_to[i] = 0;
		m->now++;
		record(m, (u32)i, 0, "test:nothing", "");
	}
	if (make_end(m->out))
		abort();
	states_open(st);
	{
		struct lkst_err e;

		if (lkst_model_new(&e, st->feed, &st->state) ||
		    lkst_model_subscribe(st->state, &calls, m) < 0)
			abort();
	}
	states_run(st);
	failed = st->is_torn || m->wrong || st->doubts.missed || st->doubts.no_wake ||
		 st->doubts.elsewhere;
	if (failed)
		printf("seed %llu: %s; missed %llu, no wake-up %llu, elsewhere %llu%s\n",
		       (unsigned long long)seed, m->wrong_text,
		       (unsigned long long)st->doubts.missed,
		       (unsigned long long)st->doubts.no_wake,
		       (unsigned long long)st->doubts.elsewhere, st->is_torn ? ", torn" : "");
	states_close(st);
	free(st);
	return failed;
}

static struct machine machine;

TEST(states_are_the_truth_where_nothing_is_missing)
{
	u64 seed;

	for (seed = 0; seed < 20; seed++) {
		CHECK(!run(seed, false, false, true, &machine));
		/* Only threads without any event are unknown. */
		CHECK(machine.known_ns > 50 * machine.unknown_ns);
	}
}

TEST(states_are_the_truth_behind_rings_that_begin_late)
{
	u64 seed;

	for (seed = 100; seed < 120; seed++) {
		CHECK(!run(seed, true, false, true, &machine));
		CHECK(machine.known_ns > machine.unknown_ns);
	}
}

TEST(states_are_the_truth_between_gaps)
{
	u64 seed;

	for (seed = 200; seed < 240; seed++) {
		CHECK(!run(seed, seed & 1, true, true, &machine));
		CHECK(machine.known_ns > machine.unknown_ns);
	}
}

/* Maskset standard has no sched_wakeup. */
TEST(states_are_the_truth_without_sched_wakeup)
{
	u64 seed;

	for (seed = 300; seed < 320; seed++) {
		CHECK(!run(seed, false, false, false, &machine));
		CHECK(machine.known_ns > 50 * machine.unknown_ns);
		CHECK(!run(seed, true, false, false, &machine));
		CHECK(!run(seed, seed & 1, true, false, &machine));
	}
}

/* ---- damage ---------------------------------------------------------------------------------- */

enum { DAMAGED = 400, DAMAGED_STEPS = 300, BLOCK = 4096, FIRST_RECORD = 8 };

/* Changes a byte of the stream in @dir of a CPU that the bytes say: in a block's header, or its first record's time. */
static void damage(const char *dir, struct source *in)
{
	const u32 cpu = next(in) % MACHINE_CPUS;
	char name[16];
	size_t length, at;
	char *bytes;

	snprintf(name, sizeof(name), "main.%u", cpu);
	bytes = make_read(dir, name, &length);
	at = next(in) % (length / BLOCK + 1) * BLOCK;
	at += next(in) % 2 ? next(in) % LKST_BLOCK_HEADER : LKST_BLOCK_HEADER + next(in) % FIRST_RECORD;
	if (at < length)
		bytes[at] ^= (char)(1 << next(in) % 8);
	make_write(dir, name, bytes, length);
	free(bytes);
}

/* What is told of a thread or CPU must be in order, and end where the pass does, whatever the blocks claim. */
static bool is_torn_by_damage(u64 seed)
{
	struct source in = { .rng = seed * 7919 + 1 };
	struct made_machine *m = machine_run(&in, (u8)seed & MACHINE_KINDS_OF, DAMAGED_STEPS);
	struct states *st = calloc(1, sizeof(*st));
	struct lkst_err e;
	bool is_torn;
	u32 i;

	st->tid = st->cpu = -2;
	make_scratch(st->dir);
	machine_write(m, st->dir, true);
	for (i = next(&in) % 4 + 1; i > 0; i--)
		damage(st->dir, &in);
	if (lkst_trace_open(&e, st->dir, &st->trace) || lkst_feed_new(&e, st->trace, &st->feed))
		abort();
	states_run(st);
	is_torn = st->is_torn;
	if (is_torn)
		printf("seed %llu: %s\n", (unsigned long long)seed, st->tear);
	states_close(st);
	free(st);
	machine_free(m);
	return is_torn;
}

TEST(states_follow_each_other_in_damaged_traces)
{
	u64 seed;

	for (seed = 0; seed < DAMAGED; seed += UNIT_STEP)
		CHECK(!is_torn_by_damage(seed));
}

static const struct unit_test tests[] = {
	{ "states_follow_each_other_in_damaged_traces", test_states_follow_each_other_in_damaged_traces },
	{ "states_are_the_truth_where_nothing_is_missing",
	  test_states_are_the_truth_where_nothing_is_missing },
	{ "states_are_the_truth_behind_rings_that_begin_late",
	  test_states_are_the_truth_behind_rings_that_begin_late },
	{ "states_are_the_truth_between_gaps", test_states_are_the_truth_between_gaps },
	{ "states_are_the_truth_without_sched_wakeup",
	  test_states_are_the_truth_without_sched_wakeup },
};

UNIT_MAIN(tests)
