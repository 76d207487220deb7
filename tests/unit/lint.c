/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Illegal sequences, out of traces written as text: each one that must be found, and for each those
 * that look like it but are legal, or of which too little is known.
 */
#include <errno.h>

#include "lib/account_fixture.h"
#include "lib/unit.h"

/* What the rules that @rule names find in @trace. */
static const char *find_in(const char *trace, const char *version, const char *rule, int flags)
{
	static char text[1 << 16];
	struct account_fixture *x = account_new(trace, version);
	char glob[64];

	snprintf(glob, sizeof(glob), "%s", rule);
	snprintf(text, sizeof(text), "%s", account_lint(x, glob, flags));
	account_free(x);
	return text;
}

static const char *find(const char *trace, const char *rule)
{
	return find_in(trace, NULL, rule, 0);
}

/* ---- use after free ------------------------------------------------------------------- */

#define KMALLOC "kmalloc cpu=0 tid=10 ns=1000 ptr=0x9000 bytes_req=100 bytes_alloc=128\n"
#define TIMER_START "timer_start cpu=0 tid=10 ns=2000 timer=0x9010 function=0xffff8000\n"
#define KFREE "kfree cpu=0 tid=20 ns=30000 call_site=0x1 ptr=0x9000\n"
#define TIMER_RUN "timer_expire_entry cpu=1 tid=0 ns=50000 timer=0x9010 function=0xffff8000\n"

TEST(lint_finds_a_timer_in_freed_memory)
{
	CHECK_STR(
		find_in(KMALLOC TIMER_START KFREE
			/* The timer code's own event as it takes the timer off its list. */
			"timer_cancel cpu=1 tid=0 ns=49000 timer=0x9010\n" TIMER_RUN,
			NULL, "use-after-free", ACCOUNT_EVENTS),
		"0/swapper, 0.000002000 to 0.000050000, 48.0 us: use-after-free: a timer 0x9010: se"
		"t by 10/victim on CPU 0, then its memory freed by 20/holder on CPU 0, then run by "
		"0/swapper on CPU 1; code 0xffff8000\n"
		"                    | 0.000002000 [000] timer_start, 0.000030000 [000] kfree\n"
		"                    | 0.000050000 [001] timer_expire_entry\n");
}

TEST(lint_prints_findings_as_json)
{
	CHECK_STR(
		find_in(KMALLOC TIMER_START KFREE TIMER_RUN, NULL, "use-after-free", ACCOUNT_JSON),
		"{\"steps\":[{\"kind\":\"use-after-free\",\"from_ns\":2000,\"to_ns\":50000,\"thread"
		"\":{\"tid\":0,\"comm\":\"swapper\"},\"text\":\"use-after-free: a timer 0x9010: set"
		" by 10/victim on CPU 0, then its memory freed by 20/holder on CPU 0, then run by 0"
		"/swapper on CPU 1; code 0xffff8000\",\"facts\":{\"object\":\"0x9010\",\"code\":\"0"
		"xffff8000\"},\"events\":[{\"ns\":2000,\"cpu\":0,\"tid\":10,\"event\":\"timer_start"
		"\"},{\"ns\":30000,\"cpu\":0,\"tid\":20,\"event\":\"kfree\"},{\"ns\":50000,\"cpu\":"
		"1,\"tid\":0,\"event\":\"timer_expire_entry\"}],\"steps\":[]}],\"notes\":[]}\n");
}

TEST(lint_finds_a_timer_in_a_freed_object_of_a_cache)
{
	/* The size comes with the free: the allocation need not be in the trace. */
	CHECK(strstr(find(TIMER_START
			  "kmem_cache_free cpu=0 tid=20 ns=30000 ptr=0x9000 bytes=64\n" TIMER_RUN,
			  "use-after-free"),
		     "a timer 0x9010: set by 10/victim on CPU 0, then its memory freed"));
	CHECK_STR(find(TIMER_START
		       "kmem_cache_free cpu=0 tid=20 ns=30000 ptr=0x9000 bytes=16\n" TIMER_RUN,
		       "use-after-free"),
		  "");
}

