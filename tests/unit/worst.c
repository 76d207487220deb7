/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The longest system call is one that took long, not one that waits by design; and the longest page fault.
 */
#include "analyze/why/worst.h"
#include "lib/account_fixture.h"
#include "lib/unit.h"

/* Thread 10 waits for a child for 900 ms, for a pipe for 500 ms, for a disk for 200 ms, to write for 100 ms. */
static const char calls_trace[] =
	"sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"
	"syscall_entry_wait4 cpu=0 tid=10 ns=1000000000\n"
	"sched_switch cpu=0 tid=10 ns=1000010000 next_tid=0 prev_state=1\n"
	"sched_waking cpu=0 tid=0 ns=1899000000 target_tid=10 target_cpu=0\n"
	"sched_switch cpu=0 tid=0 ns=1899100000 next_tid=10\n"
	"syscall_exit_wait4 cpu=0 tid=10 ns=1900000000\n"
	"syscall_entry_read cpu=0 tid=10 ns=2000000000 fd=3\n"
	"sched_switch cpu=0 tid=10 ns=2000010000 next_tid=0 prev_state=1\n"
	"sched_waking cpu=0 tid=0 ns=2499000000 target_tid=10 target_cpu=0\n"
	"sched_switch cpu=0 tid=0 ns=2499100000 next_tid=10\n"
	"syscall_exit_read cpu=0 tid=10 ns=2500000000\n"
	"syscall_entry_read cpu=0 tid=10 ns=3000000000 fd=4\n"
	"sched_switch cpu=0 tid=10 ns=3000010000 next_tid=0 prev_state=2\n"
	"sched_waking cpu=0 tid=0 ns=3199000000 target_tid=10 target_cpu=0\n"
	"sched_switch cpu=0 tid=0 ns=3199100000 next_tid=10\n"
	"syscall_exit_read cpu=0 tid=10 ns=3200000000\n"
	"syscall_entry_write cpu=0 tid=10 ns=4000000000 fd=5\n"
	"sched_switch cpu=0 tid=10 ns=4000010000 next_tid=0 prev_state=1\n"
	"sched_waking cpu=0 tid=0 ns=4099000000 target_tid=10 target_cpu=0\n"
	"sched_switch cpu=0 tid=0 ns=4099100000 next_tid=10\n"
	"syscall_exit_write cpu=0 tid=10 ns=4100000000\n"
	"syscall_entry_getpid cpu=0 tid=10 ns=5000000000\n";

/*
 * Thread 10 waits for a page for 300 ms, in the kernel's second try, and is back in its program 2 ms later; then for
 * one that takes 1 ms.
 */
static const char faults_trace[] =
	"sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"
	"page_fault_user cpu=0 tid=10 ns=1000000000 address=0x1234000\n"
	"page_fault_exit cpu=0 tid=10 ns=1000500000 result=1024\n"
	"sched_switch cpu=0 tid=10 ns=1001000000 next_tid=0 prev_state=2\n"
	"sched_waking cpu=0 tid=0 ns=1299000000 target_tid=10 target_cpu=0\n"
	"sched_switch cpu=0 tid=0 ns=1300000000 next_tid=10\n"
	"page_fault_exit cpu=0 tid=10 ns=1302000000\n"
	"page_fault_user cpu=0 tid=10 ns=2000000000 address=0x5678000\n"
	"page_fault_exit cpu=0 tid=10 ns=2001000000\n"
	"syscall_entry_getpid cpu=0 tid=10 ns=5000000000\n";

/* Thread 10 waits for 298 ms after a page fault whose end is not recorded. */
#define WAIT_IN_FAULT(where)                                                                                           \
	"sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"                                                          \
	"page_fault_user cpu=0 tid=10 ns=1000000000 address=0x1234000\n"                                               \
	"sched_switch cpu=0 tid=10 ns=1001000000 next_tid=0 prev_state=2 " where "\n"                                  \
	"sched_waking cpu=0 tid=0 ns=1299000000 target_tid=10 target_cpu=0\n"                                          \
	"sched_switch cpu=0 tid=0 ns=1300000000 next_tid=10\n"                                                         \
	"sched_switch cpu=0 tid=10 ns=5000000000 next_tid=0 prev_state=1\n"

/* What is found in @text for "KIND:CALL", of threads with a name that @comm matches; NULL: any. */
static int find_of(const char *text, const char *what, const char *comm, struct lkst_worst *ret_worst,
		   struct lkst_err *e)
{
	struct account_fixture *x = account_new(text, NULL);
	struct lkst_worst_options options = { .to_ns = UINT64_MAX, .comm = comm };
	int err = lkst_worst_parse(e, what, &options.kind, &options.call);

