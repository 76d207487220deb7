// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * How commands answer: lists in every format, and usage and help from rows.
 */
#include "lib/run_command.h"
#include "lib/unit.h"

#include <errno.h>

static const char *run_event(const char *line)
{
	return run_command(&lkst_cmd_event, ".", line) ? message : output;
}

TEST(answer_is_text_unless_a_format_is_named)
{
	CHECK(!strncmp(run_event("list sched_switch"), "EVENT         GROUP  LKST", 25));
	CHECK(strstr(output, "\nsched_switch  sched  PROCESS_CONTEXTSWITCH  "));
	CHECK(strstr(output, "\n1 events. Besides: "));
	CHECK(!strncmp(run_event("list --format text sched_switch"), "EVENT ", 6));
}

TEST(answer_as_csv_is_nothing_but_rows)
{
	const char *second;

	CHECK(!strncmp(run_event("list --format csv sched_switch"),
		       "name,group,mnemonic,lkst_id,bytes,hook,help\r\n", 45));
	second = strchr(output, '\n') + 1;
	CHECK(!strncmp(second, "sched_switch,sched,PROCESS_CONTEXTSWITCH,1,32,", 46));
	CHECK_STR(strchr(second, '\n'), "\n");
}

TEST(answer_as_json_is_an_object_per_line)
{
	static char json[sizeof(output)];

	CHECK(!strncmp(
		run_event("list --format json sched_switch"),
		"{\"name\":\"sched_switch\",\"group\":\"sched\",\"mnemonic\":\"PROCESS_CONTEXTSWITCH\","
		"\"lkst_id\":1,\"bytes\":32,\"hook\":",
		100));
	CHECK_STR(strchr(output, '\n'), "\n");
	memcpy(json, output, sizeof(json));
	CHECK_STR(run_event("list --json sched_switch"), json);
}

TEST(answer_in_no_other_format)
{
	CHECK_STR(run_event("list --format xml"), "--format takes text, csv or json, not \"xml\"");
	CHECK_STR(run_event("tell"), "there is no \"tell\"; see --help");
	CHECK_STR(run_event("show"), "\"show\" takes 1 to 1 arguments, not 0; see --help");
}

TEST(answer_to_help_has_verbs_and_formats)
{
	CHECK(!strncmp(run_event("--help"), "usage: lkst event [OPTIONS] list [GLOB] | show NAME\n",
		       52));
	CHECK(strstr(output, "\n  show NAME     one, with its fields"));
	CHECK(strstr(output, "\n      --format FORMAT     with list: how to print it\n"
			     "                          text: aligned columns"));
	CHECK_EQ(run_command(&lkst_cmd_analyze, ".", "--help"), 0);
	/* It is broken between words, and continues below the first one. */
	CHECK(strstr(output, " [--comm NAME]\n                    [--cgroup GLOB] [--span GLOB] [--cpu N] "));
}

static const struct unit_test tests[] = {
	{ "answer_is_text_unless_a_format_is_named", test_answer_is_text_unless_a_format_is_named },
	{ "answer_as_csv_is_nothing_but_rows", test_answer_as_csv_is_nothing_but_rows },
	{ "answer_as_json_is_an_object_per_line", test_answer_as_json_is_an_object_per_line },
	{ "answer_in_no_other_format", test_answer_in_no_other_format },
	{ "answer_to_help_has_verbs_and_formats", test_answer_to_help_has_verbs_and_formats },
};

UNIT_MAIN(tests)
