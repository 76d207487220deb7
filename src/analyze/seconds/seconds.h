/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording did in each second, counted record by record as they come, in bounded memory: how often each event
 * occurred, what the CPUs did, and how long waits, calls, requests and interrupts took, as histograms that add up over
 * seconds and machines. It measures what the analyses measure (analyze/analyses), but knows less of each: it has to be
 * cheap enough to run all the time. A duration counts in the second in which it ends.
 */
#ifndef LKST_ANALYZE_SECONDS_SECONDS_H
#define LKST_ANALYZE_SECONDS_SECONDS_H

#include "abi/control.h"
#include "abi/events.h"
#include "base/cleanup.h"
#include "result/hist.h"
#include "trace/known/threads.h"
#include "trace/read/gaps.h"

/* What durations are of. */
enum lkst_measure {
	LKST_MEASURE_RUNQUEUE, /* a thread was ready, until it ran */
	LKST_MEASURE_SYSCALL,  /* a system call */
	LKST_MEASURE_LOCK,     /* a thread waited for a lock of the kernel, less waits within */
	LKST_NR_MEASURES_OF_THREADS,
	LKST_MEASURE_DISK = LKST_NR_MEASURES_OF_THREADS, /* a request was with the driver */
	LKST_MEASURE_IRQ,				 /* an interrupt, less those within */
	LKST_MEASURE_SOFTIRQ,
	LKST_NR_MEASURES,
};
extern const char *const lkst_measure_names[];

enum { LKST_SECOND_PARTS = 64 };

/* How many of the durations were of what: a disk, the number of an interrupt. Those beyond have the key UINT32_MAX. */
struct lkst_second_parts {
	struct {
		u32 key, n;
	} list[LKST_SECOND_PARTS];
	u32 nr;
};

/* What CPUs did. */
struct lkst_second_times {
	u64 threads_ns, irq_ns, softirq_ns, idle_ns, unknown_ns;
};

/* The threads of a cgroup. */
struct lkst_second_cgroup {
	u64 id;
	u64 threads_ns;
	struct lkst_hist durations[LKST_NR_MEASURES_OF_THREADS];
};

struct lkst_second {
	u64 from_ns, to_ns;
	u64 records;
	u64 nr_gaps, lost_blocks,
		lost_events; /* places where records are missing, and what is known of them */
	u32 events[LKST_EVENT_SPACE]; /* by id */
	u32 calls[LKST_EVENT_SPACE];  /* system calls, by the id of their entry */
	u32 softirqs[LKST_NR_SOFTIRQS];
	struct lkst_second_parts disks, irqs;
	struct lkst_hist durations[LKST_NR_MEASURES];
	u64 left_out
		[LKST_NR_MEASURES]; /* ended, and not known since when, or with something missing in between */
	struct lkst_second_times times; /* of all CPUs */
	u32 nr_cpus;
	struct lkst_second_cgroup *cgroups; /* those asked for */
	u32 nr_cgroups;
};

struct lkst_seconds_options {
	u32 nr_cpus;	    /* that there are, whether they record anything or not */
	u64 from_ns;	    /* when the first second begins */
	const char *cgroup; /* a glob: cgroups that are counted apart as well; NULL: none */
	const struct lkst_threads *threads; /* whose cgroups those are; the caller feeds it */
	struct lkst_hist *
		calls; /* by the id of their entries, LKST_EVENT_SPACE: how long calls took, for the caller to
				    empty; NULL: not by call */
};

struct lkst_seconds;

/* @options: its pointers must stay. -ENOMEM. */
int lkst_seconds_new(struct lkst_err *e, const struct lkst_seconds_options *options,
		     struct lkst_seconds **ret_seconds);
void lkst_seconds_free(struct lkst_seconds *s);
LKST_GUARD(lkst_seconds_free, struct lkst_seconds)

/* The next record; they come in order of time. 0 or -ENOMEM. */
int lkst_seconds_feed(struct lkst_seconds *s, const struct lkst_record *r);

/* Records are missing there. It comes before the records after it. */
void lkst_seconds_gap(struct lkst_seconds *s, const struct lkst_gap *gap);

/* All records before @to_ns have come: the second that ends there. It stays until lkst_seconds_next(). */
const struct lkst_second *lkst_seconds_end(struct lkst_seconds *s, u64 to_ns);

/* Begins the next second, where the last one ended. */
void lkst_seconds_next(struct lkst_seconds *s);

#endif
