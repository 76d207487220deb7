/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to a trace in SQL, answered by SQLite: a table of all records, a table of each event, and tables of what
 * the state model and the analyses know. Nothing of the trace is imported: records are read where they lie.
 */
#ifndef LKST_SQL_QUERY_SQL_H
#define LKST_SQL_QUERY_SQL_H

#include <signal.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "print/table_text.h"
#include "result/notes.h"
#include "sql/query/guard.h"
#include "trace/read/reader.h"
#include "usercode/space/code_name.h"

struct lkst_sql;

/*
 * @t must stay open. When *@stop becomes other than 0, from a signal handler for one, the query that runs ends with
 * -EINTR; NULL: none does. SQLite's limit of memory is one for the whole program.
 */
int lkst_sql_open(struct lkst_err *e, struct lkst_trace *t, const volatile sig_atomic_t *stop,
		  struct lkst_sql **ret_sql);
/*
 * The same for what is opened of one host or several. Of several, each table has their rows, and a column `host` in
 * front; times are ns since 1970 on the time line that they have in common; a table `hosts` has what is known of their
 * clocks.
 */
struct lkst_reading;
int lkst_sql_open_reading(struct lkst_err *e, const struct lkst_reading *r, const volatile sig_atomic_t *stop,
			  struct lkst_sql **ret_sql);

/* Has user code named by @namer, which must stay; without it only files and the places in them are shown. */
void lkst_sql_name_code(struct lkst_sql *s, struct lkst_code_namer namer);
void lkst_sql_close(struct lkst_sql *s);
LKST_GUARD(lkst_sql_close, struct lkst_sql)

/*
 * A query gives up after so many steps of SQLite's machine, 0: never, and no value has more bytes than @cell_bytes. For
 * tests, which do not wait for what a user may.
 */
void lkst_sql_limit(struct lkst_sql *s, u64 max_steps, int cell_bytes);

/* A format of answers beside those of enum lkst_table_format: a Parquet file (parquet/parquet.h), of one statement. */
enum { LKST_SQL_PARQUET = LKST_TABLE_JSON + 1 };

/* So many groups are held in memory, and more go to a temporary file. For tests, which have no millions of them. */
void lkst_sql_limit_groups(struct lkst_sql *s, u32 max_groups);

/*
 * Runs the statements of @text, and puts their answers at the end of @out: as text, CSV, as JSON, an array of
 * objects for each statement, or as Parquet. -EINVAL: SQLite does not understand one, and
 * @e says where; -EPERM: it would change something; -EINTR: it was stopped; -EILSEQ: a column's
 * values are of types that no column of Parquet holds. What was answered before stays in @out.
 */
int lkst_sql_run(struct lkst_err *e, struct lkst_sql *s, const char *text, unsigned int format,
		 struct lkst_out *out);

/* Whether @text ends a statement, so that it can be run: with a semicolon that is in no string or comment. */
bool lkst_sql_is_complete(const char *text);

/*
 * The tables, in the order in which they are to be shown, by a number from 0 on: false: there is no such number.
 * @ret_help is a line, NULL: nothing is known. Both stay as long as @s.
 */
bool lkst_sql_table(const struct lkst_sql *s, unsigned int i, const char **ret_name,
		    const char **ret_help);

/* Prints the columns of table @name with what they mean, as SQL. -ENOENT: there is no such table. */
int lkst_sql_schema(struct lkst_err *e, struct lkst_sql *s, const char *name, struct lkst_out *out);

/*
 * The next of the columns of table number @table, by a number from 0 on; NULL: there is none. Valid as long as @s.
 */
const char *lkst_sql_column(const struct lkst_sql *s, unsigned int table, unsigned int i);

/*
 * Places where records are missing that the queries of the last lkst_sql_run() have met, at least; where nothing was to
 * be recorded none are.
 */
u64 lkst_sql_nr_gaps(const struct lkst_sql *s);

/*
 * Adds a note, for each host one, if what the queries of the last lkst_sql_run() have asked for was left out for some
 * of the time to keep to the cost limit: rows of it are missing. 0 or a negative errno.
 */
int lkst_sql_note_left_out(struct lkst_err *e, struct lkst_sql *s, struct lkst_notes *notes);

#endif
