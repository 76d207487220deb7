// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/hooks/hook_groups.h: which hooks are detached together, and which a maskset then does not need.
 */
#include "live/hooks/hook_groups.h"

#include "lib/make_trace.h"
#include "lib/unit.h"
#include "live/cost/kinds.h"

enum { NR_SYSCALLS = 300, ROOM = 4096 };

static struct lkst_err e;
static struct lkst_hooks hooks;
static struct lkst_kind kinds[ROOM];
static struct lkst_hook_group groups[ROOM];
static unsigned int nr_kinds, nr_groups;

static void add_hook(const char *program)
{
	enum lkst_hook_kind kind;
	const char *target;

	if (!lkst_hook_parse(program, &kind, &target) || lkst_hooks_add(&e, &hooks, kind, target, -1, -1))
		abort();
}

/* What a kind costs does not matter here. */
static const struct lkst_costs costs;

static void list_kinds(const struct lkst_catalog *c)
{
	struct lkst_kind_desc *list;
	unsigned int i;

	if (lkst_kinds_list(&e, c, &costs, &list, &nr_kinds) || lkst_hook_groups_rows(nr_kinds) > ROOM)
		abort();
	memset(kinds, 0, sizeof(kinds));
	for (i = 0; i < nr_kinds; i++) {
		kinds[i].id[0] = list[i].id[0];
		kinds[i].id[1] = list[i].id[1];
		kinds[i].value = list[i].value;
		memcpy(kinds[i].name, list[i].name, sizeof(kinds[i].name));
	}
	free(list);
}

/* The hooks of some events of all sorts, on a machine that has no others; and what they serve. */
static void find(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_catalog_add_builtin(&e, c, (u16)(i + 1), i))
			abort();
	for (i = 0; i < NR_SYSCALLS; i++)
		if (lkst_catalog_add_syscall(&e, c, (u16)(1000 + 2 * i), (u16)(1001 + 2 * i), i))
			abort();
	lkst_hooks_fini(&hooks);
	hooks = (struct lkst_hooks){};
	add_hook("tp_btf__sched_switch");
	add_hook("tp_btf__kfree");
	add_hook("tp_btf__irq_handler_entry");
	add_hook("tp_btf__irq_handler_exit");
	add_hook("tp_btf__sys_enter");
	add_hook("tp_btf__sys_exit");
	add_hook("kprobe__handle_mm_fault");
	lkst_hooks_assign(&hooks, c);
	list_kinds(c);
	lkst_catalog_free(c);
	if (lkst_hook_groups_find(&e, &hooks, kinds, &nr_kinds, groups, &nr_groups))
		abort();
}

static const struct lkst_kind *kind(const char *name)
{
	static const struct lkst_kind none = { .group = LKST_GROUP_NONE };
	unsigned int i;

	for (i = 0; i < nr_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return &none;
}

static const struct lkst_hook_group *group(const char *name)
{
	return &groups[kind(name)->group];
}

TEST(groups_are_what_serves_the_same_kinds)
{
	find();
	CHECK(kind("kfree")->group != LKST_GROUP_NONE);
	CHECK_EQ(kind("kfree")->group == kind("irq_handler")->group, 0);
	/* Two hooks of one kind are one group: five in all. */
	CHECK_EQ(nr_groups, 5);
	CHECK_EQ(kind("syscall:read")->group, kind("syscall:write")->group);
	CHECK_EQ(kind("syscall:unknown")->group, kind("syscall:read")->group);
	/* This machine has no hook for it. */
	CHECK_EQ(kind("kmalloc")->group, LKST_GROUP_NONE);
	CHECK_EQ(kind("shed")->group, LKST_GROUP_NONE);
}

TEST(groups_know_what_is_never_left_out)
{
	find();
	CHECK(group("sched_switch")->is_kept);
	CHECK(!group("kfree")->is_kept);
	CHECK(!group("syscall:read")->is_kept);
}

TEST(groups_of_many_kinds_have_a_row_of_their_own)
{
	unsigned int i;

	find();
	CHECK_EQ(groups[kind("kfree")->group].whole, kind("kfree") - kinds);
	CHECK_EQ(group("irq_handler")->whole, kind("irq_handler") - kinds);
	CHECK_EQ(group("syscall:read")->whole, kind("syscall:*") - kinds);
	CHECK_EQ(kind("syscall:*")->group, kind("syscall:read")->group);
	CHECK_EQ(kind("syscall:*")->id[0], 0);
	CHECK_EQ(kind("syscall:*")->name_length, strlen("syscall:*"));
	for (i = 0; i < nr_groups; i++)
		CHECK(groups[i].whole < nr_kinds);
}

TEST(groups_that_are_off_need_no_hooks)
{
	struct lkst_hook_group off[ROOM];
	bool needed[8];
	unsigned int i;

	find();
	/* A user handler at the same place as that of sys_enter. */
	if (lkst_hooks_add_handler(&e, &hooks, 2, 4, -1, -1))
		abort();
	memcpy(off, groups, sizeof(off));
	memset(needed, true, sizeof(needed));
	lkst_hook_groups_clear_off(off, nr_groups, kinds, nr_kinds, &hooks, needed);
	for (i = 0; i < 8; i++)
		CHECK(needed[i]);
	off[kind("syscall:read")->group].is_off = true;
	off[kind("irq_handler")->group].is_off = true;
	lkst_hook_groups_clear_off(off, nr_groups, kinds, nr_kinds, &hooks, needed);
	CHECK(needed[0] && needed[1] && needed[6]);
	CHECK(!needed[2] && !needed[3] && !needed[4] && !needed[5] && !needed[7]);
}

static const struct unit_test tests[] = {
	{ "groups_are_what_serves_the_same_kinds", test_groups_are_what_serves_the_same_kinds },
	{ "groups_know_what_is_never_left_out", test_groups_know_what_is_never_left_out },
	{ "groups_of_many_kinds_have_a_row_of_their_own",
	  test_groups_of_many_kinds_have_a_row_of_their_own },
	{ "groups_that_are_off_need_no_hooks", test_groups_that_are_off_need_no_hooks },
};

UNIT_MAIN(tests)
