/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of one query, a portion at a time, for those who do not want all of them at once. */
#ifndef LKST_SQL_QUERY_ROWS_H
#define LKST_SQL_QUERY_ROWS_H

#include "sql/query/sql.h"

struct lkst_sql_rows;

/*
 * Begins to answer @text, which is one query. @s must stay open until lkst_sql_rows_free(), and is not to answer
 * another one before. Errors are those of lkst_sql_run().
 */
int lkst_sql_rows_new(struct lkst_err *e, struct lkst_sql *s, const char *text,
		      struct lkst_sql_rows **ret_rows);
void lkst_sql_rows_free(struct lkst_sql_rows *rows);
LKST_GUARD(lkst_sql_rows_free, struct lkst_sql_rows)

/* Skips @nr rows, or over all if there are fewer. */
int lkst_sql_rows_skip(struct lkst_err *e, struct lkst_sql_rows *rows, u64 nr);

/*
 * The next rows go to @csv and @json at once, up to @max_rows of them, and as many as fit: neither output is flushed,
 * nor gets longer than its number of bytes.
 */
struct lkst_sql_portion {
	struct lkst_out *csv, *json;
	size_t csv_max, json_max;
	u64 max_rows;
};

/* *@ret_nr: how many rows there were; *@ret_has_more: there are others. -E2BIG: not even one fits. */
int lkst_sql_rows_print(struct lkst_err *e, struct lkst_sql_rows *rows,
			const struct lkst_sql_portion *portion, u64 *ret_nr, bool *ret_has_more);

#endif
