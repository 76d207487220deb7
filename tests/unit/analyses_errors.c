/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * The functions that returned the error of a system call that failed (I33).
 */
#include "abi/probe.h"
#include "analyses.h"

#include "lib/unit.h"

/* Events as a return probe at many functions has them. */
static struct lkst_catalog *make_probed_catalog(void)
{
	struct lkst_catalog *c = make_full_catalog();
	struct lkst_field_class fields[2 + LKST_ERRORS_ARGS];
	struct lkst_event_class event = { .id = LKST_NR_EVENTS + 200, .fields = fields };
	struct lkst_err e;
	char name[16];
	unsigned int i;

	snprintf(event.name, sizeof(event.name), "errors:vfs");
	make_field(&event, LKST_PROBE_FIELD_RET_IP, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, LKST_PROBE_FIELD_FUNC, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, "ret", LKST_CLASS_SINT, 4, 10, 0, 0);
	if (lkst_catalog_add(&e, c, &event))
		abort();
	/* And as probes of one function each do, whose name is in theirs. */
	event = (struct lkst_event_class){ .id = LKST_NR_EVENTS + 201, .fields = fields };
	snprintf(event.name, sizeof(event.name), "errors:may_open__return");
	make_field(&event, LKST_PROBE_FIELD_RET_IP, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, "ret", LKST_CLASS_SINT, 8, 10, 0, 0);
	if (lkst_catalog_add(&e, c, &event))
		abort();
	/* What functions are called with. */
	event = (struct lkst_event_class){ .id = LKST_NR_EVENTS + 203, .fields = fields };
	snprintf(event.name, sizeof(event.name), "errors:args");
	make_field(&event, LKST_PROBE_FIELD_IP, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, LKST_PROBE_FIELD_FUNC, LKST_CLASS_UINT, 8, 16, 0, 0);
	for (i = 1; i <= LKST_ERRORS_ARGS; i++) {
		snprintf(name, sizeof(name), LKST_ERRORS_ARG "%u", i);
		make_field(&event, name, LKST_CLASS_UINT, 8, 10, 0, 0);
	}
	if (lkst_catalog_add(&e, c, &event))
		abort();
	/* Not at a return. */
	event = (struct lkst_event_class){ .id = LKST_NR_EVENTS + 202, .fields = fields };
	snprintf(event.name, sizeof(event.name), "errors:entry");
	make_field(&event, LKST_PROBE_FIELD_IP, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, "ret", LKST_CLASS_SINT, 8, 10, 0, 0);
	if (lkst_catalog_add(&e, c, &event))
		abort();
	return c;
}

static const char failing[] =
	/* Of a call that the trace does not have the beginning of. */
	"errors:vfs tid=9 ns=900 __probe_func=4096 ret=-2\n"
	"syscall_exit_openat tid=9 ns=1000 ret=-2\n"
	/* 4096 says no, 8192 tries otherwise, 4097 and 12288 pass on what the second try said. */
	"syscall_entry_openat tid=5 ns=2000\n"
	"errors:vfs tid=5 ns=2001 __probe_func=4096 ret=-11\n"
	"syscall_entry_read tid=6 cpu=1 ns=2002\n"
	"errors:vfs tid=5 ns=2003 __probe_func=4097 ret=-2\n"
	"errors:vfs tid=6 cpu=1 ns=2004 __probe_func=8192 ret=-9\n"
	"errors:vfs tid=5 ns=2005 __probe_func=12288 ret=-2\n"
	"syscall_exit_read tid=6 cpu=1 ns=2006 ret=-9\n"
	"syscall_exit_openat tid=5 ns=2007 ret=-2\n"
	/* The same again, and a way of its own; a call that does not fail; one without a probe in it. */
	"syscall_entry_openat tid=7 ns=3000\n"
	"errors:vfs tid=7 ns=3001 __probe_func=4097 ret=-2\n"
	"errors:vfs tid=7 ns=3002 __probe_func=12288 ret=-2\n"
	"syscall_exit_openat tid=7 ns=3003 ret=-2\n"
	"syscall_entry_openat tid=5 ns=4000\n"
	"errors:vfs tid=5 ns=4001 __probe_func=12288 ret=-2\n"
	"syscall_exit_openat tid=5 ns=4002 ret=-2\n"
	"syscall_entry_read tid=5 ns=5000\n"
	"errors:vfs tid=5 ns=5001 __probe_func=4096 ret=-11\n"
	"syscall_exit_read tid=5 ns=5002 ret=3\n"
	"syscall_entry_write tid=5 ns=6000\n"
	"syscall_exit_write tid=5 ns=6001 ret=-32\n";

