/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the measuring programs share: series of measurements, the clock, a CPU to themselves. They
 * print and exit as they like: no part of LKST links them.
 */
#ifndef LKST_BENCH_COMMON_H
#define LKST_BENCH_COMMON_H

#include <stdint.h>

enum {
	BENCH_ROUNDS_MAX = 1000,
};

/* One figure, measured several times. */
struct bench_series {
	double value[BENCH_ROUNDS_MAX];
	unsigned int nr;
};

void bench_add(struct bench_series *s, double value);
double bench_min(const struct bench_series *s);
double bench_median(const struct bench_series *s);
double bench_max(const struct bench_series *s);
/* The value that a share @q of the values (0 to 1) lies below. */
double bench_quantile(const struct bench_series *s, double q);

/* CLOCK_MONOTONIC and the CPU time that this thread has used, ns. */
uint64_t bench_now_ns(void);
uint64_t bench_thread_cpu_ns(void);

/* Keeps this process on @cpu and in front of ordinary ones. */
void bench_pin(unsigned int cpu);

/* The last CPU that is online: interrupts mostly go to the first. */
unsigned int bench_last_cpu(void);

/* Prints a message to standard error and exits. */
void __attribute__((noreturn, format(printf, 1, 2))) bench_die(const char *format, ...);

/* A number from the command line, at least @min. */
unsigned long bench_number(const char *text, unsigned long min);

#endif
