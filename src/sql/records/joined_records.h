/* SPDX-License-Identifier: GPL-2.0-only */
/* With several hosts: tables that have the records of all. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_JOINED_RECORDS_H
#define LKST_SQL_RECORDS_JOINED_RECORDS_H

#include "sql/records/database.h"

/*
 * Makes the tables of records of @front: one for each name that a host has, with a column `host`, and the columns that
 * any of them has. 0 or -ENOMEM.
 */
int lkst_sql_join_records(struct lkst_sql *front);

#endif
