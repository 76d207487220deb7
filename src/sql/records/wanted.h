/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which records the conditions of a query leave, as far as they are on time, CPU, thread and event: SQLite asks for
 * a plan, which is text, and later gives the values. Private to src/sql.
 */
#ifndef LKST_SQL_RECORDS_WANTED_H
#define LKST_SQL_RECORDS_WANTED_H

#include "abi/control.h"
#include "sql/records/database.h"

/* Both ends are included; `from` above `to`: nothing. */
struct lkst_sql_span {
	s64 from, to;
};

struct lkst_sql_wanted {
	struct lkst_sql_span ns, cpu, tid;
	bool events[LKST_EVENT_SPACE]; /* by id */
	bool no_host; /* those of this host are not wanted at all */
};

/* How the rows of a plan come, in SQLite's idxNum. */
enum {
	LKST_SQL_NAMES =
		1, /* threads have names: the records before them that give them are read as well */
	LKST_SQL_ANY = 2,     /* in any order: they cannot be distinguished */
	LKST_SQL_COUNTED = 4, /* without a column: only how many there are counts */
	/*
	 * By groups, in whose columns alone they differ: bits of LKST_SQL_BY_EVENT and so on from bit BY on, the
	 * order (lkst_sql_groups_new()) from bit ORDER on.
	 */
	LKST_SQL_GROUPED = 8,
	LKST_SQL_ONE_EACH = 16, /* a row of each group is enough */
	LKST_SQL_CODE = 32, /* code of programs has names: what they had mapped before the records is read as well */
	LKST_SQL_HOW_BY = 8,
	LKST_SQL_HOW_ORDER = 12,
};

/* Chooses what to do about the conditions of a query on @table, an xBestIndex. */
int lkst_sql_plan(const struct lkst_sql_records *table, sqlite3_index_info *info);

/* Fills @ret_wanted with what the @nr values of a plan with text @plan leave. */
void lkst_sql_wanted_of(const struct lkst_sql_records *table, const char *plan, int nr,
			sqlite3_value **values, struct lkst_sql_wanted *ret_wanted);

/* Whether they leave @r. */
static inline bool lkst_sql_is_in(struct lkst_sql_span span, u64 value)
{
	return (s64)value >= span.from && (s64)value <= span.to;
}

static inline bool lkst_sql_is_wanted(const struct lkst_sql_wanted *w, const struct lkst_record *r)
{
	return w->events[r->event->id] && lkst_sql_is_in(w->ns, r->ns) &&
	       lkst_sql_is_in(w->tid, (u64)(s64)r->tid) && lkst_sql_is_in(w->cpu, r->cpu);
}

/* Whether the stream can have records that they leave. That of the machine's state has none of the others. */
bool lkst_sql_wants_state(const struct lkst_sql *s, const struct lkst_sql_wanted *w);
bool lkst_sql_wants_stream(const struct lkst_sql *s, const struct lkst_sql_wanted *w,
			   const struct lkst_stream_info *stream);

#endif
