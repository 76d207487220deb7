// SPDX-License-Identifier: GPL-2.0-only
/* live/load/workload.h: units become those of the load by what the kernel's account says of the programs. */
#include "live/load/workload.h"

#include "make_trace.h"
#include "unit.h"

static struct lkst_err e;
static struct lkst_hooks hooks;
static struct lkst_kind_desc *kinds;
static unsigned int nr_kinds;
static struct lkst_workload load;

static const struct lkst_costs costs = {
	.hook_ns = { [LKST_HOOK_TYPE_TRACEPOINT] = 50, [LKST_HOOK_TYPE_SYSCALL] = 50 },
	.record_ns = 60,
	.syscall_ns = 60,
	.account_ns = 45,
	.clock_ns = 20,
};

static void add_hook(const char *name)
{
	if (lkst_hooks_add(&e, &hooks, name, -1, -1))
		abort();
}

/* A recording of some events and system calls, of whose programs nothing is known yet. */
static void begin(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_catalog_add_builtin(&e, c, (u16)(i + 1), i))
			abort();
	for (i = 0; i < 3; i++)
		if (lkst_catalog_add_syscall(&e, c, (u16)(1000 + 2 * i), (u16)(1001 + 2 * i), i))
			abort();
	lkst_hooks_fini(&hooks);
	hooks = (struct lkst_hooks){};
	add_hook("tp_btf__sched_switch");
	add_hook("tp_btf__kfree");
	add_hook("tp_btf__sys_enter");
	add_hook("tp_btf__sys_exit");
	lkst_hooks_assign(&hooks, c);
	free(kinds);
	if (lkst_kinds_list(&e, c, &costs, &kinds, &nr_kinds))
		abort();
	lkst_workload_fini(&load);
	if (lkst_workload_begin(&e, &hooks, kinds, nr_kinds, &load))
		abort();
	lkst_workload_end(&hooks, &load);
	lkst_catalog_free(c);
}

static struct lkst_kind_desc *kind(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	abort();
}

/* The account of the program of @hook. */
static void account(const char *hook, double runs, double ns)
{
	u32 i = lkst_hooks_find(&hooks, hook) - hooks.items;
	struct lkst_run_time *took = &load.group[load.leader[i]].took;

	took->runs += runs;
	took->ns += runs * ns;
}

static void add(const char *name, double records, double idle_runs)
{
	lkst_workload_add(&load, &hooks, kind(name), &costs, records, idle_runs);
}

/* What kind @name then costs: a record, and a run that records nothing. */
static u32 record_ns(const char *name)
{
	struct lkst_kind_desc k = *kind(name);

	lkst_workload_scale(&load, &hooks, &k);
	return k.unit.hook_ns + k.unit.handler_ns;
}

static u32 idle_ns(const char *name)
{
	struct lkst_kind_desc k = *kind(name);

	lkst_workload_scale(&load, &hooks, &k);
	return k.unit.hook_ns;
}

/* In the two processes a run was 25 ns inside of its program, and a record adds 60: 50 and 110 with all else. */
TEST(workload_units_change_by_what_runs_take_inside)
{
	begin();
	account("tp_btf__sched_switch", 1000, 20 + 2 * 85);
	add("sched_switch", 1000, 0);
	account("tp_btf__kfree", 1000, 20 + 25);
	add("kfree", 0, 1000);
	lkst_workload_compare(&load, &costs, 1);
	CHECK(load.is_known);
	CHECK_EQ(record_ns("sched_switch"), 220);
	CHECK_EQ(idle_ns("sched_switch"), 100);
	CHECK_EQ(idle_ns("kfree"), 50);
}

/* Calls share two programs: records and runs without, 1000 times 85 and 2000 times 25 ns, took three times that. */
TEST(workload_units_of_one_program_change_alike)
{
	begin();
	account("tp_btf__sys_enter", 1500, 20 + 3 * 45);
	account("tp_btf__sys_exit", 1500, 20 + 3 * 45);
	add("syscall:read", 1000, 0);
	add("syscall:write", 0, 2000);
	lkst_workload_compare(&load, &costs, 1);
	CHECK_EQ(record_ns("syscall:read"), 330);
	CHECK_EQ(idle_ns("syscall:read"), 150);
	CHECK_EQ(idle_ns("syscall:write"), 150);
}

/* A mean of few runs says little: then what all others do is the best that is known. */
TEST(workload_units_of_few_runs_change_as_all_do)
{
	begin();
	account("tp_btf__sched_switch", 10000, 20 + 2 * 85);
	add("sched_switch", 10000, 0);
	account("tp_btf__kfree", 3, 9000);
	add("kfree", 3, 0);
	lkst_workload_compare(&load, &costs, 1);
	CHECK(load.factor < 2.1);
	CHECK_EQ(idle_ns("kfree"), (u32)(50 * load.factor + 0.5));
	CHECK_EQ(idle_ns("signal_generate"), (u32)(50 * load.factor + 0.5));
}

TEST(workload_units_leave_out_stolen_time)
{
	begin();
	account("tp_btf__sched_switch", 1000, 2 * (20 + 2 * 85));
	add("sched_switch", 1000, 0);
	lkst_workload_compare(&load, &costs, 0.5);
	CHECK_EQ(record_ns("sched_switch"), 220);
}

/* No account, or nothing ran: the units of the start. */
TEST(workload_units_stay_without_an_account)
{
	begin();
	add("sched_switch", 1000, 0);
	lkst_workload_compare(&load, &costs, 1);
	CHECK(!load.is_known);
	CHECK_EQ(record_ns("sched_switch"), 110);
}

static const struct unit_test tests[] = {
	{ "workload_units_change_by_what_runs_take_inside",
	  test_workload_units_change_by_what_runs_take_inside },
	{ "workload_units_of_one_program_change_alike", test_workload_units_of_one_program_change_alike },
	{ "workload_units_of_few_runs_change_as_all_do", test_workload_units_of_few_runs_change_as_all_do },
	{ "workload_units_leave_out_stolen_time", test_workload_units_leave_out_stolen_time },
	{ "workload_units_stay_without_an_account", test_workload_units_stay_without_an_account },
};

UNIT_MAIN(tests)
