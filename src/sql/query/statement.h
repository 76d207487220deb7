/* SPDX-License-Identifier: GPL-2.0-only */
/* A statement of a query: made ready to run, and what is said of one that fails. Private to src/sql. */
#ifndef LKST_SQL_QUERY_STATEMENT_H
#define LKST_SQL_QUERY_STATEMENT_H

#include "base/err.h"
#include "sql/records/database.h"

/*
 * Makes the first statement of @text ready to run; *@ret_rest is what follows on it. *@ret_statement is NULL if there
 * is none, and to be finalized by the caller, on failure too. @all is what @text is the end of, for errors.
 */
int lkst_sql_prepare(struct lkst_err *e, struct lkst_sql *s, const char *all, const char *text,
		     sqlite3_stmt **ret_statement, const char **ret_rest);

/* Says how a statement has ended: by an error of ours, or else by SQLite's @code. 0 or the error. */
int lkst_sql_tell(struct lkst_err *e, const struct lkst_sql *s, int err, int code, const char *all,
		  const char *text);

#endif
