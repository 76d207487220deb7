// SPDX-License-Identifier: GPL-2.0-only
/*
 * lkst export as a user runs it: what it says of formats that it does not write.
 * tier: check
 */
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

static char dir[64];

static int run(const char *line)
{
	return run_command(&lkst_cmd_export, dir, line);
}

static void make(void)
{
	char path[96];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096,
			    "state_thread ns=10 thread_tid=5 thread_pid=5 comm=five\n"
			    "stack ns=90 buffer=1 stack=1 flags=1 frames=0x1010\n"
			    "sched_switch cpu=0 tid=0 ns=100 next_tid=5\n"
			    "sample cpu=0 tid=5 ns=200 stack=1 period_ns=30\n"
			    "sched_switch cpu=0 tid=5 ns=300 next_tid=0 prev_state=1\n"),
		 0);
}

TEST(export_says_what_other_tools_read)
{
	static const char *const tools[] = { "speedscope", "flamegraph" };
	char line[64];
	size_t i;

	make();
	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		snprintf(line, sizeof(line), "--format %s --output out trace", tools[i]);
		CHECK_EQ(run(line), -EINVAL);
		CHECK(strstr(message, tools[i]) && strstr(message, "--format folded has those of samples"));
		CHECK_EQ(run("--format folded --output - trace"), 0);
		CHECK_STR(output, "five-5;0x1010 30\n");
		CHECK_EQ(run("--format collapsed --output - trace"), 0);
		CHECK_STR(output, "five-5;five-5;running 200\n");
	}
	CHECK_EQ(run("--format pdf trace"), -EINVAL);
	CHECK(!strcmp(message + strlen(message) - strlen(", not \"pdf\""), ", not \"pdf\""));
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "export_says_what_other_tools_read", test_export_says_what_other_tools_read },
};

UNIT_MAIN(tests)
