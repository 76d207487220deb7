/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Explanations of intervals, for each kind of chain, out of traces written as text.
 */
#include "lib/account_fixture.h"
#include "lib/expected.h"
#include "lib/unit.h"

/* ---- chains of threads ---------------------------------------------------------------- */

static const char futex_trace[] =
	"sched_switch cpu=1 tid=0 ns=999000000 next_tid=20\n"
	"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
	"syscall_entry_futex cpu=0 tid=10 ns=1000000000 uaddr=0x5000 op=128\n"
	"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=1\n"
	"syscall_entry_read cpu=1 tid=20 ns=1001000000 fd=3\n"
	"hrtimer_start cpu=1 tid=20 ns=1001050000 hrtimer=0x7700\n"
	"sched_switch cpu=1 tid=20 ns=1001100000 next_tid=30 prev_state=1\n"
	"local_timer_entry cpu=0 tid=0 ns=1006000000\n"
	"hrtimer_expire_entry cpu=0 tid=0 ns=1006010000 hrtimer=0x7700\n"
	"sched_waking cpu=0 tid=0 ns=1006020000 target_tid=20 target_cpu=1\n"
	"sched_wakeup cpu=0 tid=0 ns=1006030000 target_tid=20 target_cpu=1\n"
	"hrtimer_expire_exit cpu=0 tid=0 ns=1006040000 hrtimer=0x7700\n"
	"local_timer_exit cpu=0 tid=0 ns=1006050000\n"
	"sched_switch cpu=1 tid=30 ns=1008000000 next_tid=20\n"
	"syscall_exit_read cpu=1 tid=20 ns=1008100000\n"
	"syscall_entry_futex cpu=1 tid=20 ns=1009000000 uaddr=0x5000 op=129\n"
	"sched_waking cpu=1 tid=20 ns=1009010000 target_tid=10 target_cpu=0\n"
	"sched_wakeup cpu=1 tid=20 ns=1009020000 target_tid=10 target_cpu=0\n"
	"syscall_exit_futex cpu=1 tid=20 ns=1009030000\n"
	"sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"
	"syscall_exit_futex cpu=0 tid=10 ns=1009990000\n"
	"syscall_entry_getpid cpu=0 tid=10 ns=1020000000\n";

TEST(why_follows_who_held_the_lock_to_its_timer_and_the_busy_cpu)
{
	CHECK_STR(
		account_explain(futex_trace, 0),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 1.06 ms, ready 30.0 us, blocked "
		"8.91 ms\n"
		"+100 us   8.91 ms   blocked in futex() on the lock at 0x5000, until 20/holder releas"
		"ed it in futex()\n"
		"+100 us   1.00 ms     20/holder: ran on CPU 1\n"
		"+1.10 ms  4.92 ms     20/holder: blocked in read(), until a timer ran that it had se"
		"t 4.96 ms before\n"
		"+6.02 ms  1.98 ms     20/holder: ready, but CPU 1 ran 30/hog for 1.98 ms (100 %)\n"
		"+8.00 ms  1.01 ms     20/holder: ran on CPU 1\n"
		"+9.04 ms  960 us    ran on CPU 0\n"
		"+0 ns     9.04 ms   2 shorter stretches: ran 100 us, ready 30.0 us\n");
}

TEST(why_cites_the_events_that_each_step_rests_on)
{
	CHECK_STR(
		account_explain(futex_trace, ACCOUNT_EVENTS),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 1.06 ms, ready 30.0 us, blocked 8.91 ms\n"
		"+100 us   8.91 ms   blocked in futex() on the lock at 0x5000, until 20/holder released it in futex()\n"
		"                      | 1.000000000 [000] syscall_entry_futex, 1.000100000 [000] sched_switch\n"
		"                      | 1.009000000 [001] syscall_entry_futex, 1.009010000 [001] sched_waking\n"
		"+100 us   1.00 ms     20/holder: ran on CPU 1\n"
		"                        | 0.999000000 [001] sched_switch, 1.001100000 [001] sched_switch\n"
		"+1.10 ms  4.92 ms     20/holder: blocked in read(), until a timer ran that it had set 4.96 ms before\n"
		"                        | 1.001000000 [001] syscall_entry_read, 1.001100000 [001] sched_switch\n"
		"                        | 1.001050000 [001] hrtimer_start, 1.006010000 [000] hrtimer_expire_entry\n"
		"                        | 1.006020000 [000] sched_waking\n"
		"+6.02 ms  1.98 ms     20/holder: ready, but CPU 1 ran 30/hog for 1.98 ms (100 %)\n"
		"                        | 1.006020000 [000] sched_waking, 1.001100000 [001] sched_switch\n"
		"                        | 1.008000000 [001] sched_switch\n"
		"+8.00 ms  1.01 ms     20/holder: ran on CPU 1\n"
		"                        | 1.008000000 [001] sched_switch\n"
		"+9.04 ms  960 us    ran on CPU 0\n"
		"                      | 1.009040000 [000] sched_switch\n"
		"+0 ns     9.04 ms   2 shorter stretches: ran 100 us, ready 30.0 us\n");
}

TEST(why_prints_json)
{
	char *expected = expected_json("why_futex.json"),
	     *printed = squeezed_json(account_explain(futex_trace, ACCOUNT_JSON));

	CHECK_STR(printed, expected);
	free(printed);
	free(expected);
}

TEST(why_stops_at_the_depth_that_is_asked_for)
{
	struct account_fixture *x = account_new(futex_trace, NULL);
	bool is_cut;

	account_why(x, 10, 1000000000, 1010000000, 0, 0, 0);
	is_cut = strstr(x->text, "; not followed further (--depth)") && !strstr(x->text, "timer");
	account_free(x);
	CHECK(is_cut);
}

/* ---- devices ---------------------------------------------------------------------------- */

