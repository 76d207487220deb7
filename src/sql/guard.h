/* SPDX-License-Identifier: GPL-2.0-only */
/* What a query may do: read, within limits, until somebody stops it. Private to src/sql. */
#ifndef LKST_SQL_GUARD_H
#define LKST_SQL_GUARD_H

#include "sql/database.h"

/*
 * From now on what @s runs can only read the tables that there are: no other file, nothing that is written, no setting.
 * Limits of memory and lengths are set.
 */
void lkst_sql_guard(struct lkst_sql *s);

#endif
