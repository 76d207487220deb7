/* SPDX-License-Identifier: GPL-2.0-only */
/* How records are put into groups, of which a query only wants to know how many there are. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_GROUPING_H
#define LKST_SQL_RECORDS_GROUPING_H

#include "abi/types.h"

/* By what records are distinguished. */
enum {
	LKST_SQL_BY_EVENT = 1,
	LKST_SQL_BY_CPU = 2,
	LKST_SQL_BY_TID = 4,
};

/*
 * In what order groups come: three bits for each column, from the lowest on, of which the first two are 1 for the
 * event's name, 2 for the CPU, 3 for the thread, and the third says that it falls; 0 ends them.
 */
enum {
	LKST_SQL_ORDER_BITS = 3,
	LKST_SQL_ORDER_COLUMN = 3,
	LKST_SQL_ORDER_FALLS = 4,
};

/* Records that are alike; what they are not distinguished by is 0. */
struct lkst_sql_group {
	u64 nr;
	s32 tid;
	u32 cpu;
	u16 event; /* its id */
};

#endif
