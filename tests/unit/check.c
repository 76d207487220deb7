/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The last line of `lkst check`: "all good" only if nothing is missing by any count.
 */
#include "cmd/frame/cmd.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

#define RECORDS "sched_switch cpu=0 ns=100 next_tid=5\nsched_switch cpu=0 ns=200 next_tid=0\n"
#define END "!end ns=300 how=0\n"
#define SWITCHES(from, value, is)                                                                  \
	"state_counter ns=1 kind=0 counter_cpu=-1 from=" #from " to=" #from " value=" #value       \
	" is_recorded=" #is " name=ctxt\n"

/* The last line of what check has printed, from its colon on. */
static const char *last_printed(void)
{
	char *end = strrchr(output, '\n');

	if (!end)
		return "";
	*end = 0;
	end = strrchr(output, '\n');
	end = strchr(end ? end : output, ':');
	return end ? end + 2 : "";
}

/* The last line that check prints of the trace of @text, from its colon on; its result in *@ret_result. */
static const char *last_line(const char *text, int *ret_result)
{
	static char dir[64];
	char path[128];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, text))
		abort();
	*ret_result = run_command(&lkst_cmd_check, dir, "trace");
	make_scratch_remove(dir);
	return last_printed();
}

TEST(check_is_content_with_a_whole_trace)
{
	int result;

	CHECK_STR(last_line(RECORDS END, &result), "all good");
	CHECK_EQ(result, 0);
	CHECK_STR(last_line(SWITCHES(50, 10, 1) RECORDS SWITCHES(250, 12, 1) END, &result),
		  "all good");
	CHECK_EQ(result, 0);
}

TEST(check_is_not_content_with_a_ledger_that_is_not_empty)
{
	static const char *const ledgers[] = {
		"state_loss ns=1 loss_cpu=0 buffer=0 cause=0 count=4\n",
		"state_loss ns=1 loss_cpu=0 buffer=0 cause=1 count=4\n", /* strings cut */
		"state_loss ns=1 loss_cpu=0 buffer=0 cause=2 count=4\n",
		"state_loss ns=1 loss_cpu=0 buffer=0 cause=3 count=4\n",
		"state_loss ns=1 loss_cpu=0 buffer=0 cause=4 count=4\n",
		"state_overwritten ns=1 loss_cpu=0 buffer=1 blocks=9 from=0 to=90\n",
		"state_torn ns=1 loss_cpu=0 buffer=0 records=1\n",
		"state_shed ns=1 left_out=5 times=1 kind=syscall:*\n",
		"state_skipped ns=1 count=3 hook=tp_btf__kfree\n",
	};
	char text[2048];
	unsigned int i;
	int result;

	for (i = 0; i < sizeof(ledgers) / sizeof(ledgers[0]); i++) {
		const char *line;

		/* Not even where the kernel's counters agree with the records. */
		snprintf(text, sizeof(text), "%s%s%s%s%s", SWITCHES(95, 10, 1), ledgers[i], RECORDS,
			 SWITCHES(250, 12, 1), END);
		line = last_line(text, &result);
		CHECK_EQ(result, 0);
		if (strncmp(line, "whole, but ", 11) || !strstr(line, "see the ledger above")) {
			CHECK_STR(ledgers[i], line);
			break;
		}
	}
}

TEST(check_is_not_content_with_less_than_the_kernel_counted)
{
	int result;

	CHECK_STR(last_line(SWITCHES(50, 10, 1) RECORDS SWITCHES(250, 30, 1) END, &result),
		  "whole, but the kernel counted more: see its counters above");
	CHECK_EQ(result, 0);
}

