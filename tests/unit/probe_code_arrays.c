/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What probes become: instructions that are run here (tests/lib/made_probe.h). Arrays, strings and stacks, which have
 * as many bytes as there are.
 */
#include "lib/made_probe.h"

#include "lib/unit.h"

TEST(arrays)
{
	struct lkst_fetch_type bytes = UNSIGNED(1), words = SIGNED(4),
			       chars = TYPE(.form = LKST_FORM_CHAR);

	made_begin();
	bytes.count = 3;
	words.count = 4;
	chars.count = 8;
	made_kernel[0] = 0xfffffffe00030201;
	made_kernel[1] = 0x0000000500000004;
	memcpy(&made_kernel[4], "text\0\0\0", 8);
	made_set("di", MADE_KERNEL);
	made_arg("bytes", made_at(0, made_reg("di")), bytes);
	made_arg("words", made_at(0, made_reg("di")), words);
	made_arg("chars", made_at(32, made_reg("di")), chars);
	CHECK(made_runs());
	CHECK_EQ(made_element_of("bytes", 0), 1);
	CHECK_EQ(made_element_of("bytes", 2), 3);
	CHECK_EQ(made_element_of("bytes", 3), 0xbad);
	CHECK_EQ((s32)made_element_of("words", 1), -2);
	CHECK_EQ(made_element_of("words", 3), 5);
	CHECK_STR(made_text("chars"), "text");
}

TEST(strings)
{
	made_begin();
	strcpy((char *)&made_kernel[2], "a string of the kernel");
	strcpy(made_user + 3, "of a program");
	made_set("di", MADE_KERNEL);
	made_set("si", MADE_USER);
	made_set("dx", MADE_NOWHERE);
	made_arg("first", made_at(16, made_reg("di")), STRING);
	made_arg("n", made_reg("di"), WORD);
	made_arg("bad", made_at(0, made_reg("dx")), STRING);
	made_arg("second", made_at(3, made_reg("si")), TYPE(.form = LKST_FORM_USTRING));
	made_arg("third", made_user_at(8, made_reg("si")), STRING);
	made_arg("comm", made_node(LKST_FETCH_COMM, 0), STRING);
	CHECK(made_runs());
	CHECK_STR(made_text("first"), "a string of the kernel");
	CHECK_STR(made_text("bad"), "");
	CHECK_STR(made_text("second"), "of a program");
	CHECK_STR(made_text("third"), "program");
	CHECK_STR(made_text("comm"), "worker");
	CHECK_EQ(made_number("n"), MADE_KERNEL);
	/* The fields are n, comm, first, bad, second, third. */
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 1 << 3);
	CHECK_EQ(made_code->layout.event.is_fixed, false);
	/* The reader finds the end where the writer did. */
	CHECK_EQ(made_run.result, made_code->layout.size + 23 + 1 + 13 + 8);
}

TEST(long_strings_are_cut_and_that_is_said)
{
	static char big[2 * LKST_PROBE_STRING_MAX];
	static const char whole[] = "0123456789";

	made_begin();
	memset(big, 'y', sizeof(big) - 1);
	memcpy(made_user, whole, sizeof(whole));
	made_run.areas[2].address = 0x20000;
	made_run.areas[2].bytes = big;
	made_run.areas[2].size = sizeof(big);
	made_set("di", 0x20000);
	made_set("si", MADE_USER);
	made_arg("big", made_at(0, made_reg("di")), STRING);
	made_arg("after", made_user_at(0, made_reg("si")), STRING);
	CHECK(made_runs());
	CHECK_EQ(strlen(made_text("big")), LKST_PROBE_STRING_MAX - 1);
	CHECK_STR(made_text("after"), whole);
	CHECK_EQ(made_cut(), 1);
	/* One that fits to the last byte is not. */
	big[LKST_PROBE_STRING_MAX - 1] = 0;
	CHECK(made_runs());
	CHECK_EQ(strlen(made_text("big")), LKST_PROBE_STRING_MAX - 1);
	CHECK_EQ(made_cut(), MADE_UNTOUCHED);
}

TEST(arrays_of_strings)
{
	struct lkst_fetch_type three = STRING;

	made_begin();
	three.count = 3;
	made_kernel[8] = MADE_KERNEL + 8;
	made_kernel[9] = MADE_NOWHERE;
	made_kernel[10] = MADE_KERNEL + 24;
	strcpy((char *)&made_kernel[1], "first");
	strcpy((char *)&made_kernel[3], "third");
	made_set("di", MADE_KERNEL);
	made_arg("name", made_at(64, made_reg("di")), three);
	CHECK(made_runs());
	CHECK_STR(made_text("name_0"), "first");
	CHECK_STR(made_text("name_1"), "");
	CHECK_STR(made_text("name_2"), "third");
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 1 << 1);
}

TEST(constant_text)
{
	struct lkst_fetch *f;

	made_begin();
	f = made_node(LKST_FETCH_TEXT, 0);
	f->text = (char *)"here";
	made_arg("where", f, WORD);
	CHECK(made_runs());
	CHECK_STR(made_text("where"), "here");
	CHECK_EQ(made_code->layout.event.is_fixed, true);
}

TEST(stacks)
{
	struct lkst_fetch_type two = WORD;

	made_begin();
	two.count = 2;
	made_run.frames[0] = 0xffffffff81000010;
	made_run.frames[1] = 0xffffffff81000020;
	made_run.frames[2] = 0xffffffff81000030;
	made_run.nr_frames = 3;
	strcpy((char *)&made_kernel[0], "odd.");
	made_set("di", MADE_KERNEL);
	made_arg("stack", made_node(LKST_FETCH_BACKTRACE, 0), two);
	made_arg("s", made_at(0, made_reg("di")), STRING);
	CHECK(made_runs());
	CHECK_STR(made_text("s"), "odd.");
	CHECK_EQ(made_number("nr_stack"), 2);
	CHECK_EQ(made_element_of("stack", 0), 0xffffffff81000010);
	CHECK_EQ(made_element_of("stack", 1), 0xffffffff81000020);
	made_run.nr_frames = 0;
	CHECK(made_runs());
	CHECK_EQ(made_number("nr_stack"), 0);
	/* nr_stack, s, stack. */
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 1 << 2);
	CHECK_STR(made_text("s"), "odd.");
}

static const struct unit_test tests[] = {
	{ "arrays", test_arrays },
	{ "strings", test_strings },
	{ "long_strings_are_cut_and_that_is_said", test_long_strings_are_cut_and_that_is_said },
	{ "arrays_of_strings", test_arrays_of_strings },
	{ "constant_text", test_constant_text },
	{ "stacks", test_stacks },
};
UNIT_MAIN(tests)
