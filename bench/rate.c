/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU pays for 90,000 recorded events per second, measured as CPU time: a thread makes
 * 45,000 system calls a second, a few in each millisecond, and their entries and exits are the
 * events. Needs root.
 *
 *	rate [--rounds N]
 *
 * In each round it runs for a second with nothing attached, with empty programs attached (what the
 * kernel charges for switching the two hooks on), and with LKST's programs beside those (what LKST
 * adds). The figures are differences of CPU time: within a round, and of the rounds' minima.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "programs.h"

enum {
	EVENTS_PER_SECOND = 90000,
	TICKS_PER_SECOND = 1000,
	CALLS_PER_TICK = EVENTS_PER_SECOND / 2 / TICKS_PER_SECOND,
	BUFFER_BYTES = 4 << 20,
};

enum state {
	NOTHING,
	EMPTY,
	RECORDING,
	NR_STATES,
};

/* CPU time of one second of load, in ns. */
static double load(void)
{
	uint64_t cpu = bench_thread_cpu_ns();
	struct timespec until;
	int tick, i;

	clock_gettime(CLOCK_MONOTONIC, &until);
	for (tick = 0; tick < TICKS_PER_SECOND; tick++) {
		for (i = 0; i < CALLS_PER_TICK; i++)
			syscall(SYS_getppid);
		until.tv_nsec += 1000000000 / TICKS_PER_SECOND;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
	}
	return bench_thread_cpu_ns() - cpu;
}

static double load_in_state(enum state state)
{
	static const char *const programs[] = { "bench_empty_enter", "bench_empty_exit",
						"tp_btf__sys_enter", "tp_btf__sys_exit" };
	static const int attached[NR_STATES] = { [NOTHING] = 0, [EMPTY] = 2, [RECORDING] = 4 };
	struct bpf_link *links[4] = {};
	double cpu;
	int i;

	for (i = 0; i < attached[state]; i++)
		links[i] = programs_attach(programs[i]);
	cpu = load();
	for (i = 0; i < attached[state]; i++)
		bpf_link__destroy(links[i]);
	return cpu;
}

/* @what: cost in state @to beyond state @from, in per cent of a CPU. */
static void print_step(const char *what, const struct bench_series *s, enum state from,
		       enum state to)
{
	struct bench_series step = {};
	unsigned int i;

	for (i = 0; i < s[to].nr; i++)
		bench_add(&step, (s[to].value[i] - s[from].value[i]) / 1e7);
	printf("%-46s %7.3f %% %7.3f %% %7.3f %%\n", what,
	       (bench_min(&s[to]) - bench_min(&s[from])) / 1e7, bench_median(&step),
	       bench_max(&step));
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "bench_empty_enter", "bench_empty_exit",
					     "tp_btf__sys_enter", "tp_btf__sys_exit", NULL };
	static const struct option rows[] = { { "rounds", required_argument, NULL, 'r' },
					      { NULL, 0, NULL, 0 } };
	unsigned int rounds = 15, round, cpu = bench_last_cpu();
	static struct bench_series s[NR_STATES];
	enum state state;
	double reached;
	uint64_t bytes;
	int c;

	while ((c = getopt_long(argc, argv, "r:", rows, NULL)) != -1)
		if (c == 'r')
			rounds = bench_number(optarg, 1);
		else
			bench_die("usage: rate [--rounds N]");
	bench_pin(cpu);
	prctl(PR_SET_TIMERSLACK, 1);
	programs_load(names, BUFFER_BYTES);
	for (round = 0; round < rounds; round++)
		for (state = 0; state < NR_STATES; state++)
			bench_add(&s[state], load_in_state(state));
	bytes = programs_recorded_bytes(cpu);
	if (!bytes || programs_lost(cpu))
		bench_die("%llu bytes recorded, %llu events lost", (unsigned long long)bytes,
			  (unsigned long long)programs_lost(cpu));
	printf("%-46s %9s %9s %9s\n", "one CPU, 90,000 events/s", "min", "median", "max");
	print_step("the kernel's own: both hooks on, empty programs", s, NOTHING, EMPTY);
	print_step("LKST, recording both", s, EMPTY, RECORDING);
	reached = (bench_min(&s[RECORDING]) - bench_min(&s[EMPTY])) / 1e7;
	printf("  LKST alone               %6.3f   limit %5.2f   %s\n", reached, 1.3,
	       reached <= 1.3 ? "meets" : "MISSES");
	programs_unload();
	return 0;
}
