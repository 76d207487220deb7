/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What threads wait for, by the state model: system calls, locks, faults, disks; and what ends the wait.
 */
#include "lib/states.h"

#include "lib/unit.h"

/* The catalogue of make_catalog(), followed by the system calls of this test. */
static struct lkst_catalog *catalog(void)
{
	static const char *const names[] = { "read",  "futex", "wait4",	     "clock_nanosleep",
					     "fsync", "clone", "sched_yield" };
	struct lkst_catalog *c = make_catalog();
	struct lkst_err e;
	u16 i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (lkst_catalog_add_syscall(&e, c, 1000 + 2 * i, 1001 + 2 * i,
					     lkst_syscall_find(false, names[i]) - lkst_syscalls))
			abort();
	return c;
}

/* The last wait of thread 5, and who ended it. */
static struct lkst_wait last_wait;
static struct lkst_waker last_waker;
static bool has_waker;
static char text[STATES_TEXT_MAX];
static u64 unmatched;

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	if (i->life->tid != 5 || i->run != LKST_RUN_BLOCKED)
		return 0;
	last_wait = *i->wait;
	has_waker = i->waker != NULL;
	if (i->waker)
		last_waker = *i->waker;
	return 0;
}

/* What is reported of thread 5, or of calls. */
static const char *told(const char *lines, bool wants_calls)
{
	static const struct lkst_model_calls calls = { .interval = on_interval };
	struct states *st = calloc(1, sizeof(*st));
	struct make_trace *t;
	struct lkst_err e;

	if (!st)
		abort();
	st->tid = wants_calls ? -2 : 5;
	st->cpu = -2;
	st->wants_calls = wants_calls;
	make_scratch(st->dir);
	t = make_begin(st->dir, catalog(), 4096);
	if (make_text(t, lines) || make_end(t))
		abort();
	states_open(st);
	if (lkst_model_new(&e, st->feed, &st->state) ||
	    lkst_model_subscribe(st->state, &calls, NULL) < 0)
		abort();
	states_run(st);
	snprintf(text, sizeof(text), "%s", st->is_torn ? st->tear : st->text);
	unmatched = st->doubts.unmatched;
	states_close(st);
	free(st);
	return text;
}

TEST(waits_for_a_futex_end_with_who_released_it)
{
	static const char lines[] =
		"syscall_entry_futex cpu=0 tid=5 ns=100 uaddr=4096 op=128 val=2\n"
		"sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=1\n"
		"syscall_entry_futex cpu=0 tid=7 ns=200 uaddr=4096 op=129 val=1\n"
		"sched_waking cpu=0 tid=7 ns=210 target_tid=5\n"
		"syscall_exit_futex cpu=0 tid=7 ns=220 ret=1\n"
		"sched_switch cpu=0 tid=7 ns=300 next_tid=5 prev_state=0\n"
		"syscall_exit_futex cpu=0 tid=5 ns=310 ret=0\n";

	CHECK_STR(told(lines, false), "R100-110@0 B110-210/futex W210-300<7 R300-310@0");
	CHECK_EQ(last_wait.object, 4096);
	CHECK_EQ(last_wait.holder_tid, 7);
	CHECK_STR(lkst_syscalls[last_wait.call.row].name, "futex");
	CHECK_EQ(last_wait.call.args[1], 128);
	CHECK_STR(lkst_syscalls[last_waker.call.row].name, "futex");
	CHECK_STR(told(lines, true), "futex:200-220=1 R20W0B0 futex:100-310=0 R20W90B100");
	CHECK_EQ(unmatched, 0);
}

TEST(waits_for_a_disk_end_with_its_request)
{
	static const char lines[] =
		"syscall_entry_read cpu=0 tid=5 ns=100 fd=3 count=512\n"
		"sched_switch cpu=0 tid=5 ns=110 next_tid=0 prev_state=2\n"
		"irq_handler_entry cpu=0 tid=0 ns=200 irq=30\n"
		"block_rq_complete cpu=0 tid=0 ns=210 rq=77 dev=8388608 sector=2048\n"
		"sched_waking cpu=0 tid=0 ns=220 target_tid=5\n"
		"irq_handler_exit cpu=0 tid=0 ns=230 irq=30\n"
		"irq_handler_entry cpu=0 tid=0 ns=240 irq=31\n"
		"sched_waking cpu=0 tid=0 ns=250 target_tid=6\n"
		"irq_handler_exit cpu=0 tid=0 ns=260 irq=31\n";

	CHECK_STR(told(lines, false), "R100-110@0 B110-220/io W220-260<irq30");
	CHECK_EQ(last_wait.object, 77);
	CHECK_EQ(last_wait.dev, 8388608);
	CHECK_EQ(last_wait.sector, 2048);
	CHECK_EQ(last_waker.rq, 77);
}

