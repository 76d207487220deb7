/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What recording one event costs, over a system call that is traced already: LKST's records beside
 * a program that only reads clock, thread and CPU (the "floor"), the BPF ring buffer, ftrace, perf
 * and bpftrace. Needs root.
 *
 *	unit [--rounds N] [--calls N]
 *
 * Method. An empty program stays attached to the entry and the exit of system calls, so that the
 * kernel takes its slow path throughout. In each round each variant is switched on in turn; a loop
 * of system calls is timed before and after (only the empty programs) and with it, each as the best
 * of many short batches. A variant's cost is the least time with it less the least time without it:
 * "min", by which ratios are taken. The spread is that of the differences within a round, in the
 * quietest third of the rounds: those in which the loop without the variant was fastest both times.
 * Programs are loaded again in each round, because the place of their code in memory changes a figure by
 * some ns.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "programs.h"
#include "rivals.h"

enum {
	BATCHES = 50,
	COUNTS = 3, /* of so many rounds, one counts */
};

/* The system calls that loops are made of. All return at once. */
enum call {
	CALL_GETPPID, /* no argument */
	CALL_CLOSE,   /* one: no such descriptor */
	CALL_COPY,    /* six: no such descriptors */
	NR_CALLS,
};

enum tracer {
	NOBODY,
	PROGRAM,
	NOTHING, /* a program of LKST's that finds that nothing is wanted */
	RINGBUF,
	FTRACE,
	PERF,
	BPFTRACE,
};

enum kind {
	OTHER,
	FLOOR_ENTRY,
	FLOOR_EXIT,
	FIXED,
	HANDLED, /* FIXED by a handler */
	SYSCALL,
};

struct variant {
	const char *name;
	enum tracer tracer;
	const char *program;
	enum call call;
	enum kind kind;
	bool at_exit; /* compared with the floor at the exit of calls */
	unsigned int nr_void; /* rounds in which it did not record */
	struct bench_series before, with, after; /* ns per call, by round */
	struct bench_series spread;		 /* of the cost, in the rounds that count */
};

static struct variant variants[] = {
	{ .name = "not armed (noise)" },
	{ .name = "empty program, entry", .tracer = PROGRAM, .program = "bench_empty_enter2" },
	{ .name = "floor: clock, thread, CPU; entry", .tracer = PROGRAM,
	  .program = "bench_floor_enter", .kind = FLOOR_ENTRY },
	{ .name = "floor: clock, thread, CPU; exit", .tracer = PROGRAM,
	  .program = "bench_floor_exit", .kind = FLOOR_EXIT, .at_exit = true },
	{ .name = "LKST, record as sched_switch (24 B)", .tracer = PROGRAM,
	  .program = "bench_fixed", .kind = FIXED },
	{ .name = "LKST, that, by a trivial handler", .tracer = PROGRAM,
	  .program = "bench_handled", .kind = HANDLED },
	{ .name = "LKST, that, armed but NOTHING", .tracer = NOTHING, .program = "bench_fixed" },
	{ .name = "LKST, entry of a call, 0 arguments", .tracer = PROGRAM,
	  .program = "tp_btf__sys_enter", .kind = SYSCALL },
	{ .name = "LKST, entry of a call, 1 argument", .tracer = PROGRAM,
	  .program = "tp_btf__sys_enter", .call = CALL_CLOSE, .kind = SYSCALL },
	{ .name = "LKST, entry of a call, 6 arguments", .tracer = PROGRAM,
	  .program = "tp_btf__sys_enter", .call = CALL_COPY, .kind = SYSCALL },
	{ .name = "LKST, exit of a call", .tracer = PROGRAM, .program = "tp_btf__sys_exit",
	  .kind = SYSCALL, .at_exit = true },
	{ .name = "LKST, entry, armed but NOTHING", .tracer = NOTHING,
	  .program = "tp_btf__sys_enter" },
	{ .name = "BPF ring buffer, 24 B", .tracer = RINGBUF, .program = "bench_ringbuf" },
	{ .name = "ftrace, raw_syscalls:sys_enter", .tracer = FTRACE },
	{ .name = "perf, overwriting ring, the same", .tracer = PERF },
	{ .name = "bpftrace, printf of the same", .tracer = BPFTRACE },
};

