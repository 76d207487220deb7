/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The language of lkst inject, and what functions may return (rows I34 and I35 of doc/heritage.md).
 */
#include <errno.h>

#include "lib/unit.h"
#include "probe/text/error_kind.h"

static struct lkst_injection parsed(const char *text)
{
	struct lkst_injection i;
	struct lkst_err e = {};

	if (lkst_injection_parse(&e, text, &i)) {
		printf("FAIL %s: \"%s\": %s\n", unit_name, text, e.text);
		unit_failed = 1;
	}
	return i;
}

/* That @text is refused, with @want in the sentence and the mark at byte @at. */
static void refused(const char *text, const char *want, size_t at)
{
	struct lkst_injection i;
	struct lkst_err e = {};

	CHECK_EQ(lkst_injection_parse(&e, text, &i), -EINVAL);
	CHECK(strstr(e.text, want) != NULL);
	CHECK_STR(e.line, text);
	CHECK_EQ(e.mark, at);
}

TEST(injection_all_clauses)
{
	struct lkst_injection i = parsed(
		"mkdir return -ENOSPC from do_thing call 5 every 3 times 2 probability 12.5% "
		"pid 42 comm make for 30s");

	CHECK_STR(i.function, "mkdir");
	CHECK_EQ(i.value, -ENOSPC);
	CHECK_EQ(i.caller_is, LKST_CALLER_FROM);
	CHECK_STR(i.caller, "do_thing");
	CHECK_EQ(i.first, 5);
	CHECK_EQ(i.every, 3);
	CHECK_EQ(i.times, 2);
	CHECK_EQ(i.chance, LKST_INJECTION_ALWAYS / 8);
	CHECK_EQ(i.pid, 42);
	CHECK_STR(i.comm, "make");
	CHECK_EQ(i.for_ns, 30000000000LL);
}

TEST(injection_what_is_left_out)
{
	struct lkst_injection i = parsed("  security_file_open  return  -13 ");

	CHECK_EQ(i.value, -EACCES);
	CHECK_EQ(i.first, 1);
	CHECK_EQ(i.every, 1);
	CHECK_EQ(i.times, 0);
	CHECK_EQ(i.chance, LKST_INJECTION_ALWAYS);
	CHECK_EQ(i.for_ns, 60000000000LL);
	CHECK_EQ(i.caller_is, LKST_CALLER_ANY);
	i = parsed("f return -5 call 7");
	CHECK_EQ(i.first, 7);
	CHECK_EQ(i.times, 1);
	i = parsed("f return -5 every 7");
	CHECK_EQ(i.first, 7);
	CHECK_EQ(i.times, 0);
	i = parsed("f return -5 call 2 every 7");
	CHECK_EQ(i.first, 2);
	CHECK_EQ(i.every, 7);
	CHECK_EQ(i.times, 0);
	i = parsed("f return -5 call 2 times 3");
	CHECK_EQ(i.every, 1);
	CHECK_EQ(i.times, 3);
}

TEST(injection_values)
{
	char text[LKST_INJECTION_VALUE];

	CHECK_EQ(parsed("f return NULL").value, 0);
	CHECK_EQ(parsed("f return true").value, 1);
	CHECK_EQ(parsed("f return -ENOMEM").value, -ENOMEM);
	CHECK_EQ(parsed("f return 0x10").value, 16);
	CHECK_EQ(parsed("f return -1 under g").caller_is, LKST_CALLER_UNDER);
	CHECK_STR(lkst_injection_value(-ENOMEM, text), "-ENOMEM");
	CHECK_STR(lkst_injection_value(0, text), "NULL");
	CHECK_STR(lkst_injection_value(7, text), "7");
}

TEST(injection_probability)
{
	CHECK_EQ(parsed("f return -1 probability 50%").chance, 1LL << 31);
	CHECK_EQ(parsed("f return -1 probability 100%").chance, 1LL << 32);
	CHECK(parsed("f return -1 probability 0.000001%").chance >= 42);
	CHECK_EQ(parsed("f return -1 probability 10%").chance / 100, (1LL << 32) / 1000);
	refused("f return -1 probability 0%", "is not a probability", 24);
	refused("f return -1 probability 101%", "is not a probability", 24);
	refused("f return -1 probability 10", "is not a probability", 24);
	refused("f return -1 probability %", "is not a probability", 24);
}

TEST(injection_what_is_wrong)
{
	refused("f", "\"return\", which says what the function returns is missing", 1);
	refused("f/g return -1", "is not the name of a function", 0);
	refused("f returns -1", "is not \"return\"", 2);
	refused("f return", "a value", 8);
	refused("f return ENOMEM", "negative numbers: -ENOMEM", 9);
	refused("f return -ENOTHING", "is not a value", 9);
	refused("f return -1x", "is not a value", 9);
	refused("f return -1 sometimes", "is not one of from", 12);
	refused("f return -1 call 0", "the number of a call", 17);
	refused("f return -1 call 3 every -1", "a number of calls", 25);
}

