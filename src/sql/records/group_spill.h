/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of records for which there is no room in memory: a database of their own, in a file without a name, in which
 * SQLite sums and sorts them. Private to src/sql.
 */
#ifndef LKST_SQL_RECORDS_GROUP_SPILL_H
#define LKST_SQL_RECORDS_GROUP_SPILL_H

#include "sql/records/database.h"
#include "sql/records/grouping.h"

struct lkst_sql_group_spill;

/* 0, -ENOMEM, or -ENOSPC: as all of these, there is no room for temporary files. */
int lkst_sql_group_spill_new(const struct lkst_sql *s, struct lkst_sql_group_spill **ret_spill);
void lkst_sql_group_spill_free(struct lkst_sql_group_spill *spill);

/* Adds what was counted of a group; the same one may come again. */
int lkst_sql_group_spill_add(struct lkst_sql_group_spill *spill,
			     const struct lkst_sql_group *group);

/* After the last: the groups come in @order, as lkst_sql_groups_new() has it. */
int lkst_sql_group_spill_sort(struct lkst_sql_group_spill *spill, unsigned int order);

/* The next group: 1, 0: there is none, or a failure; -EINTR: the query is to end. */
int lkst_sql_group_spill_next(struct lkst_sql_group_spill *spill, struct lkst_sql_group *ret_group);

#endif
