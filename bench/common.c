/* SPDX-License-Identifier: GPL-2.0-only */
/* What the measuring programs share. */
#include "common.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void bench_add(struct bench_series *s, double value)
{
	if (s->nr == BENCH_ROUNDS_MAX)
		bench_die("more than %u rounds", BENCH_ROUNDS_MAX);
	s->value[s->nr++] = value;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Value number @i of the sorted series; 0 of an empty one. */
static double sorted(const struct bench_series *s, unsigned int i)
{
	static double value[BENCH_ROUNDS_MAX];

	if (!s->nr)
		return 0;
	memcpy(value, s->value, s->nr * sizeof(*value));
	qsort(value, s->nr, sizeof(*value), compare);
	return value[i];
}

double bench_min(const struct bench_series *s)
{
	return sorted(s, 0);
}

double bench_median(const struct bench_series *s)
{
	return sorted(s, s->nr / 2);
}

double bench_max(const struct bench_series *s)
{
	return s->nr ? sorted(s, s->nr - 1) : 0;
}

double bench_quantile(const struct bench_series *s, double q)
{
	return s->nr ? sorted(s, (s->nr - 1) * q) : 0;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t bench_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t bench_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void bench_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_die("staying on CPU %u: %s", cpu, strerror(errno));
	/* Without the right to it, the minimum of many rounds has to do. */
	if (setpriority(PRIO_PROCESS, 0, -20))
		fprintf(stderr, "going on at normal priority\n");
}

unsigned int bench_last_cpu(void)
{
	cpu_set_t set;
	unsigned int cpu, last = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		bench_die("asking for the CPUs: %s", strerror(errno));
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			last = cpu;
	return last;
}

void bench_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "bench: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(1);
}

unsigned long bench_number(const char *text, unsigned long min)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (!*text || *end || v < min)
		bench_die("not a number of at least %lu: %s", min, text);
	return v;
}
