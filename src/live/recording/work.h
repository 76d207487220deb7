/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much work programs do, and the CPU time that it takes them, by counters that the kernel keeps whatever is
 * recorded. The same work with and without recording tells what recording costs a program, without any model of it.
 */
#ifndef LKST_LIVE_RECORDING_WORK_H
#define LKST_LIVE_RECORDING_WORK_H

#include "abi/types.h"
#include "base/err.h"

/* What counts as work. Which of these is in proportion to what a program is there for depends on the program. */
#define LKST_WORK_UNITS(U)                                                                         \
	U(CALLS, "calls that read or write") /* /proc/PID/io, syscr and syscw */                   \
	U(FAULTS, "page faults")	     /* /proc/PID/stat, minflt and majflt */

enum lkst_work_unit {
#define U(name, text) LKST_WORK_##name,
	LKST_WORK_UNITS(U)
#undef U
	LKST_NR_WORK_UNITS,
};

extern const char *const lkst_work_unit_names[LKST_NR_WORK_UNITS];

/* What a process, or all of one name, has done. */
struct lkst_work_of {
	comm16 comm;
	s32 pid;
	u64 cpu_ns;
	u64 done[LKST_NR_WORK_UNITS];
	u64 reaped; /* page faults of children that it has waited for: grows with each */
};

/* What each has done. All zero is empty. */
struct lkst_work {
	struct lkst_work_of *list;
	u32 nr;
};

/*
 * Reads what each process has done since it began, in order of pid. It takes some 50 us for each. 0 or a negative
 * errno; lkst_work_fini() frees it in any case.
 */
int lkst_work_read(struct lkst_err *e, struct lkst_work *ret);

/*
 * What the processes did between two readings, those of one name together, in order of names. Those that began or ended
 * meanwhile, or waited for a child that did, are left out. 0 or -ENOMEM; *@ret is to be freed in any case.
 */
int lkst_work_between(struct lkst_err *e, const struct lkst_work *begin, const struct lkst_work *end,
		      struct lkst_work *ret);
void lkst_work_fini(struct lkst_work *w);

/* Two windows, one right after the other: what was done in each while it was recorded, and while it was not. */
struct lkst_work_pair {
	struct lkst_work recorded, unrecorded;
};

enum { LKST_WORK_PAIRS_MAX = 512, LKST_WORK_ROWS = 10 };

/* By how much more CPU time a unit of work took a program while it was recorded: 0.1 is 10 %. */
struct lkst_work_slowdown {
	comm16 comm;
	double share;		  /* of the CPU time of all programs */
	enum lkst_work_unit unit; /* the one whose pairs agree best */
	u32 nr_pairs;		  /* in which it occurred often enough */
	double median;
	double least, most; /* where the median of ever more pairs lies, with 95 % confidence */
};

/*
 * Compares @nr pairs, program by program, those with the most CPU time first. Returns how many there are, -ENODATA:
 * none did enough in enough of the pairs (6 at least, and half of them), or -ENOMEM.
 */
int lkst_work_compare(struct lkst_err *e, const struct lkst_work_pair *pairs, u32 nr,
		      struct lkst_work_slowdown ret[LKST_WORK_ROWS]);

#endif
