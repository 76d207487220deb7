/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What the analyses say where the cost limit left kinds of events out for some of the time: no number is told as all
 * of it, and none as 0.
 */
#include "analyses.h"
#include "lib/account_fixture.h"
#include "lib/unit.h"

/* A thread runs from 1 s to 5 s; a call begins and ends before 2 s, and one begins before and ends after 4 s. */
#define RUNS                                                                                                           \
	"state_thread ns=50 thread_tid=5 thread_pid=5 state=1 comm=storm\n"                                            \
	"sched_switch cpu=0 tid=0 ns=1000000000 next_tid=5 prev_state=0\n"                                             \
	"syscall_entry_read cpu=0 tid=5 ns=1000001000 fd=3\n"                                                          \
	"syscall_exit_read cpu=0 tid=5 ns=1000002000 ret=-11\n"
#define CUT_CALL "syscall_entry_read cpu=0 tid=5 ns=1999999000 fd=3\n"
#define LATE_EXIT "syscall_exit_read cpu=0 tid=5 ns=4000001000 ret=0\n"
#define ENDS "sched_switch cpu=0 tid=5 ns=5000000000 next_tid=0 prev_state=1\n"

#define LEFT_OUT "shed_begin cpu=0 tid=0 buffer=1 ns=2000000000 cost=81000 kind=syscall:*\n"
#define BACK "shed_end cpu=0 tid=0 buffer=1 ns=4000000000 left_out=2000000000 kind=syscall:*\n"

/* The text in column @column of the row of `summary` that is about @what; "": there is none. */
static const char *said(const char *what, const char *column)
{
	const struct lkst_table *t = table("summary");
	const struct lkst_cell *cell;
	size_t row;

	for (row = 0; t && row < t->nr_rows; row++) {
		if (strcmp(lkst_table_cell(t, row, 0)->text, what))
			continue;
		cell = lkst_table_cell(t, row, (unsigned int)lkst_table_column(t, column));
		return cell->is_set ? cell->text : "";
	}
	return "";
}

TEST(limited_counts_are_lower_bounds)
{
	ask(RUNS LEFT_OUT ENDS, "summary");
	CHECK_EQ(value("summary", "system calls", "count"), 1);
	CHECK_EQ(value("summary", "system calls", "at_least"), 1);
	CHECK_STR(said("system calls", "note"), "syscall:* not recorded since +1.000 s (the cost limit); 1 failed");
	/* What stays is counted as before. */
	CHECK_EQ(value("summary", "switches", "at_least"), 0);
	CHECK_STR(said("switches", "note"), "");
	CHECK_EQ(value("limited", "syscall:*", "since"), 2000000000);
	CHECK_EQ(value("limited", "syscall:*", "time"), 3000000000);
	CHECK_EQ(value("limited", "syscall:*", "cost"), 810);
	CHECK_EQ(value("limited", "syscall:*", "now"), 1);
}

TEST(limited_says_nothing_where_all_was_recorded)
{
	ask(RUNS ENDS, "summary");
	CHECK_EQ(value("summary", "system calls", "at_least"), 0);
	CHECK_STR(said("system calls", "note"), "1 failed");
	CHECK(!table("limited"));
	ask(RUNS ENDS, "syscall");
	CHECK(!table("syscall")->is_at_least);
	CHECK_EQ(table("syscall_total")->notes.nr, 0);
}

/* Its begin was overwritten, or was never in the trace: the ledger, or the end, knows. */
TEST(limited_is_known_without_its_begin)
{
	ask("state_shed ns=9000000000 left_out=8500000000 times=1 is_left_out=1 kind=syscall:*\n"
	    "sched_switch cpu=0 tid=0 ns=1000000000 next_tid=5 prev_state=0\n" ENDS,
	    "summary");
	CHECK_EQ(value("summary", "system calls", "count"), -1);
	CHECK_STR(said("system calls", "note"), "syscall:* not recorded (the cost limit)");
	ask("sched_switch cpu=0 tid=0 ns=1000000000 next_tid=5 prev_state=0\n"
	    "shed_end cpu=0 tid=0 buffer=1 ns=4000000000 left_out=3500000000 kind=block_rq_complete\n" ENDS,
	    "summary");
	CHECK_EQ(value("summary", "disk requests", "count"), -1);
	CHECK_STR(said("disk requests", "note"),
		  "block_rq_complete not recorded from +0.000 s to +3.000 s (the cost limit)");
	/* What is back says nothing of a time that is not in the trace. */
	ask("state_shed ns=9000000000 left_out=8500000000 times=1 is_left_out=0 kind=syscall:*\n" RUNS ENDS, "summary");
	CHECK_EQ(value("summary", "system calls", "at_least"), 0);
}