TEST(why_names_the_disk_and_what_was_ahead)
{
	CHECK_STR(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"block_rq_issue cpu=1 tid=20 ns=999600000 rq=0x1 dev=0x700000 bytes=4096\n"
			"block_rq_insert cpu=1 tid=20 ns=999700000 rq=0x2 dev=0x700000 bytes=4096\n"
			"syscall_entry_pread64 cpu=0 tid=10 ns=1000000000 fd=3\n"
			"block_rq_insert cpu=0 tid=10 ns=1000050000 rq=0x3 dev=0x700000 sector=88 "
			"bytes=8192\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n"
			"block_rq_issue cpu=1 tid=20 ns=1001000000 rq=0x2 dev=0x700000 bytes=4096\n"
			"block_rq_insert cpu=1 tid=20 ns=1002000000 rq=0x4 dev=0x700000 bytes=4096\n"
			"block_rq_complete cpu=1 tid=20 ns=1003000000 rq=0x1 dev=0x700000\n"
			"block_rq_issue cpu=1 tid=20 ns=1003100000 rq=0x3 dev=0x700000 sector=88 "
			"bytes=8192\n"
			"block_rq_complete cpu=1 tid=20 ns=1003500000 rq=0x5 dev=0x800000\n"
			"block_rq_complete cpu=1 tid=20 ns=1004000000 rq=0x2 dev=0x700000\n"
			"block_rq_issue cpu=1 tid=20 ns=1004100000 rq=0x4 dev=0x700000\n"
			"block_rq_complete cpu=1 tid=20 ns=1004200000 rq=0x4 dev=0x700000\n"
			"irq_handler_entry cpu=1 tid=20 ns=1009000000 irq=25\n"
			"block_rq_complete cpu=1 tid=20 ns=1009010000 rq=0x3 dev=0x700000\n"
			"sched_waking cpu=1 tid=20 ns=1009020000 target_tid=10 target_cpu=0\n"
			"sched_wakeup cpu=1 tid=20 ns=1009030000 target_tid=10 target_cpu=0\n"
			"irq_handler_exit cpu=1 tid=20 ns=1009040000 irq=25\n"
			"sched_switch cpu=0 tid=0 ns=1009050000 next_tid=10\n"
			"syscall_exit_pread64 cpu=0 tid=10 ns=1009900000\n"
			"syscall_entry_getpid cpu=0 tid=10 ns=1020000000\n",
			0),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 1.05 ms, ready 30.0 us, blocked "
		"8.92 ms\n"
		"+100 us   8.92 ms   blocked in pread64(), until disk loop0 had done a request\n"
		"+50.0 us  8.96 ms     read of 8 KiB at sector 88 of disk loop0, of it 3.05 ms before"
		" the driver had it, requests ahead of it: 2\n"
		"+9.05 ms  950 us    ran on CPU 0\n"
		"+0 ns     9.05 ms   2 shorter stretches: ran 100 us, ready 30.0 us\n");
}

TEST(why_follows_a_disk_without_hardware_to_the_thread_that_did_the_work)
{
	CHECK_STR(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"sched_switch cpu=1 tid=0 ns=999500000 next_tid=40\n"
			"syscall_entry_pread64 cpu=0 tid=10 ns=1000000000 fd=3\n"
			"block_rq_issue cpu=0 tid=10 ns=1000050000 rq=0x3 dev=0x700000 bytes=4096\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n"
			"softirq_raise cpu=1 tid=40 ns=1009000000 vec=4\n"
			"softirq_entry cpu=1 tid=40 ns=1009005000 vec=4\n"
			"block_rq_complete cpu=1 tid=40 ns=1009010000 rq=0x3 dev=0x700000\n"
			"sched_waking cpu=1 tid=40 ns=1009020000 target_tid=10 target_cpu=0\n"
			"softirq_exit cpu=1 tid=40 ns=1009040000 vec=4\n"
			"sched_switch cpu=0 tid=0 ns=1009050000 next_tid=10\n"
			"syscall_exit_pread64 cpu=0 tid=10 ns=1020000000\n",
			0),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 1.05 ms, ready 30.0 us, blocked "
		"8.92 ms\n"
		"+100 us   8.92 ms   blocked in pread64(), until disk loop0 had done a request\n"
		"+50.0 us  8.96 ms     read of 4 KiB at sector 0 of disk loop0, requests ahead of it:"
		" 0, done by 40/kworker\n"
		"+50.0 us  8.95 ms       40/kworker: ran on CPU 1\n"
		"+9.05 ms  950 us    ran on CPU 0\n"
		"+0 ns     9.05 ms   2 shorter stretches: ran 100 us, ready 30.0 us\n");
}

TEST(why_follows_a_packet_to_its_sender)
{
	CHECK_STR(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"sched_switch cpu=1 tid=0 ns=999500000 next_tid=20\n"
			"syscall_entry_read cpu=0 tid=10 ns=1000000000 fd=3\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=1\n"
			"syscall_entry_sendto cpu=1 tid=20 ns=1008000000 fd=3\n"
			"net_dev_queue cpu=1 tid=20 ns=1008900000 skb=0x99 ifindex=1 bytes=66\n"
			"softirq_entry cpu=1 tid=20 ns=1009000000 vec=3\n"
			"netif_receive_skb cpu=1 tid=20 ns=1009010000 skb=0x99 ifindex=1 bytes=52\n"
			"sched_waking cpu=1 tid=20 ns=1009020000 target_tid=10 target_cpu=0\n"
			"softirq_exit cpu=1 tid=20 ns=1009040000 vec=3\n"
			"sched_switch cpu=0 tid=0 ns=1009050000 next_tid=10\n"
			"syscall_exit_read cpu=0 tid=10 ns=1020000000\n",
			0),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 1.05 ms, ready 30.0 us, blocked "
		"8.92 ms\n"
		"+100 us   8.92 ms   blocked in read(), until a packet came in on lo\n"
		"+8.90 ms  110 us      20/holder: packet of 52 bytes from 20/holder\n"
		"+100 us   8.80 ms     20/holder: ran on CPU 1\n"
		"+9.05 ms  950 us    ran on CPU 0\n"
		"+0 ns     9.05 ms   2 shorter stretches: ran 100 us, ready 30.0 us\n");
}

/* The thread 10 is blocked in read() until @wake, lines that wake it. */
static const char *explain_wake(const char *wake)
{
	static char trace[8192];

	snprintf(trace, sizeof(trace),
		 "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
		 "syscall_entry_read cpu=0 tid=10 ns=1000000000 fd=3\n"
		 "sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=1\n"
		 "%s"
		 "sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n"
		 "syscall_exit_read cpu=0 tid=10 ns=1009960000\n",
		 wake);
	return account_explain(trace, 0);
}

#define WAKING "sched_waking cpu=1 tid=20 ns=1009900000 target_tid=10 target_cpu=0\n"

