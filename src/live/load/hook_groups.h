/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks that are detached together when what they serve is left out to keep to the cost limit
 * (abi/budget.h): which they are, and which of the hooks that a maskset needs stay detached for that reason.
 */
#ifndef LKST_LIVE_LOAD_HOOK_GROUPS_H
#define LKST_LIVE_LOAD_HOOK_GROUPS_H

#include "abi/budget.h"
#include "live/load/hooks.h"

/*
 * Which hooks serve the same events: each points to another one of its group, or to itself, and then stands for the
 * group. To begin with, every one of @to points to itself.
 */
u32 lkst_hook_leader(u32 *to, u32 hook);

/* Makes all hooks of the two events @id of a kind one group; an id of 0 is none. */
void lkst_hook_join(const struct lkst_hooks *h, const u16 id[2], u32 *to);

/* The first hook of a kind with the events @id as its index plus 1; 0: it has none. */
u32 lkst_hook_first(const struct lkst_hooks *h, const u16 id[2]);

/* Rows of the kinds that @nr_kinds of them take at most, with those for groups of at least two. */
static inline unsigned int lkst_hook_groups_rows(unsigned int nr_kinds)
{
	return nr_kinds + nr_kinds / 2;
}

/*
 * Finds the groups of @hooks, to which events are assigned, by the @nr_kinds kinds that they serve; gives each
 * kind its group and adds a row of the kinds for each group that serves more than one. @kinds has
 * lkst_hook_groups_rows(), @ret_groups as many as there are kinds.
 */
int lkst_hook_groups_find(struct lkst_err *e, const struct lkst_hooks *hooks,
			  struct lkst_kind *kinds, unsigned int *nr_kinds,
			  struct lkst_hook_group *ret_groups, unsigned int *ret_nr_groups);

/* Clears in @needed, a flag per hook, those that serve kinds of groups that are off. */
void lkst_hook_groups_clear_off(const struct lkst_hook_group *groups, unsigned int nr_groups,
				const struct lkst_kind *kinds, unsigned int nr_kinds,
				const struct lkst_hooks *hooks, bool *needed);

#endif
