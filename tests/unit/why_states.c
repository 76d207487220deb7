/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Explanations where the state model decides what is reported, and where there is much to report.
 */
#include <inttypes.h>
#include <time.h>

#include "lib/account_fixture.h"
#include "lib/unit.h"

TEST(why_sees_a_wake_up_that_overtakes_the_switch)
{
	CHECK_STR(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			  "syscall_entry_read cpu=0 tid=10 ns=1000000000 fd=3\n"
			  "sched_waking cpu=1 tid=20 ns=1000099000 target_tid=10 target_cpu=0\n"
			  "sched_switch cpu=0 tid=10 ns=1000100000 next_tid=30 prev_state=1\n"
			  "sched_wakeup cpu=1 tid=20 ns=1000101000 target_tid=10 target_cpu=0\n"
			  "sched_switch cpu=0 tid=30 ns=1009950000 next_tid=10\n",
			  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 150 us, ready 9.85 ms\n"
		  "+100 us   9.85 ms   ready, but CPU 0 ran 30/hog for 9.85 ms (100 %)\n"
		  "+0 ns     10.0 ms   2 shorter stretches: ran 150 us\n");
}

/* The switch from the hog to another is missing, as where only some threads are recorded. */
TEST(why_does_not_say_who_ran_where_a_switch_is_missing)
{
	CHECK(strstr(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			     "sched_switch cpu=0 tid=10 ns=1000100000 next_tid=30\n"
			     "sched_switch cpu=0 tid=20 ns=1009950000 next_tid=10\n",
			     0),
		     "ready, but CPU 0 ran what is not recorded\n"));
}

/*
 * Thread 11 calls execve(2) and is 10 from then on. What it did as 11 is reported of 10 as well. At the same
 * time 10 did something itself: the leader ran, and was gone.
 */
TEST(why_adds_up_where_a_thread_takes_over_a_number)
{
	CHECK(strstr(
		account_explain(
			"task_newtask cpu=0 tid=10 ns=999000000 child_tid=11 child_pid=10 clone_flags=0x10000\n"
			"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"sched_switch cpu=1 tid=0 ns=999600000 next_tid=11\n"
			"sched_process_exit cpu=0 tid=10 ns=1002000000 exit_pid=10 comm=victim\n"
			"sched_switch cpu=0 tid=10 ns=1003000000 next_tid=0 prev_state=128\n"
			"sched_process_exec cpu=1 tid=10 ns=1005000000 old_tid=11 filename=/bin/a\n"
			"sched_switch cpu=1 tid=10 ns=1008000000 next_tid=0 prev_state=1\n",
			0),
		"10.0 ms: ran 6.00 ms, blocked 2.00 ms, not there 2.00 ms\n"));
}

/* One of thousands of short waits for a disk, each of 100 us, from @ns. */
static int short_wait(char *to, size_t room, u64 ns, u64 rq)
{
	return snprintf(to, room,
			"syscall_entry_pread64 cpu=0 tid=10 ns=%" PRIu64 " fd=3\n"
			"block_rq_issue cpu=0 tid=10 ns=%" PRIu64 " rq=%" PRIu64 " dev=0x700000\n"
			"sched_switch cpu=0 tid=10 ns=%" PRIu64 " next_tid=0 prev_state=2\n"
			"irq_handler_entry cpu=0 tid=0 ns=%" PRIu64 " irq=25\n"
			"block_rq_complete cpu=0 tid=0 ns=%" PRIu64 " rq=%" PRIu64 " dev=0x700000\n"
			"sched_waking cpu=0 tid=0 ns=%" PRIu64 " target_tid=10 target_cpu=0\n"
			"irq_handler_exit cpu=0 tid=0 ns=%" PRIu64 " irq=25\n"
			"sched_switch cpu=0 tid=0 ns=%" PRIu64 " next_tid=10\n"
			"syscall_exit_pread64 cpu=0 tid=10 ns=%" PRIu64 "\n",
			ns, ns + 500, rq, ns + 1000, ns + 80000, ns + 81000, rq, ns + 82000,
			ns + 83000, ns + 84000, ns + 85000);
}

/* The time does not grow with the square of their number: each search is bounded. */
TEST(why_sums_up_thousands_of_waits_for_a_disk_at_once)
{
	enum { NR = 18000, ROOM = NR * 640 };
	char *text = malloc(ROOM);
	struct account_fixture *x;
	struct timespec begin, end;
	double seconds;
	size_t at;
	u32 i;

	at = (size_t)snprintf(text, ROOM,
			      "sched_switch cpu=0 tid=0 ns=999000000 next_tid=10\n");
	for (i = 0; i < NR; i++)
		at += (size_t)short_wait(text + at, ROOM - at, 1000000000 + i * 100000ULL, i % 64 + 1);
	x = account_new(text, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	account_why(x, 10, 1000000000, 1000000000 + NR * 100000ULL, LKST_WHY_DEPTH, 0, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	CHECK(strstr(x->text, "blocked 18000 times in pread64(), woken by disk: 1.46 s in all"));
	CHECK(seconds < 2);
	account_free(x);
	free(text);
}

static const struct unit_test tests[] = {
	{ "why_sums_up_thousands_of_waits_for_a_disk_at_once", test_why_sums_up_thousands_of_waits_for_a_disk_at_once },
	{ "why_adds_up_where_a_thread_takes_over_a_number",
	  test_why_adds_up_where_a_thread_takes_over_a_number },
	{ "why_does_not_say_who_ran_where_a_switch_is_missing",
	  test_why_does_not_say_who_ran_where_a_switch_is_missing },
	{ "why_sees_a_wake_up_that_overtakes_the_switch",
	  test_why_sees_a_wake_up_that_overtakes_the_switch },
};
UNIT_MAIN(tests)