TEST(why_names_interrupts)
{
	CHECK(strstr(explain_wake("irq_handler_entry cpu=1 tid=20 ns=1009800000 irq=25\n" WAKING),
		     "blocked in read(), until interrupt 25 of virtio1-req\n"));
	/* Contexts that have ended before do not count, nor does another CPU. */
	CHECK(strstr(explain_wake("irq_handler_entry cpu=0 tid=0 ns=1009700000 irq=25\n"
				  "irq_handler_entry cpu=1 tid=20 ns=1009700000 irq=25\n"
				  "irq_handler_exit cpu=1 tid=20 ns=1009750000 irq=25\n"
				  "softirq_entry cpu=1 tid=20 ns=1009800000 vec=9\n" WAKING),
		     "blocked in read(), until softirq RCU\n"));
	CHECK(strstr(explain_wake("call_function_single_entry cpu=1 tid=20 ns=1009800000\n" WAKING),
		     "blocked in read(), until an interrupt that another CPU sent\n"));
	CHECK(strstr(explain_wake("local_timer_entry cpu=1 tid=20 ns=1009800000\n" WAKING),
		     "blocked in read(), until the CPU's timer interrupt\n"));
	CHECK(strstr(
		explain_wake(
			"softirq_entry cpu=1 tid=20 ns=1009700000 vec=6\n"
			"tasklet_entry cpu=1 tid=20 ns=1009800000 function=0xffff0000\n" WAKING),
		"blocked in read(), until a tasklet of function 0xffff0000\n"));
	CHECK(strstr(explain_wake("softirq_entry cpu=1 tid=20 ns=1009700000 vec=1\n"
				  "timer_expire_entry cpu=1 tid=20 ns=1009800000 timer=0x66 "
				  "function=0xffff0000\n" WAKING),
		     "blocked in read(), until a timer ran, of function 0xffff0000\n"));
}

/* What a thread sends over the machine's own network arrives in a softirq of its own call. */
TEST(why_follows_who_sends_over_the_own_network)
{
#define CALL "syscall_entry_sendto cpu=1 tid=20 ns=1009600000\n"
#define SOFTIRQ "softirq_entry cpu=1 tid=20 ns=1009700000 vec=3\n"
#define IRQ "irq_handler_entry cpu=1 tid=20 ns=1009650000 irq=25\nirq_handler_exit cpu=1 tid=20 ns=1009660000 irq=25\n"
#define SAID "sched_waking cpu=1 tid=20 ns=1009900000 target_tid=10 target_cpu=0 call=44 context=2\n"
#define SWITCH "sched_switch cpu=1 tid=0 ns=1009600000 next_tid=20 prev_state=0\n"
#define TICK "local_timer_entry cpu=1 tid=20 ns=1009650000\nlocal_timer_exit cpu=1 tid=20 ns=1009660000\n"
#define TIMERS "softirq_entry cpu=1 tid=20 ns=1009670000 vec=1\nsoftirq_exit cpu=1 tid=20 ns=1009680000 vec=1\n"
#define LESS "irq_handler_entry cpu=2 tid=0 ns=900000000 irq=25\nirq_handler_exit cpu=2 tid=0 ns=900010000 irq=25\n" \
	     "shed_begin cpu=0 tid=0 buffer=1 ns=1000000 cost=1 kind=call_function_single\n"
#define RECEIVES "softirq_entry cpu=0 tid=0 ns=1009000000 vec=3\n"
	static const char by_thread[] = "blocked in read(), until 20/holder woke it";

	CHECK(strstr(explain_wake(CALL SOFTIRQ WAKING), by_thread));
	/* It waited in the call before; and softirqs are left out. */
	CHECK(strstr(explain_wake(SWITCH SOFTIRQ SAID), "blocked in read(), until 20/holder woke it in sendto()"));
	CHECK(strstr(explain_wake("shed_begin cpu=0 tid=0 buffer=1 ns=1000000 cost=1 kind=softirq\n" SWITCH SAID),
		     by_thread));
	/* A packet may have come from elsewhere, or the call sends nothing. */
	CHECK(strstr(explain_wake(CALL IRQ SOFTIRQ WAKING), "until softirq NET_RX\n"));
	CHECK(strstr(explain_wake("syscall_entry_getpid cpu=1 tid=20 ns=1009600000\n" SOFTIRQ WAKING),
		     "until softirq NET_RX\n"));
	CHECK(strstr(explain_wake("sched_switch cpu=1 tid=0 ns=1009600000 next_tid=30 prev_state=0\n" SOFTIRQ SAID),
		     "until softirq NET_RX\n"));
	CHECK(!strstr(explain_wake("irq_handler_entry cpu=0 tid=0 ns=1000500000 irq=25\n"
				   "irq_handler_exit cpu=0 tid=0 ns=1000510000 irq=25\n"
				   "shed_begin cpu=0 tid=0 buffer=1 ns=1000600000 cost=1 kind=irq_handler\n"
				   CALL SOFTIRQ SAID),
		      by_thread));
	CHECK(strstr(explain_wake(SWITCH SOFTIRQ WAKING), "until softirq NET_RX\n"));
	/* A tick brings no packet; timers that run behind it may send one. */
	CHECK(strstr(explain_wake(CALL TICK SOFTIRQ SAID), by_thread));
	CHECK(strstr(explain_wake(CALL TICK TIMERS SOFTIRQ SAID), "until softirq NET_RX\n"));
	/* Another CPU may have passed one on that it receives. */
	CHECK(strstr(explain_wake(LESS CALL SOFTIRQ SAID), by_thread));
	CHECK(strstr(explain_wake(LESS RECEIVES CALL SOFTIRQ SAID), "until softirq NET_RX\n"));
	CHECK(strstr(explain_wake(RECEIVES CALL SOFTIRQ SAID), by_thread));
	CHECK(strstr(explain_wake(LESS RECEIVES "softirq_exit cpu=0 tid=0 ns=1009001000 vec=3\n" CALL SOFTIRQ SAID),
		     "until softirq NET_RX\n"));
#undef CALL
#undef SOFTIRQ
#undef IRQ
#undef SAID
#undef SWITCH
#undef TICK
#undef TIMERS
#undef LESS
#undef RECEIVES
}

TEST(why_names_a_timer_that_another_thread_had_set)
{
	CHECK(strstr(explain_wake(
			     "timer_start cpu=1 tid=20 ns=1004800000 timer=0x66\n"
			     "softirq_entry cpu=1 tid=20 ns=1009700000 vec=1\n"
			     "timer_expire_entry cpu=1 tid=20 ns=1009800000 timer=0x66\n" WAKING),
		     "until a timer ran that 20/holder had set 5.00 ms before\n"));
}