enum { NR_VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static struct {
	unsigned int rounds, calls, cpu;
} options = { 30, 1000, 0 };

/* ---- measuring ------------------------------------------------------------------------------ */

/* One batch, ns per call. */
static double time_batch(enum call call)
{
	unsigned int i, nr = options.calls;
	uint64_t start = bench_now_ns();

	switch (call) {
	case CALL_GETPPID:
		for (i = 0; i < nr; i++)
			syscall(SYS_getppid);
		break;
	case CALL_CLOSE:
		for (i = 0; i < nr; i++)
			syscall(SYS_close, -1);
		break;
	default:
		for (i = 0; i < nr; i++)
			syscall(SYS_copy_file_range, -1, NULL, -1, NULL, 4096, 0);
		break;
	}
	return (double)(bench_now_ns() - start) / nr;
}

static double time_call(const struct variant *v, bool is_on)
{
	double best = 1e9, one;
	int i;

	time_batch(v->call);
	for (i = 0; i < BATCHES; i++) {
		if (is_on && v->tracer == RINGBUF)
			programs_drain_ringbuf();
		/* What it has to print, it prints on another CPU; that takes longer than a batch. */
		if (is_on && v->tracer == BPFTRACE)
			usleep(50000);
		one = time_batch(v->call);
		if (one < best)
			best = one;
	}
	return best;
}

static struct bpf_link *switch_on(const struct variant *v)
{
	switch (v->tracer) {
	case FTRACE:
		rival_ftrace_on();
		return NULL;
	case PERF:
		rival_perf_on(options.cpu);
		return NULL;
	case BPFTRACE:
		rival_bpftrace_on();
		return NULL;
	case NOBODY:
		return NULL;
	default:
		programs_arm(v->tracer != NOTHING);
		return programs_attach(v->program);
	}
}

static void switch_off(const struct variant *v, struct bpf_link *link)
{
	if (v->tracer == FTRACE)
		rival_ftrace_off();
	else if (v->tracer == PERF)
		rival_perf_off();
	else if (v->tracer == BPFTRACE)
		rival_bpftrace_off();
	else
		bpf_link__destroy(link);
}

/* True if LKST's records were made, or not made where none are wanted: else something else was timed. */
static bool is_recorded(const struct variant *v, u64 bytes)
{
	u64 least = (u64)options.calls * BATCHES * 16;
	bool is_ours = v->tracer == PROGRAM &&
		       (v->kind == FIXED || v->kind == HANDLED || v->kind == SYSCALL);

	return is_ours ? bytes >= least : !bytes;
}

static void measure(struct variant *v)
{
	u64 bytes = programs_recorded_bytes(options.cpu);
	double before = time_call(v, false), with, after;
	struct bpf_link *link;

	link = switch_on(v);
	with = time_call(v, true);
	switch_off(v, link);
	after = time_call(v, false);
	if (!is_recorded(v, programs_recorded_bytes(options.cpu) - bytes)) {
		v->nr_void++;
		return;
	}
	bench_add(&v->before, before);
	bench_add(&v->with, with);
	bench_add(&v->after, after);
}

static void measure_round(void)
{
	struct bpf_link *entry = programs_attach("bench_empty_enter");
	struct bpf_link *exit = programs_attach("bench_empty_exit");
	unsigned int i;

	for (i = 0; i < NR_VARIANTS; i++)
		measure(&variants[i]);
	bpf_link__destroy(entry);
	bpf_link__destroy(exit);
	if (programs_lost(options.cpu) || programs_ringbuf_lost())
		bench_die("events were lost: %llu of LKST's, %llu of the ring buffer's",
			  (unsigned long long)programs_lost(options.cpu),
			  (unsigned long long)programs_ringbuf_lost());
}

static void measure_all(void)
{
	static const char *const names[] = { "bench_empty_enter", "bench_empty_enter2",
					     "bench_empty_exit",  "bench_floor_enter",
					     "bench_floor_exit",  "bench_fixed",
					     "bench_handled",	  "bench_ringbuf",
					     "tp_btf__sys_enter", "tp_btf__sys_exit",
					     NULL };
	unsigned int round;

	for (round = 0; round < options.rounds; round++) {
		programs_load(names, RIVAL_BUFFER_BYTES);
		measure_round();
		programs_unload();
	}
}

/* How much else was going on: what the loop took without the variant, the worse of both times. */
static double unrest(const struct variant *v, unsigned int round)
{
	double before = v->before.value[round], after = v->after.value[round];

	return before > after ? before : after;
}

static void work_out_spread(struct variant *v)
{
	struct bench_series restless = {};
	unsigned int round;
	double limit;

	for (round = 0; round < v->with.nr; round++)
		bench_add(&restless, unrest(v, round));
	limit = bench_quantile(&restless, 1.0 / COUNTS);
	for (round = 0; round < v->with.nr; round++)
		if (unrest(v, round) <= limit)
			bench_add(&v->spread,
				  v->with.value[round] -
					  (v->before.value[round] + v->after.value[round]) / 2);
}

/* ---- reporting ------------------------------------------------------------------------------ */

static double cost(const struct variant *v)
{
	double least = bench_min(&v->before);
	unsigned int i;

	/* The loop without a variant is the same for all variants that use it. */
	for (i = 0; i < NR_VARIANTS; i++) {
		const struct variant *other = &variants[i];

		if (other->call != v->call)
			continue;
		least = bench_min(&other->before) < least ? bench_min(&other->before) : least;
		least = bench_min(&other->after) < least ? bench_min(&other->after) : least;
	}
	return bench_min(&v->with) - least;
}

static double cost_of_kind(enum kind kind)
{
	unsigned int i;

	for (i = 0; i < NR_VARIANTS && variants[i].kind != kind; i++)
		;
	return i < NR_VARIANTS ? cost(&variants[i]) : 0;
}

static double cost_of_tracer(enum tracer tracer)
{
	unsigned int i;

	for (i = 0; i < NR_VARIANTS && variants[i].tracer != tracer; i++)
		;
	return i < NR_VARIANTS ? cost(&variants[i]) : 0;
}

static void print_costs(void)
{
	unsigned int i;

	printf("\n%-38s %8s %8s %8s %8s\n", "ns per event", "min", "median", "max", "x floor");
	for (i = 0; i < NR_VARIANTS; i++) {
		const struct variant *v = &variants[i];
		double floor = cost_of_kind(v->at_exit ? FLOOR_EXIT : FLOOR_ENTRY);

		printf("%-38s %8.1f %8.1f %8.1f %8.2f\n", v->name, cost(v),
		       bench_median(&v->spread), bench_max(&v->spread), cost(v) / floor);
		if (v->nr_void)
			printf("  (%u rounds left out: it did not record what it had to)\n",
			       v->nr_void);
	}
}

static void print_ratio(const char *what, double is, double limit)
{
	printf("  %-24s %6.3f   limit %5.2f   %s\n", what, is, limit,
	       is <= limit ? "meets" : "MISSES");
}

static void print_limits(void)
{
	unsigned int i;

	for (i = 0; i < NR_VARIANTS; i++) {
		const struct variant *v = &variants[i];

		if (v->tracer != PROGRAM || (v->kind != FIXED && v->kind != SYSCALL))
			continue;
		printf("\n%s: %.1f ns\n", v->name, cost(v));
		print_ratio("of the floor", cost(v) / cost_of_kind(v->at_exit ? FLOOR_EXIT : FLOOR_ENTRY),
			    v->kind == FIXED ? 1.10 : 1.20);
		print_ratio("of the BPF ring buffer", cost(v) / cost_of_tracer(RINGBUF), 0.80);
		print_ratio("of ftrace", cost(v) / cost_of_tracer(FTRACE), 0.60);
		print_ratio("of perf", cost(v) / cost_of_tracer(PERF), 0.22);
	}
	printf("\nA trivial handler beside DEFAULT:\n");
	print_ratio("  more, ns", cost_of_kind(HANDLED) - cost_of_kind(FIXED), 8);
	printf("\nCPU at 90,000 events/s by unit cost:\n");
	print_ratio("  sched_switch, %", cost_of_kind(FIXED) * 90000 / 1e7, 1.3);
}

static void parse(int argc, char **argv)
{
	static const struct option rows[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "calls", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "r:n:", rows, NULL)) != -1)
		if (c == 'r')
			options.rounds = bench_number(optarg, 1);
		else if (c == 'n')
			options.calls = bench_number(optarg, 100);
		else
			bench_die("usage: unit [--rounds N] [--calls N]");
}

int main(int argc, char **argv)
{
	unsigned int i;

	parse(argc, argv);
	options.cpu = bench_last_cpu();
	bench_pin(options.cpu);
	rival_ftrace_open();
	measure_all();
	for (i = 0; i < NR_VARIANTS; i++) {
		if (variants[i].nr_void > options.rounds / 2)
			bench_die("%s does not record", variants[i].name);
		work_out_spread(&variants[i]);
	}
	printf("CPU %u, %u rounds of %u batches of %u calls, buffers of %d MiB per CPU\n", options.cpu,
	       options.rounds, BATCHES, options.calls, RIVAL_BUFFER_BYTES >> 20);
	print_costs();
	print_limits();
	return 0;
}
