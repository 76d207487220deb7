/* SPDX-License-Identifier: GPL-2.0-only */
/* What a query may do: read, within limits, until somebody stops it. */
#ifndef LKST_SQL_QUERY_GUARD_H
#define LKST_SQL_QUERY_GUARD_H

enum {
	LKST_SQL_MEMORY =
		64 * 1024 * 1024, /* bytes that SQLite may have; more goes to temporary files */
	LKST_SQL_TEXT_MAX = 1024 * 1024, /* bytes of a query */
};

struct lkst_sql;

/*
 * From now on what @s runs can only read the tables that there are: no other file, nothing that is written, no setting.
 * Limits of memory and lengths are set.
 */
void lkst_sql_guard(struct lkst_sql *s);

#endif