TEST(waits_have_the_cause_of_their_call)
{
	static const char lines[] = "syscall_entry_read cpu=0 tid=5 ns=100 fd=3 count=512\n"
				    "sched_switch cpu=0 tid=5 ns=110 next_tid=0 prev_state=1\n"
				    "sched_waking cpu=0 tid=0 ns=120 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=130 next_tid=5 prev_state=0\n"
				    "syscall_exit_read cpu=0 tid=5 ns=140 ret=1\n"
				    "syscall_entry_wait4 cpu=0 tid=5 ns=150\n"
				    "sched_switch cpu=0 tid=5 ns=160 next_tid=0 prev_state=1\n"
				    "sched_waking cpu=0 tid=0 ns=170 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=180 next_tid=5 prev_state=0\n"
				    "syscall_exit_wait4 cpu=0 tid=5 ns=190 ret=1\n"
				    "syscall_entry_clock_nanosleep cpu=0 tid=5 ns=200\n"
				    "sched_switch cpu=0 tid=5 ns=210 next_tid=0 prev_state=1\n"
				    "hrtimer_expire_entry cpu=0 tid=0 ns=218 hrtimer=1 function=2\n"
				    "sched_waking cpu=0 tid=0 ns=220 target_tid=5\n"
				    "hrtimer_expire_exit cpu=0 tid=0 ns=222 hrtimer=1\n"
				    "sched_switch cpu=0 tid=0 ns=230 next_tid=5 prev_state=0\n"
				    "syscall_exit_clock_nanosleep cpu=0 tid=5 ns=240 ret=0\n"
				    "sched_switch cpu=0 tid=5 ns=250 next_tid=0 prev_state=1\n";

	CHECK_STR(told(lines, false),
		  "R100-110@0 B110-120/file W120-130<0 R130-160@0 B160-170/child W170-180<0 "
		  "R180-210@0 B210-220/sleep W220-230<hrtimer R230-250@0");
	CHECK_EQ(last_waker.code, 2);
	CHECK_EQ(last_wait.fd, -1);
}

TEST(waits_outside_calls_are_faults_or_on_the_way_back)
{
	static const char lines[] = "syscall_exit_read cpu=0 tid=5 ns=100 ret=0\n"
				    "page_fault_user cpu=0 tid=5 ns=110 address=4096 ip=1\n"
				    "sched_switch cpu=0 tid=5 ns=120 next_tid=0 prev_state=2\n"
				    "sched_waking cpu=0 tid=0 ns=130 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=140 next_tid=5 prev_state=0\n"
				    "signal_deliver cpu=0 tid=5 ns=150 signal=15\n"
				    "sched_switch cpu=0 tid=5 ns=160 next_tid=0 prev_state=1\n"
				    "sched_waking cpu=0 tid=0 ns=170 target_tid=5\n";

	/* The first exit is of a call whose entry is not in the trace. */
	CHECK_STR(told(lines, false),
		  "R100-120@0 B120-130/fault W130-140<0 R140-160@0 B160-170/user");
	CHECK_STR(told(lines, true), "read:100-100=0 R0W0B0?");
}

/* The kernel tried with the lock of the mapping first, and waits in the second try. */
TEST(waits_in_a_fault_that_is_tried_again_are_of_it)
{
	static const char lines[] = "page_fault_user cpu=0 tid=5 ns=110 address=4096 ip=1\n"
				    "page_fault_exit cpu=0 tid=5 ns=115 result=1024\n"
				    "sched_switch cpu=0 tid=5 ns=120 next_tid=0 prev_state=2\n"
				    "sched_waking cpu=0 tid=0 ns=130 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=140 next_tid=5 prev_state=0\n"
				    "page_fault_exit cpu=0 tid=5 ns=145 result=0\n"
				    "sched_switch cpu=0 tid=5 ns=150 next_tid=0 prev_state=2\n";

	CHECK(strstr(told(lines, false), "-120@0 B120-130/fault W130-140<0 R140-150@0"));
	CHECK(!strstr(told(lines, false), "B150-150/fault"));
}