/* All rows, "call error count first chain time tid;". */
static const char *rows(void)
{
	static char text[1024];
	const struct lkst_table *t = table("errors");
	size_t row, used = 0;

	text[0] = 0;
	for (row = 0; row < t->nr_rows; row++) {
		const struct lkst_cell *first = lkst_table_cell(t, row, 3);
		const struct lkst_cell *chain = lkst_table_cell(t, row, 4);

		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%s %s %llu %s %s %llu %lld;",
			lkst_table_cell(t, row, 0)->text, lkst_table_cell(t, row, 1)->text,
			(unsigned long long)lkst_table_cell(t, row, 2)->u64,
			first->is_set ? first->text : "-", chain->is_set ? chain->text : "-",
			(unsigned long long)lkst_table_cell(t, row, 5)->u64,
			(long long)lkst_table_cell(t, row, 6)->s64);
	}
	return text;
}

TEST(errors_by_the_functions_that_returned_them)
{
	ask_of(make_probed_catalog(), failing, "errors", (struct lkst_analysis_options){ 0 });
	CHECK_STR(rows(), "openat ENOENT 2 0x1001 0x3000 2000 5;"
			  "read EBADF 1 0x2000  2002 6;"
			  "openat ENOENT 1 0x3000  4000 5;"
			  "write EPIPE 1 - - 6000 5;");
}

TEST(errors_can_be_restricted)
{
	ask_of(make_probed_catalog(), failing, "errors",
	       (struct lkst_analysis_options){
		       .which = { .key = "open*", .has_tid = true, .tid = 7 } });
	CHECK_STR(rows(), "openat ENOENT 1 0x1001 0x3000 3000 7;");
	ask_of(make_probed_catalog(), failing, "errors",
	       (struct lkst_analysis_options){ .list = take_rows });
	CHECK_STR(listed, "read 6 2002 1 1|openat 5 2000 1 0|openat 7 3000 2 0|openat 5 4000 1 0|"
			  "write 5 6000 1 0|");
}

static const char family[] =
	"sched_process_fork tid=5 ns=1000 child_tid=6 child_pid=6 parent_pid=5\n"
	"sched_process_fork tid=6 ns=1001 child_tid=7 child_pid=6 parent_pid=5\n"
	"sched_process_fork tid=8 ns=1002 child_tid=9 child_pid=9 parent_pid=8\n"
	"syscall_entry_read tid=5 ns=2000 fd=77\n"
	"syscall_exit_read tid=5 ns=2001 ret=-9\n"
	"syscall_entry_openat tid=7 ns=2002 dirfd=-100 path=8 flags=65 path_str=/no/such\n"
	"syscall_exit_openat tid=7 ns=2003 ret=-2\n"
	"syscall_entry_openat tid=9 ns=2004 dirfd=3\n"
	"syscall_exit_openat tid=9 ns=2005 ret=-13\n"
	/* Another thread has the number later. */
	"sched_process_exit tid=7 ns=3000\n"
	"sched_process_fork tid=8 ns=3001 child_tid=7 child_pid=7 parent_pid=8\n"
	"syscall_entry_openat tid=7 ns=3002\n"
	"syscall_exit_openat tid=7 ns=3003 ret=-13\n";

/* All rows, "call error arguments;". */
static const char *calls_made(void)
{
	static char text[1024];
	const struct lkst_table *t = table("errors");
	unsigned int arguments = (unsigned int)lkst_table_column(t, "arguments");
	size_t row, used = 0;

	text[0] = 0;
	for (row = 0; row < t->nr_rows; row++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s %s;",
					 lkst_table_cell(t, row, 0)->text,
					 lkst_table_cell(t, row, 1)->text,
					 lkst_table_cell(t, row, arguments)->text);
	return text;
}

/* Only threads that are asked for, and those that they create; and what their calls were made with. */
TEST(errors_of_some_threads)
{
	const s32 roots[] = { 5 }, others[] = { 8, 100 };

	ask_of(make_probed_catalog(), family, "errors",
	       (struct lkst_analysis_options){ .roots = roots, .nr_roots = 1 });
	CHECK_STR(calls_made(), "read EBADF fd=77 buf=0x0 count=0;"
				"openat ENOENT dirfd=AT_FDCWD path=/no/such flags=0x41 mode=0x0;");
	ask_of(make_probed_catalog(), family, "errors",
	       (struct lkst_analysis_options){ .roots = others, .nr_roots = 2 });
	CHECK_STR(calls_made(), "openat EACCES dirfd=3 path=0x0 flags=0x0 mode=0x0;");
	CHECK_EQ(lkst_table_cell(table("errors"), 0, 2)->u64, 2);
}

