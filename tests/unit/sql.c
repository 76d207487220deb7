/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Queries: their answers are those of the records that the trace was made of, whatever SQLite pushes down.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "lib/make_calls.h"
#include "lib/unit.h"
#include "sql/query/sql.h"

static struct lkst_err err;
static char dir[64], path[128], answer[1024 * 1024];
static u32 max_groups; /* that are held in memory; 0: as always */

static const char text[] = "state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" prio=120\n"
			   "state_thread ns=10 thread_tid=6 thread_pid=6 comm=\"six\"\n"
			   "sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			   "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
			   "sched_switch cpu=1 tid=8 ns=1050 next_tid=9 prev_state=2\n"
			   "task_rename cpu=1 buffer=1 tid=5 ns=1060 target_tid=5 newcomm=cinq\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 tid=5 ns=1400 next_tid=6\n"
			   "test_text cpu=1 tid=6 ns=1500 name=\"it's \\\"so\\\"\" numbers=1,2,3\n";

/* The answer to @query; what failed, with its errno first. */
static const char *ask_as(const char *query, enum lkst_table_format format)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	FILE *to = fmemopen(answer, sizeof(answer), "w");
	int code;

	memset(answer, 0, sizeof(answer));
	err = (struct lkst_err){};
	lkst_out_init_stream(out, to);
	if (lkst_trace_open(&err, path, &t) || lkst_sql_open(&err, t, NULL, &s))
		return "cannot be opened";
	if (max_groups)
		lkst_sql_limit_groups(s, max_groups);
	code = lkst_sql_run(&err, s, query, format, out);
	lkst_out_flush(out);
	fclose(to);
	if (code)
		snprintf(answer, sizeof(answer), "%d: %s", -code, err.text);
	return answer;
}

static const char *ask(const char *query)
{
	return ask_as(query, LKST_TABLE_CSV);
}

/* All records are there, in order of time, without those of the state. */
TEST(sql_events)
{
	CHECK_STR(ask("select count(*) n from events"), "n\r\n6\r\n");
	CHECK_STR(ask("select time_ns, cpu, tid, event from events"),
		  "time_ns,cpu,tid,event\r\n1000,0,5,sched_switch\r\n1050,1,8,sched_switch\r\n"
		  "1060,1,5,task_rename\r\n1100,0,7,sched_switch\r\n1400,0,5,sched_switch\r\n"
		  "1500,1,6,test_text\r\n");
	CHECK_STR(ask("select time_ns from events order by time_ns desc limit 1"),
		  "time_ns\r\n1500\r\n");
	CHECK_STR(ask("select count(*) n from state_thread"), "n\r\n2\r\n");
	CHECK_STR(ask("select count(*) n from events where event = 'state_thread'"), "n\r\n0\r\n");
}

/* Threads have the names that they had at the time, also in a window that begins after they were named. */
TEST(sql_names)
{
	CHECK_STR(ask("select time_ns, comm, pid from events where tid = 5"),
		  "time_ns,comm,pid\r\n1000,five,4\r\n1060,five,4\r\n1400,cinq,4\r\n");
	CHECK_STR(ask("select comm from events where tid = 5 and time_ns > 1300"),
		  "comm\r\ncinq\r\n");
	CHECK_STR(ask("select quote(comm) c, quote(pid) p from events where tid = 8"),
		  "c,p\r\nNULL,NULL\r\n");
}

/*
 * Process 4 has code of one file from the beginning, and maps another one; the record of that is in the buffer of
 * lives. The second frame of a stack is where a call returns to.
 */
static const char code_text[] =
	"state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" prio=120\n"
	"state_binary ns=10 binary=1 inode=5 dev=8 bias=4096 file=\"4f3a /bin/prog\"\n"
	"state_mapping ns=10 from=20 address=65536 length=4096 offset=8192 binary=1 owner_pid=4\n"
	"state_symbol ns=10 address=18446744071579861248 bytes=4096 name=\"do_work\"\n"
	"sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
	"mapping buffer=1 tid=5 ns=1100 address=131072 length=4096 offset=0 inode=6 ctime=1 dev=8 owner_pid=4 "
	"file=\"/lib/libx.so\"\n"
	"test.user cpu=0 tid=5 ns=1200 frames=65546,131082,7\n"
	"test.stack cpu=0 tid=5 ns=1300 by=5 took=1 frames=18446744071579861258,3\n"
	"test.user cpu=0 tid=9 ns=1400 frames=65546\n"
	"timer_expire_entry cpu=0 tid=5 ns=1500 function=18446744071579861248\n";

