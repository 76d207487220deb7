// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * print/csv: LKST's own columns.
 */
#include "lib/unit.h"
#include "lib/view_fixture.h"

#include "trace/read/reader.h"

#define COLUMNS ",01,0001234,1795263245,123456789"

static const char *one(const char *line)
{
	return fixture_one(f, &lkst_view_csv, line);
}

TEST(csv_prints_a_switch)
{
	CHECK_STR(one("sched_switch next_tid=567 prev_state=1 prev_prio=120 next_prio=115"),
		  "\"context_switch\"" COLUMNS
		  ",\"pointer to task struct(prev)\",0x0da42800,0x0ffff888"
		  ",\"pointer to task struct(next)\",0x0da42400,0x00000001"
		  ",\"prev_state\",0x00000001,0x00000000"
		  ",\"next_tid\",0x00000237,0x00000000"
		  ",\"prev_prio\",0x00000078,0x00000000"
		  ",\"next_prio\",0x00000073,0x00000000"
		  ",\"prev_call\",0xffffffff,0xffffffff"
		  ",\"prev_where\",0x00000000,0x00000000"
		  ",\"prev_flags\",0x00000000,0x00000000"
		  ",\"nr_args\",0x00000000,0x00000000\n");
}

/* A wake-up is who wakes: sched_waking, or, where a trace has none, sched_wakeup. */
TEST(csv_prints_wakeups)
{
	CHECK_STR(one("sched_wakeup target_tid=567 target_prio=115 target_cpu=-1 nr_running=2"),
		  "\"wakeup\"" COLUMNS ",\"pointer to task struct(target)\",0x0da42400,0x00000001"
		  ",\"target_tid\",0x00000237,0x00000000"
		  ",\"target_prio\",0x00000073,0x00000000"
		  ",\"target_cpu\",0xffffffff,0xffffffff"
		  ",\"nr_running\",0x00000002,0x00000000\n");
	CHECK(strstr(one("sched_wakeup target_tid=567 target_prio=-1"),
		     ",\"target_prio\",0xffffffff,0xffffffff") != NULL);
	CHECK_STR(one("sched_waking target_tid=567"),
		  "\"wakeup\"" COLUMNS ",\"pointer to task struct(target)\",0x0da42400,0x00000001"
		  ",\"target_tid\",0x00000237,0x00000000"
		  ",\"target_prio\",0x00000078,0x00000000"
		  ",\"target_cpu\",0x00000000,0x00000000"
		  ",\"call\",0xffffffff,0xffffffff"
		  ",\"context\",0x00000000,0x00000000"
		  ",\"flags\",0x00000000,0x00000000\n");
	fixture_feed(f, "sched_waking target_tid=567 cpu=0 tid=1");
	CHECK(strstr(one("sched_wakeup target_tid=567"), "\"sched_wakeup\"" COLUMNS) != NULL);
	fixture_feed(f, "sched_wakeup target_tid=567");
	CHECK(strstr(one("sched_wakeup target_tid=567"), "\"wakeup\"" COLUMNS) != NULL);
}

/* No 0 is made up: what is not known is empty, and still takes its two columns. */
TEST(csv_leaves_empty_what_is_not_known)
{
	CHECK_STR(one("sched_waking target_tid=4242"),
		  "\"wakeup\"" COLUMNS ",\"pointer to task struct(target)\",,"
		  ",\"target_tid\",0x00001092,0x00000000"
		  ",\"target_prio\",0x00000078,0x00000000"
		  ",\"target_cpu\",0x00000000,0x00000000"
		  ",\"call\",0xffffffff,0xffffffff"
		  ",\"context\",0x00000000,0x00000000"
		  ",\"flags\",0x00000000,0x00000000\n");
	/* 8862 has a record in the state, of before task_structs were known. */
	CHECK(strstr(one("sched_switch next_tid=8862"), "struct(next)\",,,\"prev_state\",") !=
	      NULL);
}

