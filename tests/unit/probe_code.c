/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What probes become: instructions that are run here (tests/lib/made_probe.h). Registers, numbers and memory of
 * the kernel and of the program (rows K04 to K12 of doc/heritage.md).
 */
#include "lib/made_probe.h"

#include <errno.h>

#include "lib/unit.h"

TEST(registers_by_the_kernels_names)
{
	static const char *const names[] = { "di", "si", "ax", "r15", "ip", "sp", "flags" };
	unsigned int i;

	made_begin();
	for (i = 0; i < 7; i++) {
		made_set(names[i], 0x1000000 + i);
		made_arg(names[i], made_reg(names[i]), WORD);
	}
	CHECK(made_runs());
	for (i = 0; i < 7; i++)
		CHECK_EQ(made_number(names[i]), 0x1000000 + i);
	/* At a probe of the kernel's the CPU is behind the breakpoint. */
	CHECK_EQ(made_number(LKST_PROBE_FIELD_IP), 0x1000004 - 1);
	CHECK_EQ(made_field(LKST_PROBE_FIELD_FAULTS), 999);
	CHECK_EQ(made_run.calls, 0);
	CHECK_EQ(made_code->layout.event.is_fixed, true);
}

TEST(registers_of_both_machines)
{
	CHECK_EQ(lkst_register_find(LKST_MACHINE_X86_64, "di"), 112);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_X86_64, "ss"), 160);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_X86_64, "x0"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x0"), 0);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x30"), 240);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "lr"), 240);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "sp"), 248);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "pc"), 256);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x31"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x01"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x99999999999"), -ENOENT);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_X86_64, 4), 88);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_X86_64, 7), -ENOENT);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_ARM64, 8), 56);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_ARM64, 0), -ENOENT);
}

TEST(values_are_cut_to_their_types)
{
	made_begin();
	made_set("di", 0xfedcba9876543281);
	made_arg("u1", made_reg("di"), UNSIGNED(1));
	made_arg("s1", made_reg("di"), SIGNED(1));
	made_arg("u2", made_reg("di"), UNSIGNED(2));
	made_arg("s4", made_reg("di"), SIGNED(4));
	made_arg("u8", made_reg("di"), UNSIGNED(8));
	made_arg("c", made_node(LKST_FETCH_NUMBER, 'x'), TYPE(.form = LKST_FORM_CHAR));
	made_arg("n", made_node(LKST_FETCH_NUMBER, -0x123456789abcLL), SIGNED(8));
	CHECK(made_runs());
	CHECK_EQ(made_number("u1"), 0x81);
	CHECK_EQ(made_number("s1"), -0x7f);
	CHECK_EQ(made_number("u2"), 0x3281);
	CHECK_EQ(made_number("s4"), 0x76543281);
	CHECK_EQ(made_number("u8"), 0xfedcba9876543281);
	CHECK_STR(made_text("c"), "x");
	CHECK_EQ(made_number("n"), -0x123456789abcLL);
}

TEST(bit_fields)
{
	made_begin();
	made_set("di", 0xfedcba9876543210);
	made_kernel[0] = 0x00000000c0de0000;
	made_set("si", MADE_KERNEL);
	made_arg("a", made_reg("di"),
		 TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 4, .bit_at = 8));
	made_arg("b", made_reg("di"),
		 TYPE(.form = LKST_FORM_BITS, .size = 8, .bits = 8, .bit_at = 56));
	made_arg("c", made_at(0, made_reg("si")),
		 TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 16, .bit_at = 16));
	made_arg("d", made_reg("di"), TYPE(.form = LKST_FORM_BITS, .size = 8, .bits = 64));
	CHECK(made_runs());
	CHECK_EQ(made_number("a"), 2);
	CHECK_EQ(made_number("b"), 0xfe);
	CHECK_EQ(made_number("c"), 0xc0de);
	CHECK_EQ(made_number("d"), 0xfedcba9876543210);
}

