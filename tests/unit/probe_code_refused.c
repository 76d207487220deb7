/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Probes that cannot become instructions, and what is said of them; and what an argument without a name is called.
 */
#include "lib/made_probe.h"

#include <errno.h>

#include "lib/unit.h"

static bool refuses(int err, const char *words)
{
	int got = made_compile();

	if (got != err || !strstr(made_error.text, words))
		printf("  %d %s\n", got, made_error.text);
	return got == err && strstr(made_error.text, words);
}

TEST(refusals)
{
	struct lkst_fetch *f;
	unsigned int i;

	made_begin();
	made_arg("x", made_reg("eax"), WORD);
	CHECK(refuses(-EINVAL, "no register %eax"));
	made_begin();
	made_arg("x", made_node(LKST_FETCH_RETVAL, 0), WORD);
	CHECK(refuses(-EINVAL, "only at a function's return"));
	made_begin();
	made_probe.place.is_return = true;
	made_arg("x", made_node(LKST_FETCH_ARGUMENT, 1), WORD);
	CHECK(refuses(-EINVAL, "gone when the function returns"));
	made_begin();
	made_arg("x", made_reg("di"), STRING);
	CHECK(refuses(-EINVAL, "read from memory"));
	made_begin();
	made_arg("x", made_reg("di"), TYPE(.form = LKST_FORM_UNSIGNED, .size = 4, .count = 2));
	CHECK(refuses(-EINVAL, "an array is read from memory"));
	made_begin();
	made_arg("x", made_at(0, made_reg("di")),
		 TYPE(.form = LKST_FORM_UNSIGNED, .size = 4, .count = 65));
	CHECK(refuses(-EINVAL, "64 elements"));
	made_begin();
	made_arg("x", made_reg("di"),
		 TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 8, .bit_at = 28));
	CHECK(refuses(-EINVAL, "not in 32 bits"));
	made_begin();
	made_arg("x", made_reg("di"), UNSIGNED(3));
	CHECK(refuses(-EINVAL, "3 bytes"));
	made_begin();
	f = made_node(LKST_FETCH_AT_SYMBOL, 0);
	f->text = (char *)"no_such";
	made_arg("x", f, WORD);
	CHECK(refuses(-ENOENT, "no symbol no_such"));
	made_begin();
	f = made_node(LKST_FETCH_VARIABLE, 0);
	f->text = (char *)"count";
	made_arg("x", f, WORD);
	CHECK(refuses(-EINVAL, "\"count\" is not resolved"));
	made_begin();
	made_arg("x", made_node(LKST_FETCH_AT_FILE, 0), WORD);
	CHECK(refuses(-EINVAL, "program's file"));
	made_begin();
	made_probe.place.offset = 8;
	made_arg("x", made_node(LKST_FETCH_CALLER, 0), WORD);
	CHECK(refuses(-EINVAL, "only at its entry"));
	made_begin();
	made_arg("pad", made_reg("di"), WORD);
	CHECK(refuses(-EINVAL, "padding"));
	made_begin();
	made_arg("x", made_reg("di"), WORD);
	made_arg("x", made_reg("si"), WORD);
	CHECK(refuses(-EINVAL, "two fields are called x"));
	made_begin();
	made_arg("x", made_reg("di"), WORD);
	made_probe.condition = (char *)"y > 1";
	CHECK(refuses(-ENOENT, "no field \"y\""));
	made_begin();
	f = made_reg("di");
	for (i = 0; i < LKST_FETCH_DEPTH + 1; i++)
		f = made_at(0, f);
	made_arg("x", f, WORD);
	CHECK(refuses(-E2BIG, "nested deeper"));
	made_begin();
	for (i = 0; i < 5; i++)
		made_arg("", made_at(0, made_reg("di")),
			 TYPE(.form = LKST_FORM_UNSIGNED, .size = 8, .count = 64));
	CHECK(refuses(-E2BIG, "2048 bytes"));
}

TEST(arguments_without_names)
{
	made_begin();
	made_arg("", made_reg("di"), WORD);
	made_arg("b", made_reg("si"), WORD);
	made_arg("", made_reg("dx"), WORD);
	made_set("dx", 9);
	CHECK(made_runs());
	CHECK_EQ(made_number("arg3"), 9);
	CHECK_EQ(made_field("arg2"), 999);
	CHECK_STR(made_code->layout.event.name, "my:rd");
	CHECK_EQ(made_code->layout.event.group, LKST_GROUP_PROBE);
}

/* The catalogue has the name that `lkst probe --list` shows, or the probe is refused. */
TEST(names_are_whole)
{
	const char *group = "group_of_which_the_name_has_forty_five_letter";
	const char *event = "event_whose_name_has_34_characters";

	made_begin();
	snprintf(made_probe.group, sizeof(made_probe.group), "%s", group);
	snprintf(made_probe.event, sizeof(made_probe.event), "%s", event);
	CHECK(made_runs());
	CHECK_STR(made_code->layout.event.name,
		  "group_of_which_the_name_has_forty_five_letter:event_whose_name_has_34_characters");
	CHECK_EQ(strlen(made_code->layout.event.name), 80);
	made_begin();
	snprintf(made_probe.group, sizeof(made_probe.group), "%s", group);
	snprintf(made_probe.event, sizeof(made_probe.event), "%s_", event);
	CHECK(refuses(-EINVAL, "a probe's name has 80 characters at most, with its group"));
}

static const struct unit_test tests[] = {
	{ "refusals", test_refusals },
	{ "arguments_without_names", test_arguments_without_names },
	{ "names_are_whole", test_names_are_whole },
};
UNIT_MAIN(tests)
