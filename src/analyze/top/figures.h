/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The figures of a stretch of time, all of one pass: what each thread and CPU did, what interrupts took, how fast disks
 * were, and which wait was the worst. For a command that looks at a machine again and again: a stretch that follows
 * another takes over from it what threads wait for that were blocked all the time.
 */
#ifndef LKST_ANALYZE_TOP_FIGURES_H
#define LKST_ANALYZE_TOP_FIGURES_H

#include "abi/control.h"
#include "abi/state.h"
#include "analyze/engine/labels.h"
#include "analyze/engine/limited.h"
#include "analyze/engine/tally.h"
#include "analyze/model/model.h"
#include "analyze/why/worst.h"
#include "base/cleanup.h"

/* What a thread is blocked on, by enum lkst_cause. */
enum lkst_blocked_on {
	LKST_BLOCKED_DISK,  /* io, sync */
	LKST_BLOCKED_LOCK,  /* lock, futex */
	LKST_BLOCKED_SLEEP, /* sleep */
	LKST_BLOCKED_OTHER,
	LKST_NR_BLOCKED_ON,
};
extern const char *const lkst_blocked_on_names[];
enum lkst_blocked_on lkst_blocked_on(enum lkst_cause cause);

/* A thread's time. What is left of the stretch, it was not there. */
struct lkst_thread_figures {
	s32 tid, pid; /* pid 0: not known */
	char comm[16];
	u64 cgroup; /* at the end; 0: not known */
	bool is_kernel, is_over;
	u64 running_ns, ready_ns, stopped_ns, unknown_ns;
	u64 blocked_ns[LKST_NR_CAUSES];
	u64 ready_max_ns; /* the longest that it was ready without running */
	u64 nr_runs;	  /* how often it came to a CPU */
	s32 cpu;	  /* where it ran last, -1: not known */
	u8 run;		  /* enum lkst_run at the end */
	u8 cause;	  /* enum lkst_cause, if it is BLOCKED then */
	s32 nr_threads;	  /* 1; of a process: how many */
};

struct lkst_cpu_figures {
	u64 threads_ns, irq_ns, softirq_ns, idle_ns, unknown_ns;
};

/* Interrupts of one kind. Their time is less that of those that interrupted them. */
struct lkst_irq_figures {
	u8 context; /* enum lkst_context */
	u32 number; /* VECTOR: enum lkst_event_index */
	u64 count, ns, worst_ns;
	u64 nr_partial; /* more, whose begin or end is not there */
	char name[LKST_KEY_TEXT];
};

/* A disk's requests that were done. */
struct lkst_disk_figures {
	u32 dev;
	char name[LKST_LABEL_TEXT];
	u64 requests, sum_ns, worst_ns; /* from the driver's getting them to their end */
	u64 bytes;			/* of these and others */
	u64 no_begin;			/* done, too, but begun before the trace */
	u64 in_flight; /* requests that are not done at the end, as far as their begin is in the trace */
};

/* What figures rest on that the cost limit may leave out. */
enum lkst_figures_part {
	LKST_FIGURES_ANY,   /* whatever it is */
	LKST_FIGURES_CALLS, /* the worst */
	LKST_FIGURES_IRQS,  /* interrupts of any kind */
	LKST_FIGURES_HARD,  /* of them, those of devices and CPUs, and the CPUs' time in them */
	LKST_FIGURES_SOFT,  /* the others: softirqs, and what they run */
	LKST_FIGURES_DISKS, /* the disks, and threads' time blocked for one */
	LKST_FIGURES_LOCKS, /* threads' time blocked for a lock of the kernel */
	LKST_NR_FIGURES_PARTS,
};

struct lkst_figures {
	u64 from_ns, to_ns;
	u64 records; /* in that time */
	u64 gaps;    /* places where records are missing */
	struct lkst_thread_figures *threads;
	u32 nr_threads;
	struct lkst_threads *known; /* which cgroups there are; NULL: none */
	struct lkst_cpu_figures *cpus; /* by number; those of which nothing is known are all zero */
	u32 nr_cpus;
	struct lkst_irq_figures *irqs; /* the most time first */
	u32 nr_irqs;
	struct lkst_disk_figures *disks;
	u32 nr_disks;
	bool has_worst;
	struct lkst_worst worst; /* the system call that took longest and does not wait by design */
	/* The ledger, since recording began: by enum lkst_loss; runs of hooks that the kernel skipped. */
	u64 lost[LKST_LOSS_NR], skipped;
	/*
	 * By enum lkst_figures_part, what of it was left out in that time, so that figures are least ones, and what is
	 * not there may have been: "softirq not recorded since +1.200 s". "": nothing.
	 */
	char limited[LKST_NR_FIGURES_PARTS][LKST_LIMITED_TEXT];
};

struct lkst_figures_options {
	u64 from_ns,
		to_ns; /* both included; what the trace has before is read for what was so at from_ns */
	const struct lkst_figures *before; /* the stretch that ended at from_ns; NULL: none */
};

/* One pass over @t. -ENOMEM. */
int lkst_figures_new(struct lkst_err *e, struct lkst_trace *t,
		     const struct lkst_figures_options *options, struct lkst_figures **ret_figures);
void lkst_figures_free(struct lkst_figures *f);
LKST_GUARD(lkst_figures_free, struct lkst_figures)

/* A thread's time blocked on one group of causes, or on all. */
u64 lkst_figures_blocked(const struct lkst_thread_figures *t, enum lkst_blocked_on on);
u64 lkst_figures_blocked_all(const struct lkst_thread_figures *t);

/* The cause that a thread was blocked on longest; LKST_NR_CAUSES: it was not blocked. */
unsigned int lkst_figures_longest_cause(const struct lkst_thread_figures *t);

#endif