TEST(dereferences_nest)
{
	made_begin();
	made_kernel[0] = MADE_KERNEL + 64;
	made_kernel[9] = MADE_KERNEL + 256;   /* 8 bytes after the first */
	made_kernel[31] = 0x0807060504030201; /* 8 bytes before the second */
	made_set("di", MADE_KERNEL);
	made_arg("one", made_at(8, made_reg("di")), WORD);
	made_arg("three", made_at(-8, made_at(8, made_at(0, made_reg("di")))), WORD);
	made_arg("byte", made_at(-6, made_at(8, made_at(0, made_reg("di")))), UNSIGNED(1));
	made_arg("sum", made_at(8, made_at(0, made_reg("di"))), WORD);
	CHECK(made_runs());
	CHECK_EQ(made_number("one"), 0x1111111111111111);
	CHECK_EQ(made_number("three"), 0x0807060504030201);
	CHECK_EQ(made_number("byte"), 3);
	CHECK_EQ(made_number("sum"), MADE_KERNEL + 256);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 0);
}

TEST(addresses_symbols_and_the_stack)
{
	struct lkst_fetch *f;

	made_begin();
	made_set("sp", MADE_KERNEL + 0x20);
	made_kernel[2] = 77;
	made_kernel[3] = 78;
	made_kernel[4] = 0x44;
	made_kernel[7] = 0x77;
	made_arg("addr", made_node(LKST_FETCH_AT, MADE_KERNEL + 16), UNSIGNED(4));
	f = made_node(LKST_FETCH_AT_SYMBOL, 8);
	f->text = (char *)"jiffies";
	made_arg("sym", f, UNSIGNED(4));
	made_arg("stack", made_node(LKST_FETCH_STACK, 0), WORD);
	made_arg("stack0", made_node(LKST_FETCH_STACK_N, 0), WORD);
	made_arg("stack3", made_node(LKST_FETCH_STACK_N, 3), WORD);
	made_arg("caller", made_node(LKST_FETCH_CALLER, 0), WORD);
	CHECK(made_runs());
	CHECK_EQ(made_number("addr"), 77);
	CHECK_EQ(made_number("sym"), 78);
	CHECK_EQ(made_number("stack"), MADE_KERNEL + 0x20);
	CHECK_EQ(made_number("stack0"), 0x44);
	CHECK_EQ(made_number("stack3"), 0x77);
	CHECK_EQ(made_number("caller"), 0x44);
	CHECK_EQ(made_code->layout.fields[made_field("caller")].meaning, LKST_MEANING_CODE);
}

TEST(elements_by_an_index)
{
	made_begin();
	made_kernel[5] = 5;
	made_kernel[0] = 0xffffffff00000002; /* an int that is 2, beside something else */
	made_set("di", MADE_KERNEL);
	made_set("si", 0x12345678ffffffffULL); /* an int that is -1 */
	made_arg("x", made_element(8, made_reg("di"), made_at(0, made_reg("di")), 16), WORD);
	made_arg("before", made_element(48, made_reg("di"), made_reg("si"), 8), WORD);
	/* An index that is an element itself. */
	made_arg("nested",
		 made_element(8, made_reg("di"),
			      made_element(8, made_reg("di"), made_at(0, made_reg("di")), 16), 8),
		 WORD);
	CHECK(made_runs());
	CHECK_EQ(made_number("x"), 5);
	CHECK_EQ(made_number("before"), 5);
	CHECK_EQ(made_number("nested"), 0x6666666666666666);
}

/* What an index of 1 or 2 bytes has above them counts for nothing. */
TEST(elements_by_a_narrow_index)
{
	static const struct {
		const char *name;
		u8 size;
		bool is_signed;
		u64 index;
		s64 is;
	} all[] = {
		{ "u8", 1, false, 0xffffffffffffff82ULL, 130 },
		{ "s8", 1, true, 0x12ffULL, -1 },
		{ "u16", 2, false, 0xffffffffffff0102ULL, 258 },
		{ "s16", 2, true, 0x1234fffeULL, -2 },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct lkst_fetch *f;

		made_begin();
		made_kernel[3] = 77;
		made_set("di", MADE_KERNEL + 24 - (u64)(8 * all[i].is));
		made_set("si", all[i].index);
		f = made_element(0, made_reg("di"), made_reg("si"), 8);
		f->index_size = all[i].size;
		f->is_index_signed = all[i].is_signed;
		made_arg(all[i].name, f, WORD);
		CHECK(made_runs());
		CHECK_EQ(made_number(all[i].name), 77);
	}
}

