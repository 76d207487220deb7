// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * live/cost/kinds.h: which events are one kind, what they cost and what they are worth.
 */
#include "live/cost/kinds.h"

#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err e;
static const struct lkst_costs costs = {
	.hook_ns = { [LKST_HOOK_TYPE_TRACEPOINT] = 10,
		     [LKST_HOOK_TYPE_SYSCALL] = 20,
		     [LKST_HOOK_TYPE_BY_NAME] = 30,
		     [LKST_HOOK_TYPE_KPROBE] = 40,
		     [LKST_HOOK_TYPE_KRETPROBE] = 50,
		     [LKST_HOOK_TYPE_UPROBE] = 3000,
		     [LKST_HOOK_TYPE_UPROBE_EMULATED] = 1600,
		     [LKST_HOOK_TYPE_URETPROBE] = 2500 },
	.record_ns = 100,
	.syscall_ns = 200,
	.string_ns = 1000,
	.stack_ns = 7000,
};
static struct lkst_kind_desc *kinds;
static unsigned int nr_kinds;

/* Every event of the catalogue, the system calls, and a tracepoint by name. */
static void list(void)
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
	if (lkst_kinds_list(&e, c, &costs, &kinds, &nr_kinds))
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
	list();
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

	list();
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
		"sched_waking",
		"sched_wakeup_new",
		"sched_process_fork",
		"sched_process_exec",
		"sched_process_exit",
		"sched_process_free",
		"sched_process_wait",
		"task_newtask",
		"task_rename",
		"signal_deliver",
		"mark_victim",
		"panic",
		"shed",
	};
	size_t i;

	list();
	for (i = 0; i < sizeof(precious) / sizeof(precious[0]); i++)
		CHECK_EQ(find(precious[i])->value, LKST_KIND_PRECIOUS);
	for (i = 0; i < nr_kinds; i++)
		CHECK(kinds[i].value > 0);
	/*
	 * Locks first, then details of memory, then system calls, since the switch says in which one a thread waits;
	 * ticks last of those that are left out at all.
	 */
	CHECK(find("spin_lock")->value < find("kmalloc")->value);
	CHECK(find("kmalloc")->value < find("syscall:read")->value);
	CHECK(find("syscall:read")->value < find("page_fault_user")->value);
	CHECK(find("syscall:read")->value < find("ext4:ext4_sync_file_enter")->value);
	CHECK(find("page_fault_user")->value < find("tick")->value);
	CHECK(find("tick")->value < LKST_KIND_PRECIOUS);
	for (i = 0; i < nr_kinds; i++)
		CHECK(kinds[i].value < find("tick")->value || &kinds[i] == find("tick") ||
		      kinds[i].value == LKST_KIND_PRECIOUS);
}

TEST(kinds_know_what_they_cost)
{
	list();
	CHECK_EQ(find("sched_switch")->unit.hook_ns, 10);
	CHECK_EQ(find("sched_switch")->unit.handler_ns, 100);
	CHECK_EQ(find("vfree")->unit.hook_ns, 40);
	CHECK_EQ(find("page_fault_exit")->unit.hook_ns, 50);
	CHECK_EQ(find("ext4:ext4_sync_file_enter")->unit.hook_ns, 30);
	CHECK_EQ(find("sched_process_exec")->unit.handler_ns, 1100);
	CHECK_EQ(find("syscall:read")->unit.hook_ns, 20);
	CHECK_EQ(find("syscall:read")->unit.handler_ns, 200);
	/* A sample is the stack; a program of off_cpu reads it whether a record follows or not. */
	CHECK_EQ(find("sample")->unit.hook_ns, 10);
	CHECK_EQ(find("sample")->unit.handler_ns, 7100);
	CHECK_EQ(find("off_cpu")->unit.hook_ns, 7010);
	CHECK_EQ(find("off_cpu")->unit.handler_ns, 100);
	CHECK_EQ(find("socket_connect")->unit.handler_ns, 1100);
	/* The path is read at entry only, and both halves are one kind. */
	CHECK_EQ(find("syscall:openat")->unit.handler_ns, 200 + 1000 / 2);
}

/* A probe of event @id, in a program or not, as @describe has it: what a run of it costs. */
static u32 cost_by(typeof(lkst_kind_describe) *describe, u16 id, const char *field,
		   enum lkst_meaning meaning, const struct lkst_costs *with)
{
	struct lkst_field_class first = { .type = LKST_CLASS_UINT, .size = 8, .meaning = meaning };
	struct lkst_event_class probe = {
		.id = id, .index = -1, .syscall = -1, .group = LKST_GROUP_PROBE, .nr_fields = 1
	};
	struct lkst_kind_desc kind;

	snprintf(first.name, sizeof(first.name), "%s", field);
	snprintf(probe.name, sizeof(probe.name), "probe:one");
	probe.fields = &first;
	describe(&probe, with, &kind);
	return kind.unit.hook_ns;
}

static u32 cost_of_probe(u16 id, const char *field, enum lkst_meaning meaning,
			 const struct lkst_costs *with)
{
	return cost_by(lkst_kind_describe, id, field, meaning, with);
}

TEST(kinds_know_what_probes_cost)
{
	static struct lkst_costs with;

	with = costs;
	with.is_emulated[70 / 32] |= 1U << 70 % 32;
	CHECK_EQ(cost_of_probe(70, "__probe_ip", LKST_MEANING_CODE, &with), 40);
	CHECK_EQ(cost_of_probe(70, LKST_PROBE_FIELD_RET_IP, LKST_MEANING_CODE, &with), 50);
	CHECK_EQ(cost_of_probe(70, "__probe_ip", LKST_MEANING_HEX, &with), 1600);
	CHECK_EQ(cost_of_probe(71, "__probe_ip", LKST_MEANING_HEX, &with), 3000);
	CHECK_EQ(cost_of_probe(70, LKST_PROBE_FIELD_RET_IP, LKST_MEANING_HEX, &with), 2500);
	/* It begins with an instruction that is stepped. */
	CHECK_EQ(cost_of_probe(71, LKST_PROBE_FIELD_RET_IP, LKST_MEANING_HEX, &with),
		 2500 + 3000 - 1600);
}

/* It has the fields of a probe in the kernel, and costs what exceptions do. */
TEST(kinds_know_what_watches_cost)
{
	CHECK_EQ(cost_by(lkst_kind_describe_watch, 70, "__probe_ip", LKST_MEANING_CODE, &costs),
		 3000);
}

static const struct unit_test tests[] = {
	{ "kinds_join_halves", test_kinds_join_halves },
	{ "kinds_have_every_event_once", test_kinds_have_every_event_once },
	{ "kinds_know_what_is_precious", test_kinds_know_what_is_precious },
	{ "kinds_know_what_they_cost", test_kinds_know_what_they_cost },
	{ "kinds_know_what_probes_cost", test_kinds_know_what_probes_cost },
	{ "kinds_know_what_watches_cost", test_kinds_know_what_watches_cost },
};

UNIT_MAIN(tests)
