/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Error sentences that are built by layers.
 */
#include "base/err.h"

#include <errno.h>

#include "lib/unit.h"

TEST(err_is_built_by_layers)
{
	struct lkst_err e = {};

	CHECK_EQ(lkst_err_sys(&e, -ENOENT, "block %d", 3), -ENOENT);
	CHECK_STR(e.text, "block 3: No such file or directory");
	lkst_err_add(&e, "stream %s", "a");
	CHECK_STR(e.text, "stream a: block 3: No such file or directory");
	CHECK_EQ(lkst_err_set(&e, -EINVAL, "again"), -EINVAL);
	CHECK_STR(e.text, "again");
}

TEST(err_cuts_what_does_not_fit)
{
	struct lkst_err e = {};
	unsigned int i;

	lkst_err_set(&e, -EINVAL, "the end");
	for (i = 0; i < LKST_ERR_MAX / 10; i++)
		lkst_err_add(&e, "a layer %u", i % 10);
	CHECK_EQ(strlen(e.text), LKST_ERR_MAX - 1);
	CHECK(!strncmp(e.text, "a layer 1: a layer 0: ", 22));
}

TEST(err_without_a_place_for_the_text_is_the_code)
{
	CHECK_EQ(lkst_err_set(NULL, -EINVAL, "%s", "text"), -EINVAL);
	CHECK_EQ(lkst_err_sys(NULL, -EIO, "%s", "text"), -EIO);
	lkst_err_add(NULL, "%s", "text");
}

TEST(err_marks_a_place_in_a_line)
{
	struct lkst_err e = {};
	char line[1000];

	CHECK_EQ(lkst_err_mark(&e, lkst_err_set(&e, -EINVAL, "wrong"), "a b c", 5, 2), -EINVAL);
	CHECK_STR(e.text, "wrong");
	CHECK_STR(e.line, "a b c");
	CHECK_EQ(e.mark, 2);
	lkst_err_add(&e, "a layer");
	CHECK_STR(e.line, "a b c");
	/* A place beyond the end is the end. */
	lkst_err_mark(&e, -EINVAL, "abc", 2, 99);
	CHECK_STR(e.line, "ab");
	CHECK_EQ(e.mark, 2);
	/* Of a long line, what is around the place. */
	memset(line, '-', sizeof(line));
	line[700] = '!';
	lkst_err_mark(&e, -EINVAL, line, sizeof(line), 700);
	CHECK_EQ(strlen(e.line), LKST_ERR_LINE - 1);
	CHECK_EQ(e.line[e.mark], '!');
	/* Another error has another place, or none. */
	lkst_err_set(&e, -EINVAL, "again");
	CHECK_STR(e.line, "");
	CHECK_EQ(lkst_err_mark(NULL, -EIO, "a", 1, 0), -EIO);
}

static const struct unit_test tests[] = {
	{ "err_marks_a_place_in_a_line", test_err_marks_a_place_in_a_line },
	{ "err_is_built_by_layers", test_err_is_built_by_layers },
	{ "err_cuts_what_does_not_fit", test_err_cuts_what_does_not_fit },
	{ "err_without_a_place_for_the_text_is_the_code",
	  test_err_without_a_place_for_the_text_is_the_code },
};

UNIT_MAIN(tests)
