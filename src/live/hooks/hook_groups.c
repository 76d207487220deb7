/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks that are detached together. */
#include "live/hooks/hook_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- finding them ----------------------------------------------------------------------------- */

/* Each hook points to another of its group, or to itself: then it stands for the group. */
static u32 leader_of(u32 *to, u32 hook)
{
	while (to[hook] != hook)
		hook = to[hook] = to[to[hook]];
	return hook;
}

/* The first hook of kind @k as its index plus 1; 0: it has none. */
static u32 first_hook(const struct lkst_hooks *h, const struct lkst_kind *k)
{
	u32 first = k->id[0] ? h->of[k->id[0]] : 0;

	return first || !k->id[1] ? first : h->of[k->id[1]];
}

/* All hooks of kind @k are of one group. */
static void join_hooks(const struct lkst_hooks *h, const struct lkst_kind *k, u32 *to)
{
	u32 first = first_hook(h, k), half, i;

	for (half = 0; half < 2; half++)
		for (i = k->id[half] ? h->of[k->id[half]] : 0; i; i = h->items[i - 1].next)
			to[leader_of(to, i - 1)] = leader_of(to, first - 1);
}

/* The name for all kinds that a group serves: what the names of two of them have in common. */
static void name_whole(char whole[LKST_KIND_NAME], const char *a, const char *b)
{
	static const char syscalls[] = "syscall:";
	size_t same = 0;

	/* One pair of hooks serves all of them, those of 32-bit programs and unknown ones, too, and addresses. */
	if (strstr(a, syscalls) || strstr(b, syscalls)) {
		snprintf(whole, LKST_KIND_NAME, "%s*", syscalls);
		return;
	}
	while (a[same] && a[same] == b[same])
		same++;
	snprintf(whole, LKST_KIND_NAME, "%.*s*", (int)same, a);
}

/* Adds the row that stands for all kinds of a group: @second is its second kind, after that of @group. */
static void add_whole(struct lkst_kind *kinds, u32 *nr, struct lkst_hook_group *group,
		      const struct lkst_kind *second)
{
	struct lkst_kind *whole = &kinds[*nr];
	const struct lkst_kind *first = &kinds[group->whole];

	char name[LKST_KIND_NAME];

	name_whole(name, first->name, second->name);
	*whole = (struct lkst_kind){
		.value = first->value,
		.name_length = strlen(name),
		.group = first->group,
	};
	memcpy(whole->name, name, sizeof(whole->name));
	group->whole = (*nr)++;
}

static void hook_groups_add_kind(struct lkst_kind *kinds, u32 *nr, struct lkst_hook_group *group, u32 kind)
{
	struct lkst_kind *k = &kinds[kind];

	if (k->value == LKST_KIND_PRECIOUS)
		group->is_kept = true;
	if (group->whole == LKST_KIND_NONE) {
		group->whole = kind;
		return;
	}
	if (kinds[group->whole].id[0])
		add_whole(kinds, nr, group, k);
	/* The group has the value of its most valuable kind. */
	if (k->value > kinds[group->whole].value)
		kinds[group->whole].value = k->value;
}

int lkst_hook_groups_find(struct lkst_err *e, const struct lkst_hooks *hooks,
			  struct lkst_kind *kinds, unsigned int *nr_kinds,
			  struct lkst_hook_group *ret_groups, unsigned int *ret_nr_groups)
{
	_cleanup_free_ u32 *to = calloc(hooks->nr_default + 1, sizeof(*to));
	_cleanup_free_ u16 *group_of = calloc(hooks->nr_default + 1, sizeof(*group_of));
	u32 nr = *nr_kinds, nr_groups = 0, first, i;

	if (!to || !group_of)
		return lkst_err_sys(e, -ENOMEM, "grouping hooks");
	for (i = 0; i < hooks->nr_default; i++)
		to[i] = i;
	memset(group_of, 0xff, (hooks->nr_default + 1) * sizeof(*group_of));
	for (i = 0; i < *nr_kinds; i++)
		join_hooks(hooks, &kinds[i], to);
	for (i = 0; i < *nr_kinds; i++) {
		u16 *group;

		kinds[i].group = LKST_GROUP_NONE;
		first = first_hook(hooks, &kinds[i]);
		if (!first)
			continue;
		group = &group_of[leader_of(to, first - 1)];
		if (*group == LKST_GROUP_NONE) {
			*group = nr_groups;
			ret_groups[nr_groups++] =
				(struct lkst_hook_group){ .whole = LKST_KIND_NONE };
		}
		kinds[i].group = *group;
		hook_groups_add_kind(kinds, &nr, &ret_groups[*group], i);
	}
	*nr_kinds = nr;
	*ret_nr_groups = nr_groups;
	return 0;
}

/* ---- using them ------------------------------------------------------------------------------- */

/* Clears the flag of DEFAULT's hook @hook, and those of the hooks that user handlers have at the same place. */
static void clear_place(const struct lkst_hooks *h, u32 hook, bool *needed)
{
	unsigned int i;

	needed[hook] = false;
	for (i = h->nr_default; i < h->nr; i++)
		if (h->items[i].base == hook)
			needed[i] = false;
}

void lkst_hook_groups_clear_off(const struct lkst_hook_group *groups, unsigned int nr_groups,
				const struct lkst_kind *kinds, unsigned int nr_kinds,
				const struct lkst_hooks *hooks, bool *needed)
{
	unsigned int kind, half;
	u32 i;

	for (kind = 0; kind < nr_kinds; kind++) {
		const struct lkst_kind *k = &kinds[kind];

		if (k->group >= nr_groups || !groups[k->group].is_off)
			continue;
		for (half = 0; half < 2; half++)
			for (i = k->id[half] ? hooks->of[k->id[half]] : 0; i;
			     i = hooks->items[i - 1].next)
				clear_place(hooks, i - 1, needed);
	}
}
