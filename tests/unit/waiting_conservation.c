// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Where the waiting went, on random machines: no time is told twice, and none is left out.
 */
#include <inttypes.h>

#include "analyze/waiting/causes.h"
#include "analyze/waiting/times.h"
#include "analyze/waiting/tree_rows.h"
#include "lib/incident.h"
#include "lib/machine.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"
#include "trace/known/threads.h"

enum { CPUS = 3, THREADS = 12, FIRST = 100, STEPS = 4000 };

struct machine {
	u64 rng, us;
	s32 current[CPUS];
	u8 run[THREADS]; /* enum lkst_run */
};

static u32 roll(struct machine *m, u32 sides)
{
	m->rng = m->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(m->rng >> 33) % sides;
}

/* A thread in state @run, 0: none. */
static s32 any(struct machine *m, u8 run)
{
	u32 i, first = roll(m, THREADS);

	for (i = 0; i < THREADS; i++)
		if (m->run[(first + i) % THREADS] == run)
			return FIRST + (s32)((first + i) % THREADS);
	return 0;
}

static void step(struct machine *m)
{
	static const struct {
		int state, call;
		const char *args;
	} waits[] = { { RUNNABLE, NO_CALL, "" },
		      { ASLEEP, FUTEX, "0x1000,128,2,0,0,0" },
		      { ASLEEP, READ, "4,0,1" },
		      { ASLEEP, NANOSLEEP, "0,0,0,0" },
		      { DISK_SLEEP, FSYNC, "5" },
		      { ASLEEP, WRITE, "6,0,9" },
		      { STOPPED, NO_CALL, "" },
		      { TRACED, NO_CALL, "" } };
	const u32 cpu = roll(m, CPUS), wait = roll(m, sizeof(waits) / sizeof(waits[0]));
	const s32 tid = m->current[cpu], woken = any(m, LKST_RUN_BLOCKED), next = any(m, LKST_RUN_READY);

	m->us += 1 + roll(m, 300);
	if (tid && !roll(m, 4))
		add("tick cpu=%u tid=%d ns=%" PRIu64 "000 ip=0x%x call=1 where=%u flags=%u\n", cpu, tid, m->us++,
		    0x1000 * (1 + roll(m, 30)), 1 + roll(m, 5), 4 * !roll(m, 3));
	if (tid && !roll(m, 16))
		add("steal cpu=%u tid=%d ns=%" PRIu64 "000 stolen_ns=%u window_ns=%u\n", cpu, tid, m->us++,
		    1000 * roll(m, 200), 1000 * roll(m, 400));
	if (woken && roll(m, 2)) {
		if (tid && roll(m, 2))
			wake(m->us, cpu, tid, woken, WRITE);
		else
			timer_wakes(m->us + 2, cpu, tid, woken);
		m->us += 4;
		m->run[woken - FIRST] = LKST_RUN_READY;
		return;
	}
	if (next == tid)
		return;
	leave(m->us, cpu, tid, next, tid ? waits[wait].state : RUNNABLE, tid ? waits[wait].call : NO_CALL,
	      waits[wait].args);
	if (tid)
		m->run[tid - FIRST] = waits[wait].state == RUNNABLE ? LKST_RUN_READY : LKST_RUN_BLOCKED;
	if (next)
		m->run[next - FIRST] = LKST_RUN_RUNNING;
	m->current[cpu] = next;
}

static void make_machine(u64 seed)
{
	struct machine m = { .rng = seed * 7919 + 1, .us = 10000 };
	unsigned int i;

	begin();
	for (i = 0; i < THREADS; i++) {
		name(FIRST + (s32)i, i % 3 ? "one" : "other");
		m.run[i] = LKST_RUN_READY;
	}
	for (i = 0; i < STEPS; i++)
		step(&m);
}