TEST(lint_finds_a_high_resolution_timer_and_work_in_freed_memory)
{
	CHECK(strstr(find(KMALLOC "hrtimer_start cpu=0 tid=10 ns=2000 hrtimer=0x9010\n" KFREE
				  "hrtimer_expire_entry cpu=1 tid=0 ns=50000 hrtimer=0x9010\n",
			  "use-after-free"),
		     "a high-resolution timer 0x9010"));
	CHECK(strstr(find(KMALLOC "workqueue_queue_work cpu=0 tid=10 ns=2000 work=0x9010\n" KFREE
				  "workqueue_execute_start cpu=1 tid=40 ns=50000 work=0x9010\n",
			  "use-after-free"),
		     "work 0x9010"));
}

TEST(lint_finds_no_timer_that_is_legal)
{
	/* Taken back, run, or set again before or after the free. */
	CHECK_STR(find(KMALLOC TIMER_START
		       "timer_cancel cpu=0 tid=10 ns=3000 timer=0x9010\n" KFREE TIMER_RUN,
		       "use-after-free"),
		  "");
	CHECK_STR(find(KMALLOC TIMER_START
		       "timer_expire_entry cpu=0 tid=0 ns=4000 timer=0x9010\n" KFREE,
		       "use-after-free"),
		  "");
	CHECK_STR(find(KMALLOC TIMER_START KFREE
		       "timer_init cpu=0 tid=10 ns=40000 timer=0x9010\n" TIMER_RUN,
		       "use-after-free"),
		  "");
	CHECK_STR(find(KMALLOC TIMER_START KFREE
		       "timer_start cpu=0 tid=10 ns=40000 timer=0x9010\n" TIMER_RUN,
		       "use-after-free"),
		  "");
	/* Outside the freed memory: after its end, before its start, of unknown size. */
	CHECK_STR(find(KMALLOC "timer_start cpu=0 tid=10 ns=2000 timer=0x9080\n" KFREE
			       "timer_expire_entry cpu=1 tid=0 ns=50000 timer=0x9080\n",
		       "use-after-free"),
		  "");
	CHECK_STR(find(TIMER_START KFREE TIMER_RUN, "use-after-free"), "");
	/* A function that frees its own timer. */
	CHECK_STR(find(KMALLOC TIMER_START "timer_expire_entry cpu=1 tid=0 ns=29000 timer=0x9010\n"
					   "kfree cpu=1 tid=0 ns=30000 ptr=0x9000\n"
					   "timer_expire_exit cpu=1 tid=0 ns=31000 timer=0x9010\n",
		       "use-after-free"),
		  "");
}

TEST(lint_finds_no_timer_within_the_skew_of_clocks)
{
	CHECK_STR(find(KMALLOC TIMER_START KFREE
		       "timer_expire_entry cpu=1 tid=0 ns=31000 timer=0x9010\n",
		       "use-after-free"),
		  "");
	CHECK(strstr(find(KMALLOC TIMER_START KFREE
			  "timer_expire_entry cpu=0 tid=0 ns=31000 timer=0x9010\n",
			  "use-after-free"),
		     "a timer 0x9010"));
}

TEST(lint_finds_no_timer_across_a_gap)
{
	CHECK_STR(find(KMALLOC TIMER_START KFREE
		       "!skip cpu=0 blocks=1\n"
		       "softirq_raise cpu=0 tid=10 ns=45000 vec=1\n" TIMER_RUN,
		       "use-after-free"),
		  "");
}

TEST(lint_applies_no_rule_whose_events_were_skipped)
{
	CHECK_STR(find("state_skipped count=3 hook=tp_btf__timer_start\n" KMALLOC TIMER_START KFREE
			       TIMER_RUN,
		       "use-after-free"),
		  "rule use-after-free is not applied: 3 records of timer_start are missing, since "
		  "the kernel skipped its program\n");
	/* Of others it does not matter. */
	CHECK(strstr(find("state_skipped count=3 hook=tp_btf__kfree\n" KMALLOC TIMER_START KFREE
				  TIMER_RUN,
			  "use-after-free"),
		     "a timer 0x9010"));
}

/* ---- double free ---------------------------------------------------------------------- */