static void remake(const char *of)
{
	make_scratch_remove(path);
	if (make_trace(path, 4096, of))
		abort();
}

/* Addresses have names in queries: those of the kernel by its symbols, those of programs by what was mapped then. */
TEST(sql_names_addresses)
{
	remake(code_text);
	CHECK_STR(ask("select frames_symbol from \"test.user\" where tid = 5"),
		  "frames_symbol\r\n0x200a[prog] 0xa[libx.so] 0x7[memory]\r\n");
	/* Also if the record of the mapping is before the time of the query. */
	CHECK_STR(ask("select frames_symbol from \"test.user\" where time_ns > 1150 and tid = 5"),
		  "frames_symbol\r\n0x200a[prog] 0xa[libx.so] 0x7[memory]\r\n");
	CHECK_STR(ask("select line like '%frames=[0x200a[prog],0xa[libx.so],0x7[memory]]' l, "
		      "json like '%\"symbols\":{\"frames\":[\"0x200a[prog]\",\"0xa[libx.so]\",\"0x7[memory]\"]}}' j "
		      "from events where event = 'test.user' and tid = 5"),
		  "l,j\r\n1,1\r\n");
	CHECK_STR(ask("select frames_symbol from \"test.stack\""), "frames_symbol\r\ndo_work+0xa 0x3\r\n");
	CHECK_STR(ask("select function_symbol from timer_expire_entry"), "function_symbol\r\ndo_work\r\n");
	/* Nothing is known of what thread 9 has mapped. */
	CHECK_STR(ask("select quote(frames_symbol) q from \"test.user\" where tid = 9"), "q\r\nNULL\r\n");
	remake(text);
}

/* A condition that is pushed down leaves what SQLite itself leaves of a copy of all rows. */
TEST(sql_conditions)
{
	static const char *const conditions[] = {
		"time_ns > 1050",
		"time_ns >= 1050 and time_ns < 1400",
		"time_ns between 1050.5 and 1399.9",
		"time_ns = 1100",
		"time_ns = '1100'",
		"time_ns = 1100.5",
		"time_ns < 'a'",
		"time_ns > 'a'",
		"time_ns <= x'00'",
		"time_ns > null",
		"time_ns > 1e30",
		"time_ns < 1e30",
		"time_ns > -1e30",
		"time_ns > 9223372036854775807",
		"time_ns < -9223372036854775808",
		"cpu = 1",
		"cpu in (0, 1)",
		"cpu in (1, 1.0, '1')",
		"cpu > 0.5",
		"tid = 5 or tid = 7",
		"tid in (5, 6, 7) and cpu = 0",
		"tid >= 6 and tid <= 7",
		"tid = -1",
		"event = 'sched_switch'",
		"event = 'SCHED_SWITCH'",
		"event = 'SCHED_SWITCH' collate nocase",
		"event in ('sched_switch', 'test_text', null)",
		"event glob 'sched_*'",
		"event like 'SCHED%'",
		"event like 'sched\\_%' escape '\\'",
		"event glob null",
		"event = 5",
		"event = x'7363686564'",
		"event > 't'",
		"event = 'sched_switch' and event = 'task_rename'",
		"event = 'sched_switch' and time_ns > 1000 and cpu = 0 and tid = 5",
	};
	char query[512], first[256];
	size_t i;

	for (i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		snprintf(query, sizeof(query),
			 "select count(*), min(time_ns), max(tid) from events where %s",
			 conditions[i]);
		snprintf(first, sizeof(first), "%s", ask(query));
		snprintf(query, sizeof(query),
			 "with x as materialized (select * from events) "
			 "select count(*), min(time_ns), max(tid) from x where %s",
			 conditions[i]);
		if (strcmp(first, ask(query)))
			printf("# %s: %s, not %s\n", conditions[i], first, answer);
		CHECK_STR(first, ask(query));
		/* Counting alone takes another way. */
		snprintf(query, sizeof(query), "select count(*) from events where %s",
			 conditions[i]);
		CHECK_EQ(strtoul(strchr(ask(query), '\n') + 1, NULL, 10),
			 strtoul(strchr(first, '\n') + 1, NULL, 10));
	}
}

