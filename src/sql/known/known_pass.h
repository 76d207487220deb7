/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass over a trace that fills tables of what is known, and the rows that they get from it. Private to src/sql. */
#ifndef LKST_SQL_KNOWN_KNOWN_PASS_H
#define LKST_SQL_KNOWN_KNOWN_PASS_H

#include "analyze/engine/labels.h"
#include "analyze/model/spans.h"
#include "sql/known/known.h"
#include "sql/known/known_target.h"
#include "sql/records/database.h"

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
/* The name of @life, which may be empty; NULL, or not known: none. */
void lkst_sql_comm(struct lkst_sql_pass *p, const struct lkst_thread_life *life);
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

/* Keeps SQLite's @code in `error` if it is the first that is a failure. */
void lkst_sql_pass_note(struct lkst_sql_pass *p, int code);

/* Runs the pass for the tables that are wanted, and frees what it has; `error` and `nr_gaps` stay. */
int lkst_sql_pass_run(struct lkst_err *e, struct lkst_sql_pass *p);

#endif
