// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * print/json: an object per line, raw values.
 */
#include "lib/unit.h"
#include "lib/view_fixture.h"

#include "trace/read/reader.h"

#define HEAD                                                                                       \
	"{\"ns\":100123456789,\"time\":\"2026-11-21T12:14:05.123456789Z\",\"cpu\":1,\"tid\":1234," \
	"\"comm\":\"bash\",\"event\":"

static const char *one(const char *line)
{
	return fixture_one(f, &lkst_view_json, line);
}

TEST(json_prints_raw_values)
{
	CHECK_STR(one("sched_switch next_tid=567 prev_state=0x2001 prev_prio=120 next_prio=115"),
		  HEAD "\"sched_switch\",\"fields\":{\"next_tid\":567,\"prev_state\":8193,"
		       "\"prev_prio\":120,\"next_prio\":115,\"prev_call\":-1,\"prev_where\":0,"
		       "\"prev_flags\":0,\"nr_args\":0,\"prev_args\":[]}}\n");
	CHECK_STR(one("page_fault_user address=0xffffffffffffffff ip=0x7f0000000000 error_code=7"),
		  HEAD "\"page_fault_user\",\"fields\":{\"address\":18446744073709551615,"
		       "\"ip\":139637976727552,\"error_code\":7}}\n");
	CHECK_STR(one("syscall_exit_openat ret=-2"),
		  HEAD "\"syscall_exit_openat\",\"fields\":{\"ret\":-2,\"path_str\":\"\"}}\n");
	CHECK_STR(one("test:nothing"), HEAD "\"test:nothing\",\"fields\":{}}\n");
}

TEST(json_prints_every_type)
{
	CHECK_STR(one("test_integers ua=1 sa=-1 xb=0xff sb=-2 uc=4294967295 sc=-3 "
		      "ud=18446744073709551615 sd=-4 xd=0xffff"),
		  HEAD "\"test_integers\",\"fields\":{\"ua\":1,\"sa\":-1,\"xa\":0,\"ub\":0,"
		       "\"sb\":-2,\"xb\":255,\"uc\":4294967295,\"sc\":-3,\"xc\":0,"
		       "\"ud\":18446744073709551615,\"sd\":-4,\"xd\":65535}}\n");
	/* What is named pad has no meaning and is left out. */
	CHECK_STR(one("test_arrays name=\"1234567\" numbers=1,2,3 wide=-1,5"),
		  HEAD "\"test_arrays\",\"fields\":{\"name\":\"1234567\",\"numbers\":[1,2,3],"
		       "\"wide\":[-1,5]}}\n");
	CHECK_STR(one("test_text text=\"hi there\" data=\"AB\" after=7 first=\"f\" second=\"s\""),
		  HEAD "\"test_text\",\"fields\":{\"text_len\":8,\"data_len\":2,"
		       "\"text\":\"hi there\",\"after\":7,\"first\":\"f\",\"data\":[65,66],"
		       "\"second\":\"s\"}}\n");
	CHECK_STR(one("test.stack by=8 took=99 frames=5,6"), HEAD
		  "\"test.stack\",\"fields\":{\"by\":8,\"took\":99,\"nr\":2,\"frames\":[5,6]}}\n");
}

TEST(json_escapes_what_it_does_not_trust)
{
	CHECK_STR(one("printk_console text=\"a\n\033\\\xff\xc3\xa9\""),
		  HEAD "\"printk_console\",\"fields\":{\"text\":"
		       "\"a\\n\\u001b\\\\\xef\xbf\xbd\xc3\xa9\"}}\n");
	fixture_begin(f, &lkst_view_json, LKST_VIEW_REL);
	fixture_print(f, "test:nothing tid=99 ns=100000000000");
	fixture_print(f, "test:nothing tid=4242 ns=100000000000");
	fixture_print(f, "test:nothing tid=0 ns=100000000000");
	CHECK_STR(fixture_end(f),
		  "{\"ns\":100000000000,\"time\":\"2026-11-21T12:14:05.000000000Z\",\"cpu\":0,"
		  "\"tid\":99,\"comm\":\"a\\nb\xef\xbf\xbd\",\"event\":\"test:nothing\","
		  "\"fields\":{}}\n"
		  "{\"ns\":100000000000,\"time\":\"2026-11-21T12:14:05.000000000Z\",\"cpu\":0,"
		  "\"tid\":4242,\"comm\":null,\"event\":\"test:nothing\",\"fields\":{}}\n"
		  "{\"ns\":100000000000,\"time\":\"2026-11-21T12:14:05.000000000Z\",\"cpu\":0,"
		  "\"tid\":0,\"comm\":\"swapper\",\"event\":\"test:nothing\",\"fields\":{}}\n");
}

