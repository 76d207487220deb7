// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The analyses of the machine on traces whose answer is known by construction: sleep, clock, stolen time.
 */
#include "analyses.h"

#include "lib/unit.h"

/* The value in column @column of the row of @cpu and @second, the number in the second column; -1: there is none. */
static long long value_of_two(const char *name, int cpu, int second, const char *column)
{
	const struct lkst_table *t = table(name);
	int c = t ? lkst_table_column(t, column) : -1;
	const struct lkst_cell *cell;
	size_t row;

	for (row = 0; c >= 0 && row < t->nr_rows; row++) {
		if (lkst_table_cell(t, row, 0)->s64 != cpu || lkst_table_cell(t, row, 1)->s64 != second)
			continue;
		cell = lkst_table_cell(t, row, (unsigned int)c);
		return lkst_column_storage(t->columns[c].type) == LKST_CELL_DOUBLE ? (long long)(cell->number * 100)
										   : (long long)cell->u64;
	}
	return -1;
}

static const char power_text[] =
	"state_idle idle_state=1 name=C1\n"
	/* Awake until 1000: not known since when. */
	"cpu_idle cpu=0 ns=1000 state=1\n"
	"cpu_idle cpu=0 ns=1300 state=-1\n"
	"cpu_idle cpu=0 ns=1400 state=3\n"
	"cpu_idle cpu=1 ns=1400 state=1\n"
	"cpu_frequency cpu=1 ns=1500 khz=1200000 target_cpu=0\n"
	"cpu_idle cpu=0 ns=2000 state=-1\n"
	"cpu_idle_miss cpu=0 ns=2000 state=3 is_below=0\n"
	"cpu_idle cpu=0 ns=2000 state=1\n"
	"cpu_idle cpu=0 ns=2200 state=-1\n"
	"cpu_idle_miss cpu=0 ns=2200 state=1 is_below=1\n"
	"steal cpu=0 ns=2300 stolen_ns=300 window_ns=400\n"
	"cpu_frequency cpu=1 ns=2500 khz=3599000 target_cpu=0\n"
	"steal cpu=0 ns=2600 stolen_ns=100 window_ns=300\n"
	"sched_waking cpu=0 tid=5 ns=3000 target_tid=6\n";

TEST(analysis_power_sums_sleep_clock_and_stolen_time)
{
	ask(power_text, "power");
	CHECK_EQ(value_of_two("power_idle", 0, 1, "count"), 2);
	CHECK_EQ(value_of_two("power_idle", 0, 1, "total"), 300 + 200);
	CHECK_EQ(value_of_two("power_idle", 0, 1, "max"), 300);
	CHECK_EQ(value_of_two("power_idle", 0, 1, "too_shallow"), 1);
	CHECK_EQ(value_of_two("power_idle", 0, 3, "total"), 600);
	CHECK_EQ(value_of_two("power_idle", 0, 3, "too_deep"), 1);
	/* Known from 1000 to the end. */
	CHECK_EQ(value_of_two("power_idle", 0, 3, "share"), 3000);
	/* It sleeps at the end. */
	CHECK_EQ(value_of_two("power_idle", 1, 1, "total"), 1600);
	CHECK_STR(lkst_table_cell(table("power_idle"), 0, 2)->text, "C1");
	CHECK(!lkst_table_cell(table("power_idle"), 1, 2)->is_set);
	CHECK_EQ(value_of_two("power_frequency", 0, 1200, "total"), 1000);
	CHECK_EQ(value_of_two("power_frequency", 0, 3600, "total"), 500);
	CHECK_EQ(value("power_steal", "0", "stolen"), 400);
	CHECK_EQ(value("power_steal", "0", "max"), 300);
	CHECK_EQ(value("power_steal", "0", "count"), 2);
	CHECK_EQ(value("power_steal", "1", "count"), -1);
}

TEST(analysis_power_knows_at_the_window_what_was_before)
{
	ask_of(make_full_catalog(), power_text, "power",
	       (struct lkst_analysis_options){ .from_ns = 1700, .to_ns = 2400 });
	CHECK_EQ(value_of_two("power_idle", 0, 3, "total"), 300);
	CHECK_EQ(value_of_two("power_idle", 0, 3, "count"), 0);
	CHECK_EQ(value_of_two("power_idle", 0, 1, "total"), 200);
	CHECK_EQ(value_of_two("power_idle", 1, 1, "total"), 700);
	CHECK_EQ(value_of_two("power_frequency", 0, 1200, "total"), 700);
	CHECK_EQ(value("power_steal", "0", "stolen"), 300);
}

TEST(analysis_power_counts_nothing_across_a_gap)
{
	ask("cpu_idle cpu=0 ns=1000 state=1\n"
	    "cpu_idle cpu=1 ns=1000 state=1\n"
	    "!skip cpu=0 blocks=1\n"
	    "cpu_idle cpu=0 ns=1300 state=-1\n"
	    "cpu_idle cpu=1 ns=1300 state=-1\n"
	    "cpu_idle cpu=0 ns=1400 state=1\n",
	    "power");
	CHECK_EQ(value_of_two("power_idle", 0, 1, "total"), 0);
	CHECK_EQ(value_of_two("power_idle", 0, 1, "count"), 2);
	CHECK_EQ(value_of_two("power_idle", 1, 1, "total"), 300);
	CHECK(!table("power_steal") || !table("power_steal")->nr_rows);
}