/* An event's own table has its fields; hidden columns are there if they are named. */
TEST(sql_fields)
{
	CHECK_STR(ask("select * from sched_switch where prev_state = 2"),
		  "time_ns,cpu,tid,pid,comm,next_tid,prev_state,prev_prio,next_prio,prev_call,prev_where,prev_flags,"
		  "nr_args,prev_args\r\n"
		  "1050,1,8,,,9,2,120,120,-1,0,0,0,[]\r\n");
	CHECK_STR(ask("select sum(next_tid) s, max(cpu) c from sched_switch where cpu = 0"),
		  "s,c\r\n18,0\r\n");
	CHECK_STR(ask("select json_extract(json, '$.fields.newcomm') c, buffer from task_rename"),
		  "c,buffer\r\ncinq,life\r\n");
	CHECK_STR(ask("select a.time_ns, b.time_ns from sched_switch a join sched_switch b "
		      "on b.tid = a.next_tid and b.time_ns > a.time_ns"),
		  "time_ns,time_ns\r\n1000,1100\r\n1100,1400\r\n");
}

/* Rows keep their numbers under any condition, which SQLite relies on for OR. */
TEST(sql_row_numbers)
{
	CHECK_STR(
		ask("select count(*) n from events where tid = 5 or cpu = 0 or event = 'sched_switch'"),
		"n\r\n5\r\n");
	CHECK_STR(
		ask("select count(*) n from events a, events b where a.rowid = b.rowid and a.cpu = 1 and b.tid > 0"),
		"n\r\n3\r\n");
}

/* Rows that differ in event, CPU and thread alone are counted in groups, and the answers are the same. */
TEST(sql_groups)
{
	static const char *const queries[] = {
		"select event, count(*), count(event) from %s group by event",
		"select event, count(*) from %s group by event order by event desc",
		"select event, cpu, count(*) from %s group by event, cpu order by cpu desc, event",
		"select tid, cpu, count(*), max(cpu), sum(tid) from %s group by tid, cpu",
		"select cpu, count(distinct event), max(event) from %s group by cpu",
		"select tid, count(*) from %s where cpu = 0 group by tid",
		"select tid, count(*) from %s where event glob 'sched*' and tid > 5 group by tid",
		"select event from %s order by event, tid",
		"select distinct event from %s",
		"select distinct event, cpu from %s order by cpu, event desc",
		"select count(distinct tid), count(distinct event) from %s",
		"select cpu, count(*) from %s group by cpu having count(*) > 2",
		"select event, count(*) from %s where time_ns > 1050 group by event",
		"select event, min(time_ns) from %s group by event",
		"select cpu, count(comm) from %s group by cpu",
		"select event, row_number() over (partition by event) from %s order by event",
		"select distinct event from %s order by event limit 1 offset 1",
	};
	char query[512], copy[1024], first[4096];
	size_t i;

	for (i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		snprintf(query, sizeof(query), queries[i], "events");
		snprintf(first, sizeof(first), "%s", ask(query));
		snprintf(query, sizeof(query), queries[i], "x");
		snprintf(copy, sizeof(copy), "with x as materialized (select * from events) %s",
			 query);
		if (strcmp(first, ask(copy)))
			printf("# %s: %s, not %s\n", queries[i], first, answer);
		CHECK_STR(first, ask(copy));
	}
	CHECK_EQ(atoi(ask("select rowid, cpu from events order by cpu")), EINVAL);
	CHECK_EQ(atoi(ask("select rowid from events")), EINVAL);
	CHECK_STR(ask("select count(distinct rowid + time_ns * 0) n from events"), "n\r\n6\r\n");
}