TEST(why_tells_what_kind_of_wait_it_was)
{
	CHECK(strstr(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"page_fault_user cpu=0 tid=10 ns=1000000000 address=0x1234000\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n" WAKING
			"sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n",
			0),
		"blocked in a page fault at 0x1234000, until 20/holder woke it\n"));
	/* It is tried again, and waits then. */
	CHECK(strstr(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"page_fault_user cpu=0 tid=10 ns=1000000000 address=0x1234000\n"
			"page_fault_exit cpu=0 tid=10 ns=1000050000 result=1024\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n" WAKING
			"sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n",
			0),
		"blocked in a page fault at 0x1234000, until 20/holder woke it\n"));
	CHECK(strstr(
		explain_wake("sched_process_exit cpu=1 tid=20 ns=1009100000 comm=holder\n" WAKING),
		"blocked in read(), until 20/holder woke it by ending\n"));
	CHECK(strstr(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"syscall_entry_write cpu=0 tid=10 ns=1000000000 fd=3\n"
			"contention_begin cpu=0 tid=10 ns=1000050000 lock=0xabc0 flags=0x20\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n" WAKING
			"sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n"
			"contention_end cpu=0 tid=10 ns=1009951000 lock=0xabc0\n",
			0),
		"blocked in write() on the kernel's lock at 0xabc0 (MUTEX), until"));
	/* The switch alone says it, too, and who had the lock. */
#define IN_LOCK(holder)                                                                                              \
	"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"                                                        \
	"syscall_entry_write cpu=0 tid=10 ns=1000000000 fd=3\n"                                                      \
	"sched_blocker cpu=0 tid=10 ns=1000099000 lock=0xabc0 " holder "\n"                                          \
	"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n" WAKING                                   \
	"sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n"
	CHECK(strstr(account_explain(IN_LOCK("flags=32 holder_tid=20 holder_is=1"), 0),
		     "blocked in write() on the kernel's lock at 0xabc0 (MUTEX), held by 20/holder when the wait "
		     "began, until"));
	CHECK(strstr(account_explain(IN_LOCK("flags=4 holder_tid=20 holder_is=2"), 0),
		     "on the kernel's lock at 0xabc0 (WRITE), read by others, 20/holder among the last, until"));
	CHECK(strstr(account_explain(IN_LOCK("flags=0 holder_tid=20 holder_is=3"), 0),
		     "on the kernel's lock at 0xabc0 (semaphore), taken last by 20/holder, until"));
	CHECK(strstr(account_explain(IN_LOCK("flags=2"), 0), "on the kernel's lock at 0xabc0 (READ), until"));
	/* The limit of memory may be that of a cgroup above. */
	CHECK(strstr(account_explain("state_cgroup ns=999000000 cgroup=77 path=/slice/app\n"
				     "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				     "syscall_entry_write cpu=0 tid=10 ns=1000000000 fd=3\n"
				     "mm_vmscan_memcg_reclaim_begin cpu=0 tid=10 ns=1000050000 cgroup=77\n"
				     "sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n" WAKING
				     "sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n"
				     "mm_vmscan_memcg_reclaim_end cpu=0 tid=10 ns=1009951000 nr_reclaimed=32\n",
				     0),
		     "blocked in write(), looking for memory of its cgroup, /slice/app or one above, until"));
	/* By names, which the trace has after its records. */
	CHECK(strstr(
		account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			"syscall_entry_write cpu=0 tid=10 ns=1000000000 fd=3\n"
			"contention_begin cpu=0 tid=10 ns=1000050000 lock=0xffffffff82000000 flags=0x20 "
			"caller=0xffffffff81000004 caller2=0xffffffff81000014\n"
			"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=2\n" WAKING
			"sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n"
			"contention_end cpu=0 tid=10 ns=1009951000 lock=0xffffffff82000000\n"
			"state_symbol ns=1020000000 address=0xffffffff81000000 bytes=16 name=__mutex_lock\n"
			"state_symbol ns=1020000000 address=0xffffffff81000010 bytes=16 name=do_this\n"
			"state_symbol ns=1020000000 address=0xffffffff82000000 bytes=32 name=rtnl_mutex\n",
			0),
		"blocked in write() on the kernel's lock rtnl_mutex (MUTEX), asked for by do_this(), until"));
	/* A call that was entered before the window, by its exit. */
	CHECK(strstr(
		account_explain("sched_switch cpu=0 tid=10 ns=900100000 next_tid=0 prev_state=2\n" WAKING
			"sched_switch cpu=0 tid=0 ns=1009950000 next_tid=10\n"
			"syscall_exit_wait4 cpu=0 tid=10 ns=1009960000\n",
			0),
		"blocked in wait4(), until"));
}

/* ---- what is not known ------------------------------------------------------------------ */

TEST(why_says_that_a_gap_breaks_the_chain)
{
	CHECK_STR(
		explain_wake("sched_waking cpu=1 tid=20 ns=1001000000 target_tid=999\n"
			     "!skip cpu=1 blocks=3\n"
			     "sched_waking cpu=1 tid=20 ns=1002000000 target_tid=999\n" WAKING),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 150 us, ready 50.0 us, blocked 8.80 ms, "
		"not known 1.00 ms\n"
		"+100 us   900 us    blocked in read(); what ended that is not recorded\n"
		"+1.00 ms  1.00 ms   what it did is not recorded\n"
		"+1.00 ms  1.00 ms     records of CPU 1 are missing (blocks are missing): what is tol"
		"d here may not be all; 3 blocks\n"
		"+2.00 ms  7.90 ms   blocked in read(), until 20/holder woke it\n"
		"+2.00 ms  7.90 ms     20/holder: ran on CPU 1\n"
		"+0 ns     10.0 ms   3 shorter stretches: ran 150 us, ready 50.0 us\n");
}

/* CPU 1's records end without an end mark, or the mark says that more should be there: nobody knows who woke it. */
TEST(why_says_where_a_stream_ends_too_early)
{
	static const char *const ends[] = {
		"!open\n",
		"!claim cpu=1 covered=1002000000 left=7\n!claim cpu=0 covered=1011000000\n"
		"!end ns=1011000000 how=1\n",
	};
	static const char *const whys[] = { "there is no end mark: what came later is not known",
					    "the disk was full: blocks could not be written" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		char text[512], wanted[256];

		snprintf(text, sizeof(text),
			 "sched_waking cpu=1 tid=20 ns=1002000000 target_tid=999\n%s", ends[i]);
		snprintf(wanted, sizeof(wanted), "records of CPU 1 are missing (%s)", whys[i]);
		CHECK(strstr(explain_wake(text), "what ended that is not recorded"));
		CHECK(strstr(explain_wake(text), wanted));
	}
}

