/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of what is known from the records: threads and their states, calls, waits and so on. They are temporary
 * tables of the database, filled by one pass over the trace when a query first speaks of them
 * (doc/decisions/14-sql-tables.md says why). Private to src/sql.
 */
#ifndef LKST_SQL_KNOWN_H
#define LKST_SQL_KNOWN_H

#include "analyze/engine/labels.h"
#include "analyze/model/spans.h"
#include "sql/database.h"
#include "sql/known_export.h"

enum { LKST_SQL_COLUMNS_MAX = 32 };

/* A column: its name, its type with what else SQLite is to know of it, and what it says. NULL ends a list. */
struct lkst_sql_known_column {
	const char *name, *type, *help;
};

struct lkst_sql_pass;

struct lkst_sql_known {
	const char *name, *help;
	const struct lkst_sql_known_column *columns;
	bool needs_model;
	/* Subscribes, and finds its rows by its own number. 0 or a negative errno. NULL: nothing to subscribe. */
	int (*begin)(struct lkst_sql_pass *p);
	/* After the pass. NULL: nothing is left to do. */
	int (*end)(struct lkst_sql_pass *p);
};

/* To add one: a line here, lkst_sql_known_<name> in one of the sources, and its paragraph in doc/sql.md. */
#define LKST_SQL_KNOWN(T)                                                                          \
	T(threads)                                                                                 \
	T(states)                                                                                  \
	T(waits)                                                                                   \
	T(wakeups)                                                                                 \
	T(syscalls)                                                                                \
	T(irqs)                                                                                    \
	T(faults)                                                                                  \
	T(block_requests)                                                                          \
	T(packets)                                                                                 \
	T(spans)                                                                                   \
	T(counts)                                                                                  \
	T(incidents)                                                                               \
	T(gaps)                                                                                    \
	T(losses)                                                                                  \
	T(symbols)

enum lkst_sql_known_number {
#define T(name) LKST_SQL_##name,
	LKST_SQL_KNOWN(T)
#undef T
		LKST_SQL_NR_KNOWN,
};

#define T(name) extern const struct lkst_sql_known lkst_sql_known_##name;
LKST_SQL_KNOWN(T)
#undef T

/* A thread's page fault that has not ended. */
struct lkst_sql_fault {
	u64 ns, address, ip;
	s32 tid;
	u32 cpu;
	bool is_open, is_kernel, is_major;
};

/* A pass that fills tables. */
struct lkst_sql_pass {
	struct lkst_sql *sql;
	struct lkst_feed *feed;
	struct lkst_model *model; /* if a table needs it */
	struct lkst_threads *threads; /* the same, for their cgroups */
	struct lkst_descriptors *descriptors; /* if system calls are wanted */
	struct lkst_spans *spans; /* if they are wanted */
	struct lkst_labels labels;
	bool is_wanted[LKST_SQL_NR_KNOWN];
	sqlite3_stmt *inserts[LKST_SQL_NR_KNOWN];
	sqlite3_stmt *row; /* the one that is being filled */
	int at;		   /* its next column, from 1 on */

	/* Where rows go to files, and not into the database. */
	const struct lkst_sql_known_export *to; /* NULL: they do not */
	struct lkst_parquet *files[LKST_SQL_NR_KNOWN];
	unsigned int numbers[LKST_SQL_NR_KNOWN]; /* of the tables in `to` */
	bool has_time[LKST_SQL_NR_KNOWN];	 /* column 0 is the time of day of the first cell */
	enum lkst_sql_known_number table;	 /* whose row is being filled */
	u64 row_ns;
	u64 nr_rows, nr_gaps;
	int error; /* SQLite's code of the first failure */

	struct lkst_sql_fault *faults; /* by number of the thread's life */
	u32 nr_faults;
	bool has_fault_ends;
};

/*
 * A row of table @number is begun, then its cells are added from left to right; lkst_sql_row_end() puts it in: 0,
 * -EIO (`error` has the reason) or -EINTR.
 */
void lkst_sql_row(struct lkst_sql_pass *p, enum lkst_sql_known_number number);
void lkst_sql_int(struct lkst_sql_pass *p, s64 value);
void lkst_sql_none(struct lkst_sql_pass *p);
void lkst_sql_text(struct lkst_sql_pass *p, const char *text, size_t length); /* empty: none */
void lkst_sql_str(struct lkst_sql_pass *p, const char *text);		      /* NULL: none */
int lkst_sql_row_end(struct lkst_sql_pass *p);

/* An int, or none if it is @unknown. */
static inline void lkst_sql_int_but(struct lkst_sql_pass *p, s64 value, s64 unknown)
{
	if (value == unknown)
		lkst_sql_none(p);
	else
		lkst_sql_int(p, value);
}

/* Whether rows about this thread, NULL: it is not known, are wanted. To be asked before a row is begun. */
bool lkst_sql_wants_life(const struct lkst_sql_pass *p, const struct lkst_thread_life *life);

/* Cells tid, pid and comm. @life NULL: none of them. */
void lkst_sql_life(struct lkst_sql_pass *p, const struct lkst_thread_life *life);

/* Runs the pass for the tables that are wanted, and frees what it has; `error` and `nr_gaps` stay. */
int lkst_sql_pass_run(struct lkst_err *e, struct lkst_sql_pass *p);

/* ---- for the database ------------------------------------------------------------------------ */

/* Makes the tables, all empty. 0 or -ENOMEM. */
int lkst_sql_known_add(struct lkst_sql *s);

/* A query speaks of table @name, which may be any. */
void lkst_sql_known_want(struct lkst_sql *s, const char *name);

/* Fills those that are wanted and empty. 0 or a negative errno; -EIO: SQLite says why. */
int lkst_sql_known_fill(struct lkst_err *e, struct lkst_sql *s);

/* Table number @i; NULL: there are not so many. */
const struct lkst_sql_known *lkst_sql_known_table(unsigned int i);

/* CREATE TABLE, with comments if @has_help; sqlite3_free() frees it. NULL: no memory. */
char *lkst_sql_known_text(const struct lkst_sql *s, const struct lkst_sql_known *table, bool has_help);

/* What the next statement wants is not known yet. And places where records are missing, of what it wanted. */
void lkst_sql_known_forget(struct lkst_sql *s);
u64 lkst_sql_known_nr_gaps(const struct lkst_sql *s);

/* Whether columns called so are times, and not lengths of time. */
bool lkst_sql_known_is_time(const char *column);

#endif
