/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many records there are of each event, CPU and thread, counted block by block: what a query asks that groups by
 * them and by nothing else. Private to src/sql.
 */
#ifndef LKST_SQL_RECORDS_GROUPS_H
#define LKST_SQL_RECORDS_GROUPS_H

#include "sql/records/grouping.h"
#include "sql/records/wanted.h"

enum { LKST_SQL_GROUPS_MAX = 1 << 18 }; /* that are held in memory; more go to a temporary file */

struct lkst_sql_groups;

/*
 * Counts the records that @wanted leaves, distinguished @by bits of LKST_SQL_BY_EVENT and so on. They come in @order.
 * -ENOMEM, -ENOSPC: there are so many that they need a temporary file, which does not fit; -EINTR: the query is to end.
 * *@ret_gaps: places in which records are missing.
 */
int lkst_sql_groups_new(const struct lkst_sql *s, const struct lkst_sql_wanted *wanted,
			unsigned int by, unsigned int order, struct lkst_sql_groups **ret_groups,
			u64 *ret_gaps);
void lkst_sql_groups_free(struct lkst_sql_groups *groups);
LKST_GUARD(lkst_sql_groups_free, struct lkst_sql_groups)

/* The next group: 1, 0: there is none, or a failure as above. */
int lkst_sql_groups_next(struct lkst_sql_groups *groups, struct lkst_sql_group *ret_group);

#endif
