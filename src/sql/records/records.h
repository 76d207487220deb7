/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of records: `events`, and one of each event. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_RECORDS_H
#define LKST_SQL_RECORDS_RECORDS_H

#include "sql/records/database.h"

/* Makes `records` of @s, by its catalogue, and has its database know them. 0 or -ENOMEM. */
int lkst_sql_add_records(struct lkst_sql *s);

/* The same for a front, of the records of its hosts. */
int lkst_sql_add_joined_records(struct lkst_sql *front);
void lkst_sql_free_records(struct lkst_sql *s);

#endif
