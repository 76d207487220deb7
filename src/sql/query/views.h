/* SPDX-License-Identifier: GPL-2.0-only */
/* With several hosts: views that join their tables of what is known, and a table of the hosts. Private to src/sql. */
#ifndef LKST_SQL_QUERY_VIEWS_H
#define LKST_SQL_QUERY_VIEWS_H

#include "hosts/reading.h"
#include "sql/records/database.h"

/* The CREATE TABLE of the table of the hosts. */
extern const char lkst_sql_hosts_text[];

/* 0 or -ENOMEM. */
int lkst_sql_add_views(struct lkst_sql *front, const struct lkst_reading *h);

#endif
