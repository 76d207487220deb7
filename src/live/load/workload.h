/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What events cost in the load that runs now. The units that were measured at start (measure.h) are those of two
 * processes that exchange messages; in another load a run takes more or less, by what it finds in the caches. The
 * kernel's own account (run_time.h) says how much: of programs, not of events, so that the units of all that is served
 * by the same programs change by one factor.
 *
 * The account does not see the way to the program and back. That way is colder where the program is, and so is what the
 * load finds afterwards: both are taken to change by the same factor. What the account itself takes is left out: it is
 * known from a program that does nothing.
 */
#ifndef LKST_LIVE_LOAD_WORKLOAD_H
#define LKST_LIVE_LOAD_WORKLOAD_H

#include "base/err.h"
#include "live/load/hooks.h"
#include "live/load/kinds.h"
#include "live/load/run_time.h"

/* One for each group of hooks; those that lead no group are empty. */
struct lkst_workload_group {
	struct lkst_run_time before, took; /* of all its programs */
	double then_ns; /* what the same would have taken in the two processes, inside of programs */
	double factor;
};

struct lkst_workload {
	int fd;			       /* the account; -1: it is not kept for this process */
	u32 *leader;		       /* by hook, of users' handlers too: of its group */
	bool *is_read;		       /* by hook: its program was not read with another one */
	struct lkst_workload_group *group; /* by hook that leads one */
	unsigned int nr_hooks;
	double runs, ns; /* by the account, in all */
	double factor;	 /* of all, and of groups that hardly ran; 1: nothing is known */
	bool is_known;
};

/*
 * Finds groups and has the account begin; free it with lkst_workload_fini(). If there is no account, nothing is
 * known when it ends.
 */
int lkst_workload_begin(struct lkst_err *e, const struct lkst_hooks *hooks,
		    const struct lkst_kind_desc *kinds, unsigned int nr_kinds,
		    struct lkst_workload *ret);

/* Has the account end. */
void lkst_workload_end(const struct lkst_hooks *hooks, struct lkst_workload *l);

/* The account was kept meanwhile: kind @k occurred so often. */
void lkst_workload_add(struct lkst_workload *l, const struct lkst_hooks *hooks,
		   const struct lkst_kind_desc *k, const struct lkst_costs *costs, double records,
		   double idle_runs);

/*
 * When all was added: finds the factors. @own_share: of the time that the account tells, what the hypervisor let this
 * machine have.
 */
void lkst_workload_compare(struct lkst_workload *l, const struct lkst_costs *costs, double own_share);

/* Makes the unit of @k that of this load. */
void lkst_workload_scale(const struct lkst_workload *l, const struct lkst_hooks *hooks,
		     struct lkst_kind_desc *k);

void lkst_workload_fini(struct lkst_workload *l);

#endif