/* A blocked thread runs, and wake-ups are recorded: something is missing, and it is not known what. */
TEST(why_does_not_guess_who_woke_a_thread)
{
	CHECK_STR(explain_wake(""),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 150 us, not known 9.85 ms\n"
		  "+100 us   9.85 ms   what it did is not recorded\n"
		  "+0 ns     10.0 ms   2 shorter stretches: ran 150 us\n");
}

TEST(why_knows_nothing_of_a_thread_that_is_not_recorded)
{
	struct account_fixture *x = account_new(futex_trace, NULL);
	static char text[1 << 16];

	snprintf(text, sizeof(text), "%s", account_why(x, 11, 1000000000, 1010000000, 8, 0, 0));
	account_free(x);
	CHECK_STR(text, "nothing of thread 11 is recorded in that interval");
}

TEST(why_says_where_its_memory_ends)
{
	struct account_fixture *x = account_new(futex_trace, NULL);
	static char text[1 << 16];

	snprintf(text, sizeof(text), "%s", account_why(x, 10, 1000000000, 1010000000, 8, 16, 0));
	account_free(x);
	CHECK_STR(
		text,
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 960 us, ready 30.0 us, blocked 3"
		".00 ms, not known 6.01 ms; there are more records than are looked at at once: only t"
		"he last 14 are\n"
		"+0 ns     6.01 ms   what it did is not recorded\n"
		"+6.01 ms  3.00 ms   blocked in futex(), until 20/holder woke it in futex()\n"
		"+6.02 ms  1.98 ms     20/holder: ready, but CPU 1 ran 30/hog for 1.98 ms (100 %)\n"
		"+8.00 ms  1.01 ms     20/holder: ran on CPU 1\n"
		"+6.01 ms  10.0 us     20/holder: 1 shorter stretch: blocked 10.0 us\n"
		"+9.04 ms  960 us    ran on CPU 0\n"
		"+9.01 ms  30.0 us   1 shorter stretch: ready 30.0 us\n");
}

TEST(why_tells_of_a_thread_from_its_creation_to_its_end)
{
	CHECK_STR(
		account_explain("sched_process_fork cpu=1 tid=20 ns=1001000000 child_tid=10 child_pid=10 "
			"child_comm=born\n"
			"sched_wakeup_new cpu=1 tid=20 ns=1001100000 target_tid=10 target_cpu=0\n"
			"sched_switch cpu=0 tid=0 ns=1002000000 next_tid=10\n"
			"sched_process_exit cpu=0 tid=10 ns=1004000000 comm=born\n"
			"sched_switch cpu=0 tid=10 ns=1005000000 next_tid=0 prev_state=128\n",
			0),
		"10/born, 1.000000000 to 1.010000000, 10.0 ms: ran 3.00 ms, ready 900 us, not there 6.10 ms\n"
		"+0 ns     1.10 ms   was not there\n"
		"+1.10 ms  900 us    ready, but CPU 0 was idle 900 us (100 %)\n"
		"+2.00 ms  3.00 ms   ran on CPU 0\n"
		"+5.00 ms  5.00 ms   was not there\n");
}

/* The waker may have begun before the thread had left its CPU. */
/* ---- many short stretches ----------------------------------------------------------------- */

TEST(why_sums_up_what_is_short)
{
	static char trace[1 << 16];
	size_t used;
	int i;

	used = (size_t)snprintf(trace, sizeof(trace),
				"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n");
	for (i = 0; i < 100; i++) {
		unsigned long long ns = 1000000000ULL + (unsigned long long)i * 100000;

		used += (size_t)snprintf(
			trace + used, sizeof(trace) - used,
			"syscall_entry_read cpu=0 tid=10 ns=%llu fd=3\n"
			"sched_switch cpu=0 tid=10 ns=%llu next_tid=0 prev_state=1\n"
			"sched_waking cpu=1 tid=%d ns=%llu target_tid=10 target_cpu=0\n"
			"sched_switch cpu=0 tid=0 ns=%llu next_tid=10\n"
			"syscall_exit_read cpu=0 tid=10 ns=%llu\n",
			ns, ns + 10000, i % 4 ? 20 : 30, ns + 70000, ns + 80000, ns + 90000);
	}
	CHECK_STR(
		account_explain(trace, 0),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 3.00 ms, ready 1.00 ms, blocked "
		"6.00 ms\n"
		"+0 ns     10.0 ms   301 shorter stretches: ran 3.00 ms, ready 1.00 ms, blocked 6.00 ms\n"
		"+110 us   9.86 ms     blocked 75 times in read(), woken by 20/holder: 4.50 ms in all"
		", the longest 60.0 us\n"
		"+10.0 us  9.66 ms     blocked 25 times in read(), woken by 30/hog: 1.50 ms in all, t"
		"he longest 60.0 us\n");
}