/* Groups that go to a temporary file are those that would have been held. */
TEST(sql_groups_spilled)
{
	static const char *const queries[] = {
		"select event, cpu, tid, count(*) from events group by event, cpu, tid",
		"select event, tid, count(*) from events group by 1, 2 order by event desc, tid",
		"select tid, cpu, count(*), sum(tid) from events group by tid, cpu order by 2 desc, 1",
		"select distinct cpu, tid from events order by cpu, tid desc",
		"select cpu, count(*) from events where event = 'sched_switch' group by cpu",
		"select event, cpu, tid, records from counts order by 1, 2, 3",
	};
	char held[4096];
	size_t i;

	for (i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		max_groups = 0;
		snprintf(held, sizeof(held), "%s", ask(queries[i]));
		for (max_groups = 1; max_groups < 4; max_groups++)
			CHECK_STR(ask(queries[i]), held);
	}
	max_groups = 0;
}

/* How many places @query meets in which the trace at @at lacks records. */
static u64 nr_gaps(const char *at, const char *query)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	FILE *to = fmemopen(answer, sizeof(answer), "w");
	u64 nr = UINT64_MAX;

	lkst_out_init_stream(out, to);
	if (!lkst_trace_open(&err, at, &t) && !lkst_sql_open(&err, t, NULL, &s) &&
	    !lkst_sql_run(&err, s, query, LKST_TABLE_CSV, out))
		nr = lkst_sql_nr_gaps(s);
	lkst_out_flush(out);
	fclose(to);
	return nr;
}

/* What the numbers of blocks do not show is missing for all ways of reading: an end, and a first block. */
TEST(sql_gaps)
{
	static const char records[] = "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n!block cpu=0\n"
				      "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
				      "sched_switch cpu=1 tid=5 ns=1500 next_tid=7\n";
	static const char *const queries[] = {
		"select time_ns from events",
		"select count(*) from events",
		"select tid from events where tid = 5",
		"select tid, count(*) from events group by tid",
	};
	char whole[96], cut[96], damaged[96], text_of_cut[512];
	size_t length, i;
	char *bytes;

	snprintf(whole, sizeof(whole), "%s/whole", dir);
	snprintf(cut, sizeof(cut), "%s/cut", dir);
	snprintf(damaged, sizeof(damaged), "%s/damaged", dir);
	snprintf(text_of_cut, sizeof(text_of_cut),
		 "%s!claim cpu=0 covered=1200 left=2\n!claim cpu=1 covered=1500\n"
		 "!end ns=1500 how=1\n",
		 records);
	CHECK(!make_trace(whole, 4096, records));
	CHECK(!make_trace(cut, 4096, text_of_cut));
	CHECK(!make_trace(damaged, 4096, records));
	bytes = make_read(damaged, "main.0", &length);
	memset(bytes, 0, 16);
	make_write(damaged, "main.0", bytes, length);
	free(bytes);
	for (i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		CHECK_EQ(nr_gaps(whole, queries[i]), 0);
		CHECK_EQ(nr_gaps(cut, queries[i]), 1);
		CHECK_EQ(nr_gaps(damaged, queries[i]), 1);
	}
}

/* What nobody may do is refused, and nothing is left of it. */
TEST(sql_only_reads)
{
	static const char *const queries[] = {
		"create table t(a)",
		"create temp table t(a)",
		"create view v as select 1",
		"create virtual table t using events",
		"insert into events values (1)",
		"delete from sched_switch",
		"update events set cpu = 1",
		"drop table events",
		"attach 'x' as x",
		"detach main",
		"vacuum into 'x'",
		"pragma journal_mode = wal",
		"pragma temp_store_directory = '/'",
		"pragma hard_heap_limit = 0",
		"begin",
		"savepoint s",
		"analyze",
		"reindex",
		"select load_extension('x')",
		"select writefile('x', 'y')",
		"select readfile('/etc/passwd')",
		"alter table events rename to x",
	};
	size_t i;

	for (i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		int code = atoi(ask(queries[i]));

		if (code != EPERM && code != EINVAL)
			printf("# %s: %s\n", queries[i], answer);
		CHECK(code == EPERM || code == EINVAL);
	}
	CHECK(access("x", F_OK));
	CHECK(strstr(ask("pragma table_info('sched_switch')"), "next_tid,INTEGER"));
}