/* Code at 0x77 that frees what was allocated, three times. */
static const char proper_frees[] = "kmalloc cpu=0 tid=10 ns=100 ptr=0xa000 bytes_alloc=64\n"
				   "kfree cpu=0 tid=10 ns=110 call_site=0x77 ptr=0xa000\n"
				   "kmalloc cpu=0 tid=10 ns=120 ptr=0xa000 bytes_alloc=64\n"
				   "kfree cpu=0 tid=10 ns=130 call_site=0x77 ptr=0xa000\n"
				   "kmalloc cpu=0 tid=10 ns=140 ptr=0xb000 bytes_alloc=64\n"
				   "kfree cpu=0 tid=10 ns=150 call_site=0x77 ptr=0xb000\n";

static const char *find_frees(const char *frees)
{
	static char trace[8192];

	snprintf(trace, sizeof(trace), "%s%s", proper_frees, frees);
	return find(trace, "double-free");
}

#define FREED                                                                                      \
	"kmalloc cpu=0 tid=10 ns=1000 ptr=0xc000 bytes_alloc=64\n"                                 \
	"kfree cpu=0 tid=20 ns=2000 call_site=0x78 ptr=0xc000\n"

TEST(lint_finds_a_double_free)
{
	CHECK_STR(find_frees(FREED "kfree cpu=1 tid=20 ns=90000 call_site=0x77 ptr=0xc000\n"),
		  "20/holder, 0.000001000 to 0.000090000, 89.0 us: double-free: memory 0xc000: "
		  "allocated by 10/victim on CPU 0, then freed by 20/holder on CPU 0, "
		  "then freed again by 20/holder on CPU 1; code 0x77\n");
}

TEST(lint_finds_no_double_free_that_is_legal)
{
	CHECK_STR(find_frees(FREED "kmem_cache_alloc cpu=0 tid=10 ns=3000 ptr=0xc000 bytes=64\n"
				   "kfree cpu=1 tid=20 ns=90000 call_site=0x77 ptr=0xc000\n"),
		  "");
	/* There are more of them, so there are allocations without event. */
	CHECK_STR(find_frees(FREED "kfree cpu=1 tid=20 ns=90000 call_site=0x77 ptr=0xc000\n"
				   "kfree cpu=1 tid=20 ns=91000 call_site=0x77 ptr=0xa000\n"),
		  "");
	/* Code that is not known. */
	CHECK_STR(find_frees(FREED "kfree cpu=1 tid=20 ns=90000 call_site=0x79 ptr=0xc000\n"), "");
	/* Another thread, or much later: somebody may have had the memory meanwhile. */
	CHECK_STR(find_frees(FREED "kfree cpu=1 tid=30 ns=90000 call_site=0x77 ptr=0xc000\n"), "");
	CHECK_STR(find_frees(FREED "kfree cpu=1 tid=20 ns=9000000 call_site=0x77 ptr=0xc000\n"),
		  "");
	/* The allocation was before the trace, and nothing is known of what was between. */
	CHECK_STR(find_frees("kfree cpu=0 tid=20 ns=2000 call_site=0x78 ptr=0xc000\n"
			     "kfree cpu=1 tid=20 ns=90000 call_site=0x77 ptr=0xc000\n"),
		  "");
}

/* ---- sleeping -------------------------------------------------------------------------- */

#define SLEEP_IN_SOFTIRQ                                                                           \
	"softirq_entry cpu=0 tid=10 ns=1000 vec=3\n"                                               \
	"sched_switch cpu=0 tid=10 ns=2000 next_tid=20 prev_state=2\n"                             \
	"sched_switch cpu=1 tid=30 ns=3000 next_tid=10\n"

TEST(lint_finds_a_thread_that_sleeps_in_an_interrupt)
{
	CHECK_STR(
		find(SLEEP_IN_SOFTIRQ "softirq_exit cpu=1 tid=10 ns=4000 vec=3\n", "sleep"),
		"10/victim, 0.000001000 to 0.000004000, 3.00 us: sleep: a softirq: begun by 10"
		"/victim on CPU 0, then put to sleep in it by 10/victim on CPU 0, then ended by 10/vi"
		"ctim on CPU 1\n");
}

