// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Samples and stacks: a trace whose profile is known by construction.
 */
#include "analyses.h"

#include "analyze/engine/samples.h"

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

/* A thread that came to another cgroup counts for each by what it did there. */
TEST(samples_count_for_cgroups)
{
	ask("state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" cgroup=10\n"
	    "state_thread ns=10 thread_tid=6 thread_pid=6 comm=\"six\" cgroup=20\n"
	    "state_thread ns=10 thread_tid=7 thread_pid=7 comm=\"seven\" cgroup=20\n"
	    "state_cgroup ns=10 cgroup=10 path=/system.slice/five.service\n"
	    "state_cgroup ns=10 cgroup=20 path=/system.slice/six.service\n" STACKS
	    "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
	    "sample cpu=0 tid=5 ns=1000 stack=1 period_ns=1000\n"
	    "sample cpu=0 tid=5 ns=2000 stack=2 period_ns=1000\n"
	    "cgroup_attach_task cpu=0 buffer=1 tid=5 ns=2500 target_tid=5 cgroup=20 "
	    "path=/system.slice/six.service\n"
	    "sample cpu=0 tid=5 ns=3000 stack=1 period_ns=1000\n"
	    "sched_switch cpu=0 tid=5 ns=3500 next_tid=6\n"
	    "sample cpu=0 tid=6 ns=4000 stack=2 period_ns=1000\n"
	    "sched_switch cpu=0 tid=6 ns=4500 next_tid=7\n"
	    "sample cpu=0 tid=7 ns=5000 stack=1 period_ns=1000\n"
	    "off_cpu cpu=0 tid=0 ns=9000 stack=2 duration_ns=2500 target_tid=7\n",
	    "profile");
	CHECK_EQ(value("profile_cgroups", "unit:five.service", "samples"), 2);
	CHECK_EQ(value("profile_cgroups", "unit:five.service", "time"), 2000);
	CHECK_EQ(value("profile_cgroups", "unit:five.service", "kernel"), 1000);
	CHECK_EQ(value("profile_cgroups", "unit:five.service", "waits"), 0);
	CHECK_EQ(value("profile_cgroups", "unit:six.service", "samples"), 3);
	CHECK_EQ(value("profile_cgroups", "unit:six.service", "time"), 3000);
	CHECK_EQ(value("profile_cgroups", "unit:six.service", "kernel"), 1000);
	CHECK_EQ(value("profile_cgroups", "unit:six.service", "waited"), 2500);
	CHECK_EQ(value("profile_threads", "six", "samples"), 1);
	CHECK_EQ(value("profile_threads", "seven", "waits"), 1);
}

/* The stack may come late, when the ring has overwritten the record of it that was there before. */
TEST(samples_find_stacks_that_come_later)
{
	ask(SYMBOLS "sched_switch cpu=0 tid=0 ns=80 next_tid=5\n"
		    "sample cpu=0 tid=5 ns=81 stack=2 period_ns=7\n" STACKS,
	    "profile");
	CHECK_EQ(value("profile", "disk", "self_time"), 7);
}

