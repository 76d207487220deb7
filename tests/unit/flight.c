// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * print/flight: the kernel flight recorder's lines, among them those of its own sample.
 */
#include "lib/unit.h"
#include "lib/view_fixture.h"

#include "trace/read/reader.h"

/* So that 11:14:12 is at 100 s. */
#define SAMPLE_OFFSET_NS (FIXTURE_OFFSET_NS - 3593 * 1000000000ULL)

/* The published sample: a futex wait, switches to the idle thread and back, a wake-up, results. */
TEST(flight_prints_the_sample)
{
	f->catalog->clock_offset_ns = SAMPLE_OFFSET_NS;
	fixture_thread(f, 8877, "TP09", 0);
	fixture_thread(f, 8883, "TP09", 0);
	fixture_begin(f, &lkst_view_flight, LKST_VIEW_DAY);
	fixture_print(f, "syscall_exit_sendto ret=828 cpu=2 tid=8877 ns=100226200000");
	fixture_print(f, "sched_switch prev_state=1 prev_prio=115 next_prio=140 cpu=0 tid=8862 "
			 "ns=100226213999");
	fixture_print(f, "syscall_entry_futex op=0 val=149941 cpu=2 tid=8877 ns=100226245000");
	fixture_feed(f, "sched_waking target_tid=8883 cpu=7 tid=0 ns=100226337000");
	fixture_print(f, "sched_wakeup target_tid=8883 target_prio=115 target_cpu=7 nr_running=1 "
			 "cpu=7 ns=100226338000");
	fixture_feed(f, "sched_wakeup target_tid=8883 cpu=7 ns=100226338000");
	fixture_print(f, "softirq_entry vec=1 cpu=7 ns=100226338000");
	fixture_print(f, "sched_switch next_tid=8883 prev_prio=140 next_prio=115 cpu=7 "
			 "ns=100226342000");
	CHECK_STR(fixture_end(f),
		  "#\thh:mm:ss.us\tCPU\tPID\t\n"
		  "1\t11:14:12.226200\t#2\t8877\tsendto() <-- 828\n"
		  "2\t11:14:12.226213\t#0\t8862\tTP09[n:-5] <-- TASK_INTERRUPTIBLE\n"
		  "3\t11:14:12.226213\t#0\t0\tswapper[n:20] -->\n"
		  "4\t11:14:12.226245\t#2\t8877\t"
		  "futex(op = FUTEX_WAIT, val = 149941, ...) -->\n"
		  "5\t11:14:12.226338\t#7\t0\t(RUNQ) #7 8883 TP09[n:-5] qlen:0\n"
		  "6\t11:14:12.226342\t#7\t0\tswapper[n:20] <-- TASK_RUNNING\n"
		  "7\t11:14:12.226342\t#7\t8883\tTP09[n:-5] -->\n");
	f->catalog->clock_offset_ns = FIXTURE_OFFSET_NS;
}

/* As `lkst print` does it: a record is printed with the names known before it. */
static void print(const char *line)
{
	fixture_print(f, line);
	fixture_feed(f, line);
}

/*
 * Line 20 of the sample: the idle thread of CPU 3, in an interrupt there, wakes a thread of CPU 0, whose own
 * idle thread puts it on its queue. The next one is woken by a thread on CPU 2, and never ran before.
 */
TEST(flight_names_the_waker)
{
	f->catalog->clock_offset_ns = SAMPLE_OFFSET_NS;
	fixture_thread(f, 8862, "TP09", 0);
	fixture_begin(f, &lkst_view_flight, LKST_VIEW_DAY);
	print("sched_waking target_tid=8862 target_prio=115 target_cpu=4 cpu=3 tid=0 ns=100226361000");
	print("sched_waking target_tid=9 target_prio=115 target_cpu=1 cpu=2 tid=8877 ns=100226362000");
	print("sched_wakeup target_tid=8862 target_prio=115 target_cpu=0 nr_running=1 cpu=0 tid=0 "
	      "ns=100226365000");
	print("sched_wakeup target_tid=9 target_prio=120 target_cpu=1 nr_running=3 cpu=1 tid=55 "
	      "ns=100226366000");
	print("sched_wakeup_new target_tid=10 target_prio=120 target_cpu=1 nr_running=2 cpu=5 tid=7 "
	      "ns=100226367000");
	CHECK_STR(fixture_end(f), "#\thh:mm:ss.us\tCPU\tPID\t\n"
				  "1\t11:14:12.226365\t#3\t0\t(RUNQ) #0 8862 TP09[n:-5] qlen:0\n"
				  "2\t11:14:12.226366\t#2\t8877\t(RUNQ) #1 9 ?[n:0] qlen:2\n"
				  "3\t11:14:12.226367\t#5\t7\t(RUNQ) #1 10 ?[n:0] qlen:1\n");
	f->catalog->clock_offset_ns = FIXTURE_OFFSET_NS;
}

#define WAKEUP(tid)                                                                                \
	"sched_wakeup target_tid=" #tid " target_prio=120 nr_running=1 cpu=1 tid=3 ns=100123456000"
#define RUNQ(n, cpu, by, tid)                                                                      \
#n "\t12:14:05.123456\t#" #cpu "\t" #by "\t(RUNQ) #0 " #tid " ?[n:0] qlen:0\n"

