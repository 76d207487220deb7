/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of records, and which columns they have. Private to src/sql. */
#ifndef LKST_SQL_RECORDS_COLUMNS_H
#define LKST_SQL_RECORDS_COLUMNS_H

#include <stdbool.h>

#include "abi/types.h"
#include "trace/format/event_class.h"

struct lkst_sql;

/* A column of a table: one that all have, or a field of an event. */
struct lkst_sql_column {
	char name[LKST_NAME_MAX + 16];
	const char *type;
	const char *help; /* NULL: nothing is known */
	bool is_hidden;	  /* not one of `*` */
	u8 common;	  /* enum lkst_sql_common; LKST_SQL_FIELD: a field */
	bool has_code;	  /* it may name code of programs, which takes what is known of these */
	u16 field;	  /* the number of the field */
};

enum lkst_sql_common {
	LKST_SQL_TIME,
	LKST_SQL_CPU,
	LKST_SQL_TID,
	LKST_SQL_PID,
	LKST_SQL_COMM,
	LKST_SQL_EVENT,
	LKST_SQL_BUFFER,
	LKST_SQL_LINE,
	LKST_SQL_JSON,
	LKST_SQL_HOST, /* with several hosts */
	LKST_SQL_FIELD,
	LKST_SQL_SYMBOL, /* the names of the addresses in a field */
};

/* A table of records. */
struct lkst_sql_records {
	struct lkst_sql *sql; /* whose database has it */
	const struct lkst_event_class *event; /* NULL: of all */
	const char *name, *help;
	struct lkst_sql_column *columns;
	unsigned int nr_columns;
	/*
	 * With several hosts: of each the table of these records, NULL: it has no such event. And where column i of
	 * this table is in that of host h, place h * nr_columns + i; -1: nowhere.
	 */
	const struct lkst_sql_records **parts;
	s16 *places;
	s16 faults; /* the field that says which others could not be read, -1: there is none */
};

/*
 * Fills the columns of @table, of @event's records, or NULL, of all. A field that is called like a column before it
 * gets "_field" at the end of its name, or with more of them a number. 0 or -ENOMEM.
 */
int lkst_sql_columns_make(struct lkst_sql_records *table, const struct lkst_event_class *event);

/* CREATE TABLE for @table, with comments if @has_help; sqlite3_free() frees it. NULL: no memory. */
char *lkst_sql_columns_text(const struct lkst_sql_records *table, bool has_help);

#endif