TEST(waits_for_a_lock_know_which)
{
	static const char lines[] = "syscall_entry_read cpu=0 tid=5 ns=100 fd=3\n"
				    "contention_begin cpu=0 tid=5 ns=105 lock=999 flags=32\n"
				    "sched_switch cpu=0 tid=5 ns=110 next_tid=7 prev_state=2\n"
				    "contention_begin cpu=0 tid=7 ns=115 lock=1000 flags=1\n"
				    "sched_waking cpu=0 tid=7 ns=120 target_tid=5\n"
				    "sched_switch cpu=0 tid=7 ns=130 next_tid=5 prev_state=0\n"
				    "contention_end cpu=0 tid=5 ns=140 lock=999\n";

	CHECK_STR(told(lines, false), "R100-110@0 B110-120/lock W120-130<7 R130-140@0");
	CHECK_EQ(last_wait.object, 999);
	CHECK_EQ(last_wait.lock_flags, 32);
	CHECK_EQ(last_wait.holder_tid, 7);
}

TEST(waits_of_kernel_threads_are_for_work)
{
	static const char lines[] =
		"state_thread ns=9 thread_tid=5 thread_pid=5 flags=1 comm=kworker\n"
		"workqueue_execute_start cpu=0 tid=5 ns=100 work=1 function=4242\n"
		"sched_switch cpu=0 tid=5 ns=110 next_tid=0 prev_state=2\n"
		"sched_waking cpu=0 tid=0 ns=120 target_tid=5\n";

	CHECK_STR(told(lines, false), "R100-110@0 B110-120/kernel");
	CHECK_EQ(last_wait.object, 4242);
}

TEST(waits_are_unknown_behind_a_gap)
{
	static const char lines[] = "syscall_entry_read cpu=0 tid=5 ns=100 fd=3\n"
				    "!skip cpu=0 blocks=1\n"
				    "sched_switch cpu=0 tid=5 ns=200 next_tid=0 prev_state=1\n"
				    "sched_waking cpu=0 tid=0 ns=300 target_tid=5\n"
				    "sched_switch cpu=0 tid=0 ns=400 next_tid=5 prev_state=0\n"
				    "syscall_exit_read cpu=0 tid=5 ns=500 ret=0\n";

	/* It may have left the call in the gap and be in another. */
	CHECK_STR(told(lines, false), "U100-200 B200-300 W300-400<0 R400-500@0");
	CHECK_EQ(last_wait.call.row, -1);
	CHECK_STR(told(lines, true), "read:100-100=0 R0W0B0! read:100-500=0 R0W0B0?");
}

TEST(waits_of_a_new_thread_are_not_its_creators_call)
{
	static const char lines[] =
		"syscall_entry_clone cpu=0 tid=4 ns=100\n"
		"task_newtask cpu=0 buffer=1 tid=4 ns=110 child_tid=5\n"
		"sched_wakeup_new cpu=0 tid=4 ns=120 target_tid=5 target_cpu=0\n"
		"sched_switch cpu=0 tid=4 ns=130 next_tid=5 prev_state=0\n"
		"syscall_exit_clone cpu=0 tid=5 ns=140 ret=0\n"
		"sched_switch cpu=0 tid=5 ns=150 next_tid=4 prev_state=1\n"
		"syscall_exit_clone cpu=0 tid=4 ns=160 ret=5\n";

	CHECK_STR(told(lines, true), "clone:100-160=5 R40W20B0");
	CHECK_STR(told(lines, false), "N110-120 W120-130+<4 R130-150@0 B150-160/user");
	CHECK(!has_waker);
}

/* The system calls of which @is_one says so, in the order of the table, each name once. */
static const char *calls_that(bool (*is_one)(const struct lkst_syscall *call, int arg), int arg)
{
	static char names[1024];
	size_t used = 0;
	unsigned int i;

	names[0] = 0;
	for (i = 0; i < lkst_nr_syscalls; i++) {
		const struct lkst_syscall *call = &lkst_syscalls[i];
		const struct lkst_syscall *first = lkst_syscall_find(false, call->name) ?: call;

		/* A 32-bit caller waits for the same. */
		if (is_one(call, arg) != is_one(first, arg))
			return "both tables differ";
		if (first == call && is_one(call, arg))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? " " : "",
						 call->name);
	}
	return used < sizeof(names) ? names : "too many";
}

