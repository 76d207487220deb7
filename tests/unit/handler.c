/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What is reported of a verifier's log, and what is stored in a handler's variables.
 */
#include "live/programs/link.h"

#include <errno.h>
#include <string.h>

#include "live/masks/variables.h"
#include "lib/unit.h"

TEST(handler_log_names_line_and_reason)
{
	struct lkst_err e = {};

	lkst_link_explain(&e, "0: R1=ctx() R10=fp0\n"
			      "; u64 *p = 0; @ bad.c:5\n"
			      "0: (b7) r1 = 0\n"
			      "; return *p == 7; @ bad.c:7\n"
			      "1: (79) r0 = *(u64 *)(r1 +0)\n"
			      "R1 invalid mem access 'scalar'\n"
			      "processed 2 insns (limit 1000000) max_states_per_insn 0\n");
	CHECK(!strcmp(e.text, "bad.c:7: \"return *p == 7;\": R1 invalid mem access 'scalar'"));
}

TEST(handler_log_of_older_kernels_has_no_place)
{
	struct lkst_err e = {};

	lkst_link_explain(
		&e, "; return *p == 7;\n1: (79) r0 = *(u64 *)(r1 +0)\nR1 invalid mem access\n");
	CHECK(!strcmp(e.text, "\"return *p == 7;\": R1 invalid mem access"));
}

TEST(handler_log_without_lines_or_words)
{
	struct lkst_err e = {};

	lkst_link_explain(&e, "BPF program is too large. Processed 1000001 insn\n\n");
	CHECK(!strcmp(e.text, "BPF program is too large. Processed 1000001 insn"));
	lkst_link_explain(&e, "");
	CHECK(!strcmp(e.text, "no reason given"));
	lkst_link_explain(&e, ";");
	CHECK(!strcmp(e.text, "no reason given"));
}

TEST(handler_log_wants_static_functions)
{
	CHECK(lkst_link_wants_static(
		"; u32 to = lkst_ring_turn(ring->page, ring->level); @ ring.h:195\n"
		"91: (85) call pc+40\n"
		"global function calls are not allowed with preemption disabled,\n"
		"use static function instead\n"
		"processed 90 insns (limit 1000000)\n"));
	CHECK(!lkst_link_wants_static("R1 invalid mem access 'scalar'\n"));
	CHECK(!lkst_link_wants_static(""));
}

/* Stores @text in an integer of @size bytes; what the call returns. */
static int store(u32 size, bool is_signed, const char *text, s64 *ret_value)
{
	u64 bytes = 0;
	struct lkst_variable v = {
		.name = "n", .size = size, .count = 1, .is_signed = is_signed, .bytes = &bytes
	};
	struct lkst_err e;
	int err = lkst_variable_store(&e, &v, text, -1);

	*ret_value = lkst_variable_int(&v, 0);
	return err;
}

TEST(handler_numbers_are_stored_within_their_bounds)
{
	s64 value;

	CHECK(!store(1, true, "-128", &value) && value == -128);
	CHECK(store(1, true, "-129", &value) == -ERANGE && !value);
	CHECK(!store(1, false, "255", &value) && value == 255);
	CHECK(store(1, false, "256", &value) == -ERANGE);
	CHECK(!store(2, false, "0xffff", &value) && value == 0xffff);
	CHECK(store(4, false, "-1", &value) == -ERANGE);
	CHECK(!store(4, true, "-2147483648", &value) && value == -2147483648LL);
	CHECK(store(4, true, "2147483648", &value) == -ERANGE);
	CHECK(!store(8, false, "18446744073709551615", &value) && value == -1);
	CHECK(store(8, false, "18446744073709551616", &value) == -ERANGE);
	CHECK(store(8, true, "", &value) == -EINVAL);
	CHECK(store(8, true, "1 2", &value) == -EINVAL);
}

TEST(handler_texts_fit_with_their_nul)
{
	char bytes[4] = "old";
	struct lkst_variable v = {
		.name = "t", .kind = LKST_VARIABLE_TEXT, .size = 1, .count = 4, .bytes = bytes
	};
	struct lkst_err e;

	CHECK(lkst_variable_store(&e, &v, "four", -1) == -ERANGE);
	CHECK(!memcmp(bytes, "old", 4));
	CHECK(!lkst_variable_store(&e, &v, "a", -1));
	CHECK(!memcmp(bytes, "a\0\0", 4));
}

static const struct unit_test tests[] = {
	{ "handler_log_names_line_and_reason", test_handler_log_names_line_and_reason },
	{ "handler_log_of_older_kernels_has_no_place",
	  test_handler_log_of_older_kernels_has_no_place },
	{ "handler_log_without_lines_or_words", test_handler_log_without_lines_or_words },
	{ "handler_log_wants_static_functions", test_handler_log_wants_static_functions },
	{ "handler_numbers_are_stored_within_their_bounds",
	  test_handler_numbers_are_stored_within_their_bounds },
	{ "handler_texts_fit_with_their_nul", test_handler_texts_fit_with_their_nul },
};

UNIT_MAIN(tests)