TEST(lint_finds_no_sleep_that_is_legal)
{
	/* The end was missed: there is another begin before the end. */
	CHECK_STR(find(SLEEP_IN_SOFTIRQ "softirq_entry cpu=1 tid=10 ns=3500 vec=3\n"
					"softirq_exit cpu=1 tid=10 ns=4000 vec=3\n",
		       "sleep"),
		  "");
	/* Another thread's end; never an end. */
	CHECK_STR(find(SLEEP_IN_SOFTIRQ "softirq_exit cpu=1 tid=20 ns=4000 vec=3\n", "sleep"), "");
	CHECK_STR(find(SLEEP_IN_SOFTIRQ, "sleep"), "");
	/* Preempted after the interrupt. */
	CHECK_STR(find("softirq_entry cpu=0 tid=10 ns=1000 vec=3\n"
		       "softirq_exit cpu=0 tid=10 ns=1500 vec=3\n"
		       "sched_switch cpu=0 tid=10 ns=2000 next_tid=20 prev_state=2\n"
		       "sched_switch cpu=1 tid=30 ns=3000 next_tid=10\n"
		       "softirq_exit cpu=1 tid=10 ns=4000 vec=3\n",
		       "sleep"),
		  "");
	CHECK(strstr(find_in(SLEEP_IN_SOFTIRQ "softirq_exit cpu=1 tid=10 ns=4000 vec=3\n",
			     "#1 SMP PREEMPT_RT Debian", "sleep", 0),
		     "rule sleep is not applied: with PREEMPT_RT"));
}

/* ---- locks ------------------------------------------------------------------------------- */

/* Code at 0x55 and 0x56 that takes locks and releases them, three times. */
static const char proper_locks[] = "spin_lock cpu=0 tid=40 ns=100 lock=0xe0 caller=0x55\n"
				   "spin_unlock cpu=0 tid=40 ns=110 lock=0xe0\n"
				   "spin_lock cpu=0 tid=40 ns=120 lock=0xe0 caller=0x55\n"
				   "spin_lock cpu=0 tid=40 ns=121 lock=0xe1 caller=0x56\n"
				   "spin_unlock cpu=0 tid=40 ns=129 lock=0xe1\n"
				   "spin_unlock cpu=0 tid=40 ns=130 lock=0xe0\n"
				   "spin_lock cpu=0 tid=40 ns=140 lock=0xe1 caller=0x56\n"
				   "spin_unlock cpu=0 tid=40 ns=150 lock=0xe1\n"
				   "spin_lock cpu=0 tid=40 ns=160 lock=0xe1 caller=0x56\n"
				   "spin_unlock cpu=0 tid=40 ns=170 lock=0xe1\n"
				   "spin_lock cpu=0 tid=40 ns=180 lock=0xe0 caller=0x55\n"
				   "spin_unlock cpu=0 tid=40 ns=190 lock=0xe0\n";

/* What the rules about locks find in @trace after those. */
static const char *find_locks(const char *trace, const char *rule)
{
	static char all[1 << 14];

	snprintf(all, sizeof(all), "%s%s", proper_locks, trace);
	return find(all, rule);
}

#define TAKE "spin_lock cpu=0 tid=10 ns=1000 lock=0xf0 caller=0x55\n"

TEST(lint_finds_a_lock_that_is_kept)
{
	CHECK_STR(
		find_locks(TAKE "syscall_exit_read cpu=0 tid=10 ns=2000\n", "lock-kept"),
		"10/victim, 0.000001000 to 0.000002000, 1.00 us: lock-kept: a lock 0xf0: taken by 10/"
		"victim on CPU 0, then not released until the kernel was left by 10/victim on CPU 0; "
		"code 0x55\n");
	/* That others wait for it forever is no proof that it was released. */
	CHECK(strstr(find_locks(TAKE "syscall_exit_read cpu=0 tid=10 ns=2000\n"
				     "spin_lock cpu=1 tid=20 ns=3000 lock=0xf0 caller=0x55\n",
				"lock-kept"),
		     "a lock 0xf0: taken"));
}

TEST(lint_rules_about_locks_bear_skips_in_pairs)
{
	static char skipped[1 << 14];

	snprintf(skipped, sizeof(skipped), "state_skipped count=3 hook=kprobe___raw_spin_unlock\n%s",
		 proper_locks);
	strcat(skipped, TAKE "syscall_exit_read cpu=0 tid=10 ns=2000\n");
	CHECK(strstr(find(skipped, "lock-kept"), "a lock 0xf0: taken"));
	/* Where holders are preempted, a take may come without its release. */
	CHECK_STR(find_in(skipped, "#1 SMP PREEMPT_RT Debian", "lock-kept", 0),
		  "rule lock-kept is not applied: 3 records of spin_unlock are missing, since the "
		  "kernel skipped its program\n");
}

