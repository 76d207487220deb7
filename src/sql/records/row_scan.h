/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the records that a query wants, one after the other. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_ROW_SCAN_H
#define LKST_SQL_RECORDS_ROW_SCAN_H

#include "print/address_names.h"
#include "sql/records/wanted.h"
#include "trace/known/threads.h"

struct lkst_sql_scan;

/* @how: bits of a plan, LKST_SQL_NAMES and so on. 0 or -ENOMEM. */
int lkst_sql_scan_new(struct lkst_sql *s, const struct lkst_sql_wanted *wanted, int how,
		      struct lkst_sql_scan **ret_scan);
void lkst_sql_scan_free(struct lkst_sql_scan *scan);

/*
 * The next record, valid until the next call; NULL: there are no more. Where they are only counted it is any. 0,
 * -ENOMEM, -ENOSPC: a temporary file does not fit; or -EINTR: the query is to end.
 */
int lkst_sql_scan_next(struct lkst_sql_scan *scan, const struct lkst_record **ret_record);

/* The threads as they are before the record; NULL without LKST_SQL_NAMES. */
const struct lkst_threads *lkst_sql_scan_threads(const struct lkst_sql_scan *scan);

/* Who knows the names of addresses then; of user code only with LKST_SQL_CODE. No symbols: no memory. */
struct lkst_address_names lkst_sql_scan_addresses(const struct lkst_sql_scan *scan);

#endif
