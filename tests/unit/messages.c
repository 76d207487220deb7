/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What commands print of a trace that somebody else has made: whatever its names are, no form of output controls a
 * terminal, breaks a line, turns text around, or is a formula for a spreadsheet.
 */
#include "cmd/frame/cmd.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

#define ESC "\x1b[31m"
#define RLO "\xe2\x80\xae"
#define FORMULA "=1+1|cmd!A0"

static char dir[64], path[160];

static const char lines[] =
	"task_rename tid=5 ns=1000 target_tid=5 newcomm=\"" ESC "red\" oldcomm=\"a\"\n"
	"task_rename tid=6 ns=1001 target_tid=6 newcomm=\"" FORMULA "\" oldcomm=\"a\"\n"
	"task_rename tid=7 ns=1002 target_tid=7 newcomm=\"" RLO "txt.exe\" oldcomm=\"a\"\n"
	"task_rename tid=8 ns=1003 target_tid=8 newcomm=\"\xff\xfe\x9b\" oldcomm=\"a\"\n"
	"sched_switch tid=0 ns=2000 next_tid=5 prev_state=0\n"
	"sched_switch tid=5 ns=3000 next_tid=6 prev_state=1\n"
	"sched_switch tid=6 ns=4000 next_tid=7 prev_state=1\n"
	"sched_switch tid=7 ns=5000 next_tid=8 prev_state=1\n"
	"sched_switch tid=8 ns=6000 next_tid=0 prev_state=1\n"
	"printk_console tid=8 ns=6500 text=\"" ESC RLO "\xff=\"\n"
	"state_shed ns=7000 left_out=1000000 times=3 kind=\"" ESC RLO "kind\"\n"
	"state_skipped ns=7000 count=2 hook=\"" ESC "\xff"
	"hook\"\n"
	"!end ns=8000 how=0\n";

static void begin(void)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, lines))
		abort();
}

/*
 * The first byte of the output that may command something, as text; "": there is none. Bars of histograms and columns
 * of tabs are the program's own.
 */
static const char *first_bad(void)
{
	static char bad[32];
	const unsigned char *s;

	for (s = (const unsigned char *)output; *s; s++)
		if (*s == 0xe2 && s[1] >= 0x94 && s[1] <= 0x96) {
			s += 2;
		} else if ((*s < ' ' && *s != '\n' && *s != '\t' && !(*s == '\r' && s[1] == '\n')) ||
			   *s >= 0x7f) {
			snprintf(bad, sizeof(bad), "%02x at %zu", *s, (size_t)((const char *)s - output));
			return bad;
		}
	return "";
}

static int run_print(const char *line)
{
	return run_command(&lkst_cmd_print, dir, line);
}

TEST(messages_print_is_clean)
{
	begin();
	CHECK_EQ(run_print("trace"), 0);
	CHECK(strstr(output, "\\x1b[31mred") && strstr(output, "\\xe2\\x80\\xaetxt.exe"));
	CHECK(strstr(output, "\\xff\\xfe\\x9b"));
	CHECK_STR(first_bad(), "");
	CHECK_EQ(run_print("--format csv trace"), 0);
	CHECK(strstr(output, "\"'" FORMULA "\"") && !strstr(output, "\"" FORMULA));
	CHECK_STR(first_bad(), "");
	CHECK_EQ(run_print("--format flight trace"), 0);
	CHECK_STR(first_bad(), "");
	make_scratch_remove(dir);
}

/* A character that stands for bytes that are none is the only one beyond ASCII. */
TEST(messages_json_is_clean)
{
	char *p;

	begin();
	CHECK_EQ(run_print("--format json trace"), 0);
	CHECK(strstr(output, "\\u001b[31mred") && strstr(output, "\\u202etxt.exe"));
	while ((p = strstr(output, "\xef\xbf\xbd")))
		memcpy(p, "???", 3);
	CHECK_STR(first_bad(), "");
	make_scratch_remove(dir);
}

TEST(messages_tables_are_clean)
{
	begin();
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "--format csv procstate trace"), 0);
	CHECK(strstr(output, "'" FORMULA) && strstr(output, "\\x1b[31mred"));
	CHECK(!strstr(output, "," FORMULA) && !strstr(output, "\n" FORMULA));
	CHECK_STR(first_bad(), "");
	CHECK_EQ(run_command(&lkst_cmd_analyze, dir, "procstate trace"), 0);
	CHECK(strstr(output, "\\x1b[31mred"));
	CHECK_STR(first_bad(), "");
	CHECK_EQ(run_command(&lkst_cmd_report, dir, "trace"), 0);
	CHECK_STR(first_bad(), "");
	make_scratch_remove(dir);
}

TEST(messages_check_is_clean)
{
	char from[256], to[256];

	begin();
	CHECK_EQ(run_command(&lkst_cmd_check, dir, "--counts trace"), 0);
	CHECK(strstr(output, "ledger: \\x1b[31m\\xe2\\x80\\xaekind was left out 3"));
	CHECK(strstr(output, "ledger: \\x1b[31m\\xffhook was skipped 2"));
	CHECK_STR(first_bad(), "");
	/* A file is a stream whatever it is called. */
	snprintf(from, sizeof(from), "%s/main.0", path);
	snprintf(to, sizeof(to), "%s/" ESC RLO "\xff", path);
	CHECK(!rename(from, to));
	run_command(&lkst_cmd_check, dir, "trace");
	CHECK(strstr(output, "\\x1b[31m\\xe2\\x80\\xae\\xff"));
	CHECK_STR(first_bad(), "");
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "messages_print_is_clean", test_messages_print_is_clean },
	{ "messages_json_is_clean", test_messages_json_is_clean },
	{ "messages_tables_are_clean", test_messages_tables_are_clean },
	{ "messages_check_is_clean", test_messages_check_is_clean },
};
UNIT_MAIN(tests)
