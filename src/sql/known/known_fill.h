/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of what is known in a database: empty at first, filled when a query speaks of them. Private to src/sql. */
#ifndef LKST_SQL_KNOWN_KNOWN_FILL_H
#define LKST_SQL_KNOWN_KNOWN_FILL_H

#include "base/err.h"
#include "sql/records/database.h"

/* Makes the tables, all empty. 0 or -ENOMEM. */
int lkst_sql_known_add(struct lkst_sql *s);

/* A query speaks of table @name, which may be any. */
void lkst_sql_known_want(struct lkst_sql *s, const char *name);

/* Fills those that are wanted and empty. 0 or a negative errno; -EIO: SQLite says why. */
int lkst_sql_known_fill(struct lkst_err *e, struct lkst_sql *s);

/* What the next statement wants is not known yet. And places where records are missing, of what it wanted. */
void lkst_sql_known_forget(struct lkst_sql *s);
u64 lkst_sql_known_nr_gaps(const struct lkst_sql *s);

#endif
