/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much work the machine has done, by counters that the kernel keeps whatever is recorded, and the CPU time that
 * it took. The same work with and without recording tells what recording costs, without any model of it.
 */
#ifndef LKST_LIVE_RECORDING_WORK_H
#define LKST_LIVE_RECORDING_WORK_H

#include "abi/types.h"
#include "base/err.h"

/* What counts as work. Which of these is in proportion to what the machine is there for depends on the load. */
#define LKST_WORK_UNITS(U)                                                                         \
	U(CALLS, "calls that read or write") /* /proc/PID/io, syscr and syscw, of all processes */ \
	U(PACKETS, "packets")		     /* /proc/net/dev, received, all interfaces */         \
	U(FAULTS, "page faults")	     /* /proc/vmstat, pgfault */                           \
	U(SWITCHES, "context switches")	     /* /proc/stat, ctxt */

enum lkst_work_unit {
#define U(name, text) LKST_WORK_##name,
	LKST_WORK_UNITS(U)
#undef U
	LKST_NR_WORK_UNITS,
};

extern const char *const lkst_work_unit_names[LKST_NR_WORK_UNITS];

/* A reading; only the differences of two mean something. */
struct lkst_work {
	u64 busy_us; /* CPU time that was neither idle nor stolen, of all CPUs */
	u64 done[LKST_NR_WORK_UNITS];
};

/*
 * Reads the counters. A count that this kernel does not have, or this process may not read, stays 0. It takes 10 to 20 us
 * for each process of the machine.
 */
int lkst_work_read(struct lkst_err *e, struct lkst_work *w);

enum { LKST_WORK_PAIRS_MAX = 512 };

/* The same time with and without recording, one right after the other: how much each did. */
struct lkst_work_pair {
	struct lkst_work recorded, unrecorded;
};

/* By how much more CPU time a unit of work took while it was recorded: 0.1 is 10 %. */
struct lkst_work_slowdown {
	enum lkst_work_unit unit; /* the one that says it best */
	u32 nr_pairs;		  /* in which it occurred often enough */
	double median;
	double least, most; /* where the median of ever more pairs lies, with 95 % confidence */
};

/*
 * Compares @nr pairs by the unit of work whose pairs agree best. -ENODATA: too little was done in all of them, or
 * there are fewer than 6, so that nothing can be said.
 */
int lkst_work_compare(struct lkst_err *e, const struct lkst_work_pair *pairs, u32 nr,
		      struct lkst_work_slowdown *ret);

#endif