/* Where the mark is in a text that has the word twice. */
TEST(injection_marks)
{
	struct lkst_injection i;
	struct lkst_err e = {};

	CHECK_EQ(lkst_injection_parse(&e, "f return -1 times 3 times 4", &i), -EINVAL);
	CHECK_STR(e.text, "times is there already");
	CHECK_EQ(e.mark, 20);
	CHECK_EQ(lkst_injection_parse(&e, "f return -1 from a under b", &i), -EINVAL);
	CHECK_STR(e.text, "there is a caller already");
	refused("f return -1 pid 1", "process 1 is left alone", 16);
}

TEST(injection_limits)
{
	char text[LKST_INJECTION_TEXT + 8];
	struct lkst_injection i;
	struct lkst_err e = {};

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	CHECK_EQ(lkst_injection_parse(&e, text, &i), -EINVAL);
	text[LKST_INJECTION_NAME] = 0;
	CHECK_EQ(lkst_injection_parse(&e, text, &i), -EINVAL);
	refused("f return -2 for 2h", "1h at most", 16);
	refused("f return -2 for 0s", "is not a time", 16);
	refused("f return -2 comm lkst-serve", "are left alone", 17);
	refused("f return -2 comm abcdefghijklmnop", "15 characters", 17);
	refused("f return -2 pid 4194305", "the number of a process", 16);
}

/* The lines are the kernel's: %pS, a tab, and the kind. */
TEST(injection_list)
{
	CHECK_EQ(lkst_error_list_read("__x64_sys_mkdir+0x0/0x50\tERRNO\n", "__x64_sys_mkdir"),
		 LKST_ERROR_ERRNO);
	CHECK_EQ(lkst_error_list_read("a+0x0/0x50\tERRNO_NULL\n", "a"), LKST_ERROR_ERRNO_NULL);
	CHECK_EQ(lkst_error_list_read("a+0x0/0x50\tNULL", "a"), LKST_ERROR_NULL);
	CHECK_EQ(lkst_error_list_read("a+0x0/0x50\tTRUE\n", "a"), LKST_ERROR_TRUE);
	CHECK_EQ(lkst_error_list_read("open_ctree+0x0/0x1600 [btrfs]\tERRNO\n", "open_ctree"),
		 LKST_ERROR_MODULE);
	CHECK_EQ(lkst_error_list_read("ab+0x0/0x50\tERRNO\n", "a"), LKST_ERROR_NONE);
	CHECK_EQ(lkst_error_list_read("a+0x0/0x50\tOTHER\n", "a"), LKST_ERROR_NONE);
	CHECK_EQ(lkst_error_list_read("a+0x0/0x50", "a"), LKST_ERROR_NONE);
	CHECK_EQ(lkst_error_list_read("", ""), LKST_ERROR_NONE);
}

/* That a function of @kind that is to return what @text says is answered by @want, and that a wrong value is marked. */
static void checked(const char *text, enum lkst_error_kind kind, int want)
{
	struct lkst_injection i;
	struct lkst_err e = {};

	CHECK_EQ(lkst_injection_parse(&e, text, &i), 0);
	CHECK_EQ(lkst_error_kind_check(&e, &i, kind), want);
	CHECK_EQ(e.mark, want ? strlen("f return ") : 0);
}

TEST(injection_kinds)
{
	checked("f return -4095", LKST_ERROR_ERRNO, 0);
	checked("f return -4096", LKST_ERROR_ERRNO, -ERANGE);
	checked("f return 1", LKST_ERROR_SECURITY, -ERANGE);
	checked("f return NULL", LKST_ERROR_ERRNO, -ERANGE);
	checked("f return NULL", LKST_ERROR_ERRNO_NULL, -ENOTSUP);
	checked("f return -ENOMEM", LKST_ERROR_ERRNO_NULL, 0);
	checked("f return NULL", LKST_ERROR_NULL, -ENOTSUP);
	checked("f return true", LKST_ERROR_TRUE, 0);
	checked("f return -1", LKST_ERROR_TRUE, -ERANGE);
}

static const struct unit_test tests[] = {
	{ "injection_all_clauses", test_injection_all_clauses },
	{ "injection_what_is_left_out", test_injection_what_is_left_out },
	{ "injection_values", test_injection_values },
	{ "injection_probability", test_injection_probability },
	{ "injection_what_is_wrong", test_injection_what_is_wrong },
	{ "injection_marks", test_injection_marks },
	{ "injection_limits", test_injection_limits },
	{ "injection_list", test_injection_list },
	{ "injection_kinds", test_injection_kinds },
};

UNIT_MAIN(tests)
