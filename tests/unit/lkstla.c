// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The commands that print analyses: lkst analyze and lkstla, from the command line to the output.
 */
#include "cmd/frame/cmd.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

static char dir[64];

static const char text[] = "task_rename tid=5 ns=1000000000 target_tid=5 newcomm=\"a b\"\n"
			   "sched_waking cpu=0 tid=5 ns=1108676061557 target_tid=6\n"
			   "sched_wakeup cpu=0 tid=5 ns=1108676061577 target_tid=6 target_cpu=0 "
			   "nr_running=2\n"
			   "sched_waking cpu=1 tid=7 ns=1108690000000 target_tid=8\n"
			   "sched_wakeup cpu=0 tid=5 ns=1108690000300 target_tid=8 target_cpu=0 "
			   "nr_running=3\n";

/* Runs @cmd with the words of @line in a directory that has the trace TRACE; returns its result. */
static int run(const struct lkst_cmd *cmd, const char *line)
{
	char path[96];

	if (!dir[0]) {
		make_scratch(dir);
		snprintf(path, sizeof(path), "%s/TRACE", dir);
		if (make_trace(path, 4096, text))
			abort();
	}
	return run_command(cmd, dir, line);
}

TEST(lkstla_lists_for_gnuplot)
{
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -l TRACE"), 0);
	CHECK_STR(output, "# key             tid           start      elapsed  cpu  comm\n"
			  "wakeup:here         5  1108.676061557  0.000000020    0  a b\n"
			  "wakeup:elsewhere    7  1108.690000000  0.000000300    1  -\n");
}

TEST(lkstla_takes_a_key_and_a_window)
{
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -l -k wakeup:here TRACE"), 0);
	CHECK(strstr(output, "wakeup:here") && !strstr(output, "elsewhere"));
	/* The window's ends belong to it. */
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -l -t1108.676061557+0.000000020 TRACE"), 0);
	CHECK(strstr(output, "wakeup:here") && !strstr(output, "elsewhere"));
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -l -t1108.676061558+1 TRACE"), 0);
	CHECK(!strstr(output, "wakeup:here") && strstr(output, "elsewhere"));
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -t 1108 TRACE"), -EINVAL);
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -t 1108+ TRACE"), -EINVAL);
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime -t 1+2x TRACE"), -EINVAL);
	CHECK(!strncmp(message, "\"1+2x\" is no window", 19));
}

TEST(lkstla_takes_the_files_of_a_trace)
{
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime TRACE/metadata TRACE"), 0);
	CHECK(strstr(output, "wakeup:here"));
	CHECK_EQ(run(&lkst_cmd_lkstla, "schedtime TRACE/metadata /sys/fs"), -ENOENT);
	CHECK(strstr(message, "cannot read the trace"));
	CHECK(run(&lkst_cmd_lkstla, "schedtime /nonexistent") < 0);
}

TEST(analyze_prints_statistics)
{
	CHECK_EQ(run(&lkst_cmd_analyze, "schedtime -f csv TRACE"), 0);
	CHECK_STR(output,
		  "key,count,share_percent,total_ns,mean_ns,p50_ns,p95_ns,p99_ns,p99_9_ns,max_ns,"
		  "crossing\r\n"
		  "all,2,100,320,160,20,300,300,300,300,0\r\n"
		  "\r\n"
		  "from_ns,to_ns,count\r\n"
		  "16,32,1\r\n32,64,0\r\n64,128,0\r\n128,256,0\r\n256,512,1\r\n"
		  "\r\n"
		  "key,count,share_percent,total_ns,mean_ns,p50_ns,p95_ns,p99_ns,p99_9_ns,max_ns,"
		  "crossing\r\n"
		  "wakeup:elsewhere,1,93.75,300,300,300,300,300,300,300,0\r\n"
		  "wakeup:here,1,6.25,20,20,20,20,20,20,20,0\r\n"
		  "\r\n"
		  "value_ns,time_ns,tid,comm,cpu,key\r\n"
		  "300,1108690000000,7,,1,wakeup:elsewhere\r\n"
		  "20,1108676061557,5,a b,0,wakeup:here\r\n");
}

TEST(analyze_answers_several_at_once)
{
	CHECK_EQ(run(&lkst_cmd_analyze, "runqueue,schedtime,runqueue -f json TRACE"), 0);
	CHECK(strstr(output, "\"runqueue_total\":"));
	CHECK(strstr(output, "\"schedtime_total\":"));
	CHECK_EQ(run(&lkst_cmd_analyze, "all --rows 1 TRACE"), 0);
	CHECK(strstr(output, "Run queue length at wake-ups: all\n"));
	CHECK(strstr(output, "... and 1 more\n"));
}

TEST(analyze_refuses_what_is_not_there)
{
	CHECK_EQ(run(&lkst_cmd_analyze, "scheduler TRACE"), -EINVAL);
	CHECK_STR(message, "there is no analysis \"scheduler\"; `lkst analyze --help` lists them");
	CHECK_EQ(run(&lkst_cmd_analyze, ", TRACE"), -EINVAL);
	CHECK_EQ(run(&lkst_cmd_analyze, "runqueue, TRACE"), -EINVAL);
	CHECK_EQ(run(&lkst_cmd_analyze, "all --list TRACE"), -EINVAL);
	CHECK(!strncmp(message, "--list takes one analysis", 25));
	CHECK_EQ(run(&lkst_cmd_analyze, "runqueue --format xml TRACE"), -EINVAL);
	CHECK_EQ(run(&lkst_cmd_analyze, "runqueue --from noon TRACE"), -EINVAL);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "lkstla_lists_for_gnuplot", test_lkstla_lists_for_gnuplot },
	{ "lkstla_takes_a_key_and_a_window", test_lkstla_takes_a_key_and_a_window },
	{ "lkstla_takes_the_files_of_a_trace", test_lkstla_takes_the_files_of_a_trace },
	{ "analyze_prints_statistics", test_analyze_prints_statistics },
	{ "analyze_answers_several_at_once", test_analyze_answers_several_at_once },
	{ "analyze_refuses_what_is_not_there", test_analyze_refuses_what_is_not_there },
};
UNIT_MAIN(tests)