/* Each CPU has an idle thread of its own. */
TEST(csv_knows_the_idle_threads)
{
	static const char switch_to[] = "sched_switch next_tid=0 tid=567 ns=100123456789 cpu=";
	char line[128];

	CHECK(strstr(one("sched_switch next_tid=0"), "struct(next)\",,,") != NULL);
	fixture_feed(f, "state_cpu state_cpu=3 online=1 idle_task=0xffff888003333000");
	fixture_feed(f, "state_cpu state_cpu=1 online=1 idle_task=0xffff888001111000");
	CHECK(strstr(one("sched_switch next_tid=0"), "struct(next)\",0x01111000,0xffff8880,"));
	fixture_begin(f, &lkst_view_csv, LKST_VIEW_DAY);
	snprintf(line, sizeof(line), "%s3", switch_to);
	fixture_print(f, line);
	CHECK(strstr(fixture_end(f), "struct(next)\",0x03333000,0xffff8880,"));
	fixture_begin(f, &lkst_view_csv, LKST_VIEW_DAY);
	snprintf(line, sizeof(line), "%s2", switch_to);
	fixture_print(f, line);
	CHECK(strstr(fixture_end(f), "struct(next)\",,,"));
	/* What is damaged is skipped. */
	fixture_feed(f, "state_cpu state_cpu=-1 idle_task=0x1000");
}

/* `grep context trace.csv | cut -d, -f3,7` is how a table of threads and tasks was made. */
TEST(csv_can_be_cut)
{
	const char *line = one("sched_switch next_tid=567"), *p = line;
	int i;

	CHECK(strstr(line, "context") != NULL);
	for (i = 1; i < 3; i++)
		p = strchr(p, ',') + 1;
	CHECK(!strncmp(p, "0001234,", 8));
	for (; i < 7; i++)
		p = strchr(p, ',') + 1;
	CHECK(!strncmp(p, "0x0da42800,", 11));
}

TEST(csv_prints_every_type)
{
	CHECK_STR(one("softirq_entry vec=3"),
		  "\"softirq_entry\"" COLUMNS ",\"vec\",0x00000003,0x00000000\n");
	CHECK_STR(one("test_arrays name=\"1234567\" numbers=1,2,3 wide=-1,5"),
		  "\"test_arrays\"" COLUMNS ",\"name\",\"1234567\",0x00000007"
		  ",\"numbers[0]\",0x00000001,0x00000000,\"numbers[1]\",0x00000002,0x00000000"
		  ",\"numbers[2]\",0x00000003,0x00000000,\"wide[0]\",0xffffffff,0xffffffff"
		  ",\"wide[1]\",0x00000005,0x00000000\n");
	CHECK_STR(one("test_text text=\"hi\" data=\"AB\" after=7 first=\"f\" second=\"s\""),
		  "\"test_text\"" COLUMNS ",\"text_len\",0x00000002,0x00000000"
		  ",\"data_len\",0x00000002,0x00000000,\"text\",\"hi\",0x00000002"
		  ",\"after\",0x00000007,0x00000000,\"first\",\"f\",0x00000001"
		  ",\"data[0]\",0x00000041,0x00000000,\"data[1]\",0x00000042,0x00000000"
		  ",\"second\",\"s\",0x00000001\n");
	CHECK_STR(one("test.stack by=8 took=99 frames=5"),
		  "\"test.stack\"" COLUMNS
		  ",\"by\",0x00000008,0x00000000,\"took\",0x00000063,0x00000000"
		  ",\"nr\",0x00000001,0x00000000,\"frames[0]\",0x00000005,0x00000000\n");
	CHECK_STR(one("test:nothing"), "\"test:nothing\"" COLUMNS "\n");
}

TEST(csv_escapes_commas_and_quotes)
{
	CHECK_STR(one("printk_console text=\"a,b\n\033\xff\""),
		  "\"printk_console\"" COLUMNS ",\"text\",\"a\\x2cb\\n\\x1b\\xff\",0x00000006\n");
}

