// SPDX-License-Identifier: GPL-2.0-only
/* live/kinds.h: which events are one kind, what they cost and what they are worth. */
#include "live/kinds.h"

#include "abi/syscalls.h"
#include "make_trace.h"
#include "unit.h"

static struct lkst_err e;
static struct lkst_kind_desc *kinds;
static unsigned int nr_kinds;

/* Every event of the catalogue, the system calls, and a tracepoint by name. */
static void list(u32 record_ns)
{
	struct lkst_event_class by_name = { .id = 4000, .name = "ext4:ext4_sync_file_enter" };
	struct lkst_catalog *c = lkst_catalog_new();
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_catalog_add_builtin(&e, c, (u16)(i + 1), i))
			abort();
	for (i = 0; i < 300; i++)
		if (lkst_catalog_add_syscall(&e, c, (u16)(1000 + 2 * i), (u16)(1001 + 2 * i), i))
			abort();
	if (lkst_catalog_add(&e, c, &by_name))
		abort();
	free(kinds);
	if (lkst_kinds_list(&e, c, record_ns, &kinds, &nr_kinds))
		abort();
	lkst_catalog_free(c);
}

static const struct lkst_kind_desc *find(const char *name)
{
	static const struct lkst_kind_desc none;
	unsigned int i;

	for (i = 0; i < nr_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return &none;
}

TEST(kinds_join_halves)
{
	list(50);
	CHECK_EQ(find("irq_handler")->id[0], LKST_EV_irq_handler_entry + 1);
	CHECK_EQ(find("irq_handler")->id[1], LKST_EV_irq_handler_exit + 1);
	CHECK_EQ(find("workqueue_execute")->id[1], LKST_EV_workqueue_execute_end + 1);
	CHECK_EQ(find("contention")->id[1], LKST_EV_contention_end + 1);
	CHECK(find("syscall:read")->id[0] && find("syscall:read")->id[1]);
	CHECK(find("syscall:unknown")->id[1]);
	/* These only look like halves. */
	CHECK_EQ(find("hrtimer_start")->id[0], LKST_EV_hrtimer_start + 1);
	CHECK_EQ(find("hrtimer_start")->id[1], 0);
	CHECK_EQ(find("page_fault_exit")->id[1], 0);
	CHECK_EQ(find("sched_process_exit")->id[1], 0);
}

TEST(kinds_have_every_event_once)
{
	static u8 seen[LKST_EVENT_SPACE];
	unsigned int i, half, nr = 0;

	list(50);
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < nr_kinds; i++)
		for (half = 0; half < 2; half++)
			if (kinds[i].id[half]) {
				CHECK_EQ(seen[kinds[i].id[half]], 0);
				seen[kinds[i].id[half]] = 1;
				nr++;
			}
	CHECK_EQ(nr, LKST_NR_EVENTS + 600 + 1);
}

TEST(kinds_know_what_is_precious)
{
	static const char *const precious[] = {
		"sched_switch",
		"sched_process_fork",
		"sched_process_exec",
		"task_rename",
		"signal_deliver",
		"mark_victim",
		"panic",
		"shed",
	};
	size_t i;

	list(50);
	for (i = 0; i < sizeof(precious) / sizeof(precious[0]); i++)
		CHECK_EQ(find(precious[i])->value, LKST_KIND_PRECIOUS);
	for (i = 0; i < nr_kinds; i++)
		CHECK(kinds[i].value > 0);
	/* Locks first, details of memory before system calls, and wake-ups last. */
	CHECK(find("spin_lock")->value < find("kmalloc")->value);
	CHECK(find("kmalloc")->value < find("page_fault_user")->value);
	CHECK(find("page_fault_user")->value < find("syscall:read")->value);
	CHECK(find("ext4:ext4_sync_file_enter")->value < find("syscall:read")->value);
	CHECK(find("syscall:read")->value < find("sched_wakeup")->value);
	CHECK(find("sched_wakeup")->value < LKST_KIND_PRECIOUS);
}

TEST(kinds_know_what_they_cost)
{
	u32 hook;

	list(50);
	CHECK_EQ(find("sched_switch")->unit.handler_ns, 50);
	hook = find("sched_switch")->unit.hook_ns;
	CHECK(hook > 0);
	CHECK(find("vfree")->unit.hook_ns > hook);
	CHECK(find("ext4:ext4_sync_file_enter")->unit.hook_ns > hook);
	CHECK(find("syscall:read")->unit.handler_ns > 50);
	CHECK(find("syscall:openat")->unit.handler_ns > find("syscall:read")->unit.handler_ns);
	list(70);
	CHECK_EQ(find("sched_switch")->unit.handler_ns, 70);
	/* Not measured: as on the machine of doc/figures.md. */
	list(0);
	CHECK(find("sched_switch")->unit.handler_ns > 20);
}

static const struct unit_test tests[] = {
	{ "kinds_join_halves", test_kinds_join_halves },
	{ "kinds_have_every_event_once", test_kinds_have_every_event_once },
	{ "kinds_know_what_is_precious", test_kinds_know_what_is_precious },
	{ "kinds_know_what_they_cost", test_kinds_know_what_they_cost },
};

UNIT_MAIN(tests)