/* One part alone is whole; in its directory, the next one is missing. */
TEST(check_says_that_the_next_part_is_missing)
{
	char dir[64], parts[128], path[192];

	make_scratch(dir);
	snprintf(parts, sizeof(parts), "%s/parts", dir);
	CHECK_EQ(mkdir(parts, 0700), 0);
	snprintf(path, sizeof(path), "%s/1", parts);
	CHECK_EQ(make_trace(path, 4096, RECORDS "!claim cpu=0 covered=300\n!end ns=300 how=4\n"),
		 0);

	CHECK_EQ(run_command(&lkst_cmd_check, dir, "parts/1"), 0);
	CHECK(strstr(output, "\nend: the recording goes on in the next part\n"));
	CHECK(!strstr(output, "\nparts: "));
	CHECK_STR(last_printed(), "all good");
	CHECK_EQ(run_command(&lkst_cmd_check, dir, "--json parts/1"), 0);
	CHECK(strstr(output, "\"gaps\":0,") &&
	      strstr(output, "\"lacks_part\":false,\"ending\":\"goes-on\""));

	CHECK_EQ(run_command(&lkst_cmd_check, dir, "parts"), 1);
	CHECK(strstr(output, "\nparts: a part is missing, or was never begun: "));
	CHECK_STR(last_printed(), "damaged or incomplete");
	CHECK_EQ(run_command(&lkst_cmd_check, dir, "--json parts"), 1);
	CHECK(strstr(output, "\"lacks_part\":true,\"ending\":\"goes-on\""));
	make_scratch_remove(dir);
}

/* The gap, the line and the verdict that the text has are in the object, with their times. */
TEST(check_says_as_json_what_it_says_as_text)
{
	static const char text[] =
		"state_loss ns=1 loss_cpu=0 buffer=0 cause=0 count=4\n"
		"state_overwritten ns=1 loss_cpu=0 buffer=1 blocks=9 from=70 to=90\n"
		"state_shed ns=1 left_out=5000000 times=1 kind=syscall:*\n" RECORDS
		"!block cpu=0\n!skip cpu=0 blocks=3\n"
		"sched_switch cpu=0 ns=400 next_tid=5\n";
	static char dir[64], lines[sizeof(output)];
	char path[128];

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, text), 0);
	CHECK_EQ(run_command(&lkst_cmd_check, dir, "trace"), 1);
	memcpy(lines, output, sizeof(lines));
	CHECK_EQ(run_command(&lkst_cmd_check, dir, "--json trace"), 1);
	CHECK(strstr(
		lines,
		"gap: CPU 0, buffer 0, 0.000000 to 0.000000 s: blocks are missing (3 blocks, "));
	CHECK(strstr(output, "\"gap_list\":[{\"cpu\":0,\"buffer\":0,\"from_ns\":200,\"to_ns\":400,"
			     "\"blocks\":3,\"events\":0,\"why\":\"blocks are missing\"}]"));
	CHECK(strstr(lines, "ledger: CPU 0, buffer 0: 4 events: nested too deep\n"));
	CHECK(strstr(output, "\"ledger\":[{\"kind\":\"loss\",\"cpu\":0,\"buffer\":0,\"count\":4,"
			     "\"text\":\"CPU 0, buffer 0: 4 events: nested too deep\"},"));
	CHECK(strstr(output, "{\"kind\":\"overwritten\",\"cpu\":0,\"buffer\":1,\"count\":9,"
			     "\"from_ns\":70,\"to_ns\":90,\"text\":"));
	CHECK(strstr(output, "{\"kind\":\"shed\",\"cpu\":null,\"buffer\":null,\"count\":1,\"text\":"
			     "\"syscall:* was left out 1 times "));
	CHECK(strstr(output,
		     "\"begin_ns\":100,\"end_ns\":400,\"verdict\":\"damaged or incomplete\","
		     "\"streams\":[{\"stream\":\"main.0\",\"cpu\":0,\"buffer\":0,\"blocks\":2,"
		     "\"missing\":3,\"damaged\":0,\"lost\":0}"));
	CHECK(strstr(output, "\"compared\":{\"why_not\":\""));
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "check_is_content_with_a_whole_trace", test_check_is_content_with_a_whole_trace },
	{ "check_is_not_content_with_a_ledger_that_is_not_empty",
	  test_check_is_not_content_with_a_ledger_that_is_not_empty },
	{ "check_is_not_content_with_less_than_the_kernel_counted",
	  test_check_is_not_content_with_less_than_the_kernel_counted },
	{ "check_says_that_the_next_part_is_missing",
	  test_check_says_that_the_next_part_is_missing },
	{ "check_says_as_json_what_it_says_as_text", test_check_says_as_json_what_it_says_as_text },
};
UNIT_MAIN(tests)