TEST(why_tells_a_long_run_with_short_breaks_as_one)
{
	CHECK_STR(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			  "sched_switch cpu=0 tid=10 ns=1003000000 next_tid=30\n"
			  "sched_switch cpu=0 tid=30 ns=1003010000 next_tid=10\n"
			  "irq_handler_entry cpu=0 tid=10 ns=1004000000 irq=25\n"
			  "irq_handler_exit cpu=0 tid=10 ns=1005000000 irq=25\n"
			  "sched_switch cpu=0 tid=10 ns=1007000000 next_tid=30\n"
			  "sched_switch cpu=0 tid=30 ns=1007010000 next_tid=10\n",
			  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 9.98 ms, ready 20.0 us\n"
		  "+0 ns     10.0 ms   ran for 9.98 ms of this, in 3 stretches\n"
		  "+3.00 ms  4.01 ms   2 shorter stretches: ready 20.0 us\n");
	CHECK_STR(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
			  "irq_handler_entry cpu=0 tid=10 ns=1004000000 irq=25\n"
			  "irq_handler_exit cpu=0 tid=10 ns=1005000000 irq=25\n"
			  "sched_switch cpu=0 tid=10 ns=1020000000 next_tid=30\n",
			  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0, of it 1.00 ms in interrupts\n");
}

/* ---- damage --------------------------------------------------------------------------------- */

/* What is damaged is a gap or a lie, and either way there is an answer or an error. */
/* A call that failed, and through which functions (I33); one that succeeded after an error; one of another thread. */
TEST(why_says_which_function_failed_first)
{
	static const char trace[] =
		"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
		"syscall_entry_read cpu=0 tid=10 ns=1001000000 fd=3\n"
		"errors:vfs cpu=0 tid=10 ns=1001000100 __probe_func=4096 ret=-11\n"
		"errors:vfs cpu=0 tid=10 ns=1001000200 __probe_func=4097 ret=-5\n"
		"errors:vfs cpu=1 tid=20 ns=1001000250 __probe_func=8192 ret=-5\n"
		"errors:vfs cpu=0 tid=10 ns=1001000300 __probe_func=4098 ret=-5\n"
		"errors:vfs cpu=0 tid=10 ns=1001000400 __probe_func=4099 ret=-5\n"
		"syscall_exit_read cpu=0 tid=10 ns=1001001000 ret=-5\n"
		"syscall_entry_write cpu=0 tid=10 ns=1002000000 fd=3\n"
		"errors:vfs cpu=0 tid=10 ns=1002000100 __probe_func=4096 ret=-11\n"
		"syscall_exit_write cpu=0 tid=10 ns=1002001000 ret=8\n"
		"syscall_entry_write cpu=0 tid=10 ns=1003000000 fd=3\n"
		"syscall_exit_write cpu=0 tid=10 ns=1003001000 ret=-32\n"
		"syscall_entry_read cpu=0 tid=10 ns=1004000000 fd=9\n"
		"errors:vfs cpu=0 tid=10 ns=1004000100 __probe_func=4096 ret=-9\n"
		"syscall_exit_read cpu=0 tid=10 ns=1004001000 ret=-9\n";

	CHECK_STR(
		account_explain(trace, 0),
		"10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		"+0 ns     10.0 ms   ran on CPU 0\n"
		"+1.00 ms  1.00 us   read() failed with EIO: 0x1003, 0x1002, first 0x1001 said so\n"
		"+4.00 ms  1.00 us   read() failed with EBADF: first 0x1000 said so\n");
	CHECK(strstr(account_explain(trace, ACCOUNT_JSON),
		     "\"call\":\"read\",\"error\":\"EBADF\",\"first\":\"0x1000\""));
}

TEST(why_and_lint_get_through_damaged_traces)
{
	static const char *const files[] = { "main.0", "main.1", "metadata" };
	struct account_fixture *x = account_new(futex_trace, NULL);
	unsigned int seed = 99, i, nr_answers = 0;

	for (i = 0; i < 600; i++) {
		const char *file = files[i % 3];
		size_t length;
		char *sound = make_read(x->path, file, &length), *bytes = malloc(length);
		unsigned int flips = 1 + (unsigned int)rand_r(&seed) % 6;
		struct lkst_trace *whole = x->trace;

		if (!bytes)
			abort();
		memcpy(bytes, sound, length);
		while (flips--)
			bytes[(size_t)rand_r(&seed) % (length < 900 ? length : 900)] ^=
				(char)(1 << rand_r(&seed) % 8);
		make_write(x->path, file, bytes, length);
		if (!lkst_trace_open(&x->err, x->path, &x->trace)) {
			account_why(x, 10, 1000000000, 1010000000, LKST_WHY_DEPTH, 0,
				    ACCOUNT_EVENTS);
			nr_answers += strstr(x->text, "10/") != NULL;
			account_lint(x, NULL, ACCOUNT_JSON);
			lkst_trace_close(x->trace);
		}
		x->trace = whole;
		make_write(x->path, file, sound, length);
		free(bytes);
		free(sound);
	}
	account_free(x);
	CHECK(nr_answers > 100);
}

/* clang-format off */
/* ---- samples --------------------------------------------------------------------------- */

#define SAMPLE_SYMBOLS                                                                             \
	"state_symbol ns=1 address=0xffffffff81000100 bytes=64 name=vfs_read\n"                    \
	"state_symbol ns=1 address=0xffffffff81000200 bytes=64 name=crc\n"                         \
	"state_symbol ns=1 address=0xffffffff81000300 bytes=64 name=copy\n"                        \
	"state_symbol ns=1 address=0xffffffff81000400 bytes=64 name=sys_read\n"                    \
	"state_symbol ns=1 address=0xffffffff81000500 bytes=64 name=poll\n"
/* Long before the interval, as they are kept in the buffer of rare events. */
#define SAMPLE_STACKS                                                                              \
	"stack buffer=1 ns=1000 stack=1 frames=0xffffffff81000210,0xffffffff81000110,0xffffffff81000410\n" \
	"stack buffer=1 ns=1001 stack=2 frames=0xffffffff81000310,0xffffffff81000110,0xffffffff81000410\n" \
	"stack buffer=1 ns=1002 stack=3 frames=0xffffffff81000510,0xffffffff81000410\n"
#define SAMPLE(ns, who, which) "sample cpu=0 tid=" #who " ns=" #ns " stack=" #which " period_ns=1000000\n"

/* Of 8 samples 6 are in vfs_read, and 4 of these in crc. Those of another thread and from before do not count. */
TEST(why_says_in_which_function_a_thread_ran)
{
	CHECK_STR(account_explain(SAMPLE_SYMBOLS SAMPLE_STACKS
				  "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n" SAMPLE(999900000, 10, 3)
				  SAMPLE(1001000000, 10, 1) SAMPLE(1002000000, 10, 1) SAMPLE(1003000000, 10, 1)
				  SAMPLE(1004000000, 10, 1) SAMPLE(1005000000, 10, 2) SAMPLE(1006000000, 10, 2)
				  SAMPLE(1007000000, 10, 3) SAMPLE(1008000000, 10, 3)
				  "sample cpu=1 tid=11 ns=1008000000 stack=3 period_ns=1000000\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0, about 5.00 ms of it in crc() (kernel), called by vfs_read() < "
		  "sys_read() (4 of 8 samples)\n");
	/* Of each stretch its own. */
	CHECK_STR(account_explain(SAMPLE_SYMBOLS SAMPLE_STACKS
				  "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n" SAMPLE(1001000000, 10, 1)
				  SAMPLE(1002000000, 10, 2) SAMPLE(1002500000, 10, 2)
				  SAMPLE(1003000000, 10, 3) SAMPLE(1003500000, 10, 1)
				  "sched_switch cpu=0 tid=10 ns=1004000000 next_tid=11\n"
				  "sched_switch cpu=0 tid=11 ns=1006000000 next_tid=10\n" SAMPLE(1007000000, 10, 3)
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 8.00 ms, ready 2.00 ms\n"
		  "+0 ns     4.00 ms   ran on CPU 0, about 3.20 ms of it in vfs_read() (kernel), called by sys_read(), "
		  "and there 1.60 ms in crc() (kernel) (4 of 5 samples)\n"
		  "+4.00 ms  2.00 ms   ready, but CPU 0 ran 11/? for 2.00 ms (100 %)\n"
		  "+6.00 ms  4.00 ms   ran on CPU 0, about 4.00 ms of it in poll() (kernel), called by sys_read() "
		  "(1 of 1 sample)\n");
}

/* ---- ticks ----------------------------------------------------------------------------- */

#define TICK(ns, who, is, ...) "tick cpu=0 tid=" #who " ns=" #ns " where=" #is " " __VA_ARGS__ "\n"

/* Of 5 ticks 3 are in read(2), and of these 2 in copy. Those of another thread and from before do not count. */
TEST(why_says_at_how_many_ticks_a_thread_was_where)
{
	CHECK_STR(account_explain(SAMPLE_SYMBOLS TICK(999000000, 10, 4, "call=-1")
				  "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  TICK(1001000000, 10, 1, "call=0 ip=0xffffffff81000310")
				  TICK(1002000000, 10, 4, "call=-1 ip=0x401000")
				  TICK(1003000000, 10, 1, "call=0 ip=0xffffffff81000320")
				  TICK(1004000000, 10, 1, "call=0 ip=0xffffffff81000210")
				  TICK(1005000000, 10, 1, "call=0 flags=1 ip=0xffffffff81000310")
				  "tick cpu=1 tid=11 ns=1006000000 where=4 call=-1\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0, at 3 of 5 ticks in read(), at 2 of these in copy() (kernel)\n");
	/* Of each stretch its own; nothing is known of the program's code. Without any there is nothing to say. */
	CHECK_STR(account_explain(SAMPLE_SYMBOLS "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  TICK(1001000000, 10, 4, "call=-1 ip=0x401000")
				  "sched_switch cpu=0 tid=10 ns=1004000000 next_tid=11\n"
				  TICK(1005000000, 11, 4, "call=-1 ip=0x401000")
				  "sched_switch cpu=0 tid=11 ns=1006000000 next_tid=10\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 8.00 ms, ready 2.00 ms\n"
		  "+0 ns     4.00 ms   ran on CPU 0, at 1 of 1 tick in its program\n"
		  "+4.00 ms  2.00 ms   ready, but CPU 0 ran 11/? for 2.00 ms (100 %)\n"
		  "+6.00 ms  4.00 ms   ran on CPU 0\n");
}

/* clang-format on */

/* ---- the machine ----------------------------------------------------------------------- */

TEST(why_says_what_the_hypervisor_took)
{
	/* All of one window is in the stretch; of the next, at least 1 ms and at most 2 ms. */
	CHECK_STR(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  "steal cpu=1 tid=0 ns=1003000000 stolen_ns=2000000 window_ns=4000000\n"
				  "steal cpu=0 tid=10 ns=1004000000 stolen_ns=2000000 window_ns=4000000\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n"
				  "steal cpu=0 tid=11 ns=1011000000 stolen_ns=2000000 window_ns=4000000\n"
				  "steal cpu=0 tid=11 ns=1015000000 stolen_ns=2000000 window_ns=4000000\n"
				  ACCOUNT_LATER,
				  ACCOUNT_EVENTS),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0, of which the hypervisor took 3.00 ms to 4.00 ms\n"
		  "                      | 1.004000000 [000] steal, 0.999500000 [000] sched_switch\n"
		  "                      | 1.010000000 [000] sched_switch\n");
}

TEST(why_says_how_slow_the_clock_was)
{
	CHECK_STR(account_explain("state_frequency frequency_cpu=0 max_khz=3600000\n"
				  "cpu_frequency cpu=1 tid=0 ns=998000000 khz=1000000 target_cpu=0\n"
				  "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  "cpu_frequency cpu=1 tid=0 ns=1001000000 khz=800000 target_cpu=1\n"
				  "cpu_frequency cpu=1 tid=0 ns=1005000000 khz=2000000 target_cpu=0\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0, at 1500 MHz of 3600\n");
	/* Nearly as fast as it can be. */
	CHECK_STR(account_explain("cpu_frequency cpu=1 tid=0 ns=998000000 khz=3600000 target_cpu=0\n"
				  "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  "cpu_frequency cpu=1 tid=0 ns=1005000000 khz=3000000 target_cpu=0\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0\n");
	/* Not known for most of the time. */
	CHECK_STR(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  "cpu_frequency cpu=1 tid=0 ns=1008000000 khz=800000 target_cpu=0\n"
				  "cpu_frequency cpu=1 tid=0 ns=1011000000 khz=3600000 target_cpu=0\n"
				  "sched_switch cpu=0 tid=10 ns=1010000000 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 10.0 ms\n"
		  "+0 ns     10.0 ms   ran on CPU 0\n");
}

TEST(why_says_what_was_counted)
{
	/* The first stretch began before the interval, so that its count is not of the interval alone. */
	CHECK_STR(account_explain("sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				  "perf_counters cpu=0 tid=10 ns=1002000000 kind1=2 value1=900 kind2=9 value2=3\n"
				  "sched_switch cpu=0 tid=10 ns=1002000100 next_tid=11\n"
				  "perf_counters cpu=0 tid=11 ns=1004000000 kind1=2 value1=50 kind2=9 value2=1\n"
				  "sched_switch cpu=0 tid=11 ns=1004000100 next_tid=10\n"
				  "perf_counters cpu=0 tid=10 ns=1009000000 kind1=2 value1=700 kind2=9 value2=2\n"
				  "sched_switch cpu=0 tid=10 ns=1009000100 prev_state=1 next_tid=11\n" ACCOUNT_LATER,
				  0),
		  "10/victim, 1.000000000 to 1.010000000, 10.0 ms: ran 7.00 ms, ready 2.00 ms, blocked 1.00 ms\n"
		  "+0 ns     2.00 ms   ran on CPU 0\n"
		  "+2.00 ms  2.00 ms   ready, but CPU 0 ran 11/? for 2.00 ms (100 %)\n"
		  "+4.00 ms  5.00 ms   ran on CPU 0; counted: instructions 700, page-faults 2\n"
		  "+9.00 ms  1.00 ms   blocked, still at the end of what is recorded\n");
}

/* A handler has written the program's stack after the call's entry; the one after the switch is nearer to the wait. */
#define CODE                                                                                       \
	"state_binary ns=1 binary=1 inode=5 dev=8 bias=0 file=\"4f3a /bin/prog\"\n"                \
	"state_mapping ns=1 from=2 address=65536 length=4096 offset=0 binary=1 owner_pid=10\n"     \
	"sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"                                      \
	"syscall_entry_read cpu=0 tid=10 ns=1000000000 fd=3\n"                                     \
	"test.user cpu=0 tid=10 ns=1000000100 frames=65552,65569,9\n"
#define AFTER_SWITCH                                                                               \
	"sched_switch cpu=0 tid=10 ns=1000100000 next_tid=0 prev_state=1\n"                        \
	"sched_waking cpu=1 tid=20 ns=1000100050 target_tid=30\n"

TEST(why_says_from_where_a_call_was_made)
{
	const char *call = account_explain(CODE AFTER_SWITCH
					   "sched_waking cpu=1 tid=20 ns=1009000000 target_tid=10 target_cpu=0\n"
					   "sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"
					   "syscall_exit_read cpu=0 tid=10 ns=1009990000\n",
					   ACCOUNT_EVENTS);

	CHECK(strstr(call, "blocked in read(), called from 0x10[prog] by 0x21[prog] by 0x9[memory], until 20/holder"));
	CHECK(strstr(call, "test.user"));
	CHECK(strstr(account_explain(CODE AFTER_SWITCH
				     "test.user cpu=0 tid=10 ns=1000100100 frames=65600\n"
				     "sched_waking cpu=1 tid=20 ns=1009000000 target_tid=10 target_cpu=0\n"
				     "sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"
				     "syscall_exit_read cpu=0 tid=10 ns=1009990000\n",
				     0),
		     "blocked in read(), called from 0x40[prog], until 20/holder"));
	/* Its process has ended right after. */
	CHECK(strstr(account_explain("state_binary ns=1 binary=1 inode=5 dev=8 bias=0 ctime=1 file=\"4f3a /bin/prog\"\n"
				     "sched_switch cpu=0 tid=0 ns=999500000 next_tid=10\n"
				     "sched_process_exec cpu=0 tid=10 ns=999500100 old_tid=10 filename=/bin/prog\n"
				     "mapping cpu=0 tid=10 ns=999500200 address=65536 length=4096 offset=0 inode=5 "
				     "ctime=1 dev=8 owner_pid=10 file=\"/bin/prog\"\n"
				     "syscall_entry_read cpu=0 tid=10 ns=1000000000 fd=3\n"
				     "test.user cpu=0 tid=10 ns=1000000100 frames=65552,65569\n" AFTER_SWITCH
				     "sched_waking cpu=1 tid=20 ns=1009000000 target_tid=10 target_cpu=0\n"
				     "sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"
				     "syscall_exit_read cpu=0 tid=10 ns=1009990000\n"
				     "sched_process_free cpu=1 tid=20 ns=1009995000 freed_tid=10\n",
				     ACCOUNT_EVENTS),
		     "blocked in read(), called from 0x10[prog] by 0x21[prog], until 20/"));
	/* What is not of the call or the wait is not told. */
	CHECK(!strstr(account_explain(AFTER_SWITCH
				      "sched_switch cpu=0 tid=0 ns=1009040000 next_tid=10\n"
				      "test.user cpu=0 tid=10 ns=1009050000 frames=65600\n",
				      0),
		      "called from"));
}

static const struct unit_test tests[] = {
	{ "why_follows_who_held_the_lock_to_its_timer_and_the_busy_cpu",
	  test_why_follows_who_held_the_lock_to_its_timer_and_the_busy_cpu },
	{ "why_cites_the_events_that_each_step_rests_on",
	  test_why_cites_the_events_that_each_step_rests_on },
	{ "why_prints_json", test_why_prints_json },
	{ "why_stops_at_the_depth_that_is_asked_for",
	  test_why_stops_at_the_depth_that_is_asked_for },
	{ "why_names_the_disk_and_what_was_ahead", test_why_names_the_disk_and_what_was_ahead },
	{ "why_follows_a_disk_without_hardware_to_the_thread_that_did_the_work",
	  test_why_follows_a_disk_without_hardware_to_the_thread_that_did_the_work },
	{ "why_follows_a_packet_to_its_sender", test_why_follows_a_packet_to_its_sender },
	{ "why_names_interrupts", test_why_names_interrupts },
	{ "why_follows_who_sends_over_the_own_network", test_why_follows_who_sends_over_the_own_network },
	{ "why_names_a_timer_that_another_thread_had_set",
	  test_why_names_a_timer_that_another_thread_had_set },
	{ "why_tells_what_kind_of_wait_it_was", test_why_tells_what_kind_of_wait_it_was },
	{ "why_says_that_a_gap_breaks_the_chain", test_why_says_that_a_gap_breaks_the_chain },
	{ "why_says_where_a_stream_ends_too_early", test_why_says_where_a_stream_ends_too_early },
	{ "why_does_not_guess_who_woke_a_thread", test_why_does_not_guess_who_woke_a_thread },
	{ "why_knows_nothing_of_a_thread_that_is_not_recorded",
	  test_why_knows_nothing_of_a_thread_that_is_not_recorded },
	{ "why_says_where_its_memory_ends", test_why_says_where_its_memory_ends },
	{ "why_tells_of_a_thread_from_its_creation_to_its_end",
	  test_why_tells_of_a_thread_from_its_creation_to_its_end },
	{ "why_sums_up_what_is_short", test_why_sums_up_what_is_short },
	{ "why_tells_a_long_run_with_short_breaks_as_one",
	  test_why_tells_a_long_run_with_short_breaks_as_one },
	{ "why_says_which_function_failed_first", test_why_says_which_function_failed_first },
	{ "why_and_lint_get_through_damaged_traces", test_why_and_lint_get_through_damaged_traces },
	{ "why_says_in_which_function_a_thread_ran", test_why_says_in_which_function_a_thread_ran },
	{ "why_says_at_how_many_ticks_a_thread_was_where", test_why_says_at_how_many_ticks_a_thread_was_where },
	{ "why_says_what_the_hypervisor_took", test_why_says_what_the_hypervisor_took },
	{ "why_says_how_slow_the_clock_was", test_why_says_how_slow_the_clock_was },
	{ "why_says_what_was_counted", test_why_says_what_was_counted },
	{ "why_says_from_where_a_call_was_made", test_why_says_from_where_a_call_was_made },
};
UNIT_MAIN(tests)