TEST(lint_finds_no_sleep_with_a_lock_in_real_time)
{
	static char slept[1 << 14];

	snprintf(slept, sizeof(slept), "%s%s", proper_locks,
		 TAKE "sched_switch cpu=0 tid=10 ns=2000 next_tid=20 prev_state=2\n"
		      "sched_switch cpu=0 tid=20 ns=3000 next_tid=10\n"
		      "spin_unlock cpu=0 tid=10 ns=4000 lock=0xf0\n");
	CHECK(strstr(find(slept, "sleep"), "a lock 0xf0: taken"));
	CHECK_STR(find_in(slept, "#1 SMP PREEMPT_RT Debian", "sleep", 0),
		  "rule sleep is not applied: with PREEMPT_RT softirqs and holders of spin "
		  "locks may sleep\n");
}

TEST(lint_finds_no_lock_that_was_released)
{
	CHECK_STR(find_locks(TAKE "spin_unlock cpu=0 tid=10 ns=1500 lock=0xf0\n"
				  "syscall_exit_read cpu=0 tid=10 ns=2000\n",
			     "lock-*"),
		  "");
	/* By another variant of release: somebody else takes and releases it. */
	CHECK_STR(find_locks(TAKE "syscall_exit_read cpu=0 tid=10 ns=2000\n"
				  "spin_lock cpu=1 tid=20 ns=3000 lock=0xf0 caller=0x55\n"
				  "spin_unlock cpu=1 tid=20 ns=3500 lock=0xf0\n",
			     "lock-kept"),
		  "");
	/* Whether a try succeeds is not recorded. */
	CHECK_STR(find_locks("spin_trylock cpu=0 tid=10 ns=1000 lock=0xf0 caller=0x55\n"
			     "syscall_exit_read cpu=0 tid=10 ns=2000\n",
			     "lock-kept"),
		  "");
	/* Code that is not known. */
	CHECK_STR(find_locks("spin_lock cpu=0 tid=10 ns=1000 lock=0xf0 caller=0x99\n"
			     "syscall_exit_read cpu=0 tid=10 ns=2000\n",
			     "lock-kept"),
		  "");
	/* A gap between. */
	CHECK_STR(find_locks(TAKE "!skip cpu=0 blocks=1\n"
				  "syscall_exit_read cpu=0 tid=10 ns=2000\n",
			     "lock-kept"),
		  "");
}

TEST(lint_finds_a_lock_that_a_stranger_releases)
{
	CHECK_STR(
		find_locks(TAKE "spin_unlock cpu=1 tid=20 ns=90000 lock=0xf0\n"
				"spin_unlock cpu=0 tid=10 ns=91000 lock=0xf0\n",
			   "lock-stranger"),
		"20/holder, 0.000001000 to 0.000090000, 89.0 us: lock-stranger: a lock 0xf0: taken "
		"by 10/victim on CPU 0, then released by 20/holder on CPU 1; code 0x55\n");
	/* On the same CPU it is passed on, as the scheduler does. */
	CHECK_STR(find_locks(TAKE "sched_switch cpu=0 tid=10 ns=2000 next_tid=20 prev_state=1\n"
				  "spin_unlock cpu=0 tid=20 ns=90000 lock=0xf0\n",
			     "lock-stranger"),
		  "");
	/* It happens again and again: there are takes without event. */
	CHECK_STR(find_locks(TAKE "spin_unlock cpu=1 tid=20 ns=90000 lock=0xf0\n"
				  "spin_unlock cpu=1 tid=20 ns=95000 lock=0xf0\n",
			     "lock-stranger"),
		  "");
}

