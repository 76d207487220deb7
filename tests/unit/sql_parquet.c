/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Answers to queries as Parquet: which types columns have, and what does not fit into one.
 */
#include <errno.h>

#include "lib/make_trace.h"
#include "lib/read_parquet.h"
#include "lib/unit.h"
#include "sql/query/sql.h"

static struct lkst_err err;
static char dir[64], path[128];
static char *columns, *rows;

static const char text[] = "state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" prio=120\n"
			   "sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			   "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
			   "test_text cpu=1 tid=6 ns=1500 name=\"it's\" numbers=1,2,3\n";

/* Answers @query. 0, or what failed. */
static int ask(const char *query)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_sql_closep) struct lkst_sql *s = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_free_ char *file = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&file, &length);
	int code;

	free(columns);
	free(rows);
	columns = rows = NULL;
	err = (struct lkst_err){};
	lkst_out_init_stream(out, to);
	code = lkst_trace_open(&err, path, &t) ?: lkst_sql_open(&err, t, NULL, &s);
	if (!code)
		code = lkst_sql_run(&err, s, query, LKST_SQL_PARQUET, out);
	lkst_out_flush(out);
	fclose(to);
	if (!code) {
		columns = parquet_columns(file, length);
		rows = parquet_rows(file, length);
	}
	return code ?: columns && rows ? 0 : -EBADMSG;
}

/* Columns of tables are what these say; names are made different. */
TEST(sql_parquet_declared)
{
	CHECK_EQ(ask("select time_ns, comm, event, tid, tid from events"), 0);
	CHECK_STR(columns, "time_ns:int64? comm:text? event:text? tid:int64? tid_2:int64?");
	CHECK_STR(rows,
		  "1000|five|sched_switch|5|5\n1100||sched_switch|7|7\n1500||test_text|6|6\n");
	CHECK_EQ(ask("select tid, comm from events where tid = 99"), 0);
	CHECK_STR(columns, "tid:int64? comm:text?");
	CHECK_STR(rows, "");
}

/* What is computed is what its first values are, all of them. */
TEST(sql_parquet_computed)
{
	CHECK_EQ(
		ask("select event, count(*) n, avg(tid) mean, null none, x'4142' bytes from events "
		    "group by event"),
		0);
	CHECK_STR(columns, "event:text? n:int64? mean:double? none:text? bytes:bytes?");
	CHECK_STR(rows, "sched_switch|2|6||AB\ntest_text|1|6||AB\n");
	CHECK_EQ(ask("select column1 a from (values (1), (2.5), (null))"), 0);
	CHECK_STR(columns, "a:double?");
	CHECK_STR(rows, "1\n2.5\n\n");
	CHECK_EQ(ask("select column1 a from (values (1), ('x'))"), 0);
	CHECK_STR(columns, "a:text?");
	CHECK_STR(rows, "1\nx\n");
	CHECK_EQ(
		ask("with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) "
		    "select i, i * 0.5 half from n"),
		0);
	CHECK_STR(columns, "i:int64? half:double?");
	CHECK(strstr(rows, "\n4999|2499.5\n5000|2500\n"));
}

/* A column has one type: what does not fit is not changed behind anybody's back. */
TEST(sql_parquet_refused)
{
	const char *late =
		"with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) "
		"select case when i < 1500 then i else 'late' end mixed from n";

	CHECK_EQ(ask(late), -EILSEQ);
	CHECK(strstr(err.text,
		     "column \"mixed\" holds whole numbers, and has text in row 1500; cast"));
	CHECK_EQ(ask("select column1 a from (values (1), (x'00'))"), -EILSEQ);
	/* 2^53 + 1 is the first that a double does not have. */
	CHECK_EQ(ask("select column1 a from (values (0.5), (9007199254740993))"), -EILSEQ);
	CHECK(strstr(err.text, "would change the whole number 9007199254740993 in row 2; cast"));
	CHECK_EQ(ask("select column1 a from (values (0.5), (9007199254740992))"), 0);
	CHECK_EQ(ask("select column1 a from (values (1), (9007199254740993))"), 0);
	CHECK_STR(rows, "1\n9007199254740993\n");
	CHECK_EQ(ask("select 1; select 2"), -EINVAL);
	CHECK(strstr(err.text, "one statement"));
	CHECK_EQ(ask("select 1; -- and no more"), 0);
	CHECK_EQ(ask("-- nothing"), -EINVAL);
	CHECK(strstr(err.text, "needs a query"));
	CHECK_EQ(ask("select no_such from events"), -EINVAL);
	CHECK_EQ(ask("create table x (a)"), -EPERM);
}

static const struct unit_test tests[] = {
	{ "sql_parquet_declared", test_sql_parquet_declared },
	{ "sql_parquet_computed", test_sql_parquet_computed },
	{ "sql_parquet_refused", test_sql_parquet_refused },
};

/* The trace is made once, and removed at the end of all. */
static void remove_trace(void)
{
	free(columns);
	free(rows);
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
