/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * An export to Parquet has the rows that queries have, and a column for each field.
 */
#include <errno.h>

#include "abi/syscalls.h"
#include "export/export.h"
#include "lib/make_trace.h"
#include "lib/read_parquet.h"
#include "lib/unit.h"
#include "sql/query/sql.h"

static struct lkst_err err;
static char dir[64], path[128], place[128];
static char *columns, *rows;

static const char text[] =
	"state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" prio=120\n"
	"state_thread ns=10 thread_tid=7 thread_pid=7 comm=\"seven\" prio=120 cgroup=20\n"
	"state_cgroup ns=10 cgroup=20 path=/system.slice/seven.service\n"
	"sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1 prev_prio=120\n"
	"sched_waking cpu=0 tid=7 ns=1050 target_tid=5 target_cpu=0\n"
	"sched_switch cpu=0 tid=7 ns=1100 next_tid=5 next_prio=100\n"
	"syscall_entry_read cpu=0 tid=5 ns=1110 fd=3\n"
	"syscall_exit_read cpu=0 tid=5 ns=1120 ret=-9\n"
	"task_rename cpu=0 tid=5 ns=1130 target_tid=5 newcomm=cinq\n"
	"!block cpu=0\n"
	"test_arrays cpu=1 tid=6 ns=1500 name=\"it's\" numbers=1,2,3\n"
	"sched_switch cpu=0 tid=5 ns=1600 next_tid=7\n";

static unsigned int format_of(const char *name)
{
	return (unsigned int)lkst_choices_find(lkst_export_choices, name);
}

/* Exports the records that @which leaves, and reads table @name of it. */
static int export(struct lkst_select_options which, const char *name)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	struct lkst_export_request request = { .format = format_of("parquet"),
					       .which = which,
					       .path = place,
					       .trace_name = "trace",
					       .fd = -1 };
	_cleanup_free_ char *file = NULL;
	struct lkst_export_result result;
	char part[64];
	size_t length;
	int code;

	make_scratch_remove(place);
	err = (struct lkst_err){};
	code = lkst_trace_open(&err, path, &t);
	request.trace = t;
	code = code ?: lkst_export_run(&err, &request, &result);
	if (code)
		return code;
	free(columns);
	free(rows);
	snprintf(part, sizeof(part), "%s.parquet", name);
	file = make_read(place, part, &length);
	columns = parquet_columns(file, length);
	rows = parquet_rows(file, length);
	return columns && rows ? 0 : -EBADMSG;
}

/* The answer to @query with "|" between cells, without the names of its columns. The caller frees it. */
static char *ask(const char *query)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	char *answer = NULL, *from, *to;
	size_t length;
	FILE *stream = open_memstream(&answer, &length);

	lkst_out_init_stream(out, stream);
	if (lkst_trace_open(&err, path, &t) || lkst_sql_open(&err, t, NULL, &s) ||
	    lkst_sql_run(&err, s, query, LKST_TABLE_CSV, out))
		abort();
	lkst_out_flush(out);
	fclose(stream);
	from = strchr(answer, '\n') + 1;
	for (to = answer; *from; from++)
		if (*from != '\r' && *from != '"')
			*to++ = *from == ',' ? '|' : *from;
	*to = 0;
	return answer;
}

/* Fields of one name share a column; what all have comes first, in the terms of the table of lkst sql. */
TEST(export_parquet_events)
{
	CHECK_EQ(export((struct lkst_select_options){ .to_ns = UINT64_MAX }, "events"), 0);
	CHECK_STR(
		columns,
		"time:time time_ns:int64 cpu:int32 tid:int32 pid:int32? comm:text? event:text buffer:text "
		"next_tid:int32? prev_state:uint32? prev_prio:int32? next_prio:int32? prev_call:int32? "
		"prev_where:uint32? prev_flags:uint32? nr_args:uint32? prev_args:text? target_tid:int32? "
		"target_prio:int32? target_cpu:int32? call:int32? context:uint32? flags:uint32? newcomm:text? "
		"oldcomm:text? name:text? numbers:text? "
		"wide:text? fd:int32? buf:uint64? count:uint64? ret:int64?");
	CHECK_STR(
		rows,
		"1700000000000001000|1000|0|5|4|five|sched_switch|main|7|1|120|120|-1|0|0|0|[]|||||||||||||||\n"
		"1700000000000001050|1050|0|7|7|seven|sched_waking|main||||||||||5|120|0|-1|0|0|||||||||\n"
		"1700000000000001100|1100|0|7|7|seven|sched_switch|main|5|0|120|100|-1|0|0|0|[]|||||||||||||||\n"
		"1700000000000001110|1110|0|5|4|five|syscall_entry_read|main|||||||||||||||||||||3|0|0|\n"
		"1700000000000001120|1120|0|5|4|five|syscall_exit_read|main||||||||||||||||||||||||-9\n"
		"1700000000000001130|1130|0|5|4|five|task_rename|main||||||||||5||||||cinq||||||||\n"
		"1700000000000001500|1500|1|6|||test_arrays|main||||||||||||||||||it's|[1,2,3]|[0,0]||||\n"
		"1700000000000001600|1600|0|5|4|cinq|sched_switch|main|7|0|120|120|-1|0|0|0|[]|||||||||||||||\n");
}