/* SQLite's words, and where in which line. */
TEST(sql_says_where)
{
	CHECK_EQ(atoi(ask("select 1;\nselect a form events")), EINVAL);
	CHECK(strstr(err.text, "syntax error") || strstr(err.text, "no such column"));
	CHECK_STR(err.line, "select a form events");
	CHECK_EQ(err.mark, 14);
	ask("select absent from events");
	CHECK(strstr(err.text, "no such column: absent"));
	CHECK_EQ(err.mark, 7);
	CHECK_EQ(atoi(ask("select * from nowhere")), EINVAL);
	CHECK(strstr(err.text, "no such table: nowhere"));
}

/* A query that would not end is ended, and one that would take all memory. */
TEST(sql_limits)
{
	static volatile sig_atomic_t stop = 1;
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	FILE *to = fmemopen(answer, sizeof(answer), "w");

	lkst_out_init_stream(out, to);
	CHECK(!lkst_trace_open(&err, path, &t));
	CHECK(!lkst_sql_open(&err, t, &stop, &s));
	CHECK_EQ(lkst_sql_run(&err, s,
			      "with recursive r(x) as (select 1 union all select x + 1 from r) "
			      "select sum(x) from r",
			      LKST_TABLE_CSV, out),
		 -EINTR);
	stop = 0;
	CHECK_EQ(lkst_sql_run(&err, s,
			      "select length(group_concat(hex(zeroblob(8000000)))) from events",
			      LKST_TABLE_CSV, out),
		 -EINVAL);
	CHECK(strstr(err.text, "too big"));
	CHECK(!lkst_sql_run(&err, s, "select 1", LKST_TABLE_CSV, out));
	fclose(to);
}

/* The three forms; a hostile text commands no terminal. */
TEST(sql_forms)
{
	const char *query = "select 1 a, 2.5 b, 'x' || char(27) || '[2J' c, null d, x'0aff' e "
			    "union all select 100, 1e9, '=f(\"x\")', 4, x''";

	CHECK_STR(ask_as(query, LKST_TABLE_TEXT), "  a           b  c         d  e\n"
						  "  1         2.5  x\\x1b[2J     x'0aff'\n"
						  "100  1000000000  =f(\"x\")   4  x''\n");
	CHECK_STR(ask_as(query, LKST_TABLE_CSV),
		  "a,b,c,d,e\r\n1,2.5,x\\x1b[2J,,0aff\r\n100,1000000000,\"'=f(\"\"x\"\")\",4,\r\n");
	CHECK_STR(ask_as(query, LKST_TABLE_JSON),
		  "[\n{\"a\":1,\"b\":2.5,\"c\":\"x\\u001b[2J\",\"d\":null,\"e\":\"0aff\"},\n"
		  "{\"a\":100,\"b\":1000000000,\"c\":\"=f(\\\"x\\\")\",\"d\":4,\"e\":\"\"}]\n");
	CHECK_STR(ask_as("select 1 a where 0; select 2 b", LKST_TABLE_JSON), "[]\n[\n{\"b\":2}]\n");
	CHECK_STR(ask_as("select 1 a where 0", LKST_TABLE_TEXT), "a\n");
	CHECK_STR(ask_as("select '' as \"\"", LKST_TABLE_TEXT), "\n\n");
}

/* Rows behind those that are measured have the same columns, whatever wide cells one of them has. */
TEST(sql_text_goes_on)
{
	static const char query[] =
		"with recursive n(i) as (select 100000 union all select i + 1 from n where i < 119999) "
		"select i, 'caf\xc3\xa9' c, iif(i = 119000, printf('%.*c', 5000, 'x'), null) w, -i minus from n";
	_cleanup_free_ char *wide = malloc(5001);
	const char *at;
	int i;

	CHECK(wide);
	memset(wide, 'x', 5000);
	wide[5000] = 0;
	at = strchr(ask_as(query, LKST_TABLE_TEXT), '\n') + 1;
	for (i = 100000; i < 120000; i++) {
		_cleanup_free_ char *line = NULL;
		int length = asprintf(&line, "%d  caf\xc3\xa9  %-1s  %d\n", i, i == 119000 ? wide : "", -i);

		CHECK(length > 0 && !strncmp(at, line, (size_t)length));
		at += length;
	}
	CHECK(!*at);
}