TEST(json_shows_gaps)
{
	struct lkst_gap gap = {
		.cpu = 1, .buffer = 1, .from_ns = 5, .to_ns = 9, .events = 7, .why = "so \"it\" is"
	};

	fixture_begin(f, &lkst_view_json, LKST_VIEW_DAY);
	f->view->gap(f->ctx, &gap);
	CHECK_STR(fixture_end(f), "{\"gap\":{\"cpu\":1,\"buffer\":1,\"from_ns\":5,\"to_ns\":9,"
				  "\"events\":7,\"blocks\":null,\"why\":\"so \\\"it\\\" is\"}}\n");
}

TEST(json_names_addresses_beside_the_fields)
{
	CHECK_EQ(lkst_symbols_add(f->symbols, 0xffffffff81000100, 0x80, "do\"this", 7), 0);
	CHECK_STR(one("workqueue_execute_start work=1 function=0xffffffff81000102"),
		  HEAD "\"workqueue_execute_start\",\"fields\":{\"work\":1,"
		       "\"function\":18446744071578845442},"
		       "\"symbols\":{\"function\":\"do\\\\x22this+0x2\"}}\n");
	CHECK_STR(one("workqueue_execute_start work=1 function=2"),
		  HEAD "\"workqueue_execute_start\",\"fields\":{\"work\":1,\"function\":2},"
		       "\"symbols\":{\"function\":null}}\n");
	CHECK_STR(one("test.stack by=8 took=99 frames=0xffffffff81000100,6"),
		  HEAD "\"test.stack\",\"fields\":{\"by\":8,\"took\":99,\"nr\":2,"
		       "\"frames\":[18446744071578845440,6]},"
		       "\"symbols\":{\"frames\":[\"do\\\\x22this\",null]}}\n");
	/* What has no addresses is as it was. */
	CHECK_STR(one("test:nothing"), HEAD "\"test:nothing\",\"fields\":{}}\n");
}

/* What the text view says of a record, as JSON. */
static const char *text_of(const char *line, char *to)
{
	const char *text = fixture_one(f, &lkst_view_text, line);
	char *end;

	text = strstr(text, "1234/bash") + strlen("1234/bash");
	end = lkst_put_json(to, text + strspn(text, " "), strcspn(text, "\n") - strspn(text, " "));
	*end = 0;
	return to;
}

TEST(json_has_the_text_of_a_record_if_asked)
{
	static const char *const lines[] = {
		"sched_switch next_tid=567 prev_state=0x2001 prev_prio=120 next_prio=115",
		"syscall_exit_openat ret=-2",
		"printk_console text=\"a\n\033\\\xff\xc3\xa9 1234/bash\"",
		"test_text text=\"hi there\" data=\"AB\" after=7 first=\"f\" second=\"s\"",
		"test.stack by=8 took=99 frames=5,6",
		"test:nothing",
	};
	static char text[1 << 16], wanted[2 << 16], before[1 << 16];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(before, sizeof(before), "%s", one(lines[i]));
		snprintf(wanted, sizeof(wanted), "%.*s\"text\":%s,%s", (int)(strstr(before, "\"event\"") - before),
			 before, text_of(lines[i], text), strstr(before, "\"event\""));
		f->has_text = true;
		CHECK_STR(one(lines[i]), wanted);
		f->has_text = false;
	}
}

static const struct unit_test tests[] = {
	{ "json_prints_raw_values", test_json_prints_raw_values },
	{ "json_prints_every_type", test_json_prints_every_type },
	{ "json_escapes_what_it_does_not_trust", test_json_escapes_what_it_does_not_trust },
	{ "json_shows_gaps", test_json_shows_gaps },
	{ "json_has_the_text_of_a_record_if_asked", test_json_has_the_text_of_a_record_if_asked },
	{ "json_names_addresses_beside_the_fields", test_json_names_addresses_beside_the_fields },
};

UNIT_MAIN(tests)