/* Only columns of events that are wanted, and that there are. State is there if it is asked for. */
TEST(export_parquet_filters)
{
	char *const waking = "sched_waking", *const state = "state_thread", *const any = "*";
	struct lkst_select_options all = { .to_ns = UINT64_MAX }, which = all;

	which.events = &waking;
	which.nr_events = 1;
	CHECK_EQ(export(which, "events"), 0);
	CHECK_STR(columns,
		  "time:time time_ns:int64 cpu:int32 tid:int32 pid:int32? comm:text? event:text "
		  "buffer:text target_tid:int32? target_prio:int32? target_cpu:int32? "
		  "call:int32? context:uint32? flags:uint32?");
	CHECK_STR(rows, "1700000000000001050|1050|0|7|7|seven|sched_waking|main|5|120|0|-1|0|0\n");

	which = all;
	which.from_ns = 1105;
	which.to_ns = 1125;
	which.has_to = true;
	CHECK_EQ(export(which, "events"), 0);
	CHECK_STR(rows, "1700000000000001110|1110|0|5|4|five|syscall_entry_read|main|3|0|0|\n"
			"1700000000000001120|1120|0|5|4|five|syscall_exit_read|main||||-9\n");
	which.events = &state;
	which.nr_events = 1;
	CHECK_EQ(export(which, "events"), 0);
	CHECK(strstr(rows, "|state_thread|") &&
	      strstr(strstr(rows, "|state_thread|") + 1, "|state_thread|"));

	which = all;
	which.has_cpu = true;
	which.cpu = 1;
	which.events = &any;
	which.nr_events = 1;
	CHECK_EQ(export(which, "events"), 0);
	CHECK(strstr(rows, "|1500|1|6|") && !strstr(rows, "|sched_switch|"));

	which = all;
	which.has_tid = true;
	which.tid = 7;
	CHECK_EQ(export(which, "states"), 0);
	CHECK(strstr(rows, "|7|7|seven|") && !strstr(rows, "|5|4|five|"));

	which = all;
	which.cgroup = "/system.slice/*";
	CHECK_EQ(export(which, "states"), 0);
	CHECK(strstr(rows, "|7|7|seven|") && !strstr(rows, "|5|4|five|"));
	CHECK_EQ(export(which, "events"), 0);
	CHECK(strstr(rows, "|sched_switch|") && !strstr(rows, "|syscall_entry_read|"));
	which.cgroup = "/nowhere";
	CHECK_EQ(export(which, "events"), 0);
	CHECK_STR(rows, "");
}

/* A directory that holds something is left as it is. */
TEST(export_parquet_keeps)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	struct lkst_export_request request = { .format = format_of("parquet"),
					       .which = { .to_ns = UINT64_MAX },
					       .path = path,
					       .trace_name = "trace",
					       .fd = -1 };
	struct lkst_export_result result;

	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	request.trace = t;
	CHECK(lkst_export_run(&err, &request, &result) < 0);
	request.path = NULL;
	CHECK_EQ(lkst_export_run(&err, &request, &result), -EINVAL);
}

/* The other tables have the rows of lkst sql, and the time of day before them. */
TEST(export_parquet_tables)
{
	static const char *const tables[][2] = {
		{ "states", "select from_ns + 1700000000000000000, * from states" },
		{ "syscalls", "select from_ns + 1700000000000000000, * from syscalls" },
		{ "threads", "select * from threads" },
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		_cleanup_free_ char *want = ask(tables[i][1]);

		CHECK_EQ(export((struct lkst_select_options){ .to_ns = UINT64_MAX }, tables[i][0]),
			 0);
		CHECK_STR(rows, want);
	}
}

/* The trace of @of, whose catalogue has a system call as well. */
static int write_trace(const char *of)
{
	struct lkst_catalog *c = make_catalog();
	const struct lkst_syscall *row = lkst_syscall_find(false, "read");
	struct make_trace *t;

	if (!row ||
	    lkst_catalog_add_syscall(&err, c, 1000, 1001, (unsigned int)(row - lkst_syscalls)))
		return -EINVAL;
	t = make_begin(path, c, 4096);
	return t ? make_text(t, of) ?: make_end(t) : -EINVAL;
}

/* Whoever counts in the tables finds there what was left out. */
TEST(export_parquet_has_what_was_left_out)
{
	_cleanup_free_ char *want = NULL;

	make_scratch_remove(path);
	if (write_trace("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			"shed_begin cpu=0 tid=0 buffer=1 ns=1200 cost=1 kind=syscall:*\n"
			"shed_end cpu=0 tid=0 buffer=1 ns=1600 left_out=400 kind=syscall:*\n"
			"shed_begin cpu=0 tid=0 buffer=1 ns=1700 cost=1 kind=softirq\n"
			"sched_switch cpu=0 tid=7 ns=2000 next_tid=5\n"))
		abort();
	want = ask("select from_ns + 1700000000000000000, * from left_out");
	CHECK(strstr(want, "syscall_entry_read") && strstr(want, "softirq_exit"));
	CHECK_EQ(export((struct lkst_select_options){ .to_ns = UINT64_MAX }, "left_out"), 0);
	CHECK_STR(rows, want);
}

static const struct unit_test tests[] = {
	{ "export_parquet_events", test_export_parquet_events },
	{ "export_parquet_filters", test_export_parquet_filters },
	{ "export_parquet_keeps", test_export_parquet_keeps },
	{ "export_parquet_tables", test_export_parquet_tables },
	{ "export_parquet_has_what_was_left_out", test_export_parquet_has_what_was_left_out },
};

/* The trace is made once, and removed at the end of all. */
static void remove_trace(void)
{
	free(columns);
	free(rows);
	make_scratch_remove(place);
	make_scratch_remove(dir);
}

static __attribute__((constructor)) void make(void)
{
	make_scratch(dir);
	atexit(remove_trace);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(place, sizeof(place), "%s/tables", dir);
	if (write_trace(text))
		abort();
}

UNIT_MAIN(tests)
