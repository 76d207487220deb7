/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a mark costs a program (src/liblkst), beside what else it could do to say the same. All are measured in turn,
 * round by round; the least of the rounds counts, and the median shows how they spread.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "liblkst/mark.h"
#include "marks/marks_ask.h"
#include "mark_lttng.h"

enum { ROUNDS = 50, CALLS = 100000 };

static int file;

static void run_nothing(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		__asm__ volatile("" ::: "memory");
}

static void run_mark(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		lkst_mark("commit", i);
}

static void run_fields(void)
{
	static struct lkst_mark_event event =
		LKST_MARK_EVENT("commit: u64 id, u32 pages, string path");
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		LKST_MARK(&event, i, 7, "main.db");
}

static void run_clock(void)
{
	struct timespec now;
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

static void run_write(void)
{
	char line[32] = "commit";
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		if (pwrite(file, line, sizeof(line), i % 4096 * sizeof(line)) != sizeof(line))
			bench_die("cannot write");
}

#ifdef LKST_BENCH_LTTNG
static void run_lttng_mark(void)
{
	bench_lttng_mark(CALLS);
}

static void run_lttng_fields(void)
{
	bench_lttng_fields(CALLS);
}
#endif

static const struct measured {
	const char *name;
	void (*run)(void);
	bool is_wanted;
} measured[] = {
	{ "an empty loop", run_nothing, false },
	{ "a mark that no recording wants", run_mark, false },
	{ "an event with three fields that none wants", run_fields, false },
	{ "clock_gettime(CLOCK_MONOTONIC)", run_clock, false },
	{ "a mark", run_mark, true },
	{ "an event with three fields", run_fields, true },
#ifdef LKST_BENCH_LTTNG
	{ "LTTng-UST: an event with the fields of a mark", run_lttng_mark, false },
	{ "LTTng-UST: an event with three fields", run_lttng_fields, false },
#endif
	{ "pwrite(2) of 32 bytes to a file in memory", run_write, false },
};
enum { NR = sizeof(measured) / sizeof(measured[0]) };

/* As a recording that begins and ends. */
static void want(struct lkst_marks_programs *programs, bool is_wanted)
{
	struct lkst_err e;

	if (lkst_marks_want(&e, programs, is_wanted ? UINT64_MAX : 1, !is_wanted))
		bench_die("%s", e.text);
	/* It notices that nobody wants it any more. */
	lkst_mark("", 0);
}

int main(int argc, char **argv)
{
	struct lkst_marks_programs programs = { .dir = argc > 1 ? argv[1] : "", .nr_cpus = 1 };
	static struct bench_series series[NR];
	unsigned int i, round;
	char path[256];

	snprintf(path, sizeof(path), "%s/file", programs.dir);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (argc != 2 || file < 0 || setenv("LKST_MARK_DIR", programs.dir, 1))
		bench_die("usage: mark DIRECTORY, in a tmpfs");
#ifdef LKST_BENCH_LTTNG
	if (!bench_lttng_is_on())
		bench_die("no session of LTTng records the events lkst_bench:*");
#endif
	bench_pin(bench_last_cpu());
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < NR; i++) {
			uint64_t begin;

			want(&programs, measured[i].is_wanted);
			measured[i].run();
			begin = bench_now_ns();
			measured[i].run();
			bench_add(&series[i], (double)(bench_now_ns() - begin) / CALLS);
		}
	printf("   least  median  ns for\n");
	for (i = 0; i < NR; i++)
		printf("%8.1f %7.1f  %s\n", bench_min(&series[i]), bench_median(&series[i]),
		       measured[i].name);
	lkst_marks_programs_fini(&programs);
#ifndef LKST_BENCH_LTTNG
	printf("LTTng-UST is not compared: it is not installed\n");
#endif
	return 0;
}