/* Tables of what is known: once by hand, and the same again, since they are filled once. */
TEST(sql_known)
{
	CHECK_STR(ask("select from_ns, to_ns, state from states where tid = 9 and from_ns > 1000"),
		  "from_ns,to_ns,state\r\n1050,1500,running\r\n");
	CHECK_STR(ask("select sum(records) n from counts where event = 'sched_switch'"),
		  "n\r\n4\r\n");
	CHECK_STR(ask("select a.comm from threads a, threads b where a.tid = 5 and b.tid = 5"),
		  "comm\r\ncinq\r\n");
	CHECK_STR(ask("select count(*) > 4 n from states; select count(*) > 4 n from states"),
		  "n\r\n1\r\nn\r\n1\r\n");
	CHECK_STR(ask("select count(*) n from incidents"), "n\r\n0\r\n");
	CHECK_EQ(atoi(ask("insert into states(tid) values (1)")), EPERM);
	CHECK_EQ(atoi(ask("delete from states")), EPERM);
	CHECK_EQ(atoi(ask("create index i on states(tid)")), EPERM);
}

/* Every table has rows of as many cells as it has columns, and each column has a help text. */
TEST(sql_known_columns)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	const char *name, *help;
	char query[256];
	unsigned int i;

	CHECK(!lkst_trace_open(&err, path, &t));
	CHECK(!lkst_sql_open(&err, t, NULL, &s));
	for (i = 0; lkst_sql_table(s, i, &name, &help); i++) {
		CHECK(lkst_sql_column(s, i, 0));
		if (i > 40)
			continue;
		snprintf(query, sizeof(query), "select count(*) >= 0 n from \"%s\"", name);
		CHECK_STR(ask(query), "n\r\n1\r\n");
	}
	CHECK(i > 100);
	CHECK(!lkst_sql_column(s, i, 0));
}

/* ---- what the cost limit left out ------------------------------------------------------------ */

/* The note after @query; "": there is none. */
static const char *note_of(const char *query)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	_cleanup_(lkst_notes_fini) struct lkst_notes notes = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	static char note[1024];
	FILE *to = fmemopen(answer, sizeof(answer), "w");

	lkst_out_init_stream(out, to);
	if (lkst_trace_open(&err, path, &t) || lkst_sql_open(&err, t, NULL, &s) ||
	    lkst_sql_run(&err, s, query, LKST_TABLE_CSV, out) || lkst_sql_note_left_out(&err, s, &notes))
		abort();
	lkst_out_flush(out);
	fclose(to);
	snprintf(note, sizeof(note), "%s", notes.nr ? notes.text[0] : "");
	return note;
}

#define SAYS(query, part) CHECK(strstr(note_of(query), part))
#define IS_SILENT(query) CHECK_STR(note_of(query), "")

