/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording that is tried and released: which events the kernel lets it have, and what each costs here. Nothing is
 * pinned, so the kernel frees all of it with the process at the latest, however that ends.
 */
#ifndef LKST_LIVE_RECORDING_TRIAL_H
#define LKST_LIVE_RECORDING_TRIAL_H

#include "abi/budget.h"
#include "live/kernel/plan.h"
#include "live/session/session.h"

enum { LKST_TRIAL_WHY = 512 };

struct lkst_trial_event {
	int row;	/* of the event's hooks that the kernel has, by its types; negative: none */
	bool is_tried;	/* a program of its own was to be loaded */
	bool is_loaded; /* the verifier takes its program */
	bool is_attached; /* and it was attached, for a moment */
	u32 also;	  /* a bit for each further row of its hooks whose program is loaded, too */
	char why[LKST_TRIAL_WHY]; /* why it is not recorded, without a full stop; "": it is */
};

/* All zero is empty. */
struct lkst_trial {
	struct lkst_trial_event events[LKST_NR_EVENTS];
	unsigned int
		nr_syscalls; /* of the calls that this kernel is known to have; each has two events */
	bool is_made;	     /* programs were loaded */
	bool has_costs;
	struct lkst_costs costs;
	struct lkst_notes notes; /* what a recording would say that it has to leave out */
};

/* What a trial is made for: all events, those that an option asks for too. As lkst_plan_make_for(). */
int lkst_trial_plan(struct lkst_err *e, const char *btf_file, struct lkst_plan **ret_plan);

/*
 * Fills what the kernel's types say of the events of @plan, which is to have the kernel still. It takes no privilege,
 * and comes before lkst_trial_make().
 */
void lkst_trial_look(const struct lkst_plan *plan, struct lkst_trial *t);

/*
 * Makes the recording that `lkst start` does, with the programs of all other events loaded, too; attaches what that
 * would attach, measures, and releases all. Once in a process, for libbpf loads the programs once. Requires root. On
 * failure a recording would fail so, too.
 */
int lkst_trial_make(struct lkst_err *e, const struct lkst_plan *plan, struct lkst_trial *t);

/*
 * The same beside a recording that runs, which it does not disturb: programs are loaded, and no more. The costs are
 * those that were measured for @running; NULL: there are none, for it cannot be opened.
 */
int lkst_trial_make_beside(struct lkst_err *e, const struct lkst_plan *plan,
			   const struct lkst_session *running, struct lkst_trial *t);

void lkst_trial_fini(struct lkst_trial *t);

#endif
