/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the rows of a statement. Private to src/sql. */
#ifndef LKST_SQL_QUERY_RESULT_H
#define LKST_SQL_QUERY_RESULT_H

#include <sqlite3.h>

#include "base/out.h"
#include "print/table_text.h"

struct lkst_sql_result;

/* Prints what comes first. 0 or -ENOMEM; failed writes stick in @out. */
int lkst_sql_result_new(sqlite3_stmt *statement, enum lkst_table_format format,
			struct lkst_out *out, struct lkst_sql_result **ret_result);

/* Takes the row that @statement is at; text is printed when enough rows are there to align. 0 or -ENOMEM. */
int lkst_sql_result_row(struct lkst_sql_result *result);

/* Prints what comes last, and frees @result, which may be NULL. */
void lkst_sql_result_end(struct lkst_sql_result *result);

#endif
