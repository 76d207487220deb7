/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace shows beside its waits, and what explains them or is harm itself: system calls that fail, processes that
 * were killed, memory that had to be reclaimed, quotas of CPU time, and who asks a disk for how much. Threads of one
 * name are one. It is made in the pass that the states are made in (past.h).
 */
#ifndef LKST_ANALYZE_WAITING_EVIDENCE_H
#define LKST_ANALYZE_WAITING_EVIDENCE_H

#include "analyze/engine/limited.h"
#include "analyze/model/model.h"
#include "analyze/waiting/about.h"
#include "analyze/waiting/whose.h"
#include "base/map.h"

/* A system call that has failed. */
struct lkst_evidence_failure {
	u32 life; /* the last that did it */
	s16 call; /* a row of lkst_syscalls[] */
	s16 error; /* errno */
	u64 count;
	u64 first_ns, last_ns;
	char peer[64]; /* the address that it was about, "": none */
	u32 about;     /* the same as a number of the abouts: the file; 0: not known, or not one alone */
	u64 nr_abouts; /* how many of them that is known of */
	bool is_of_many; /* not all were of one thread */
};

/* What was asked of one disk. */
struct lkst_evidence_request {
	u32 life; /* the last that did */
	u32 dev;
	bool is_kernels; /* by a thread of the kernel */
	u64 count, bytes;
};

/* What was written to files of one directory, through the page cache or not. */
struct lkst_evidence_written {
	u32 life;      /* the last that did */
	u32 directory; /* a number of the abouts */
	u64 bytes;
};

/* What was done for memory that was asked for: other memory was freed first. */
struct lkst_evidence_reclaim {
	u32 life;   /* whose was the longest */
	u64 cgroup; /* whose memory was freed, or that of one above; 0: the machine's, or not known */
	bool is_of_cgroup;
	u64 count, total_ns, longest_ns, at_ns;
	u64 nr_swapped; /* pages that were written to swap meanwhile */
};

/* A cgroup with a quota of CPU time, as state_quota has it. */
struct lkst_evidence_quota {
	u64 cgroup; /* 0: it is of another hierarchy than the cgroups of threads that are known */
	u64 quota_ns, period_ns, nr_throttled;
	char *path;
};

/* A process that was killed because memory ran out. */
struct lkst_evidence_kill {
	u64 ns;
	s32 pid;
	char comm[16];
	u64 cgroup;
	u64 kib; /* that it had, as the kernel's message says; 0: not known */
	/* Of the processes that the kernel listed just before: who had most, and how much of all; "": of none. */
	char most[17];
	u64 most_pages, all_pages;
};

/* Who opened /proc/sys/vm/drop_caches to write to it: the kernel drops its page cache then. */
struct lkst_evidence_drop {
	u32 life; /* the last that did */
	u64 count;
	u64 first_ns, last_ns;
};

struct lkst_evidence {
	struct lkst_evidence_failure *failures;
	u32 nr_failures;
	struct lkst_evidence_request *requests;
	u32 nr_requests;
	struct lkst_evidence_written *written;
	u32 nr_written;
	struct lkst_evidence_reclaim *reclaims;
	u32 nr_reclaims;
	struct lkst_evidence_quota *quotas;
	u32 nr_quotas;
	struct lkst_evidence_kill *kills;
	u32 nr_kills;
	struct lkst_evidence_drop *drops;
	u32 nr_drops;
	char most[17]; /* of the list of processes that is being printed, as in struct lkst_evidence_kill */
	u64 most_pages, all_pages;
	char rejected[17]; /* of whom the kernel said that a fork was rejected for a cgroup's limit; "": of nobody */
	char rejected_by[64]; /* that cgroup's path in the hierarchy of the limit; "": not known */
	s32 rejected_tid;     /* whose message goes on with the path; 0: nobody's does */
	struct lkst_abouts *abouts; /* of the same pass, set before lkst_evidence_subscribe(); NULL: none */

	const struct lkst_whose *scope; /* whose calls, kills and reclaims; set before */

	/* Private. */
	struct lkst_model *model;
	const struct lkst_limited *limited;
	struct lkst_map calls;	/* how many, by name and call */
	struct lkst_map failed; /* `failures` by name, call and error */
	struct lkst_map asked;	/* `requests` by name and disk */
	struct lkst_map freed;	/* `reclaims` by name and cgroup */
	struct lkst_map dropped; /* `drops` by name */
	struct lkst_map wrote;	/* `written` by name and directory */
	u8 *writes;		/* by system call: whether it writes to a descriptor */
	struct lkst_evidence_thread *threads; /* by life */
	u32 nr_threads;
	u64 cover_ns; /* no gap that has been met reaches beyond */
	int error;
};

/* Has the pass of @f and @model fill it, as lkst_past_subscribe() does. 1, or a negative errno. */
int lkst_evidence_subscribe(struct lkst_evidence *x, struct lkst_feed *f, struct lkst_model *model,
			    const struct lkst_limited *limited);
void lkst_evidence_fini(struct lkst_evidence *x);

/* How many calls of @call there were of threads of the same name as @life. */
u64 lkst_evidence_calls(const struct lkst_evidence *x, const struct lkst_thread_life *life, s16 call);

#endif
