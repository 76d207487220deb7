// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Files of other tools are called what they are, and what reads them is named.
 */

#include "lib/unit.h"
#include "trace/format/metadata.h"
#include "trace/format/pack.h"

static const char *what_is(const char *bytes, size_t length)
{
	return lkst_foreign_file(bytes, length) ?: "";
}

#define IS(bytes) what_is(bytes, sizeof(bytes) - 1)

TEST(foreign_files_are_called_what_they_are)
{
	CHECK(strstr(IS("PERFILE2 and so on"), "perf script"));
	CHECK(strstr(IS("\x17\x08\x44tracing6"), "trace-cmd report"));
	CHECK(strstr(IS("{\"traceEvents\":[]}"), "Chrome"));
	CHECK(strstr(IS("KDUMP   "), "lkst extract"));
	CHECK_STR(IS("PERFILE"), "");
	CHECK_STR(IS(""), "");
	CHECK_STR(IS("metadata"), "");
}

/* What the reader of metadata says of @text. */
static const char *metadata_says(const char *text, size_t length)
{
	static struct lkst_err e;
	struct lkst_catalog *catalog;

	e = (struct lkst_err){};
	return lkst_metadata_parse(&e, text, length, &catalog) ? e.text : "";
}

#define SAYS(text) metadata_says(text, sizeof(text) - 1)

TEST(foreign_metadata_is_called_whose_it_is)
{
	static const char lttng[] = "/* CTF 1.8 */\ntrace { major = 1; minor = 8; };\n"
				    "env {\n\ttracer_name = \"lttng-modules\";\n};\n";

	CHECK(strstr(SAYS("\x57\x1d\xd1\x75 packets"), "babeltrace2"));
	CHECK(strstr(SAYS("\x75\xd1\x1d\x57 packets"), "babeltrace2"));
	CHECK(strstr(SAYS("\x1e{\"type\":\"preamble\"}"), "CTF 2"));
	CHECK(strstr(SAYS(lttng), "LTTng"));
	CHECK(strstr(SAYS("/* CTF 1.8 */\nenv { tracer_name = \"barectf\"; };\n"), "another tracer"));
	/* Our own, damaged, is nobody else's. */
	CHECK(!strstr(SAYS("/* CTF 1.8 */\nenv { tracer_name = \"lkst\"; };\ntrace {"), "babeltrace2"));
}

TEST(foreign_file_is_refused_by_its_name)
{
	static const char perf[] = "PERFILE2 and so on";
	struct lkst_err e = {};
	struct lkst_pack pack;

	CHECK(lkst_pack_list_memory(&e, perf, sizeof(perf) - 1, &pack));
	CHECK(strstr(e.text, "perf script"));
}

static const struct unit_test tests[] = {
	{ "foreign_files_are_called_what_they_are", test_foreign_files_are_called_what_they_are },
	{ "foreign_metadata_is_called_whose_it_is", test_foreign_metadata_is_called_whose_it_is },
	{ "foreign_file_is_refused_by_its_name", test_foreign_file_is_refused_by_its_name },
};
UNIT_MAIN(tests)