TEST(users_memory_is_another)
{
	made_begin();
	strcpy(made_user + 16, "a name");
	made_set("si", MADE_USER);
	made_arg("u", made_user_at(16, made_reg("si")), UNSIGNED(2));
	made_arg("k", made_at(16, made_reg("si")), UNSIGNED(2));
	CHECK(made_runs());
	CHECK_EQ(made_number("u"), 'a' | ' ' << 8);
	CHECK_EQ(made_number("k"), 0);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 2);
	/* In a program, all memory is its own; and it is not behind the breakpoint. */
	made_begin();
	made_probe.place.kind = LKST_PLACE_FILE;
	made_probe.place.path = (char *)"/bin/true";
	made_probe.place.offset = 0x40;
	strcpy(made_user + 8, "data");
	made_set("ip", MADE_USER + 0x40);
	made_arg("file", made_node(LKST_FETCH_AT_FILE, 8), UNSIGNED(4));
	made_arg("plain", made_node(LKST_FETCH_AT, MADE_USER + 8), UNSIGNED(1));
	CHECK(made_runs());
	CHECK_EQ(made_number("file"), 0x61746164);
	CHECK_EQ(made_number("plain"), 'd');
	CHECK_EQ(made_number(LKST_PROBE_FIELD_IP), MADE_USER + 0x40);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 0);
}

TEST(faults_are_noted_and_nothing_is_made_up)
{
	struct lkst_fetch_type words = UNSIGNED(8);

	made_begin();
	words.count = 4;
	made_set("di", MADE_NOWHERE);
	made_set("si", MADE_KERNEL);
	made_kernel[0] = MADE_NOWHERE;
	made_arg("good", made_at(8, made_reg("si")), WORD);
	made_arg("bad", made_at(0, made_reg("di")), WORD);
	made_arg("chain", made_at(0, made_at(0, made_reg("si"))), UNSIGNED(2));
	made_arg("also_good", made_reg("si"), WORD);
	made_arg("array", made_at(0, made_at(0, made_reg("si"))), words);
	made_arg("bits", made_at(0, made_reg("di")),
		 TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 3));
	CHECK(made_runs());
	CHECK_EQ(made_number("good"), 0x1111111111111111);
	CHECK_EQ(made_number("also_good"), MADE_KERNEL);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5);
	/* Nothing of an older record stays. */
	CHECK_EQ(made_number("bad"), 0);
	CHECK_EQ(made_number("chain"), 0);
	CHECK_EQ(made_element_of("array", 0), 0);
	CHECK_EQ(made_element_of("array", 3), 0);
	CHECK_EQ(made_number("bits"), 0);
}

TEST(the_last_of_32_arguments_faults)
{
	char name[8];
	u32 i;

	made_begin();
	made_set("di", MADE_NOWHERE);
	made_set("si", MADE_KERNEL);
	for (i = 0; i < LKST_PROBE_ARGS_MAX; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		made_arg(name, made_at(0, made_reg(i == 31 ? "di" : "si")), UNSIGNED(4));
	}
	CHECK(made_runs());
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 1U << 31);
	made_probe.condition = (char *)"a31 >= 0";
	CHECK(!made_runs());
	CHECK(!made_run.error);
	made_probe.condition = (char *)"a30 == 0";
	CHECK(made_runs());
}

TEST(arguments_and_results)
{
	made_begin();
	made_set("di", 1);
	made_set("r9", 6);
	made_arg("first", made_node(LKST_FETCH_ARGUMENT, 1), SIGNED(4));
	made_arg("last", made_node(LKST_FETCH_ARGUMENT, 6), SIGNED(4));
	CHECK(made_runs());
	CHECK_EQ(made_number("first"), 1);
	CHECK_EQ(made_number("last"), 6);
	made_begin();
	made_probe.place.is_return = true;
	made_set("ax", (u64)-5);
	made_set("ip", 0xffffffff81234567);
	made_arg("ret", made_node(LKST_FETCH_RETVAL, 0), SIGNED(8));
	made_arg("to", made_node(LKST_FETCH_CALLER, 0), WORD);
	CHECK(made_runs());
	CHECK_EQ(made_number("ret"), -5);
	CHECK_EQ(made_number("to"), 0xffffffff81234567);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_RET_IP), 0xffffffff81234567);
	CHECK_EQ(made_field(LKST_PROBE_FIELD_IP), 999);
}

