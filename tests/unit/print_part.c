// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * lkst print --first and --last: they are the first and last lines of what is printed without them, names and all.
 */
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

static char dir[64], all[sizeof(output)];

/* Thread 5 is forked on one CPU, renamed on another, and then works on both; a block is missing between. */
static const char text[] =
	"state_thread ns=10 thread_tid=4 comm=\"parent\"\n"
	"sched_process_fork cpu=1 buffer=1 tid=4 ns=1000 child_tid=5 child_comm=\"forked\"\n"
	"task_rename cpu=0 buffer=1 tid=5 ns=1100 target_tid=5 newcomm=\"renamed\"\n"
	"sched_switch cpu=0 tid=5 ns=1200 next_tid=4\n"
	"sched_switch cpu=1 tid=5 ns=1200 next_tid=0\n"
	"!block cpu=0\n"
	"!skip cpu=0 blocks=2\n"
	"sched_switch cpu=0 tid=5 ns=9001300 next_tid=4\n"
	"sched_switch cpu=1 tid=4 ns=9001300 next_tid=5\n"
	"task_rename cpu=1 buffer=1 tid=5 ns=9001350 target_tid=5 newcomm=\"again\"\n"
	"sched_switch cpu=1 tid=5 ns=9001400 next_tid=4\n";

static void begin(void)
{
	char path[96];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
}

static const char *print(const char *options)
{
	char line[512];

	snprintf(line, sizeof(line), "--time mono %s trace", options);
	return run_command(&lkst_cmd_print, dir, line) ? message : output;
}

/* The line number @nr, from 0 on; negative: from the end. */
static const char *line_of(const char *lines, int nr)
{
	const char *at = lines + strlen(lines);

	if (nr >= 0) {
		for (at = lines; nr; nr--)
			at = strchr(at, '\n') + 1;
		return at;
	}
	for (at--; at > lines && !(at[-1] == '\n' && !++nr); at--)
		;
	return at;
}

/* Whether --first and --last of @nr records, with @options, are the ends of what @options alone print. */
static void check_ends(const char *options, int nr)
{
	char with[256];
	const char *first;

	snprintf(all, sizeof(all), "%s", print(options));
	snprintf(with, sizeof(with), "--first %d %s", nr, options);
	first = print(with);
	CHECK(*first && !strncmp(all, first, strlen(first)));
	CHECK(first == strstr(first, line_of(all, 0)) || line_of(all, nr) == all + strlen(first));
	snprintf(with, sizeof(with), "--last %d %s", nr, options);
	CHECK_STR(print(with), line_of(all, -nr));
}

TEST(print_has_the_first_and_the_last)
{
	begin();
	check_ends("--no-gaps", 1);
	check_ends("--no-gaps", 3);
	check_ends("--no-gaps --from @0.000001200", 2);
	check_ends("--no-gaps --from @0.009001350", 1);
	check_ends("--no-gaps --event sched_switch --cpu 1", 2);
	check_ends("--no-gaps --event sched_switch --comm again", 1);
	check_ends("--no-gaps --format json --to @0.009001300", 2);
}

TEST(print_of_a_part_names_threads_as_all_of_it_does)
{
	begin();
	CHECK(strstr(print("--first 1 --from @0.000001200"), " 5/renamed "));
	CHECK(strstr(print("--last 1"), " 5/again "));
	CHECK(strstr(print("--last 1 --to @0.009001300 --tid 4"), " 4/parent "));
}

TEST(print_of_a_part_has_its_gaps)
{
	begin();
	CHECK(strstr(print("--last 4"), "missing"));
	CHECK(!strstr(print("--last 3"), "missing"));
	CHECK(!strstr(print("--first 3"), "missing"));
	CHECK(strstr(print("--first 5"), "missing"));
}

/* However far back the last ones are looked for, the gaps are those that reach into their time. */
TEST(print_of_a_part_has_the_gaps_that_reach_into_its_time)
{
	static const char over[] = "sched_switch cpu=0 tid=5 ns=1000 next_tid=4\n"
				   "!block cpu=0\n"
				   "!skip cpu=0 blocks=2\n"
				   "sched_switch cpu=1 tid=5 ns=2000 next_tid=4\n"
				   "sched_switch cpu=1 tid=4 ns=8000000 next_tid=5\n"
				   "sched_switch cpu=1 tid=5 ns=8500000 next_tid=4\n"
				   "sched_switch cpu=1 tid=4 ns=8600000 next_tid=5\n"
				   "sched_switch cpu=0 tid=4 ns=8700000 next_tid=5\n"
				   "sched_switch cpu=1 tid=5 ns=9000000 next_tid=4\n"
				   "!claim cpu=1 covered=9500000 left=2\n"
				   "!end ns=9900000 how=1\n";
	static const char first[] = "blocks are missing", second[] = "blocks could not be written";
	char path[96], options[32];
	int nr;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, over), 0);
	for (nr = 1; nr <= 7; nr++) {
		const char *printed;

		snprintf(options, sizeof(options), "--last %d", nr);
		printed = print(options);
		CHECK_EQ(strstr(printed, first) != NULL, nr > 1);
		CHECK_EQ(strstr(printed, second) != NULL, 1);
	}
}

TEST(print_has_all_if_there_are_fewer)
{
	begin();
	snprintf(all, sizeof(all), "%s", print(""));
	CHECK_STR(print("--first 100"), all);
	CHECK_STR(print("--last 100"), all);
	CHECK_STR(print("--no-gaps --last 5 --event task_newtask"), "");
}

TEST(print_refuses_both_ends)
{
	begin();
	CHECK_STR(print("--first 1 --last 1"), "--first and --last exclude each other");
}

static const struct unit_test tests[] = {
	{ "print_has_the_first_and_the_last", test_print_has_the_first_and_the_last },
	{ "print_of_a_part_names_threads_as_all_of_it_does",
	  test_print_of_a_part_names_threads_as_all_of_it_does },
	{ "print_of_a_part_has_its_gaps", test_print_of_a_part_has_its_gaps },
	{ "print_of_a_part_has_the_gaps_that_reach_into_its_time",
	  test_print_of_a_part_has_the_gaps_that_reach_into_its_time },
	{ "print_has_all_if_there_are_fewer", test_print_has_all_if_there_are_fewer },
	{ "print_refuses_both_ends", test_print_refuses_both_ends },
};

UNIT_MAIN(tests)