/* All that the trace has, in one tree. */
struct added {
	struct lkst_pasts pasts;
	struct lkst_tree tree;
	struct lkst_feed *feed;
	struct lkst_model *model;
	struct lkst_threads *threads;
	struct lkst_trace *trace;
	u64 waited_ns; /* that was added to roots */
	struct lkst_times times;
	struct lkst_symbols *symbols;
	u64 (*states)[LKST_NR_RUNS]; /* by life: how long it was in each, by the model itself */
};

static int on_state(void *ctx, const struct lkst_interval *i)
{
	struct added *a = ctx;

	if (i->to_ns > i->from_ns)
		a->states[i->life->nr][i->run] += i->to_ns - i->from_ns;
	return 0;
}

/* The trace in directory @path. */
static void add_all_of(struct added *a, const char *path)
{
	static const struct lkst_model_calls calls = { .interval = on_state };
	struct lkst_err e = {};
	u32 i;

	memset(a, 0, sizeof(*a));
	a->symbols = lkst_symbols_new();
	a->states = calloc(LKST_LIVES_MAX + 1, sizeof(*a->states));
	a->threads = lkst_threads_new();
	if (lkst_trace_open(&e, path, &a->trace) || lkst_feed_new(&e, a->trace, &a->feed) ||
	    lkst_feed_threads(a->feed, a->threads) < 0 || lkst_model_new(&e, a->feed, &a->model))
		abort();
	lkst_model_know_cgroups(a->model, a->threads);
	if (lkst_past_subscribe(&a->pasts, a->feed, a->model, NULL) < 0 ||
	    lkst_times_subscribe(&a->times, a->feed, a->model, a->symbols) < 0 ||
	    lkst_model_subscribe(a->model, &calls, a) < 0 ||
	    lkst_feed_run(&e, a->feed) || lkst_past_finish(&a->pasts)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	lkst_tree_init(&a->tree, &a->pasts, a->model);
	for (i = 0; i < a->pasts.nr; i++) {
		const struct lkst_past *p = &a->pasts.list[i];

		if (p->run == LKST_RUN_RUNNING)
			continue;
		CHECK_EQ(lkst_tree_add(&a->tree, i, NULL, 1, 0), 0);
		a->waited_ns += p->to_ns - p->from_ns;
	}
}

static void add_all(struct added *a)
{
	static char dir[64];
	char path[96];

	make(dir);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	add_all_of(a, path);
}

static void drop_all(struct added *a)
{
	lkst_times_fini(&a->times);
	lkst_symbols_free(a->symbols);
	free(a->states);
	lkst_tree_fini(&a->tree);
	lkst_past_fini(&a->pasts);
	lkst_model_free(a->model);
	lkst_feed_free(a->feed);
	lkst_trace_close(a->trace);
	lkst_threads_free(a->threads);
}

/* The leaves of the rows have all of the waiting, and that is what the state model says. */
static void check_tree(struct added *a, unsigned int depth)
{
	struct lkst_whose scope = {};
	struct lkst_tree_rows rows = {};
	struct lkst_tree tree;
	u64 leaves_ns = 0, states_ns = 0;
	u32 i;

	lkst_tree_init(&tree, &a->pasts, a->model);
	CHECK_EQ(lkst_causes_add_all(&a->pasts, &(struct lkst_cause_names){ .scope = &scope }, &tree), 0);
	CHECK_EQ(lkst_tree_rows_make(&rows, &tree, depth, depth % 2 ? LKST_TREE_SMALL_PART : 0), 0);
	for (i = 0; i < rows.nr; i++) {
		leaves_ns += rows.list[i].is_leaf ? rows.list[i].ns : 0;
		CHECK(rows.list[i].depth < depth + (rows.list[i].is != LKST_TREE_ROW_NODE));
	}
	for (i = 0; i < lkst_model_nr_lives(a->model); i++)
		if (lkst_model_life(a->model, i)->tid > 0)
			states_ns += a->states[i][LKST_RUN_READY] + a->states[i][LKST_RUN_BLOCKED] +
				     a->states[i][LKST_RUN_STOPPED];
	CHECK_EQ(leaves_ns, rows.whole_ns);
	CHECK_EQ(rows.whole_ns, states_ns);
	CHECK(states_ns > 0);
	lkst_tree_rows_fini(&rows);
	lkst_tree_fini(&tree);
}

/* No node has more time below it than it has itself, and the roots have all of it. */
TEST(waiting_tells_no_time_twice)
{
	u64 seed;

	for (seed = 1; seed <= 20; seed++) {
		struct added a;
		u64 roots_ns = 0, inner_ns = 0;
		u32 i, k;

		make_machine(seed);
		add_all(&a);
		CHECK(a.tree.nr > THREADS);
		for (i = 0; i < a.tree.nr; i++) {
			const struct lkst_tree_node *n = &a.tree.nodes[i];
			u64 below_ns = 0;

			if (n->key.parent == LKST_NO_NODE)
				roots_ns += n->ns;
			else
				inner_ns += n->ns;
			for (k = n->first_child; k != LKST_NO_NODE; k = a.tree.nodes[k].next)
				below_ns += a.tree.nodes[k].ns;
			CHECK(below_ns <= n->ns);
		}
		CHECK_EQ(roots_ns, a.waited_ns);
		CHECK(inner_ns > 0);
		check_tree(&a, 1 + (unsigned int)seed % 12);
		drop_all(&a);
	}
}

/* What the threads of a name did is all of their time, and what they did on a CPU all that they ran. Adds that. */
static void check_times(struct added *a, const char comm[16], u64 *checked_ns)
{
	struct lkst_time list[LKST_TIMES_MAX];
	struct lkst_whose scope = {};
	const u32 nr = lkst_times_of(&a->times, &scope, comm, list);
	u64 ran_ns = 0, all_ns = 0, states_ran_ns = 0, states_ns = 0;
	u32 i, k;

	for (i = 0; i < nr; i++) {
		ran_ns += lkst_time_is_on_cpu(list[i].part) ? list[i].ns : 0;
		all_ns += list[i].ns;
	}
	for (i = 0; i < lkst_model_nr_lives(a->model); i++) {
		const struct lkst_thread_life *life = lkst_model_life(a->model, i);

		if (life->tid <= 0 || strncmp(life->comm, comm, sizeof(life->comm)))
			continue;
		states_ran_ns += a->states[i][LKST_RUN_RUNNING];
		for (k = 0; k < LKST_NR_RUNS; k++)
			states_ns += k == LKST_RUN_NEW || k == LKST_RUN_DEAD ? 0 : a->states[i][k];
	}
	CHECK_EQ(ran_ns, states_ran_ns);
	CHECK_EQ(all_ns, states_ns);
	*checked_ns += all_ns;
}

TEST(waiting_times_are_all_of_the_time)
{
	u64 seed, all_ns = 0;
	u32 i;

	for (seed = 1; seed <= 10; seed++) {
		struct source in = { .rng = seed };
		struct made_machine *m = machine_run(&in, (u8)seed & MACHINE_KINDS_OF, STEPS);
		struct added a;
		char dir[64] = "";

		make_machine(seed);
		add_all(&a);
		for (i = 0; i < lkst_model_nr_lives(a.model); i++)
			check_times(&a, lkst_model_life(a.model, i)->comm, &all_ns);
		drop_all(&a);
		/* Another kind of machine, of which some is left out. */
		make_scratch(dir);
		machine_leave_out_some(m);
		machine_write(m, dir, false);
		add_all_of(&a, dir);
		for (i = 0; i < lkst_model_nr_lives(a.model); i++)
			check_times(&a, lkst_model_life(a.model, i)->comm, &all_ns);
		drop_all(&a);
		machine_free(m);
		make_scratch_remove(dir);
	}
	CHECK(all_ns > 0);
}

static const struct unit_test tests[] = {
	{ "waiting_times_are_all_of_the_time", test_waiting_times_are_all_of_the_time },
	{ "waiting_tells_no_time_twice", test_waiting_tells_no_time_twice },
};
UNIT_MAIN(tests)
