/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Where functions begin in their sources (I33): the compiler says the same by __FILE__ and __LINE__.
 */
#include "probe/debuginfo/function_source.h"

#include <errno.h>

#include "lib/unit.h"

enum { LINE = __LINE__ + 4 };

int function_source_target(int a);

__attribute__((noinline)) int function_source_target(int a)
{
	return a * 3 + 1;
}

TEST(function_source_is_the_compilers)
{
	const struct lkst_image_options self = { .program = "/proc/self/exe" };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	char text[512] = "", expected[64];
	struct lkst_err e = {};
	const char *found;

	CHECK_EQ(function_source_target(2), 7);
	CHECK_EQ(lkst_image_open(&e, &self, &image), 0);
	if (!lkst_image_has_debug_info(image)) {
		CHECK_EQ(lkst_function_source(image, "function_source_target", text, sizeof(text)),
			 -ENODATA);
		return;
	}
	CHECK_EQ(lkst_function_source(image, "function_source_target", text, sizeof(text)), 0);
	snprintf(expected, sizeof(expected), "function_source.c:%d", LINE);
	found = strstr(text, "function_source.c:");
	CHECK_STR(found ?: text, expected);
	CHECK_EQ(lkst_function_source(image, "no_such_function", text, sizeof(text)), -ENOENT);
	CHECK_EQ(lkst_function_source(image, "LINE", text, sizeof(text)), -ENOENT);
}

static const struct unit_test tests[] = {
	{ "function_source_is_the_compilers", test_function_source_is_the_compilers },
};
UNIT_MAIN(tests)