TEST(limited_names_each_kind_once)
{
	ask(RUNS "shed_begin cpu=0 tid=0 buffer=1 ns=3000000000 cost=1 kind=syscall:read\n" ENDS, "summary");
	CHECK_STR(said("system calls", "note"), "syscall:read not recorded since +2.000 s (the cost limit); 1 failed");
	/* One call is part of all calls. */
	ask(RUNS LEFT_OUT "shed_begin cpu=0 tid=0 buffer=1 ns=3000000000 cost=1 kind=syscall:read\n" ENDS, "summary");
	CHECK_STR(said("system calls", "note"), "syscall:* not recorded since +1.000 s (the cost limit); 1 failed");
	ask(RUNS "shed_begin cpu=0 tid=0 buffer=1 ns=2000000000 cost=1 kind=page_fault_user\n" ENDS, "summary");
	CHECK_EQ(value("summary", "system calls", "at_least"), 0);
	CHECK_EQ(value("summary", "page faults", "at_least"), 1);
	ask(RUNS "shed_begin cpu=0 tid=0 buffer=1 ns=2000000000 cost=1 kind=softirq\n" ENDS, "summary");
	CHECK_EQ(value("summary", "interrupts", "at_least"), 1);
}

/* Interrupts that are left out are told as idling. */
TEST(limited_times_of_cpus_are_lower_bounds)
{
	static const char lines[] = RUNS
		"shed_begin cpu=0 tid=0 buffer=1 ns=2000000000 cost=1 kind=softirq\n" ENDS;
	const struct lkst_table *t;

	ask(lines, "summary");
	CHECK_EQ(value("summary", "CPUs, busy", "at_least"), 1);
	CHECK_EQ(value("summary", "recorded", "at_least"), 0);
	ask(lines, "cpu");
	t = table("cpu");
	CHECK(lkst_table_cell(t, 0, (unsigned int)lkst_table_column(t, "irq"))->is_at_least);
	CHECK(!lkst_table_cell(t, 0, (unsigned int)lkst_table_column(t, "softirq"))->is_set);
	CHECK(lkst_table_cell(t, 0, (unsigned int)lkst_table_column(t, "threads"))->is_at_most);
	CHECK(lkst_table_cell(t, 0, (unsigned int)lkst_table_column(t, "idle"))->is_at_most);
	ask(RUNS ENDS, "summary");
	CHECK_EQ(value("summary", "CPUs, busy", "at_least"), 0);
}

/* The window decides. */
TEST(limited_is_of_the_time_that_is_asked_for)
{
	ask_of(make_full_catalog(), RUNS LEFT_OUT BACK ENDS, "summary",
	       (struct lkst_analysis_options){ .to_ns = 1500000000 });
	CHECK_EQ(value("summary", "system calls", "at_least"), 0);
	ask_of(make_full_catalog(), RUNS LEFT_OUT BACK ENDS, "summary",
	       (struct lkst_analysis_options){ .from_ns = 2500000000, .to_ns = 3500000000 });
	CHECK_STR(said("system calls", "note"), "syscall:* not recorded (the cost limit)");
	ask(RUNS LEFT_OUT BACK ENDS, "summary");
	CHECK_STR(said("system calls", "note"),
		  "syscall:* not recorded from +1.000 s to +3.000 s (the cost limit); 1 failed");
}

