/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many records there are of each event, CPU and thread, counted block by block: what a query asks that groups by
 * them and by nothing else. Private to src/sql.
 */
#ifndef LKST_SQL_GROUPS_H
#define LKST_SQL_GROUPS_H

#include "sql/wanted.h"

/* By what records are distinguished. */
enum {
	LKST_SQL_BY_EVENT = 1,
	LKST_SQL_BY_CPU = 2,
	LKST_SQL_BY_TID = 4,
};

/* More take too much memory; the text is for %d. */
enum { LKST_SQL_GROUPS_MAX = 1 << 20 };
#define LKST_SQL_GROUPS_TEXT                                                                       \
	"there are more than %d different groups of event, CPU and thread: group by fewer of "     \
	"them, or ask for some events, CPUs or threads alone"

/* Records that are alike; what they are not distinguished by is 0. */
struct lkst_sql_group {
	u64 nr;
	s32 tid;
	u32 cpu;
	u16 event; /* its id */
};

/*
 * Counts the records that @wanted leaves, distinguished @by bits above. The caller frees the list. -ENOMEM, -E2BIG:
 * there are too many groups; -EINTR: the query is to end. *@ret_gaps: places in
 * which records are missing.
 */
int lkst_sql_groups_count(const struct lkst_sql *s, const struct lkst_sql_wanted *wanted,
			  unsigned int by, struct lkst_sql_group **ret_list, u32 *ret_nr,
			  u64 *ret_gaps);

/*
 * Sorts them by @order: three bits for each column, from the lowest on, of which the first two are 1 for the event's
 * name, 2 for the CPU, 3 for the thread, and the third says that it falls; 0 ends them.
 */
void lkst_sql_groups_sort(const struct lkst_sql *s, struct lkst_sql_group *list, u32 nr,
			  unsigned int order);

#endif