TEST(lint_finds_a_lock_that_is_taken_twice)
{
	const char *twice = TAKE "spin_lock cpu=0 tid=10 ns=2000 lock=0xf0 caller=0x55\n"
				 "local_timer_entry cpu=1 tid=0 ns=50000000\n";

	CHECK_STR(
		find_locks(twice, "lock-twice"),
		"10/victim, 0.000001000 to 0.000002000, 1.00 us: lock-twice: a lock 0xf0: taken by 10"
		"/victim on CPU 0, then asked for again by 10/victim on CPU 0; code 0x55\n");
	/* The thread goes on, so it had released the lock. */
	CHECK_STR(find_locks(TAKE "spin_lock cpu=0 tid=10 ns=2000 lock=0xf0 caller=0x55\n"
				  "spin_unlock cpu=0 tid=10 ns=3000 lock=0xf0\n"
				  "local_timer_entry cpu=1 tid=0 ns=50000000\n",
			     "lock-twice"),
		  "");
	/* The trace ends too soon to tell. */
	CHECK_STR(find_locks(TAKE "spin_lock cpu=0 tid=10 ns=2000 lock=0xf0 caller=0x55\n",
			     "lock-twice"),
		  "");
}

TEST(lint_finds_a_thread_that_sleeps_with_a_lock)
{
	CHECK_STR(
		find_locks(TAKE "sched_switch cpu=0 tid=10 ns=2000 next_tid=20 prev_state=2\n"
				"sched_switch cpu=1 tid=0 ns=3000 next_tid=10\n"
				"spin_unlock cpu=1 tid=10 ns=4000 lock=0xf0\n",
			   "sleep"),
		"10/victim, 0.000001000 to 0.000004000, 3.00 us: sleep: a lock 0xf0: taken by 10/vi"
		"ctim on CPU 0, then put to sleep with it by 10/victim on CPU 0, then released by 1"
		"0/victim on CPU 1; code 0x55\n");
	/* It was preempted: that may be wrong, but it did not sleep. */
	CHECK_STR(find_locks(TAKE "sched_switch cpu=0 tid=10 ns=2000 next_tid=20 prev_state=0\n"
				  "sched_switch cpu=1 tid=0 ns=3000 next_tid=10\n"
				  "spin_unlock cpu=1 tid=10 ns=4000 lock=0xf0\n",
			     "sleep"),
		  "");
}

#define FREES                                                                                      \
	"kfree cpu=0 tid=10 ns=50 ptr=0x100000\nkmem_cache_free cpu=0 tid=10 ns=51 ptr=0x200000 bytes=8\n"
#define A_THEN_B                                                                                   \
	"spin_lock cpu=0 tid=10 ns=1000 lock=0xf0 caller=0x55\n"                                   \
	"spin_lock cpu=0 tid=10 ns=1100 lock=0xf8 caller=0x56\n"                                   \
	"spin_unlock cpu=0 tid=10 ns=1200 lock=0xf8\n"                                             \
	"spin_unlock cpu=0 tid=10 ns=1300 lock=0xf0\n"
#define B_THEN_A                                                                                   \
	"spin_lock cpu=1 tid=20 ns=5000 lock=0xf8 caller=0x55\n"                                   \
	"spin_lock cpu=1 tid=20 ns=5100 lock=0xf0 caller=0x57\n"                                   \
	"spin_unlock cpu=1 tid=20 ns=5200 lock=0xf0\n"                                             \
	"spin_unlock cpu=1 tid=20 ns=5300 lock=0xf8\n"

TEST(lint_finds_locks_taken_both_ways_round)
{
	CHECK_STR(
		find(FREES A_THEN_B B_THEN_A, "lock-order"),
		"20/holder, 0.000001100 to 0.000005100, 4.00 us: lock-order: locks 0xf0 and 0xf8: the"
		" second taken inside the first by 10/victim on CPU 0, then the first taken inside th"
		"e second by 20/holder on CPU 1; code 0x57\n");
}

/* The lock of the run queue is released without an event: a thread that has slept seems to hold it. */
#define SLEEP(cpu, tid, ns)                                                                        \
	"spin_lock cpu=" cpu " tid=" tid " ns=" ns "00 lock=0x40 caller=0x58\n"                    \
	"sched_switch cpu=" cpu " tid=" tid " ns=" ns "10 next_tid=0 prev_state=1\n"               \
	"sched_switch cpu=" cpu " tid=0 ns=" ns "50 next_tid=" tid "\n"

TEST(lint_finds_locks_in_both_orders_of_threads_that_have_slept)
{
	CHECK(strstr(find(FREES SLEEP("0", "10", "9") A_THEN_B SLEEP("1", "20", "48") B_THEN_A,
			  "lock-order"),
		     "lock-order: locks 0xf0 and 0xf8"));
}

