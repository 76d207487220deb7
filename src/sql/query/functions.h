/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of SQL that speak of times, addresses and distributions. Private to src/sql. */
#ifndef LKST_SQL_QUERY_FUNCTIONS_H
#define LKST_SQL_QUERY_FUNCTIONS_H

#include "sql/records/database.h"

/*
 * Adds time_text(ns), symbol(address) and quantile(value, share) to the database. 0 or -ENOMEM.
 */
int lkst_sql_add_functions(struct lkst_sql *s);

/* The same with several hosts: symbol(address, host). */
int lkst_sql_add_functions_of_hosts(struct lkst_sql *s);

#endif