TEST(limited_analyses_say_so)
{
	ask(RUNS CUT_CALL LEFT_OUT BACK LATE_EXIT ENDS, "syscall");
	CHECK(table("syscall")->is_at_least && table("syscall_total")->is_at_least);
	CHECK(has_note("syscall_total", "syscall:* not recorded from +1.000 s to +3.000 s"));
	/* A read() of 2 s it was not: what ended then may have been another one. */
	CHECK_EQ(value("syscall", "read", "count"), 1);
	CHECK_EQ(nr_left_out("syscall_total", "limit"), 1);
	/* An interrupt's time is without what ran within it, which may not be recorded: it is not measured. */
	ask(RUNS "shed_begin cpu=0 tid=0 buffer=1 ns=1500000000 cost=1 kind=hrtimer_expire\n"
		 "local_timer_entry cpu=0 tid=5 ns=2000000000 vector=236\n"
		 "local_timer_exit cpu=0 tid=5 ns=2000100000 vector=236\n" ENDS,
	    "irq");
	CHECK(table("irq_total")->is_at_least);
	CHECK_EQ(nr_left_out("irq_total", "limit"), 1);
	CHECK_EQ(value("irq_total", "all", "count"), -1);
	/* What a wait was for is less certain. */
	ask(RUNS "shed_begin cpu=0 tid=0 buffer=1 ns=1500000000 cost=1 kind=contention\n" ENDS, "waitdelay");
	CHECK(table("waitdelay_total")->is_at_least);
	CHECK(has_note("waitdelay_total", "contention not recorded since"));
	/* Others do not rest on calls; of those in this one, whether a thread has yielded does. */
	ask(RUNS LEFT_OUT BACK ENDS, "waitdelay");
	CHECK(!table("waitdelay_total")->is_at_least);
	CHECK(table("waitdelay_preempted_total")->is_at_least);
	list(RUNS LEFT_OUT BACK ENDS, "syscall");
	CHECK(has_note(NULL, "syscall:* not recorded"));
}

/* Masksets change somewhat before the record that says so, and somewhat after the record that a kind is back. */
TEST(limited_begins_somewhat_before_its_record)
{
	ask(RUNS "syscall_entry_read cpu=0 tid=5 ns=1999990000 fd=3\n" LEFT_OUT BACK
		 "syscall_exit_read cpu=0 tid=5 ns=4000900000 ret=0\n"
		 "syscall_entry_read cpu=0 tid=5 ns=4002000000 fd=3\n"
		 "syscall_exit_read cpu=0 tid=5 ns=4002001000 ret=0\n" ENDS,
	    "syscall");
	CHECK_EQ(value("syscall", "read", "count"), 2);
	CHECK_EQ(nr_left_out("syscall_total", "limit"), 1);
	ask(RUNS "syscall_entry_read cpu=0 tid=5 ns=1999000000 fd=3\n"
		 "syscall_exit_read cpu=0 tid=5 ns=1999500000 ret=0\n" LEFT_OUT ENDS,
	    "syscall");
	CHECK_EQ(value("syscall", "read", "count"), 1);
}

/* ---- what stands out ------------------------------------------------------------------------- */

static const char *finding(const char *what, const char *column)
{
	const struct lkst_table *t = table("findings");
	size_t row;

	for (row = 0; t && row < t->nr_rows; row++)
		if (!strcmp(lkst_table_cell(t, row, 0)->text, what))
			return lkst_table_cell(t, row, (unsigned int)lkst_table_column(t, column))->text;
	return "";
}

/* That it was ready until then is only known by that it ran: a hidden thread may have slept. */
TEST(findings_are_not_what_is_only_inferred)
{
	ask("sched_switch cpu=1 tid=6 ns=1000000000 next_tid=0 prev_state=1\n"
	    "sched_switch cpu=0 tid=0 ns=3000000000 next_tid=58 prev_state=0\n" ENDS,
	    "summary");
	CHECK_STR(finding("waited for a CPU", "detail"), "");
	ask("sched_switch cpu=1 tid=6 ns=1000000000 next_tid=0 prev_state=1\n"
	    "sched_switch cpu=0 tid=0 ns=3000000000 next_tid=58 prev_state=0\n" ENDS,
	    "thread");
	CHECK_EQ(value("thread_longest", "58", "ready"), -1);
}