/* In a trace from `lkst serve` kernel addresses are hashes: one has a name of its own, or none. */
TEST(samples_name_hashed_addresses)
{
	ask("state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\"\n"
	    "state_symbol ns=11 address=0x8000000000000100 bytes=1 name=\"vfs\"\n"
	    "state_symbol ns=12 address=0xb000000000000200 bytes=1 name=\"disk\"\n"
	    "stack ns=91 buffer=1 stack=2 frames=0xb000000000000200,0x8000000000000100\n"
	    "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
	    "sample cpu=0 tid=5 ns=2000 stack=2 period_ns=1000\n",
	    "profile");
	CHECK_EQ(value("profile", "disk", "self_time"), 1000);
	CHECK_EQ(value("profile", "vfs", "total_time"), 1000);
	finish();
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

/* clang-format off */
/* ---- programs by name ------------------------------------------------------------------------- */

/* In place of the files: functions of 256 bytes, "f0", "f1" ...; in f2, two are inlined. No file called "none". */
static int find(void *ctx, const struct lkst_binary *b, u64 offset, struct lkst_code_name *ret_name)
{
	static char text[32];

	*ret_name = (struct lkst_code_name){};
	(*(unsigned int *)ctx)++;
	if (!strcmp(lkst_binary_name(b), "none"))
		return 0;
	snprintf(text, sizeof(text), "f%llu", (unsigned long long)offset / 256);
	ret_name->function = text;
	ret_name->offset = offset % 256;
	if (offset / 256 != 2)
		return 0;
	ret_name->nr_frames = 3;
	ret_name->frames[0].function = "inner";
	ret_name->frames[1].function = "middle";
	ret_name->frames[2].function = "as the source calls it";
	return 0;
}

static unsigned int nr_asked;

static void ask_named(const char *text)
{
	nr_asked = 0;
	ask_of(make_full_catalog(), text, "profile",
	       (struct lkst_analysis_options){ .namer = { find, &nr_asked } });
}

#define EXEC(ns, pid) "sched_process_exec buffer=1 ns=" #ns " tid=" #pid " old_tid=" #pid " filename=/bin/x\n"
#define MADE(ns, pid, at, number, path)                                                            \
	"mapping buffer=1 ns=" #ns " tid=" #pid " address=" #at " length=4096 offset=0 inode=" #number \
	" ctime=1 dev=8 owner_pid=" #pid " file=\"" path "\"\n"
#define SAMPLE(ns, who, which) "sample cpu=0 tid=" #who " ns=" #ns " stack=" #which " period_ns=10\n"
#define PROCESS(who, is, name) "state_thread ns=10 thread_tid=" #who " thread_pid=" #is " comm=\"" name "\"\n"

/* Two processes have the same library at other places: the same functions. */
TEST(samples_name_functions_of_programs)
{
	ask_named(PROCESS(5, 5, "five") PROCESS(6, 6, "six") EXEC(20, 5) MADE(21, 5, 0x10000, 7, "/lib/libx.so")
		  EXEC(30, 6) MADE(31, 6, 0x20000, 7, "/lib/libx.so")
		  "stack buffer=1 ns=90 stack=1 flags=1 frames=0x10110,0x10305\n"
		  "stack buffer=1 ns=91 stack=2 flags=1 frames=0x20130,0x20301\n"
		  "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n" SAMPLE(110, 5, 1) SAMPLE(120, 5, 1)
		  "sched_switch cpu=0 tid=5 ns=130 next_tid=6\n" SAMPLE(140, 6, 2));
	CHECK_EQ(value("profile", "f1", "samples"), 3);
	CHECK_EQ(value("profile", "f3", "total_samples"), 3);
	CHECK_STR(lkst_table_cell(table("profile"), 0, 1)->text, "libx.so");
	/* Each place is asked for once. */
	CHECK_EQ(nr_asked, 4);
	finish();
}

TEST(samples_count_for_inlined_functions)
{
	ask_named(PROCESS(5, 5, "five") EXEC(20, 5) MADE(21, 5, 0x10000, 7, "/lib/libx.so")
		  "stack buffer=1 ns=90 stack=1 flags=1 frames=0x10210,0x10301\n"
		  "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n" SAMPLE(110, 5, 1));
	CHECK_EQ(value("profile", "inner", "samples"), 1);
	CHECK_EQ(value("profile", "middle", "samples"), 0);
	CHECK_EQ(value("profile", "middle", "total_samples"), 1);
	/* Called as its symbol, as it is where there is no debug information. */
	CHECK_EQ(value("profile", "f2", "total_samples"), 1);
	CHECK_EQ(value("profile", "f3", "total_samples"), 1);
	/* A call is in the byte before it returns to: 0x10301 - 1 is still f3; 0x10300 would have been f2. */
	ask_named(PROCESS(5, 5, "five") EXEC(20, 5) MADE(21, 5, 0x10000, 7, "/lib/libx.so")
		  "stack buffer=1 ns=90 stack=1 flags=1 frames=0x10110,0x10300\n"
		  "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n" SAMPLE(110, 5, 1));
	CHECK_EQ(value("profile", "f3", "total_samples"), -1);
	CHECK_EQ(value("profile", "middle", "total_samples"), 1);
	finish();
}

/* One address, and so one stack, before and after another library is mapped there, and another program run. */
TEST(samples_are_named_by_what_was_there_then)
{
	ask_named(PROCESS(5, 5, "five") EXEC(20, 5) MADE(21, 5, 0x10000, 7, "/lib/libx.so")
		  "stack buffer=1 ns=90 stack=1 flags=1 frames=0x10110\n"
		  "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n" SAMPLE(110, 5, 1)
		  MADE(120, 5, 0x10000, 8, "/lib/none") SAMPLE(130, 5, 1) SAMPLE(131, 5, 1)
		  EXEC(140, 5) MADE(141, 5, 0x10000, 9, "/bin/prog")
		  SAMPLE(150, 5, 1) SAMPLE(151, 5, 1) SAMPLE(152, 5, 1)
		  EXEC(160, 5) SAMPLE(170, 5, 1) SAMPLE(171, 5, 1) SAMPLE(172, 5, 1) SAMPLE(173, 5, 1));
	CHECK_EQ(value("profile", "f1", "samples"), 3);
	CHECK_STR(lkst_table_cell(table("profile"), 1, 1)->text, "prog");
	CHECK_EQ(value("profile", "0x110[none]", "samples"), 2);
	/* Nothing is known of the last program. */
	CHECK_EQ(value("profile", "0x10110", "samples"), 4);
	finish();
}

/* A stack whose record comes late is named at the end, but not by what another program has there by then. */
TEST(samples_whose_stack_comes_late_are_not_named_by_another_program)
{
	ask_named(PROCESS(5, 5, "five") EXEC(20, 5) MADE(21, 5, 0x10000, 7, "/lib/libx.so")
		  "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n" SAMPLE(110, 5, 1)
		  "stack buffer=1 ns=120 stack=1 flags=1 frames=0x10110\n");
	CHECK_EQ(value("profile", "f1", "samples"), 1);
	ask_named(PROCESS(5, 5, "five") EXEC(20, 5) MADE(21, 5, 0x10000, 7, "/lib/libx.so")
		  "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n" SAMPLE(110, 5, 1)
		  EXEC(112, 5) MADE(113, 5, 0x10000, 8, "/lib/liby.so")
		  "stack buffer=1 ns=120 stack=1 flags=1 frames=0x10110\n");
	CHECK_EQ(value("profile", "f1", "samples"), -1);
	CHECK_EQ(value("profile", "0x10110", "samples"), 1);
	finish();
}

/* One that gives itself a thousand names does not fill the tables: the last of the first ones has the rest. */
TEST(samples_of_a_thread_with_many_names)
{
	enum { NAMES = 1000 };
	char *text = malloc(NAMES * 160 + 1024);
	size_t used = (size_t)sprintf(text, PROCESS(5, 5, "name0") STACKS
				      "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n");
	long long sum = 0;
	size_t row;
	int i;

	for (i = 0; i < NAMES; i++)
		used += (size_t)sprintf(text + used,
					"sample cpu=0 tid=5 ns=%d stack=1 period_ns=10\n"
					"task_rename cpu=0 buffer=1 tid=5 ns=%d target_tid=5 newcomm=name%d\n",
					1000 + 10 * i, 1001 + 10 * i, i + 1);
	ask(text, "profile");
	free(text);
	CHECK_EQ(table("profile_threads")->nr_rows, LKST_SAMPLES_NAMES);
	for (row = 0; row < table("profile_threads")->nr_rows; row++)
		sum += (long long)lkst_table_cell(table("profile_threads"), row, 6)->u64;
	CHECK_EQ(sum, NAMES);
	CHECK_EQ(value("profile_threads", "name3", "samples"), 1);
	finish();
}

/* clang-format on */

static const struct unit_test tests[] = {
	{ "samples_count_for_functions_and_who_called_them",
	  test_samples_count_for_functions_and_who_called_them },
	{ "samples_count_for_threads", test_samples_count_for_threads },
	{ "samples_count_for_cgroups", test_samples_count_for_cgroups },
	{ "samples_find_stacks_that_come_later", test_samples_find_stacks_that_come_later },
	{ "samples_name_hashed_addresses", test_samples_name_hashed_addresses },
	{ "samples_of_waits_have_a_cause", test_samples_of_waits_have_a_cause },
	{ "samples_name_functions_of_programs", test_samples_name_functions_of_programs },
	{ "samples_count_for_inlined_functions", test_samples_count_for_inlined_functions },
	{ "samples_are_named_by_what_was_there_then", test_samples_are_named_by_what_was_there_then },
	{ "samples_whose_stack_comes_late_are_not_named_by_another_program",
	  test_samples_whose_stack_comes_late_are_not_named_by_another_program },
	{ "samples_of_a_thread_with_many_names", test_samples_of_a_thread_with_many_names },
};

UNIT_MAIN(tests)
