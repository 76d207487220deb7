/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can be counted for each stretch in which a thread ran (event perf_counters): counters of the CPU, by the names
 * that perf has for them, and some of the kernel's own, which count on every machine. Their numbers are stored in
 * traces.
 */
#ifndef LKST_ABI_PERF_COUNTER_H
#define LKST_ABI_PERF_COUNTER_H

#include "abi/types.h"

/* Number, name, PERF_TYPE_ of perf_event_open(2), PERF_COUNT_. */
#define LKST_PERF_COUNTERS(P)                                                                      \
	P(1, cycles, "cycles", HARDWARE, HW_CPU_CYCLES)                                            \
	P(2, instructions, "instructions", HARDWARE, HW_INSTRUCTIONS)                              \
	P(3, cache_references, "cache-references", HARDWARE, HW_CACHE_REFERENCES)                  \
	P(4, cache_misses, "cache-misses", HARDWARE, HW_CACHE_MISSES)                              \
	P(5, branches, "branches", HARDWARE, HW_BRANCH_INSTRUCTIONS)                               \
	P(6, branch_misses, "branch-misses", HARDWARE, HW_BRANCH_MISSES)                           \
	P(7, ref_cycles, "ref-cycles", HARDWARE, HW_REF_CPU_CYCLES)                                \
	P(8, cpu_clock, "cpu-clock", SOFTWARE, SW_CPU_CLOCK)                                       \
	P(9, page_faults, "page-faults", SOFTWARE, SW_PAGE_FAULTS)                                 \
	P(10, major_faults, "major-faults", SOFTWARE, SW_PAGE_FAULTS_MAJ)

enum lkst_perf_counter {
	LKST_PERF_NOTHING, /* not counted in this record */
#define P(number, id, name, type, config) LKST_PERF_##id = number,
	LKST_PERF_COUNTERS(P)
#undef P
	LKST_NR_PERF_COUNTERS, /* the highest number is one less */
};

enum {
	LKST_PERF_AT_ONCE = 4, /* that a recording can have */
};

/* By enum lkst_perf_counter (abi/events.c; user space only). */
extern const char *const lkst_perf_counter_names[];

#endif