/* A quota keeps it from running: nobody took the CPU. */
TEST(findings_say_who_had_the_cpu_as_far_as_it_is_known)
{
#define PREEMPTED "sched_switch cpu=0 tid=0 ns=1000000000 next_tid=5 prev_state=0\n"
	ask(PREEMPTED "sched_switch cpu=0 tid=5 ns=2000000000 next_tid=6 prev_state=0\n"
		      "sched_switch cpu=0 tid=6 ns=2004000000 next_tid=0 prev_state=1\n"
		      "sched_switch cpu=0 tid=0 ns=2100000000 next_tid=5 prev_state=0\n" ENDS,
	    "summary");
	CHECK_STR(finding("waited for a CPU", "detail"), "kept from running, although CPU 0 was idle for 96 % of it");
	ask(PREEMPTED "sched_switch cpu=0 tid=5 ns=2000000000 next_tid=6 prev_state=0\n"
		      "sched_switch cpu=0 tid=6 ns=2090000000 next_tid=0 prev_state=1\n"
		      "sched_switch cpu=0 tid=0 ns=2100000000 next_tid=5 prev_state=0\n" ENDS,
	    "summary");
	CHECK_STR(finding("waited for a CPU", "detail"), "taken off CPU 0, which others had for 90 % of it");
	/* It comes back elsewhere, and what the CPU that it left does is not over. */
	ask(PREEMPTED "sched_switch cpu=1 tid=0 ns=1500000000 next_tid=7 prev_state=0\n"
		      "sched_switch cpu=0 tid=5 ns=2000000000 next_tid=0 prev_state=0\n"
		      "sched_switch cpu=1 tid=7 ns=2100000000 next_tid=5 prev_state=1\n"
		      "sched_switch cpu=1 tid=5 ns=5000000000 next_tid=0 prev_state=1\n",
	    "summary");
	CHECK_STR(finding("waited for a CPU", "detail"), "kept from running, although CPU 0 was idle for 100 % of it");
	/* It does not come back. */
	ask(PREEMPTED "sched_switch cpu=0 tid=5 ns=2000000000 next_tid=6 prev_state=0\n"
		      "sched_switch cpu=0 tid=6 ns=2100000000 next_tid=0 prev_state=1\n"
		      "sched_switch cpu=0 tid=0 ns=5000000000 next_tid=7 prev_state=0\n",
	    "summary");
	CHECK_STR(finding("waited for a CPU", "detail"), "kept from running, although CPU 0 was idle for 97 % of it");
	ask(PREEMPTED "sched_switch cpu=1 tid=0 ns=1500000000 next_tid=7 prev_state=0\n"
		      "sched_switch cpu=0 tid=5 ns=2000000000 next_tid=6 prev_state=0\n"
		      "sched_migrate_task cpu=1 tid=7 ns=2050000000 target_tid=5 dest_cpu=1\n"
		      "sched_switch cpu=1 tid=7 ns=2100000000 next_tid=5 prev_state=1\n"
		      "sched_switch cpu=1 tid=5 ns=5000000000 next_tid=0 prev_state=1\n",
	    "summary");
	CHECK_STR(finding("waited for a CPU", "detail"), "taken off a CPU; it then waited for CPU 1");
}

/* ---- lkst why -------------------------------------------------------------------------------- */

TEST(why_says_what_was_left_out)
{
#define WAIT                                                                                                           \
	"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"                                                          \
	"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=1\n"                                            \
	"sched_waking cpu=1 tid=20 ns=1009010000 target_tid=10 target_cpu=0\n"                                         \
	"sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"                                                         \
	"sched_switch cpu=0 tid=10 ns=1020000000 next_tid=0 prev_state=1\n"
#define NOTE "syscall:* not recorded"
	const char early[] = "shed_begin cpu=0 tid=0 buffer=1 ns=999000000 cost=1 kind=syscall:*\n" WAIT;
	const char late[] = WAIT "shed_begin cpu=0 tid=0 buffer=1 ns=1015000000 cost=1 kind=syscall:*\n";

	CHECK(strstr(account_explain(early, 0), NOTE));
	CHECK(!strstr(account_explain(late, 0), NOTE));
	CHECK(!strstr(account_explain(WAIT, 0), NOTE));
}