/* A query that asks for what was left out is told so, and no other; its answer is what it is without a note. */
TEST(sql_says_what_was_left_out)
{
	make_trace_of_calls(
		path,
		"sched_switch cpu=0 tid=5 ns=1000 next_tid=6\n"
		"syscall_entry_read cpu=0 tid=6 ns=1100 fd=3\n"
		"syscall_exit_read cpu=0 tid=6 ns=1200 ret=1\n"
		"shed_begin cpu=0 tid=0 buffer=1 ns=2000 cost=81000 kind=syscall:*\n"
		"page_fault_user cpu=0 tid=6 ns=2500 address=64\n"
		"shed_begin cpu=0 tid=0 buffer=1 ns=3000 cost=81000 kind=page_fault_user\n"
		"shed_end cpu=0 tid=0 buffer=1 ns=4000 left_out=2000 kind=syscall:*\n"
		"sched_switch cpu=0 tid=6 ns=9000 next_tid=5 prev_state=1\n");
	SAYS("select count(*) from syscall_entry_read",
	     "syscall:* not recorded from +0.000 s to +0.000 s. The answer lacks it");
	SAYS("select event, count(*) n from events group by event",
	     "syscall:*, page_fault_user not recorded, in part,");
	SAYS("select sum(records) from counts", "page_fault_user");
	SAYS("select * from syscalls", "syscall:*");
	SAYS("select count(*) from faults", "page_fault_user");
	SAYS("select count(*) from events where time_ns >= 3500", "syscall:*");
	SAYS("select 1; select count(*) from syscalls; select 2", "syscall:*");
	IS_SILENT("select count(*) from sched_switch");
	IS_SILENT("select count(*) from events where event = 'sched_switch'");
	IS_SILENT("select count(*) from events where time_ns < 2000");
	IS_SILENT("select count(*) from syscall_entry_read where time_ns between 4000 and 9000");
	IS_SILENT("select count(*) from packets");
	IS_SILENT("select count(*) from threads");
	IS_SILENT("select count(*) from left_out");
	CHECK_STR(ask("select count(*) n from syscall_entry_read"), "n\r\n1\r\n");
	CHECK_STR(ask("select from_ns, to_ns, event, kind, is_over, why from left_out where event in "
		      "('syscall_exit_read', 'page_fault_user', 'sched_switch') order by 1"),
		  "from_ns,to_ns,event,kind,is_over,why\r\n2000,4000,syscall_exit_read,syscall:*,1,the cost limit\r\n"
		  "3000,9000,page_fault_user,page_fault_user,0,the cost limit\r\n");
	/* A call of which others may have been left out is none that is whole. */
	make_trace_of_calls(path, "sched_switch cpu=0 tid=5 ns=1000 next_tid=6\n"
				  "syscall_entry_read cpu=0 tid=6 ns=1100 fd=3\n"
				  "syscall_exit_read cpu=0 tid=6 ns=1200 ret=1\n"
				  "syscall_entry_read cpu=0 tid=6 ns=1300 fd=3\n"
				  "shed_begin cpu=0 tid=0 buffer=1 ns=2000000000 cost=1 kind=syscall:*\n"
				  "shed_end cpu=0 tid=0 buffer=1 ns=4000000000 left_out=2000 kind=syscall:*\n"
				  "syscall_exit_read cpu=0 tid=6 ns=5000000000 ret=1\n"
				  "sched_switch cpu=0 tid=6 ns=9000000000 next_tid=5 prev_state=1\n");
	CHECK_STR(ask("select from_ns, is_whole from syscalls order by 1"),
		  "from_ns,is_whole\r\n1100,1\r\n1300,0\r\n1300,0\r\n");
	/* Three calls are in the catalogue, with an entry and an exit each. */
	CHECK_STR(ask("select count(*) n from left_out where kind = 'syscall:*' and event in ('syscall_entry_read', "
		      "'syscall_exit_read', 'syscall_entry_write', 'syscall_exit_write', 'syscall_entry_futex', "
		      "'syscall_exit_futex')"),
		  "n\r\n6\r\n");
	remake(text);
}

/* The functions of our own. */
TEST(sql_functions)
{
	CHECK_STR(ask("select quantile(time_ns, 0) a, abs(quantile(time_ns, 1) - 1500) < 50 b, "
		      "quantile(null, 0.5) c from events"),
		  "a,b,c\r\n1000,1,\r\n");
	CHECK_EQ(atoi(ask("select quantile(1, 2)")), EINVAL);
	CHECK_STR(ask("select quote(symbol(1)) a, quote(time_text(null)) b"),
		  "a,b\r\nNULL,NULL\r\n");
	CHECK_STR(
		ask("select time_text(1500) = substr(line, 1, 18) a from events where event = 'test_text'"),
		"a\r\n1\r\n");
}