static bool has_cause(const struct lkst_syscall *call, int cause)
{
	return lkst_syscall_cause(call) == (enum lkst_cause)cause;
}

static bool receives(const struct lkst_syscall *call, int unused)
{
	return lkst_sys_waits[call->waits].receives;
}

static bool waits_for_anything(const struct lkst_syscall *call, int unused)
{
	return lkst_syscall_cause(call) != LKST_CAUSE_SYSCALL;
}

TEST(waits_are_for_what_the_table_of_calls_says)
{
	static const struct {
		enum lkst_cause cause;
		const char *calls;
	} sets[] = {
		{ LKST_CAUSE_FILE, "read write ioctl pread64 pwrite64 readv writev getdents getdents64 splice tee "
				   "vmsplice preadv pwritev preadv2 pwritev2" },
		{ LKST_CAUSE_SOCKET, "connect accept sendto recvfrom sendmsg recvmsg accept4 recvmmsg sendmmsg "
				     "recvmmsg_time64" },
		{ LKST_CAUSE_POLL, "poll select io_getevents epoll_wait_old epoll_wait pselect6 ppoll epoll_pwait "
				   "io_pgetevents io_uring_enter epoll_pwait2 _newselect pselect6_time64 "
				   "ppoll_time64" },
		{ LKST_CAUSE_SLEEP, "nanosleep clock_nanosleep clock_nanosleep_time64" },
		{ LKST_CAUSE_FUTEX, "futex futex_waitv futex_wait futex_time64" },
		{ LKST_CAUSE_CHILD, "wait4 waitid waitpid" },
		{ LKST_CAUSE_SIGNAL, "pause rt_sigtimedwait rt_sigsuspend sigsuspend rt_sigtimedwait_time64" },
		{ LKST_CAUSE_IPC, "semop msgsnd msgrcv flock semtimedop mq_timedsend mq_timedreceive ipc "
				  "mq_timedsend_time64 mq_timedreceive_time64 semtimedop_time64" },
		{ LKST_CAUSE_SYNC, "msync fsync fdatasync sync sync_file_range syncfs" },
	};
	unsigned int nr = 0, nr_all = 0;
	const char *c;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		CHECK_STR(calls_that(has_cause, sets[i].cause), sets[i].calls);
		for (nr++, c = sets[i].calls; *c; c++)
			nr += *c == ' ';
	}
	/* All others have no cause but themselves. */
	for (nr_all++, c = calls_that(waits_for_anything, 0); *c; c++)
		nr_all += *c == ' ';
	CHECK_EQ(nr, nr_all);
	CHECK_STR(calls_that(receives, 0),
		  "read readv accept recvfrom recvmsg msgrcv mq_timedreceive splice accept4 recvmmsg "
		  "recvmmsg_time64 mq_timedreceive_time64");
}

static const struct unit_test tests[] = {
	{ "waits_for_a_futex_end_with_who_released_it", test_waits_for_a_futex_end_with_who_released_it },
	{ "waits_for_a_disk_end_with_its_request", test_waits_for_a_disk_end_with_its_request },
	{ "waits_have_the_cause_of_their_call", test_waits_have_the_cause_of_their_call },
	{ "waits_outside_calls_are_faults_or_on_the_way_back",
	  test_waits_outside_calls_are_faults_or_on_the_way_back },
	{ "waits_in_a_fault_that_is_tried_again_are_of_it",
	  test_waits_in_a_fault_that_is_tried_again_are_of_it },
	{ "waits_for_a_lock_know_which", test_waits_for_a_lock_know_which },
	{ "waits_of_kernel_threads_are_for_work", test_waits_of_kernel_threads_are_for_work },
	{ "waits_are_for_what_the_table_of_calls_says", test_waits_are_for_what_the_table_of_calls_says },
	{ "waits_are_unknown_behind_a_gap", test_waits_are_unknown_behind_a_gap },
	{ "waits_of_a_new_thread_are_not_its_creators_call",
	  test_waits_of_a_new_thread_are_not_its_creators_call },
};

UNIT_MAIN(tests)
