/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks that are detached together when what they serve is left out to keep to the cost limit
 * (abi/budget.h): which they are, and which of the hooks that a maskset needs stay detached for that reason.
 */
#ifndef LKST_LIVE_HOOKS_HOOK_GROUPS_H
#define LKST_LIVE_HOOKS_HOOK_GROUPS_H

#include "abi/budget.h"
#include "live/hooks/hooks.h"

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