TEST(lint_finds_no_order_that_is_legal)
{
	CHECK_STR(find(FREES A_THEN_B A_THEN_B, "lock-order"), "");
	/* The memory was freed between: these are other locks. */
	CHECK_STR(find(FREES A_THEN_B
		       "kmem_cache_free cpu=0 tid=10 ns=3000 ptr=0xe0 bytes=64\n" B_THEN_A,
		       "lock-order"),
		  "");
	CHECK_STR(find(FREES A_THEN_B "kfree cpu=0 tid=10 ns=3000 ptr=0xe0\n" B_THEN_A,
		       "lock-order"),
		  "");
	/* A third lock around both. */
	CHECK_STR(find(FREES "spin_lock cpu=0 tid=10 ns=900 lock=0xc0 caller=0x55\n" A_THEN_B
			     "spin_unlock cpu=0 tid=10 ns=1400 lock=0xc0\n"
			     "spin_lock cpu=1 tid=20 ns=4900 lock=0xc0 caller=0x55\n" B_THEN_A
			     "spin_unlock cpu=1 tid=20 ns=5400 lock=0xc0\n",
		       "lock-order"),
		  "");
	/* The same code: by what it is for them they are others. */
	CHECK_STR(find(FREES A_THEN_B "spin_lock cpu=1 tid=20 ns=5000 lock=0xf8 caller=0x55\n"
				      "spin_lock cpu=1 tid=20 ns=5100 lock=0xf0 caller=0x56\n"
				      "spin_unlock cpu=1 tid=20 ns=5200 lock=0xf0\n"
				      "spin_unlock cpu=1 tid=20 ns=5300 lock=0xf8\n",
		       "lock-order"),
		  "");
	/* A try does not wait. */
	CHECK_STR(find(FREES A_THEN_B "spin_lock cpu=1 tid=20 ns=5000 lock=0xf8 caller=0x55\n"
				      "spin_trylock cpu=1 tid=20 ns=5100 lock=0xf0 caller=0x57\n"
				      "spin_unlock cpu=1 tid=20 ns=5200 lock=0xf0\n"
				      "spin_unlock cpu=1 tid=20 ns=5300 lock=0xf8\n",
		       "lock-order"),
		  "");
}

TEST(lint_finds_no_order_of_a_lock_whose_release_has_no_event)
{
	/* What releases 0xf8 was built into the code that thread 10 runs, and not into thread 20's. */
	CHECK_STR(find(FREES "spin_lock cpu=1 tid=20 ns=500 lock=0xf8 caller=0x55\n"
			     "spin_unlock cpu=1 tid=20 ns=600 lock=0xf8\n"
			     "spin_lock cpu=0 tid=10 ns=1000 lock=0xf0 caller=0x55\n"
			     "spin_lock cpu=0 tid=10 ns=1100 lock=0xf8 caller=0x56\n"
			     "spin_unlock cpu=0 tid=10 ns=1300 lock=0xf0\n"
			     "spin_lock cpu=0 tid=10 ns=1400 lock=0xf0 caller=0x55\n"
			     "spin_unlock cpu=0 tid=10 ns=1500 lock=0xf0\n"
			     "sched_switch cpu=1 tid=20 ns=30000000 next_tid=0 prev_state=1\n",
		       "lock-order"),
		  "");
}

TEST(lint_finds_the_order_that_has_stopped_two_threads)
{
	CHECK(strstr(find(FREES A_THEN_B
			  "spin_lock cpu=0 tid=10 ns=4900 lock=0xf0 caller=0x55\n"
			  "spin_lock cpu=1 tid=20 ns=5000 lock=0xf8 caller=0x55\n"
			  "spin_lock cpu=0 tid=10 ns=5050 lock=0xf8 caller=0x56\n"
			  "spin_lock cpu=1 tid=20 ns=5100 lock=0xf0 caller=0x57\n"
			  "sched_switch cpu=2 tid=30 ns=30000000 next_tid=0 prev_state=1\n",
			  "lock-order"),
		     "lock-order: locks 0xf0 and 0xf8"));
}

TEST(lint_refuses_a_rule_that_is_not_there)
{
	CHECK_STR(find("", "no-such-rule"), "there is no rule \"no-such-rule\"; --list has them");
}

