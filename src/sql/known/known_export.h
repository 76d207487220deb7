/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of what is known from the records, as Parquet: written row by row as they are found, and never held. */
#ifndef LKST_SQL_KNOWN_KNOWN_EXPORT_H
#define LKST_SQL_KNOWN_KNOWN_EXPORT_H

#include "base/err.h"
#include "sql/known/known_target.h"

/*
 * Fills the columns of table @name, which there is, and returns how many they are. The first is `time`, the time of day
 * of the column that follows, if that is a time.
 */
unsigned int lkst_sql_known_columns(const char *name, struct lkst_parquet_column *columns);

/* One pass over the trace that writes all rows. 0, -ENOMEM, or what `row` has returned. */
int lkst_sql_known_write(struct lkst_err *e, const struct lkst_sql_known_export *to);

#endif
