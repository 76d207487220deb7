/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost limit leaves out the least valuable kinds of events while recording costs more than it
 * may, and takes them back later. A kernel timer looks four times a second (budget.bpf.c): that needs no
 * process, and the path of an event is as short as without it. Here is what its parts share:
 * what recording costs (budget_cost.h), the kinds that are left out (budget_kinds.h), and hooks that are
 * detached because nothing that they serve is recorded (budget_hooks.h).
 *
 * Context: a softirq, which is not preempted on the kernels that this is used on (src/live/cost/
 * cost_limit.c refuses PREEMPT_RT), so that a record may be written as by any hook.
 */
#ifndef LKST_BPF_BUDGET_BUDGET_SHARED_H
#define LKST_BPF_BUDGET_BUDGET_SHARED_H

#include "abi/budget.h"
#include "bpf/maskset.h"

enum {
	CHANGES = 8, /* that one look makes at most, of a sort */
	PPM = 1000000,
};

struct lkst_budget lkst_budget SEC(".data.budget");

/* As many as there are kinds. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_kind);
} lkst_kinds SEC(".maps");

/* As many as there are kinds. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_hook_group);
} lkst_hook_groups SEC(".maps");

/* Wakes the process that detaches hooks: 8 bytes without a meaning. One page. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} lkst_asks SEC(".maps");

struct budget_cpu {
	u64 opened[LKST_NR_BUFFERS]; /* blocks that its rings had opened at the last look ... */
	u32 page[LKST_NR_BUFFERS];   /* ... where these pages were active */
	u32 ppm;		     /* what recording costs here, the mean of the last looks */
	u32 idle_ppm;		     /* what runs that recorded nothing cost, likewise */
	u64 ran_ns; /* the time of these runs since recording began, at the last look */
	/* Of what is tried: the time of its runs that recorded nothing ... */
	u64 tried_ns;	   /* ... before it was tried, since recording began */
	u64 tried_last_ns; /* ... and at the last look */
	u64 would_ns;	   /* what recording them would have taken, before it was tried */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct budget_cpu);
} lkst_budget_cpus SEC(".maps");

struct budget_timer {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct budget_timer);
} lkst_budget_timer SEC(".maps");

/*
 * One look, while it lasts: the timer never runs twice at a time. It is in a map and not on the timer's stack:
 * what is on a stack the verifier follows, so that it would check each function again along each path to it. What
 * writes records is in global functions for the same reason.
 */
static struct {
	u64 now, period;
	/* The CPU that is looked at, and what recording has cost there since the last look, ns. */
	u32 cpu;
	u64 cost, ran_ns;
	u32 busiest_ppm, idle_ppm;
	u32 allowed_ppm; /* the limit, less what hooks of kinds that are left out still cost */
	u32 aim_ppm, left_ppm; /* what is to be left of the busiest CPU's cost, and what is */
	u64 recorded_ns;       /* the time of the records that were looked through, on busy CPUs */
	u64 lesser_ns;	       /* the part of it for kinds of less value than ... */
	u32 value;	       /* ... this */
	u64 idle_ns;	       /* the time of runs that recorded nothing, on all CPUs */
	u32 is_settling;       /* expensive hooks were detached since the last look, or are to be */
	u32 is_asking;	       /* the process that detaches hooks has something to do */
	/* What is tried. */
	u32 tried, tried_group; /* the kind, and the group if all of it is tried; LKST_KIND_NONE, LKST_GROUP_NONE */
	u32 is_before;		/* it is not tried yet, but is to be */
	u32 is_apart;		/* its hooks are attached only to be tried: their time counts for nothing else */
	u64 would_ns, would;	/* what recording it would have taken on one CPU, and the most of all CPUs */
	u32 marks, marks_shed; /* a group whose events are marked, and how */
	/* A search through the kinds, or the groups: the best so far. */
	u32 best;
	u32 best_value;
	u64 best_ns;
} look SEC(".data.look");

#endif