TEST(analysis_counters_sums_by_thread)
{
	ask("perf_counters cpu=0 tid=5 ns=1000 kind1=2 value1=300 kind2=1 value2=200\n"
	    "perf_counters cpu=1 tid=6 ns=1100 kind1=2 value1=700 kind2=1 value2=350 kind3=9 value3=4\n"
	    "perf_counters cpu=1 tid=5 ns=1200 kind1=2 value1=100\n"
	    /* What a later version may count. */
	    "perf_counters cpu=0 tid=5 ns=1300 kind1=77 value1=1\n"
	    "perf_counters cpu=0 tid=0 ns=1400 kind1=2 value1=1\n",
	    "counters");
	CHECK_EQ(value("counters", "5", "count"), 3);
	CHECK_EQ(value("counters", "5", "instructions"), 400);
	CHECK_EQ(value("counters", "5", "cycles"), 200);
	CHECK_EQ(value("counters", "5", "page_faults"), -1);
	CHECK_EQ(value("counters", "5", "per_cycle"), 200);
	CHECK_EQ(value("counters", "6", "page_faults"), 4);
	CHECK_EQ(value("counters", "0", "instructions"), 1);
	CHECK_EQ(value("counters", "0", "cycles"), -1);
	/* The most cycles first, those without last. */
	CHECK_EQ(lkst_table_cell(table("counters"), 0, 0)->s64, 6);
	CHECK_EQ(lkst_table_cell(table("counters"), 2, 0)->s64, 0);
}

TEST(analysis_irqsoff_measures_by_where_it_was_turned_off)
{
	ask("irq_enable cpu=0 ns=900 ip=0xffffffff81000099\n"
	    "irq_disable cpu=0 tid=5 ns=1000 ip=0xffffffff81000010\n"
	    "preempt_disable cpu=0 tid=5 ns=1010 ip=0xffffffff81000020\n"
	    "irq_disable cpu=1 tid=6 ns=1020 ip=0xffffffff81000030\n"
	    "irq_enable cpu=0 tid=5 ns=1300 ip=0xffffffff81000011\n"
	    "!skip cpu=1 blocks=1\n"
	    "irq_enable cpu=1 tid=6 ns=1320 ip=0xffffffff81000031\n"
	    "irq_disable cpu=0 tid=5 ns=1400 ip=0xffffffff81000010\n"
	    "irq_enable cpu=0 tid=5 ns=1450 ip=0xffffffff81000011\n"
	    "preempt_enable cpu=0 tid=5 ns=1500 ip=0xffffffff81000021\n",
	    "irqsoff");
	CHECK_EQ(value("irqsoff", "0xffffffff81000010", "count"), 2);
	CHECK_EQ(value("irqsoff", "0xffffffff81000010", "total"), 300 + 50);
	CHECK_EQ(value("irqsoff_total", "all", "count"), 2);
	CHECK_EQ(value("irqsoff", "0xffffffff81000030", "crossing"), 1);
	CHECK_EQ(nr_left_out("irqsoff_total", "no_begin"), 1);
	CHECK_EQ(value("preemptoff", "0xffffffff81000020", "total"), 490);
}

/* What a thread turns off before the CPU idles, the next thread turns on. */
TEST(analysis_irqsoff_leaves_out_what_is_off_while_the_cpu_idles)
{
	ask("preempt_disable cpu=0 tid=5 ns=1000 ip=0xffffffff81000020\n"
	    "sched_switch cpu=0 tid=5 ns=1010 next_tid=0\n"
	    "sched_switch cpu=0 tid=0 ns=5000 next_tid=6\n"
	    "preempt_enable cpu=0 tid=6 ns=5010 ip=0xffffffff81000021\n"
	    "preempt_disable cpu=0 tid=6 ns=6000 ip=0xffffffff81000020\n"
	    "sched_switch cpu=0 tid=6 ns=6010 next_tid=7\n"
	    "preempt_enable cpu=0 tid=7 ns=6030 ip=0xffffffff81000021\n"
	    "preempt_disable cpu=0 tid=7 ns=7000 ip=0xffffffff81000020\n"
	    "preempt_enable cpu=0 tid=7 ns=7200 ip=0xffffffff81000021\n",
	    "irqsoff");
	CHECK_EQ(value("preemptoff", "0xffffffff81000020", "count"), 2);
	CHECK_EQ(value("preemptoff", "0xffffffff81000020", "total"), 30 + 200);
	CHECK_EQ(nr_left_out("preemptoff_total", "idle"), 1);
	/* Without switches nothing says whether it did. */
	ask("preempt_disable cpu=0 tid=5 ns=1000 ip=0xffffffff81000020\n"
	    "preempt_enable cpu=0 tid=6 ns=5010 ip=0xffffffff81000021\n",
	    "irqsoff");
	CHECK_EQ(nr_left_out("preemptoff_total", "idle"), 1);
}

static const struct unit_test tests[] = {
	{ "analysis_power_sums_sleep_clock_and_stolen_time",
	  test_analysis_power_sums_sleep_clock_and_stolen_time },
	{ "analysis_power_knows_at_the_window_what_was_before",
	  test_analysis_power_knows_at_the_window_what_was_before },
	{ "analysis_power_counts_nothing_across_a_gap", test_analysis_power_counts_nothing_across_a_gap },
	{ "analysis_counters_sums_by_thread", test_analysis_counters_sums_by_thread },
	{ "analysis_irqsoff_measures_by_where_it_was_turned_off",
	  test_analysis_irqsoff_measures_by_where_it_was_turned_off },
	{ "analysis_irqsoff_leaves_out_what_is_off_while_the_cpu_idles",
	  test_analysis_irqsoff_leaves_out_what_is_off_while_the_cpu_idles },
};
UNIT_MAIN(tests)
