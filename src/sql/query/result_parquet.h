/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the rows of a statement as a Parquet file. Private to src/sql. */
#ifndef LKST_SQL_QUERY_RESULT_PARQUET_H
#define LKST_SQL_QUERY_RESULT_PARQUET_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/out.h"

/*
 * Runs @statement to its end, which SQLite's *@ret_code says, and writes its rows. A column that is one of a table has
 * the type that it is declared with; another one has that of its values in the first rows: INT64, DOUBLE if one has a
 * fraction, BYTE_ARRAY if one is a blob, else UTF8. 0, -ENOMEM, or -EILSEQ: a column has values that its type cannot
 * hold, and @e says so.
 */
int lkst_sql_result_parquet(struct lkst_err *e, sqlite3_stmt *statement, struct lkst_out *out,
			    int *ret_code);

#endif