	if (!err)
		err = lkst_worst_find(e, x->trace, &options, ret_worst);
	account_free(x);
	return err;
}

static int find(const char *text, const char *what, struct lkst_worst *ret_worst, struct lkst_err *e)
{
	return find_of(text, what, NULL, ret_worst, e);
}

TEST(worst_passes_over_calls_that_wait_by_design)
{
	struct lkst_worst w;
	struct lkst_err e;

	CHECK_EQ(find(calls_trace, "syscall", &w, &e), 0);
	CHECK_EQ(w.from_ns, 3000000000);
	CHECK_EQ(w.to_ns, 3200000000);
	CHECK_EQ(w.tid, 10);
	CHECK_EQ(w.passed_over, 2);
	CHECK_STR(w.longest_passed, "wait4");
	CHECK_EQ(w.longest_passed_ns, 900000000);
}

TEST(worst_takes_those_calls_when_they_are_named)
{
	struct lkst_worst w;
	struct lkst_err e;

	CHECK_EQ(find(calls_trace, "syscall:wait*", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1000000000);
	CHECK_EQ(w.passed_over, 0);
	CHECK_EQ(find(calls_trace, "syscall:read", &w, &e), 0);
	CHECK_EQ(w.from_ns, 2000000000);
	CHECK_EQ(find(calls_trace, "syscall:*", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1000000000);
	/* A wait is a wait. */
	CHECK_EQ(find(calls_trace, "wait", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1000010000);
	CHECK_EQ(find(calls_trace, "wait:write", &w, &e), 0);
	CHECK_EQ(w.from_ns, 4000010000);
}

TEST(worst_says_why_there_is_none)
{
	struct lkst_worst w;
	struct lkst_err e;

	CHECK_EQ(find("sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"
		      "syscall_entry_wait4 cpu=0 tid=10 ns=1000000000\n"
		      "syscall_exit_wait4 cpu=0 tid=10 ns=1900000000\n",
		      "syscall", &w, &e),
		 -ENOENT);
	CHECK(strstr(e.text, "wait by design; --worst syscall:wait4 takes those, too"));
	CHECK_EQ(find(calls_trace, "syscall:fsync", &w, &e), -ENOENT);
	CHECK(strstr(e.text, "no syscall of that thread or name"));
	CHECK_EQ(find(calls_trace, "sleep", &w, &e), -EINVAL);
}

TEST(worst_finds_page_faults)
{
	struct lkst_worst w;
	struct lkst_err e;

	CHECK_EQ(find(faults_trace, "fault", &w, &e), 0);
	CHECK_EQ(w.tid, 10);
	CHECK_EQ(w.from_ns, 1000000000);
	CHECK_EQ(w.to_ns, 1302000000);
	CHECK_EQ(find_of(faults_trace, "fault", "*", &w, &e), 0);
	CHECK_EQ(w.to_ns, 1302000000);
	/* Without its end it is over with its last wait; and what waits in a call, by its registers, is in none. */
	CHECK_EQ(find(WAIT_IN_FAULT("prev_where=2"), "fault", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1000000000);
	CHECK_EQ(w.to_ns, 1299000000);
	CHECK_EQ(find(WAIT_IN_FAULT("prev_where=1 prev_call=230"), "fault", &w, &e), -ENOENT);
	CHECK_EQ(find(calls_trace, "fault", &w, &e), -ENOENT);
}

/* What begins before calls are left out and ends after is no call of 3 s, and what else there was is not known. */
TEST(worst_is_of_what_was_recorded)
{
#define LEAVES "shed_begin cpu=0 tid=0 buffer=1 ns=2200000000 cost=1 kind=syscall:*\n"
#define COMES_BACK "shed_end cpu=0 tid=0 buffer=1 ns=4900000000 left_out=2700000000 kind=syscall:*\n"
	static const char calls[] = "sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"
				    "syscall_entry_write cpu=0 tid=10 ns=1000000000 fd=5\n"
				    "syscall_exit_write cpu=0 tid=10 ns=1100000000\n"
				    "syscall_entry_write cpu=0 tid=10 ns=2000000000 fd=5\n" LEAVES COMES_BACK
				    "syscall_exit_write cpu=0 tid=10 ns=5000000000\n";
	static const char none[] = "sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n" LEAVES
				   "sched_switch cpu=0 tid=10 ns=5000000000 next_tid=0 prev_state=1\n";
	struct lkst_worst w;
	struct lkst_err e;

	CHECK_EQ(find(calls, "syscall", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1000000000);
	CHECK_EQ(w.to_ns, 1100000000);
	CHECK_STR(w.limited, "syscall:* not recorded from +1.300 s to +4.000 s");
	/* Switches always stay, and with them waits. */
	CHECK_EQ(find(calls_trace, "wait", &w, &e), 0);
	CHECK_STR(w.limited, "");
	CHECK_EQ(find(none, "syscall", &w, &e), -ENOENT);
	CHECK(strstr(e.text, "syscall:* not recorded since +1.300 s (the cost limit)"));
	/* The end may be another one's. */
	CHECK_EQ(find("sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"
		      "page_fault_user cpu=0 tid=10 ns=1000000000 address=0x1234000\n"
		      "shed_begin cpu=0 tid=0 buffer=1 ns=1500000000 cost=1 kind=page_fault_*\n"
		      "shed_end cpu=0 tid=0 buffer=1 ns=2500000000 left_out=1000000000 kind=page_fault_*\n"
		      "page_fault_exit cpu=0 tid=10 ns=4000000000\n",
		      "fault", &w, &e),
		 -ENOENT);
	CHECK(strstr(e.text, "page_fault_* not recorded from +0.600 s to +1.600 s"));
}

/* A poll that a stop interrupts goes on as restart_syscall. It waits by design, and has its own name. */
TEST(worst_knows_what_a_restarted_call_goes_on_with)
{
	static const char text[] = "sched_switch cpu=0 tid=0 ns=900000000 next_tid=10\n"
				   "syscall_entry_write cpu=0 tid=10 ns=910000000 fd=5\n"
				   "syscall_exit_write cpu=0 tid=10 ns=911000000\n"
				   "syscall_entry_poll cpu=0 tid=10 ns=1000000000 nfds=1\n"
				   "sched_switch cpu=0 tid=10 ns=1000010000 next_tid=0 prev_state=1\n"
				   "sched_waking cpu=0 tid=0 ns=1100000000 target_tid=10 target_cpu=0\n"
				   "sched_switch cpu=0 tid=0 ns=1100100000 next_tid=10\n"
				   "syscall_exit_poll cpu=0 tid=10 ns=1100200000 ret=-516\n"
				   "syscall_entry_restart_syscall cpu=0 tid=10 ns=1200000000\n"
				   "sched_switch cpu=0 tid=10 ns=1200010000 next_tid=0 prev_state=1 "
				   "prev_where=1 prev_call=219\n"
				   "sched_waking cpu=0 tid=0 ns=1799000000 target_tid=10 target_cpu=0\n"
				   "sched_switch cpu=0 tid=0 ns=1799100000 next_tid=10\n"
				   "syscall_exit_restart_syscall cpu=0 tid=10 ns=1800000000 ret=1\n"
				   "syscall_entry_getpid cpu=0 tid=10 ns=5000000000\n";
	struct lkst_worst w;
	struct lkst_err e;

	CHECK_EQ(find(text, "syscall", &w, &e), 0);
	CHECK_EQ(w.from_ns, 910000000);
	CHECK_EQ(w.passed_over, 2);
	CHECK_STR(w.longest_passed, "poll");
	CHECK_EQ(w.longest_passed_ns, 600000000);
	CHECK_EQ(find(text, "syscall:poll", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1200000000);
	CHECK_EQ(find(text, "wait:poll", &w, &e), 0);
	CHECK_EQ(w.from_ns, 1200010000);
	/* Where its first part is not in the trace, nobody knows which call it is; it waits by design all the same. */
	CHECK_EQ(find(strstr(text, "syscall_entry_restart"), "syscall", &w, &e), -ENOENT);
	CHECK(strstr(e.text, "wait by design"));
}

static const struct unit_test tests[] = {
	{ "worst_knows_what_a_restarted_call_goes_on_with", test_worst_knows_what_a_restarted_call_goes_on_with },
	{ "worst_is_of_what_was_recorded", test_worst_is_of_what_was_recorded },
	{ "worst_passes_over_calls_that_wait_by_design",
	  test_worst_passes_over_calls_that_wait_by_design },
	{ "worst_takes_those_calls_when_they_are_named",
	  test_worst_takes_those_calls_when_they_are_named },
	{ "worst_says_why_there_is_none", test_worst_says_why_there_is_none },
	{ "worst_finds_page_faults", test_worst_finds_page_faults },
};
UNIT_MAIN(tests)
