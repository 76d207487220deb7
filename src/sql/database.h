/* SPDX-License-Identifier: GPL-2.0-only */
/* An SQLite database that has the tables of a trace. Private to src/sql. */
#ifndef LKST_SQL_DATABASE_H
#define LKST_SQL_DATABASE_H

#include <sqlite3.h>

#include "sql/sql.h"
#include "trace/symbols.h"

/* A column of a table: one that all have, or a field of an event. */
struct lkst_sql_column {
	char name[LKST_NAME_MAX + 16];
	const char *type;
	const char *help; /* NULL: nothing is known */
	bool is_hidden;	  /* not one of `*` */
	u8 common;	  /* enum lkst_sql_common; LKST_SQL_FIELD: a field */
	bool has_code;	  /* it may name code of programs, which takes what is known of these */
	u16 field;	  /* the number of the field */
};

enum lkst_sql_common {
	LKST_SQL_TIME,
	LKST_SQL_CPU,
	LKST_SQL_TID,
	LKST_SQL_PID,
	LKST_SQL_COMM,
	LKST_SQL_EVENT,
	LKST_SQL_BUFFER,
	LKST_SQL_LINE,
	LKST_SQL_JSON,
	LKST_SQL_HOST, /* with several hosts */
	LKST_SQL_FIELD,
	LKST_SQL_SYMBOL, /* the names of the addresses in a field */
};

/* A table of records. */
struct lkst_sql_records {
	struct lkst_sql *sql;
	const struct lkst_event_class *event; /* NULL: of all */
	const char *name, *help;
	struct lkst_sql_column *columns;
	unsigned int nr_columns;
	/*
	 * With several hosts: of each the table of these records, NULL: it has no such event. And where column i of
	 * this table is in that of host h, place h * nr_columns + i; -1: nowhere.
	 */
	const struct lkst_sql_records **parts;
	s16 *places;
	s16 faults; /* the field that says which others could not be read, -1: there is none */
};

struct lkst_sql {
	sqlite3 *db;
	struct lkst_trace *trace;
	const struct lkst_catalog *catalog;
	struct lkst_symbols *symbols; /* NULL: not asked for yet */
	struct lkst_code_namer namer; /* of user code */
	const volatile sig_atomic_t *stop;
	u64 begin_ns, end_ns;
	u64 max_steps, steps;		  /* lkst_sql_limit() */
	u32 max_groups;			  /* lkst_sql_limit_groups() */
	unsigned int nr_answers;	  /* statements of this run that had one */
	u64 nr_gaps;			  /* that the query has met: at least so many */
	bool is_inside;			  /* what runs is not the user's */
	bool is_refused;		  /* the authorizer has said no */
	struct lkst_sql_records *records; /* the first is of all events */
	unsigned int nr_records;

	/*
	 * Several hosts: each has its own of this, and `front` is the one that has the database, whose tables join
	 * theirs. With one trace it is that itself. What is of a query is the front's.
	 */
	struct lkst_sql *front;
	struct lkst_sql **hosts; /* the front's; NULL: there is one trace */
	unsigned int nr_hosts;
	const char *name; /* of the host */
	char prefix[8];	  /* of the names of its tables of what is known: "0:"; empty: there is one trace */
	u64 offset_ns; /* added to its records' times, modulo 2^64; 0 with one trace */

	/* Tables of what is known, a bit for each by its number (sql/known.h). */
	u32 wants_known; /* that the statement speaks of */
	u32 has_known;	 /* that are filled */
	u64 known_gaps;	 /* that were met when some were filled */
	int known_code;	 /* SQLite's, of what kept them from being filled */
};

/* True if the query that runs is to end. */
static inline bool lkst_sql_is_stopped(const struct lkst_sql *s)
{
	return s->stop && *s->stop;
}

/* The names of addresses, read from the trace when they are asked for first; NULL: no memory. */
struct lkst_symbols *lkst_sql_symbols(struct lkst_sql *s);

/*
 * Makes the first statement of @text ready to run; *@ret_rest is what follows on it. *@ret_statement is NULL if there
 * is none, and to be finalized by the caller, on failure too. @all is what @text is the end of, for errors.
 */
int lkst_sql_prepare(struct lkst_err *e, struct lkst_sql *s, const char *all, const char *text,
		     sqlite3_stmt **ret_statement, const char **ret_rest);

/* Says how a statement has ended: by an error of ours, or else by SQLite's @code. 0 or the error. */
int lkst_sql_tell(struct lkst_err *e, const struct lkst_sql *s, int err, int code, const char *all,
		  const char *text);

/* Fills @e with what SQLite says of result @code, and returns a negative errno. */
int lkst_sql_failed(struct lkst_err *e, const struct lkst_sql *s, int code, const char *what);

#endif
