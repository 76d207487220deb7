// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Shares are of a whole: on random traces, whose interrupts, system calls, faults and waits lie within each
 * other, the parts of each analysis add up to the time that was really spent so, and shares to no more than
 * 100 %.
 */
#include "analyses.h"

#include "lib/unit.h"

enum {
	CPUS = 2,
	DEPTH_MAX = 6,
	STEPS = 3000,
	TEXT_MAX = 512 * 1024,
	TRIES = 10,
};

/* What may be going on within each other, the outermost first: only later ones begin within one. */
static const struct {
	const char *begin, *end;
	bool is_interrupt;
} kinds[] = {
	{ "syscall_entry_mmap", "syscall_exit_mmap", false },
	{ "page_fault_user", "page_fault_exit", false },
	{ "mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end", false },
	{ "contention_begin lock=0xffffffff82000000 flags=32",
	  "contention_end lock=0xffffffff82000000", false },
	{ "contention_begin lock=0xffffffff82000040 flags=1",
	  "contention_end lock=0xffffffff82000040", false },
	{ "softirq_entry vec=1", "softirq_exit vec=1", true },
	{ "timer_expire_entry timer=0xa1 function=0xff10", "timer_expire_exit timer=0xa1", true },
	{ "irq_handler_entry irq=7", "irq_handler_exit irq=7", true },
	{ "local_timer_entry vector=236", "local_timer_exit vector=236", true },
	{ "hrtimer_expire_entry hrtimer=0xa2 function=0xff20", "hrtimer_expire_exit hrtimer=0xa2",
	  true },
};
enum { NR_KINDS = sizeof(kinds) / sizeof(kinds[0]), MEMORY_END = 3, LOCKS_END = 5 };

/* Time that is spent so, with what lies within. */
struct truth {
	long long memory_ns, lock_ns, interrupt_ns;
};

struct cpu {
	unsigned int depth, stack[DEPTH_MAX];
};

static unsigned long long random_state;

static unsigned int roll(unsigned int sides)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(random_state >> 33) % sides;
}

/* @ns pass on @c. */
static void pass(const struct cpu *c, long long ns, struct truth *truth)
{
	bool has_memory = false, has_lock = false, has_interrupt = false;
	unsigned int i;

	for (i = 0; i < c->depth; i++) {
		has_memory |= c->stack[i] < MEMORY_END;
		has_lock |= c->stack[i] >= MEMORY_END && c->stack[i] < LOCKS_END;
		has_interrupt |= kinds[c->stack[i]].is_interrupt;
	}
	truth->memory_ns += has_memory ? ns : 0;
	truth->lock_ns += has_lock ? ns : 0;
	truth->interrupt_ns += has_interrupt ? ns : 0;
}

/* One thing begins or ends on @c; the event, or NULL. */
static const char *step(struct cpu *c, bool is_ending)
{
	unsigned int kind = c->depth ? c->stack[c->depth - 1] + 1 : 0;

	if (is_ending || c->depth == DEPTH_MAX || kind == NR_KINDS || (c->depth && roll(2)))
		return c->depth ? kinds[c->stack[--c->depth]].end : NULL;
	kind += roll(NR_KINDS - kind);
	c->stack[c->depth++] = kind;
	return kinds[kind].begin;
}

static void write_trace(char *text, struct truth *truth)
{
	struct cpu cpus[CPUS] = { 0 };
	unsigned long long now = 1000;
	unsigned int cpu, i, used = 0;

	*truth = (struct truth){ 0 };
	for (cpu = 0; cpu < CPUS; cpu++)
		used += (unsigned int)sprintf(text + used,
					      "sched_switch cpu=%u tid=0 ns=%llu next_tid=%u\n",
					      cpu, now, 10 + cpu);
	for (i = 0; i < STEPS + CPUS * DEPTH_MAX; i++) {
		unsigned int ns = 1 + roll(50);
		const char *event;

		now += ns;
		for (cpu = 0; cpu < CPUS; cpu++)
			pass(&cpus[cpu], ns, truth);
		cpu = i % CPUS;
		event = step(&cpus[cpu], i >= STEPS);
		if (event)
			used += (unsigned int)sprintf(text + used, "%s cpu=%u tid=%u ns=%llu\n",
						      event, cpu, 10 + cpu, now);
	}
}

/* The sum of the shares, percent. */
static double shares_of(const struct lkst_table *t)
{
	int column = lkst_table_column(t, "share");
	double sum = 0;
	size_t row;

	for (row = 0; column >= 0 && row < t->nr_rows; row++)
		sum += lkst_table_cell(t, row, (unsigned int)column)->number;
	return sum;
}

/* Whether a table's shares are of one whole; those of threads are of a CPU each. */
static bool has_one_whole(const struct lkst_table *t)
{
	return lkst_table_column(t, "key") >= 0;
}

TEST(analyses_parts_add_up_to_the_time_that_was_spent)
{
	char *text = malloc(TEXT_MAX);
	struct truth truth;
	unsigned int try;

	if (!text)
		abort();
	for (try = 1; try <= TRIES; try++) {
		random_state = try;
		write_trace(text, &truth);
		ask(text, "memalloc");
		CHECK_EQ(value("memalloc_total", "all", "total"), truth.memory_ns);
		ask(text, "lockwait");
		CHECK_EQ(value("lockwait_total", "all", "total"), truth.lock_ns);
		ask(text, "timer");
		CHECK_EQ(value("timer_execution_total", "all", "total"), truth.interrupt_ns);
		ask(text, "irq");
		CHECK_EQ(value("irq_total", "all", "total"), truth.interrupt_ns);
	}
	finish();
	free(text);
}

TEST(analyses_shares_are_no_more_than_the_whole)
{
	char *text = malloc(TEXT_MAX);
	struct truth truth;
	unsigned int i, k, nr_shares = 0;

	if (!text)
		abort();
	random_state = 1;
	write_trace(text, &truth);
	for (i = 0; lkst_analyses[i]; i++) {
		ask(text, lkst_analyses[i]->name);
		for (k = 0; k < lkst_analysis_run_tables(study, 0)->nr; k++) {
			const struct lkst_table *t = lkst_analysis_run_tables(study, 0)->items[k];

			if (!has_one_whole(t) || !t->nr_rows)
				continue;
			CHECK(shares_of(t) <= 100.001);
			nr_shares += shares_of(t) > 0;
		}
	}
	CHECK(nr_shares > 8);
	finish();
	free(text);
}

static const struct unit_test tests[] = {
	{ "analyses_parts_add_up_to_the_time_that_was_spent",
	  test_analyses_parts_add_up_to_the_time_that_was_spent },
	{ "analyses_shares_are_no_more_than_the_whole",
	  test_analyses_shares_are_no_more_than_the_whole },
};
UNIT_MAIN(tests)