/* What a spreadsheet would calculate is text for it. Numbers with a sign are not words. */
TEST(csv_has_no_formulas)
{
	CHECK(strstr(one("printk_console text=\"=1+1|cmd!A0\""), ",\"text\",\"'=1+1|cmd!A0\",0x0000000b"));
	CHECK(strstr(one("printk_console text=\"@sum(a,b)\""), ",\"'@sum(a\\x2cb)\","));
	CHECK(strstr(one("printk_console text=\"-2+3\""), ",\"'-2+3\","));
	CHECK(strstr(one("printk_console text=\"+2.5\""), ",\"+2.5\","));
	CHECK(strstr(one("printk_console text=\"\t=1\""), ",\"\\t=1\","));
	CHECK(strstr(one("printk_console text=\"a=b\""), ",\"a=b\","));
}

TEST(csv_prints_other_times)
{
	fixture_begin(f, &lkst_view_csv, LKST_VIEW_MONO);
	fixture_print(f, "test:nothing cpu=12 tid=5 ns=100000000007");
	CHECK_STR(fixture_end(f), "\"test:nothing\",12,0000005,100,000000007\n");
	fixture_begin(f, &lkst_view_csv, LKST_VIEW_REL);
	fixture_print(f, "test:nothing cpu=128 tid=4194304 ns=100000000007");
	fixture_print(f, "test:nothing tid=-5 ns=98999999999");
	CHECK_STR(fixture_end(f), "\"test:nothing\",128,4194304,1,000000007\n"
				  "\"test:nothing\",00,-0000005,-0,000000001\n");
}

TEST(csv_shows_gaps)
{
	struct lkst_gap gap = { .cpu = 1,
				.buffer = 1,
				.from_ns = 100123456789,
				.to_ns = 100123456889,
				.events = 7,
				.blocks = 2,
				.why = "lost" };

	fixture_begin(f, &lkst_view_csv, LKST_VIEW_DAY);
	f->view->gap(f->ctx, &gap);
	CHECK_STR(fixture_end(f), "\"gap\",01,,1795263245,123456789,\"ns\",0x00000064,0x00000000,"
				  "\"events\",0x00000007,0x00000000,\"blocks\",0x00000002,"
				  "0x00000000,\"buffer\",0x00000001,0x00000000\n");
}

TEST(csv_names_addresses_behind_the_fields)
{
	const char *line = "workqueue_execute_start work=1 function=0xffffffff81000102";

	CHECK_STR(one(line), "\"workqueue_execute_start\"" COLUMNS ",\"work\",0x00000001,0x00000000"
			     ",\"function\",0x81000102,0xffffffff\n");
	fixture_symbol(f, 0xffffffff81000100, 0x80, "do,this");
	CHECK_STR(one(line), "\"workqueue_execute_start\"" COLUMNS ",\"work\",0x00000001,0x00000000"
			     ",\"function\",0x81000102,0xffffffff"
			     ",\"function symbol\",\"do\\x2cthis+0x2\",0x0000000b\n");
	CHECK_STR(one("workqueue_execute_start work=1 function=2"),
		  "\"workqueue_execute_start\"" COLUMNS ",\"work\",0x00000001,0x00000000"
		  ",\"function\",0x00000002,0x00000000,\"function symbol\",\"\",0x00000000\n");
}

static const struct unit_test tests[] = {
	{ "csv_prints_a_switch", test_csv_prints_a_switch },
	{ "csv_prints_wakeups", test_csv_prints_wakeups },
	{ "csv_leaves_empty_what_is_not_known", test_csv_leaves_empty_what_is_not_known },
	{ "csv_knows_the_idle_threads", test_csv_knows_the_idle_threads },
	{ "csv_can_be_cut", test_csv_can_be_cut },
	{ "csv_prints_every_type", test_csv_prints_every_type },
	{ "csv_escapes_commas_and_quotes", test_csv_escapes_commas_and_quotes },
	{ "csv_has_no_formulas", test_csv_has_no_formulas },
	{ "csv_prints_other_times", test_csv_prints_other_times },
	{ "csv_shows_gaps", test_csv_shows_gaps },
	{ "csv_names_addresses_behind_the_fields", test_csv_names_addresses_behind_the_fields },
};

UNIT_MAIN(tests)
