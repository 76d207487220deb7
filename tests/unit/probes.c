/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Probes that were set through tracefs: their records say what they are, and no more.
 */
#include "live/kernel/tracefs.h"
#include "lib/unit.h"

/* As Linux 6.1 has it for "p:my/rd vfs_read file=%di name=+0(%si):string". */
static const char entry_format[] =
	"name: rd\n"
	"ID: 1811\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 file;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"(%lx) file=0x%Lx\", REC->__probe_ip, REC->file\n";

static const char return_format[] =
	"name: back\n"
	"ID: 1812\n"
	"format:\n"
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n";

/* The names of the fields, each followed by a blank, then what is not recorded. */
static const char *describe(const char *format, bool is_at_function)
{
	static char text[256];
	struct lkst_field_class fields[LKST_FIELDS_MAX];
	struct lkst_event_class event = { .fields = fields };
	struct lkst_tracefs_about about;
	struct lkst_tracepoint_plan plan = {};
	char *copy = strdup(format);
	struct lkst_err e;
	size_t used = 0;
	int i;

	text[0] = 0;
	if (!copy || lkst_tracefs_parse_format(&e, copy, is_at_function, &event, &plan, &about))
		return "failed";
	free(copy);
	for (i = 0; i < event.nr_fields; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ",
					 event.fields[i].name);
	snprintf(text + used, sizeof(text) - used, "| %s", about.not_recorded);
	return text;
}

TEST(probes_have_arguments_only_where_a_function_begins)
{
	CHECK_STR(describe(entry_format, true), "ip arg1 arg2 arg3 arg4 arg5 | file, name");
	CHECK_STR(describe(return_format, false), "ip ret | ");
#if defined(__x86_64__)
	CHECK_STR(describe(entry_format, false), "ip di si dx cx r8 | file, name");
#elif defined(__aarch64__)
	CHECK_STR(describe(entry_format, false), "ip x0 x1 x2 x3 x4 | file, name");
#endif
}

TEST(probes_are_found_among_the_dynamic_events)
{
	CHECK(lkst_tracefs_is_at_function("p:my/rd vfs_read file=%di\n", "my", "rd"));
	CHECK(lkst_tracefs_is_at_function("p:my/rd vfs_read\n", "my", "rd"));
	CHECK(lkst_tracefs_is_at_function("p:my/rd some_module:vfs_read\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("p:my/rd vfs_read+5 file=%di\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("p:my/rd 0xffffffff81000000\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("p:my/rd /bin/bash:0x00000000000a0000\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("p:my/rd2 vfs_read\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("p:m/rd vfs_read\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("r:my/rd vfs_read\n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("p:my/rd \n", "my", "rd"));
	CHECK(!lkst_tracefs_is_at_function("\n", "my", "rd"));
}

static const struct unit_test tests[] = {
	{ "probes_have_arguments_only_where_a_function_begins",
	  test_probes_have_arguments_only_where_a_function_begins },
	{ "probes_are_found_among_the_dynamic_events",
	  test_probes_are_found_among_the_dynamic_events },
};
UNIT_MAIN(tests)