static int break_off(void *ctx, u64 ns)
{
	int *nr_looks = ctx;

	++*nr_looks;
	return ns ? -EINTR : 0;
}

TEST(lint_can_be_broken_off)
{
	enum { RECORDS = 3000, ROOM = 80 };
	static char text[RECORDS * ROOM];
	struct account_fixture *x;
	struct lkst_lint l;
	int i, at = 0, nr_looks = 0;

	for (i = 1; i <= RECORDS; i++)
		at += snprintf(text + at, ROOM, "sched_waking cpu=3 tid=90 ns=%d target_tid=91\n",
			       i * 1000);
	x = account_new(text, NULL);
	CHECK_EQ(lkst_lint_run(&x->err, x->trace, NULL, 0, break_off, &nr_looks, &l), -EINTR);
	CHECK_EQ(nr_looks, 1);
	lkst_lint_fini(&l);
	account_free(x);
}

static const struct unit_test tests[] = {
	{ "lint_finds_a_timer_in_freed_memory", test_lint_finds_a_timer_in_freed_memory },
	{ "lint_prints_findings_as_json", test_lint_prints_findings_as_json },
	{ "lint_finds_a_timer_in_a_freed_object_of_a_cache",
	  test_lint_finds_a_timer_in_a_freed_object_of_a_cache },
	{ "lint_finds_a_high_resolution_timer_and_work_in_freed_memory",
	  test_lint_finds_a_high_resolution_timer_and_work_in_freed_memory },
	{ "lint_finds_no_timer_that_is_legal", test_lint_finds_no_timer_that_is_legal },
	{ "lint_finds_no_timer_within_the_skew_of_clocks",
	  test_lint_finds_no_timer_within_the_skew_of_clocks },
	{ "lint_finds_no_timer_across_a_gap", test_lint_finds_no_timer_across_a_gap },
	{ "lint_applies_no_rule_whose_events_were_skipped",
	  test_lint_applies_no_rule_whose_events_were_skipped },
	{ "lint_finds_a_double_free", test_lint_finds_a_double_free },
	{ "lint_finds_no_double_free_that_is_legal", test_lint_finds_no_double_free_that_is_legal },
	{ "lint_finds_a_thread_that_sleeps_in_an_interrupt",
	  test_lint_finds_a_thread_that_sleeps_in_an_interrupt },
	{ "lint_finds_no_sleep_that_is_legal", test_lint_finds_no_sleep_that_is_legal },
	{ "lint_finds_a_lock_that_is_kept", test_lint_finds_a_lock_that_is_kept },
	{ "lint_rules_about_locks_bear_skips_in_pairs",
	  test_lint_rules_about_locks_bear_skips_in_pairs },
	{ "lint_finds_no_sleep_with_a_lock_in_real_time",
	  test_lint_finds_no_sleep_with_a_lock_in_real_time },
	{ "lint_finds_no_lock_that_was_released", test_lint_finds_no_lock_that_was_released },
	{ "lint_finds_a_lock_that_a_stranger_releases",
	  test_lint_finds_a_lock_that_a_stranger_releases },
	{ "lint_finds_a_lock_that_is_taken_twice", test_lint_finds_a_lock_that_is_taken_twice },
	{ "lint_finds_a_thread_that_sleeps_with_a_lock",
	  test_lint_finds_a_thread_that_sleeps_with_a_lock },
	{ "lint_finds_locks_taken_both_ways_round", test_lint_finds_locks_taken_both_ways_round },
	{ "lint_finds_locks_in_both_orders_of_threads_that_have_slept",
	  test_lint_finds_locks_in_both_orders_of_threads_that_have_slept },
	{ "lint_finds_no_order_that_is_legal", test_lint_finds_no_order_that_is_legal },
	{ "lint_finds_no_order_of_a_lock_whose_release_has_no_event",
	  test_lint_finds_no_order_of_a_lock_whose_release_has_no_event },
	{ "lint_finds_the_order_that_has_stopped_two_threads",
	  test_lint_finds_the_order_that_has_stopped_two_threads },
	{ "lint_can_be_broken_off", test_lint_can_be_broken_off },
	{ "lint_refuses_a_rule_that_is_not_there", test_lint_refuses_a_rule_that_is_not_there },
};
UNIT_MAIN(tests)
