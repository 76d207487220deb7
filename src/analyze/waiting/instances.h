/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slow and fast instances of the same thing: of each system call that threads of a name make, the slowest, and some of
 * all; and what the slow ones have that the others lack. It is made in the pass that the states are made in (past.h).
 */
#ifndef LKST_ANALYZE_WAITING_INSTANCES_H
#define LKST_ANALYZE_WAITING_INSTANCES_H

#include "analyze/waiting/causes.h"
#include "base/map.h"

enum { LKST_INSTANCES_TEXT = 2 * LKST_CAUSE_TEXT + 1024 };

struct lkst_instances {
	/* Private. */
	const struct lkst_whose *scope;
	struct lkst_map by_key; /* groups by name and call */
	struct lkst_instances_group **groups;
	u32 nr;
	int error;
};

/* Has the pass of @model fill it with calls of @scope. Both must stay. 1, or a negative errno. */
int lkst_instances_subscribe(struct lkst_instances *x, struct lkst_model *model, const struct lkst_whose *scope);
void lkst_instances_fini(struct lkst_instances *x);

/*
 * After the pass: puts into @text what the slowest tenth of the calls @call, a row of lkst_syscalls[], by threads
 * called @comm did longer than the middle half: "" where there are few calls, the slow ones are not slow, or no one
 * thing is most of it. @h is complete. 0 or -ENOMEM.
 */
int lkst_instances_differ(const struct lkst_instances *x, const struct lkst_pasts *h,
			  const struct lkst_cause_names *names, const char comm[16], s16 call,
			  char text[LKST_INSTANCES_TEXT]);

#endif
