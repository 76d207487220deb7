/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What recording costs: how often each kind of event was recorded in a quarter of a second, by
 * counting what the blocks hold, and how often its programs ran and recorded nothing, which they count
 * themselves; times what either costs on this machine. That is not exact, so what is more than a CPU spent in the
 * kernel is cut down to it: a hook runs nowhere else.
 */
#ifndef LKST_LIVE_RECORDING_COST_H
#define LKST_LIVE_RECORDING_COST_H

#include "base/cleanup.h"
#include "live/cost/kinds.h"
#include "live/session/session.h"

struct lkst_cost_row {
	char name[LKST_KIND_NAME];
	struct lkst_unit_cost unit;
	double per_second;	/* records */
	double idle_per_second; /* runs that recorded nothing */
	double us_per_second;	/* CPU time of all CPUs; less than rates times units where it is cut down */
};

struct lkst_cost {
	struct lkst_cost_row *rows; /* kinds that occurred, the most expensive first */
	unsigned int nr_rows;
	double us_per_second;	   /* of all */
	double idle_us_per_second; /* the part of it that was for runs that recorded nothing */
	double busy_us_per_second; /* what the CPUs worked in all, recording included */
	double busiest_share;	   /* of the time of the CPU where it costs most: 0.01 is 1 % */
	u32 busiest_cpu;
	double core_share;	   /* what is never left out costs alone, on the CPU where that is most */
	u32 core_cpu;
	double *cpu_shares; /* as busiest_share, of each CPU, by number */
	u32 nr_cpus;
	bool is_cut_down;	    /* on some CPU; what is said is the most that it can be */
	double finest_us_per_second; /* steps in which the kernel accounts for busy_us_per_second */
};

/* Takes a quarter of a second. Free it with lkst_cost_free(). */
int lkst_cost_count(struct lkst_err *e, const struct lkst_session *s,
		    const struct lkst_costs *costs, struct lkst_cost *ret_cost);

/* The same again and again: what recording costs from one look to the next. @s must outlive it. */
struct lkst_cost_watch;
int lkst_cost_watch_new(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_costs *costs, struct lkst_cost_watch **ret_watch);
void lkst_cost_watch_free(struct lkst_cost_watch *c);
LKST_GUARD(lkst_cost_watch_free, struct lkst_cost_watch)

/* What it cost since the watch was made, or since the last time. Free it with lkst_cost_free(). */
int lkst_cost_watch_next(struct lkst_err *e, struct lkst_cost_watch *c, struct lkst_cost *ret_cost);

/*
 * By how much recording lengthens what the CPUs do now: 0.1 is 10 %. That is its CPU time over that of all
 * else.
 */
double lkst_cost_slowdown(const struct lkst_cost *c);
void lkst_cost_free(struct lkst_cost *c);

#endif