/* A probe of a single function counts, too, and is called by it. */
TEST(errors_of_single_functions)
{
	ask_of(make_probed_catalog(),
	       "syscall_entry_openat tid=5 ns=2000\n"
	       "errors:entry tid=5 ns=2001 ret=-13\n"
	       "errors:may_open__return tid=5 ns=2002 ret=-13\n"
	       "errors:vfs tid=5 ns=2003 __probe_func=4097 ret=-13\n"
	       "syscall_exit_openat tid=5 ns=2004 ret=-13\n",
	       "errors", (struct lkst_analysis_options){ 0 });
	CHECK_STR(rows(), "openat EACCES 1 may_open 0x1001 2000 5;");
}

static const char called[] =
	"errors:args tid=5 ns=1900 __probe_func=4097 arg1=99\n"
	"syscall_entry_openat tid=5 ns=2000\n"
	/* 4097 is called twice: the first time it succeeds. 4098 is the first to fail. */
	"errors:args tid=5 ns=2001 __probe_func=4097 arg1=1\n"
	"errors:args tid=6 ns=2002 __probe_func=4098 arg1=77\n"
	"errors:args tid=5 ns=2003 __probe_func=4097 arg1=2 arg6=3\n"
	"errors:args tid=5 ns=2004 __probe_func=4098 arg1=4 arg2=5\n"
	"errors:args tid=5 ns=2005 __probe_func=4099 arg1=6\n"
	"errors:vfs tid=5 ns=2006 __probe_func=4098 ret=-2\n"
	"errors:args tid=5 ns=2007 __probe_func=4098 arg1=8\n"
	"errors:vfs tid=5 ns=2008 __probe_func=4097 ret=-2\n"
	"syscall_exit_openat tid=5 ns=2009 ret=-2\n"
	/* The first was called before the probe was there. */
	"syscall_entry_read tid=5 ns=3000\n"
	"errors:vfs tid=5 ns=3001 __probe_func=4098 ret=-9\n"
	"syscall_exit_read tid=5 ns=3002 ret=-9\n";

/* What the first function was called with, where that is recorded. */
TEST(errors_with_arguments)
{
	const struct lkst_table *t;
	unsigned int column;

	ask_of(make_probed_catalog(), called, "errors", (struct lkst_analysis_options){ 0 });
	t = table("errors");
	column = (unsigned int)lkst_table_column(t, "registers");
	CHECK_STR(rows(), "openat ENOENT 1 0x1002 0x1001 2000 5;read EBADF 1 0x1002  3000 5;");
	CHECK_STR(lkst_table_cell(t, 0, column)->text, "0x4 0x5 0x0 0x0 0x0 0x0");
	CHECK(!lkst_table_cell(t, 1, column)->is_set);
}

/* Of very many functions in one call the last remain, and the row says so. */
TEST(errors_keep_the_last_functions)
{
	static char text[8192];
	size_t used = (size_t)snprintf(text, sizeof(text), "syscall_entry_read tid=5 ns=1000\n");
	unsigned int i;

	for (i = 1; i <= 40; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "errors:vfs tid=5 ns=%u __probe_func=%u ret=-5\n",
					 1000 + i, i);
	snprintf(text + used, sizeof(text) - used, "syscall_exit_read tid=5 ns=2000 ret=-5\n");
	ask_of(make_probed_catalog(), text, "errors", (struct lkst_analysis_options){ 0 });
	CHECK_STR(lkst_table_cell(table("errors"), 0, 3)->text, "...,0x19");
	CHECK_STR(lkst_table_cell(table("errors"), 0, 1)->text, "EIO");
}

/* Without a probe of the group the question makes no sense. */
TEST(errors_need_a_probe)
{
	ask("syscall_entry_read tid=5 ns=1000\nsyscall_exit_read tid=5 ns=1001 ret=-5\n", "errors");
	CHECK_EQ(table("errors")->nr_rows, 0);
	CHECK(has_note("errors", "The trace cannot have the events that"));
	finish();
}

static const struct unit_test tests[] = {
	{ "errors_by_the_functions_that_returned_them",
	  test_errors_by_the_functions_that_returned_them },
	{ "errors_can_be_restricted", test_errors_can_be_restricted },
	{ "errors_of_some_threads", test_errors_of_some_threads },
	{ "errors_of_single_functions", test_errors_of_single_functions },
	{ "errors_with_arguments", test_errors_with_arguments },
	{ "errors_keep_the_last_functions", test_errors_keep_the_last_functions },
	{ "errors_need_a_probe", test_errors_need_a_probe },
};
UNIT_MAIN(tests)
