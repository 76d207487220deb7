// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What the result of a system call says to its program, and the name of each error, whole.
 */
#include "trace/known/call_result.h"

#include "abi/syscalls.h"
#include "analyze/engine/error_chain.h"
#include "lib/unit.h"

static const struct {
	s32 number;
	const char *name;
	bool is_interrupted;
} errors[] = {
#define ERRNO(number, name, text) { number, name, false },
#define RESTART(number, name, text) { number, name, true },
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

static s16 row_of(const char *name, bool is_compat)
{
	unsigned int i;

	for (i = 0; i < lkst_nr_syscalls; i++)
		if (lkst_syscalls[i].is_compat == is_compat && !strcmp(lkst_syscalls[i].name, name))
			return (s16)i;
	return -1;
}

TEST(call_result_has_the_whole_name_of_each_error)
{
	char text[LKST_ERROR_TEXT];
	unsigned int i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		CHECK_STR(lkst_error_text(errors[i].number, text), errors[i].name);
	CHECK_STR(lkst_error_text(4095, text), "4095");
}

TEST(call_result_is_no_failure_where_the_kernel_starts_the_call_again)
{
	const s16 read = row_of("read", false);
	unsigned int i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		CHECK_EQ(lkst_call_is_interrupted(-errors[i].number), errors[i].is_interrupted);
		CHECK_EQ(lkst_call_has_failed(read, -errors[i].number), !errors[i].is_interrupted);
		CHECK_EQ(lkst_call_has_failed(-1, -errors[i].number), !errors[i].is_interrupted);
		CHECK_EQ(lkst_call_has_failed(read, errors[i].number), false);
	}
	CHECK_EQ(lkst_call_has_failed(read, 0), false);
	CHECK_EQ(lkst_call_has_failed(read, -4095), true);
	CHECK_EQ(lkst_call_has_failed(read, -4096), false);
}

/* A signal's return gives back the register that the signal found, and an id may be as large as its 32 bits. */
TEST(call_result_is_no_failure_of_calls_that_never_fail)
{
	CHECK_EQ(lkst_call_has_failed(row_of("rt_sigreturn", false), -4), false);
	CHECK_EQ(lkst_call_has_failed(row_of("sigreturn", true), -4), false);
	CHECK_EQ(lkst_call_has_failed(row_of("getuid32", true), -2), false);
	CHECK_EQ(lkst_call_has_failed(row_of("setfsgid", false), -1), false);
	CHECK_EQ(lkst_call_has_failed(row_of("setuid", false), -1), true);
	CHECK_EQ(lkst_call_continues_another(row_of("restart_syscall", false)), true);
	CHECK_EQ(lkst_call_continues_another(row_of("restart_syscall", true)), true);
	CHECK_EQ(lkst_call_continues_another(row_of("poll", false)), false);
	CHECK_EQ(lkst_call_continues_another(-1), false);
}

static const struct unit_test tests[] = {
	{ "call_result_has_the_whole_name_of_each_error", test_call_result_has_the_whole_name_of_each_error },
	{ "call_result_is_no_failure_where_the_kernel_starts_the_call_again",
	  test_call_result_is_no_failure_where_the_kernel_starts_the_call_again },
	{ "call_result_is_no_failure_of_calls_that_never_fail",
	  test_call_result_is_no_failure_of_calls_that_never_fail },
};
UNIT_MAIN(tests)