/* No function of SQLite works at a text for long, and what a query sorts fits into the files that it may write. */
TEST(sql_bounds_texts_and_temporary_files)
{
	struct rlimit was, less;
	struct sigaction action = { .sa_handler = SIG_IGN }, before;

	CHECK_STR(ask("select length(hex(zeroblob(600000)))"), "22: the query: string or blob too big");
	/* This takes minutes by SQLite's own. */
	CHECK_STR(ask("select instr(replace(hex(zeroblob(500000)), '0', 'a'), replace(hex(zeroblob(250000)), '0', 'a') "
		      "|| 'b') i"),
		  "i\r\n0\r\n");
	CHECK_STR(ask("select instr('abcabc', 'ca') a, instr('äöü', 'ü') b, instr(x'c3a4c3b6', x'c3b6') c, "
		      "instr('abc', '') d, instr('', 'a') e, instr('', '') f, instr(12345, 34) g, "
		      "quote(instr(null, 'a')) h, instr('x', null) is null i, instr('abc', x'63') j"),
		  "a,b,c,d,e,f,g,h,i,j\r\n3,3,3,1,0,1,3,NULL,1,3\r\n");
	CHECK(!getrlimit(RLIMIT_FSIZE, &was));
	less = was;
	less.rlim_cur = 1 << 20;
	CHECK(!sigaction(SIGXFSZ, &action, &before) && !setrlimit(RLIMIT_FSIZE, &less));
	CHECK_STR(ask("select max(length(x)) from (select hex(randomblob(400000)) x from events a, events b "
		      "order by x)"),
		  "27: the query writes more to temporary files than it may");
	CHECK(!setrlimit(RLIMIT_FSIZE, &was) && !sigaction(SIGXFSZ, &before, NULL));
}

/* An empty name is one; nobody has named thread 8. */
TEST(sql_tells_an_empty_name_from_an_unknown_one)
{
	static const char nameless[] = "state_thread ns=10 thread_tid=5 thread_pid=5 comm=\"five\" prio=-1\n"
				       "task_rename cpu=0 buffer=1 tid=5 ns=900 target_tid=5 newcomm=\"\"\n"
				       "sched_switch cpu=0 tid=5 ns=1000 next_tid=8 prev_state=1 prev_prio=-1\n"
				       "sched_switch cpu=0 tid=8 ns=1100 next_tid=5 prev_state=1\n";

	remake(nameless);
	CHECK_STR(ask("select tid, quote(comm) c, prev_prio from sched_switch"),
		  "tid,c,prev_prio\r\n5,'',-1\r\n8,NULL,120\r\n");
	CHECK_STR(ask("select distinct tid, quote(comm) c from states order by tid"),
		  "tid,c\r\n5,''\r\n8,NULL\r\n");
	remake(text);
}

static const struct unit_test tests[] = {
	{ "sql_bounds_texts_and_temporary_files", test_sql_bounds_texts_and_temporary_files },
	{ "sql_tells_an_empty_name_from_an_unknown_one", test_sql_tells_an_empty_name_from_an_unknown_one },
	{ "sql_events", test_sql_events },
	{ "sql_names", test_sql_names },
	{ "sql_names_addresses", test_sql_names_addresses },
	{ "sql_conditions", test_sql_conditions },
	{ "sql_fields", test_sql_fields },
	{ "sql_row_numbers", test_sql_row_numbers },
	{ "sql_groups", test_sql_groups },
	{ "sql_groups_spilled", test_sql_groups_spilled },
	{ "sql_gaps", test_sql_gaps },
	{ "sql_only_reads", test_sql_only_reads },
	{ "sql_says_where", test_sql_says_where },
	{ "sql_limits", test_sql_limits },
	{ "sql_forms", test_sql_forms },
	{ "sql_text_goes_on", test_sql_text_goes_on },
	{ "sql_known", test_sql_known },
	{ "sql_known_columns", test_sql_known_columns },
	{ "sql_says_what_was_left_out", test_sql_says_what_was_left_out },
	{ "sql_functions", test_sql_functions },
};

/* The trace is made once, and removed at the end of all. */
static void remove_trace(void)
{
	make_scratch_remove(dir);
}

static __attribute__((constructor)) void make(void)
{
	make_scratch(dir);
	atexit(remove_trace);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, text))
		abort();
}

UNIT_MAIN(tests)
