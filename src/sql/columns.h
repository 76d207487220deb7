/* SPDX-License-Identifier: GPL-2.0-only */
/* Which columns the tables of records have. Private to src/sql. */
#ifndef LKST_SQL_COLUMNS_H
#define LKST_SQL_COLUMNS_H

#include "sql/database.h"

/*
 * Fills the columns of @table, of @event's records, or NULL, of all. A field that is called like a column before it
 * gets "_field" at the end of its name, or with more of them a number. 0 or -ENOMEM.
 */
int lkst_sql_columns_make(struct lkst_sql_records *table, const struct lkst_event_class *event);

/* CREATE TABLE for @table, with comments if @has_help; sqlite3_free() frees it. NULL: no memory. */
char *lkst_sql_columns_text(const struct lkst_sql_records *table, bool has_help);

#endif
