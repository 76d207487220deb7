// SPDX-License-Identifier: GPL-2.0-only
/* Samples and stacks: a trace whose profile is known by construction. */
#include "analyses.h"

#include "lib/unit.h"

/* The program (0x1000, 0x1010) calls the kernel, where vfs (0xff..100) calls disk (0xff..200); and it calls itself. */
#define SYMBOLS                                                                                    \
	"state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\"\n"                             \
	"state_symbol ns=11 address=0xffffffff81000100 bytes=64 name=\"vfs\"\n"                    \
	"state_symbol ns=12 address=0xffffffff81000200 bytes=64 name=\"disk\"\n"
#define STACKS                                                                                     \
	"stack ns=90 buffer=1 stack=1 flags=1 frames=0x1010,0x1000\n"                              \
	"stack ns=91 buffer=1 stack=2 caller=1 frames=0xffffffff81000210,0xffffffff81000110\n"     \
	"stack ns=92 buffer=1 stack=3 flags=3 frames=0x1010,0x1010,0x1010,0x2000\n"

static const char lines[] =
	SYMBOLS STACKS "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
		       "sample cpu=0 tid=5 ns=1000 stack=1 period_ns=1000\n"
		       "sample cpu=0 tid=5 ns=2000 stack=2 period_ns=1000\n"
		       "sample cpu=0 tid=5 ns=3000 stack=2 period_ns=1000\n"
		       "sample cpu=0 tid=5 ns=4000 stack=3 period_ns=1000\n"
		       "sample cpu=0 tid=5 ns=5000 stack=99 period_ns=1000\n"
		       "sample cpu=0 tid=5 ns=6000 stack=0 period_ns=1000\n"
		       "off_cpu cpu=0 tid=0 ns=9000 stack=2 duration_ns=2500 target_tid=5\n";

TEST(samples_count_for_functions_and_who_called_them)
{
	ask(lines, "profile");
	CHECK_EQ(value("profile", "disk", "samples"), 2);
	CHECK_EQ(value("profile", "disk", "self_time"), 2000);
	CHECK_EQ(value("profile", "vfs", "samples"), 0);
	CHECK_EQ(value("profile", "vfs", "total_time"), 2000);
	/* A frame that has called is named by the call, the instruction before. */
	CHECK_EQ(value("profile", "0xfff", "total_time"), 3000);
	CHECK_EQ(value("profile", "0x1010", "self_time"), 2000);
	/* Once for a stack that it is in twice. */
	CHECK_EQ(value("profile", "0x100f", "total_samples"), 1);
	CHECK_EQ(value("profile", "0x1fff", "total_samples"), 1);
}

TEST(samples_count_for_threads)
{
	ask(lines, "profile");
	CHECK_EQ(value("profile_threads", "five", "samples"), 6);
	CHECK_EQ(value("profile_threads", "five", "time"), 6000);
	CHECK_EQ(value("profile_threads", "five", "kernel"), 2000);
	CHECK_EQ(value("profile_threads", "five", "waits"), 1);
	CHECK_EQ(value("profile_threads", "five", "waited"), 2500);
}

/* The stack may come late, when the ring has overwritten the record of it that was there before. */
TEST(samples_find_stacks_that_come_later)
{
	ask(SYMBOLS "sched_switch cpu=0 tid=0 ns=80 next_tid=5\n"
		    "sample cpu=0 tid=5 ns=81 stack=2 period_ns=7\n" STACKS,
	    "profile");
	CHECK_EQ(value("profile", "disk", "self_time"), 7);
}

TEST(samples_of_waits_have_a_cause)
{
	ask(SYMBOLS STACKS "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
			   "syscall_entry_read cpu=0 tid=5 ns=110 fd=3\n"
			   "sched_switch cpu=0 tid=5 ns=120 prev_state=1 next_tid=0\n"
			   "sched_waking cpu=0 tid=0 ns=400 target_tid=5\n"
			   "off_cpu cpu=0 tid=0 ns=500 stack=2 duration_ns=380 target_tid=5\n"
			   "sched_switch cpu=0 tid=0 ns=500 next_tid=5\n",
	    "profile");
	CHECK_EQ(value("profile_waits", "file", "waited"), 380);
	finish();
}

static const struct unit_test tests[] = {
	{ "samples_count_for_functions_and_who_called_them",
	  test_samples_count_for_functions_and_who_called_them },
	{ "samples_count_for_threads", test_samples_count_for_threads },
	{ "samples_find_stacks_that_come_later", test_samples_find_stacks_that_come_later },
	{ "samples_of_waits_have_a_cause", test_samples_of_waits_have_a_cause },
};

UNIT_MAIN(tests)