/* Memory that is watched is at its address, or at that of its symbol, and no breakpoint has been executed. */
TEST(watched_memory)
{
	made_begin();
	made_probe.place.watch = LKST_WATCH_WRITES;
	made_probe.place.kind = LKST_PLACE_ADDRESS;
	made_probe.place.address = 0x7ffe12345678;
	made_set("ip", 0xffffffff81234567);
	made_arg("at", made_node(LKST_FETCH_WATCHED, 0), WORD);
	CHECK(made_runs());
	CHECK_EQ(made_number("at"), 0x7ffe12345678);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_IP), 0xffffffff81234567);
}

/* A probe at many functions says which one it was: LKST asks the kernel, since the instruction pointer differs. */
TEST(many_functions)
{
	made_begin();
	made_probe.place.is_many = true;
	made_run.func = 0xffffffff81000040;
	made_arg("first", made_node(LKST_FETCH_ARGUMENT, 1), SIGNED(4));
	made_set("di", 7);
	CHECK(made_runs());
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FUNC), 0xffffffff81000040);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_IP), 0xffffffff81000040);
	CHECK_EQ(made_number("first"), 7);
	made_begin();
	made_probe.place.is_many = made_probe.place.is_return = true;
	made_run.func = 0xffffffff81000040;
	made_set("ip", 0xffffffff81234567);
	made_set("ax", 0);
	made_arg("bad", made_at(0, made_reg("ax")), SIGNED(8));
	CHECK(made_runs());
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FUNC), 0xffffffff81000040);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_RET_IP), 0xffffffff81234567);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 1);
}

/* What uses most registers, stack and instructions: it must still be one that the machine runs. */
TEST(the_deepest_argument)
{
	struct lkst_fetch *f;
	unsigned int i;

	made_begin();
	for (i = 0; i < 64; i++)
		made_kernel[i] = MADE_KERNEL;
	made_set("di", MADE_KERNEL);
	f = made_reg("di");
	for (i = 0; i < LKST_FETCH_DEPTH - 1; i++)
		f = made_element(8, f, made_reg("di"), 0);
	made_arg("x", f, WORD);
	CHECK(made_runs());
	CHECK_EQ(made_number("x"), MADE_KERNEL);
	CHECK_EQ(made_number(LKST_PROBE_FIELD_FAULTS), 0);
}

/* K24 */
TEST(arm64)
{
	made_begin();
	made_arg("x3", made_node(LKST_FETCH_ARGUMENT, 4), WORD);
	made_arg("link", made_node(LKST_FETCH_CALLER, 0), WORD);
	made_arg("pc", made_reg("pc"), WORD);
	CHECK(made_runs_on(LKST_MACHINE_ARM64));
	CHECK_EQ(made_number("x3"), 0xabcdef0000000003);
	CHECK_EQ(made_number("link"), 0xabcdef000000001e);
	/* There the CPU is at the breakpoint, not behind it. */
	CHECK_EQ(made_number(LKST_PROBE_FIELD_IP), made_number("pc"));
	CHECK_EQ(made_number("pc"), 0xabcdef0000000020);
}

static const struct unit_test tests[] = {
	{ "registers_by_the_kernels_names", test_registers_by_the_kernels_names },
	{ "registers_of_both_machines", test_registers_of_both_machines },
	{ "values_are_cut_to_their_types", test_values_are_cut_to_their_types },
	{ "bit_fields", test_bit_fields },
	{ "dereferences_nest", test_dereferences_nest },
	{ "addresses_symbols_and_the_stack", test_addresses_symbols_and_the_stack },
	{ "elements_by_an_index", test_elements_by_an_index },
	{ "elements_by_a_narrow_index", test_elements_by_a_narrow_index },
	{ "users_memory_is_another", test_users_memory_is_another },
	{ "faults_are_noted_and_nothing_is_made_up", test_faults_are_noted_and_nothing_is_made_up },
	{ "the_last_of_32_arguments_faults", test_the_last_of_32_arguments_faults },
	{ "arguments_and_results", test_arguments_and_results },
	{ "watched_memory", test_watched_memory },
	{ "many_functions", test_many_functions },
	{ "the_deepest_argument", test_the_deepest_argument },
	{ "arm64", test_arm64 },
};
UNIT_MAIN(tests)
