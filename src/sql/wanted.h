/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which records the conditions of a query leave, as far as they are on time, CPU, thread and event: SQLite asks for
 * a plan, which is text, and later gives the values. Private to src/sql.
 */
#ifndef LKST_SQL_WANTED_H
#define LKST_SQL_WANTED_H

#include "abi/control.h"
#include "sql/database.h"

/* Both ends are included; `from` above `to`: nothing. */
struct lkst_sql_span {
	s64 from, to;
};

struct lkst_sql_wanted {
	struct lkst_sql_span ns, cpu, tid;
	bool events[LKST_EVENT_SPACE]; /* by id */
};

/* How the rows of a plan come, in SQLite's idxNum. */
enum {
	LKST_SQL_NAMES =
		1, /* threads have names: the records before them that give them are read as well */
	LKST_SQL_ANY = 2,     /* in any order: they cannot be distinguished */
	LKST_SQL_COUNTED = 4, /* without a column: only how many there are counts */
};

/* Chooses what to do about the conditions of a query on @table, an xBestIndex. */
int lkst_sql_plan(const struct lkst_sql_records *table, sqlite3_index_info *info);

/* Fills @ret_wanted with what the @nr values of a plan with text @plan leave. */
void lkst_sql_wanted_of(const struct lkst_sql_records *table, const char *plan, int nr,
			sqlite3_value **values, struct lkst_sql_wanted *ret_wanted);

#endif