/* Traces of before have no sched_waking. One that has it may lack some. */
TEST(flight_says_where_the_waker_is_not_known)
{
	static const char head[] = "#\thh:mm:ss.us\tCPU\tPID\t\n";
	static const char none[] =
		"#\tno sched_waking so far: (RUNQ) lines have the CPU and thread that "
		"queue the woken one, which need not be its waker's\n";
	char text[1024];

	fixture_begin(f, &lkst_view_flight, LKST_VIEW_DAY);
	print(WAKEUP(11));
	print(WAKEUP(12));
	snprintf(text, sizeof(text), "%s%s" RUNQ(1, 1, 3, 11) RUNQ(2, 1, 3, 12), head, none);
	CHECK_STR(fixture_end(f), text);

	fixture_begin(f, &lkst_view_flight, LKST_VIEW_DAY);
	print("sched_waking target_tid=11 cpu=2 tid=4 ns=100123455000");
	print(WAKEUP(11));
	print(WAKEUP(11)); /* its sched_waking was lost; the one before is not taken for it */
	print("sched_waking target_tid=12 cpu=2 tid=4 ns=100123455000");
	print("sched_switch next_tid=12 cpu=1 tid=0 prev_prio=120 next_prio=120 ns=100123456000");
	print(WAKEUP(12)); /* it has run since */
	snprintf(text, sizeof(text), "%s%s%s%s%s%s", head, RUNQ(1, 2, 4, 11), RUNQ(2, 1, 3, 11),
		 "3\t12:14:05.123456\t#1\t0\tswapper[n:0] <-- TASK_RUNNING\n"
		 "4\t12:14:05.123456\t#1\t12\t?[n:0] -->\n",
		 RUNQ(5, 1, 3, 12),
		 "#\t2 of 3 (RUNQ) lines have no sched_waking before them: their CPU and thread "
		 "need not be the waker's\n");
	CHECK_STR(fixture_end(f), text);
}

#define HEAD "#\thh:mm:ss.us\tCPU\tPID\t\n1\t12:14:05.123456\t#1\t1234\t"

static const char *one(const char *line)
{
	return fixture_one(f, &lkst_view_flight, line);
}

TEST(flight_prints_arguments)
{
	CHECK_STR(one("syscall_entry_sendto sockfd=5 buf=0x7000 length=820"),
		  HEAD "sendto(sockfd = 5, buf = 0x7000, length = 820, flags = 0, addr = NULL, "
		       "addrlen = 0) -->\n");
	CHECK_STR(one("syscall_entry_openat dirfd=-100 path=1 path_str=\"/a\""),
		  HEAD "openat(dirfd = AT_FDCWD, path = \"/a\", flags = O_RDONLY) -->\n");
	CHECK_STR(one("syscall_exit_openat ret=-2"), HEAD "openat() <-- -2\n");
	CHECK_STR(one("syscall_exit_mmap ret=0x7f0000001000"), HEAD "mmap() <-- 0x7f0000001000\n");
	CHECK_STR(one("syscall_entry_unknown nr=999 arg0=1 arg1=2 arg2=3 arg3=4 arg4=5 arg5=0xff"),
		  HEAD "syscall_999(arg0 = 0x1, arg1 = 0x2, arg2 = 0x3, arg3 = 0x4, arg4 = 0x5, "
		       "arg5 = 0xff) -->\n");
	CHECK_STR(one("syscall_exit_unknown nr=999 ret=-38"), HEAD "syscall_999() <-- -38\n");
}

TEST(flight_names_states)
{
	/* Whether it may be frozen is not shown, so that lines stay as they were. */
	CHECK_STR(one("sched_switch next_tid=567 prev_state=0x2002 prev_prio=120 next_prio=120"),
		  HEAD "bash[n:0] <-- TASK_UNINTERRUPTIBLE\n"
		       "2\t12:14:05.123456\t#1\t567\tcc1[n:0] -->\n");
	CHECK_STR(one("sched_switch next_tid=4242 prev_state=0x102 prev_prio=0 next_prio=139"),
		  HEAD "bash[n:-120] <-- TASK_UNINTERRUPTIBLE|TASK_WAKEKILL\n"
		       "2\t12:14:05.123456\t#1\t4242\t?[n:19] -->\n");
}

TEST(flight_leaves_out_the_rest)
{
	CHECK_STR(one("sched_waking target_tid=567"), "#\thh:mm:ss.us\tCPU\tPID\t\n");
	CHECK_STR(one("kfree ptr=5"), "#\thh:mm:ss.us\tCPU\tPID\t\n");
}

TEST(flight_shows_gaps)
{
	struct lkst_gap gap = {
		.cpu = 1, .from_ns = 100000000000, .to_ns = 100500000000, .why = "lost"
	};

	fixture_begin(f, &lkst_view_flight, LKST_VIEW_DAY);
	f->view->gap(f->ctx, &gap);
	CHECK_STR(fixture_end(f), "#\thh:mm:ss.us\tCPU\tPID\t\n"
				  "#\t12:14:05.000000\t#1\t-\tgap, until 12:14:05.500000: lost\n");
}

static const struct unit_test tests[] = {
	{ "flight_prints_the_sample", test_flight_prints_the_sample },
	{ "flight_names_the_waker", test_flight_names_the_waker },
	{ "flight_says_where_the_waker_is_not_known",
	  test_flight_says_where_the_waker_is_not_known },
	{ "flight_prints_arguments", test_flight_prints_arguments },
	{ "flight_names_states", test_flight_names_states },
	{ "flight_leaves_out_the_rest", test_flight_leaves_out_the_rest },
	{ "flight_shows_gaps", test_flight_shows_gaps },
};

UNIT_MAIN(tests)