/* The thread runs for 20 ms, of which an interrupt without its end and one without its begin take no time. */
TEST(why_does_not_join_interrupts)
{
#define RUN                                                                                                            \
	"sched_switch cpu=0 tid=0 ns=990000000 next_tid=10\n"                                                          \
	"irq_handler_entry cpu=0 tid=10 ns=1000100000 irq=7\n%s"                                                       \
	"irq_handler_exit cpu=0 tid=10 ns=1008000000 irq=7\n"                                                          \
	"sched_switch cpu=0 tid=10 ns=1010000000 next_tid=0 prev_state=1\n"
	char lines[1024];

	snprintf(lines, sizeof(lines), RUN, "");
	CHECK(strstr(account_explain(lines, 0), "of it 7.90 ms in interrupts"));
	snprintf(lines, sizeof(lines), RUN,
		 "shed_begin cpu=0 tid=0 buffer=1 ns=1001000000 cost=1 kind=irq_handler\n"
		 "shed_end cpu=0 tid=0 buffer=1 ns=1004000000 left_out=3000000 kind=irq_handler\n");
	CHECK(!strstr(account_explain(lines, 0), "in interrupts"));
}

/* The same timer, set again by a thread or not, and a request that may be another one by the same address. */
TEST(why_does_not_join_what_was_set_anew)
{
#define TIMED                                                                                                          \
	"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"                                                          \
	"hrtimer_start cpu=0 tid=10 ns=1000000000 hrtimer=0x70\n%s"                                                    \
	"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=1\n"                                            \
	"hrtimer_expire_entry cpu=0 tid=0 ns=1009000000 hrtimer=0x70 function=0x80\n"                                  \
	"sched_waking cpu=0 tid=0 ns=1009010000 target_tid=10 target_cpu=0 context=3\n"                                \
	"hrtimer_expire_exit cpu=0 tid=0 ns=1009020000 hrtimer=0x70\n"                                                 \
	"sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"                                                         \
	"sched_switch cpu=0 tid=10 ns=1020000000 next_tid=0 prev_state=1\n"
	char lines[1024];

	snprintf(lines, sizeof(lines), TIMED, "");
	CHECK(strstr(account_explain(lines, 0), "until a timer ran that it had set 9.00 ms before"));
	snprintf(lines, sizeof(lines), TIMED,
		 "shed_begin cpu=0 tid=0 buffer=1 ns=1000050000 cost=1 kind=hrtimer_start\n");
	CHECK(strstr(account_explain(lines, 0), "until a timer ran, of function "));
}

TEST(lint_says_what_was_left_out)
{
	struct account_fixture *x = account_new("shed_begin cpu=0 tid=0 buffer=1 ns=1500 cost=1 kind=kfree\n"
						"kmalloc cpu=0 tid=10 ns=1000 ptr=0x9000 bytes_req=100\n"
						"sched_switch cpu=0 tid=10 ns=9000 next_tid=0 prev_state=1\n",
						NULL);
	char all[] = "*";

	CHECK(strstr(account_lint(x, all, 0), "kfree not recorded since +0.000 s"));
	account_free(x);
}

static const struct unit_test tests[] = {
	{ "limited_counts_are_lower_bounds", test_limited_counts_are_lower_bounds },
	{ "limited_says_nothing_where_all_was_recorded", test_limited_says_nothing_where_all_was_recorded },
	{ "limited_is_known_without_its_begin", test_limited_is_known_without_its_begin },
	{ "limited_names_each_kind_once", test_limited_names_each_kind_once },
	{ "limited_is_of_the_time_that_is_asked_for", test_limited_is_of_the_time_that_is_asked_for },
	{ "limited_times_of_cpus_are_lower_bounds", test_limited_times_of_cpus_are_lower_bounds },
	{ "limited_analyses_say_so", test_limited_analyses_say_so },
	{ "limited_begins_somewhat_before_its_record", test_limited_begins_somewhat_before_its_record },
	{ "findings_are_not_what_is_only_inferred", test_findings_are_not_what_is_only_inferred },
	{ "findings_say_who_had_the_cpu_as_far_as_it_is_known",
	  test_findings_say_who_had_the_cpu_as_far_as_it_is_known },
	{ "why_says_what_was_left_out", test_why_says_what_was_left_out },
	{ "why_does_not_join_interrupts", test_why_does_not_join_interrupts },
	{ "why_does_not_join_what_was_set_anew", test_why_does_not_join_what_was_set_anew },
	{ "lint_says_what_was_left_out", test_lint_says_what_was_left_out },
};

UNIT_MAIN(tests)
