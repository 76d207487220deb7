/* SPDX-License-Identifier: GPL-2.0-only */
/* An SQLite database that has the tables of a trace. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_DATABASE_H
#define LKST_SQL_RECORDS_DATABASE_H

#include <signal.h>
#include <sqlite3.h>

#include "abi/control.h"
#include "sql/records/columns.h"
#include "trace/known/symbols.h"
#include "trace/read/reader.h"
#include "usercode/space/code_name.h"

/* What a query has asked for: records of which events, by id, and from when to when. */
struct lkst_sql_asked {
	bool events[LKST_EVENT_SPACE];
	u64 from_ns, to_ns; /* both 0: for none */
};

struct lkst_limited;

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
	struct lkst_sql_asked asked;	  /* by the query, of this trace */
	u32 asked_known;		  /* tables of what is known that it spoke of, as `wants_known` */
	struct lkst_limited *limited;	  /* what the cost limit left out; NULL: not asked for yet */
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

	/* Tables of what is known, a bit for each by its number (sql/known/known.h). */
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

/* That the query wants records of @events, by id, from @from_ns to @to_ns, both included. */
void lkst_sql_ask(struct lkst_sql *s, const bool events[LKST_EVENT_SPACE], u64 from_ns, u64 to_ns);

/* The next query has asked for nothing yet, nor met what is missing. */
void lkst_sql_forget(struct lkst_sql *front);

/* The names of addresses, read from the trace when they are asked for first; NULL: no memory. */
struct lkst_symbols *lkst_sql_symbols(struct lkst_sql *s);

/*
 * Runs @text, which is not the user's; NULL: there was no memory for it. What SQLite says: SQLITE_OK, or another code.
 */
int lkst_sql_run_own(struct lkst_sql *s, const char *text);

#endif
