/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Conditions of triggers that fire when functions return errors (I33).
 */
#include "masks/error_trigger.h"

#include <errno.h>

#include "lib/unit.h"

static struct lkst_error_trigger trigger;
static struct lkst_err error;

static int parse(const char *text)
{
	return lkst_error_trigger_parse(&error, text, &trigger);
}

TEST(error_trigger_is_told_by_its_first_word)
{
	CHECK(lkst_error_trigger_is("errors vfs_*"));
	CHECK(lkst_error_trigger_is("  errors\tvfs_*"));
	CHECK(lkst_error_trigger_is("errors"));
	CHECK(!lkst_error_trigger_is("errors:vfs ret < 0"));
	CHECK(!lkst_error_trigger_is("oom_kill"));
	CHECK(!lkst_error_trigger_is(""));
}

TEST(error_trigger_has_functions_and_a_condition)
{
	char name[LKST_TRIGGER_NAME];

	CHECK_EQ(parse("errors vfs_*"), 0);
	CHECK_STR(trigger.module, "");
	CHECK_STR(trigger.globs, "vfs_*");
	/* FNV-1a of "vfs_*", computed apart. */
	CHECK_STR(trigger.name, "on_vfs___e8819e7f");
	CHECK_STR(trigger.condition, "errors:on_vfs___e8819e7f_*");
	snprintf(name, sizeof(name), "%s", trigger.name);
	CHECK_EQ(parse("errors  vfs_*  if  ret == -28 and comm == \"my db\""), 0);
	CHECK_STR(trigger.name, name);
	CHECK_STR(trigger.condition, "errors:on_vfs___e8819e7f_* ret == -28 and comm == \"my db\"");
	CHECK_EQ(parse("errors ext4:*,ext4_* if tid == 1"), 0);
	CHECK_STR(trigger.module, "ext4");
	CHECK_STR(trigger.globs, "*,ext4_*");
	CHECK(strcmp(trigger.name, name));
}

/* The names of probes have letters, digits and _, and 64 characters with what their events add. */
TEST(error_trigger_names_are_names)
{
	char text[LKST_TRIGGER_CONDITION] = "errors ";
	const char *at;

	memset(text + 7, '*', 200);
	CHECK_EQ(parse(text), 0);
	CHECK(strlen(trigger.name) < 48);
	for (at = trigger.name; *at; at++)
		CHECK(strchr("abcdefghijklmnopqrstuvwxyz_0123456789", *at));
}

TEST(error_trigger_refuses_what_is_none)
{
	static const char *const bad[] = { "errors",
					   "errors  ",
					   "errors ext4:",
					   "errors :x",
					   "errors vfs_* ret < 0",
					   "errors vfs_* if",
					   "errors vfs_* if ",
					   "errors vfs_* iffy",
					   "oom_kill" };
	char text[2 * LKST_TRIGGER_CONDITION] = "errors ";
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(parse(bad[i]), -EINVAL);
	memset(text + 7, 'a', sizeof(text) - 8);
	CHECK_EQ(parse(text), -EINVAL);
}

static const struct unit_test tests[] = {
	{ "error_trigger_is_told_by_its_first_word", test_error_trigger_is_told_by_its_first_word },
	{ "error_trigger_has_functions_and_a_condition",
	  test_error_trigger_has_functions_and_a_condition },
	{ "error_trigger_names_are_names", test_error_trigger_names_are_names },
	{ "error_trigger_refuses_what_is_none", test_error_trigger_refuses_what_is_none },
};
UNIT_MAIN(tests)
