/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of records as values of SQL. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_FIELD_VALUE_H
#define LKST_SQL_RECORDS_FIELD_VALUE_H

#include <sqlite3.h>

#include "trace/read/reader.h"

/* The type that a column with this field is declared with: "INTEGER", "TEXT" or "BLOB". */
const char *lkst_sql_field_type(const struct lkst_field_class *f);

/*
 * Gives field @index of @r to SQLite: a number as INTEGER, so that one of 64 bits with the highest bit set is negative;
 * characters as TEXT; several numbers as TEXT, "[1,2]"; bytes as BLOB.
 */
void lkst_sql_field_value(sqlite3_context *ctx, const struct lkst_record *r, unsigned int index);

/* Whether field @index could be read when @r was made; field @faults (-1: all could) says so. */
bool lkst_sql_field_is_known(const struct lkst_record *r, int faults, unsigned int index);

#endif
