/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of what is known from the records: threads and their states, calls, waits and so on. They are temporary
 * tables of the database, filled by one pass over the trace when a query first speaks of them
 * (doc/decisions/14-sql-tables.md says why). Which there are, and their columns. Private to src/sql.
 */
#ifndef LKST_SQL_KNOWN_KNOWN_H
#define LKST_SQL_KNOWN_KNOWN_H

#include <stdbool.h>

enum { LKST_SQL_COLUMNS_MAX = 32 };

/* A column: its name, its type with what else SQLite is to know of it, and what it says. NULL ends a list. */
struct lkst_sql_known_column {
	const char *name, *type, *help;
};

struct lkst_sql_pass; /* sql/known/known_pass.h */

struct lkst_sql_known {
	const char *name, *help;
	const struct lkst_sql_known_column *columns;
	const char *events; /* that the cost limit may leave out, and its rows rest on: patterns. NULL: none */
	bool needs_model;
	/* Subscribes, and finds its rows by its own number. 0 or a negative errno. NULL: nothing to subscribe. */
	int (*begin)(struct lkst_sql_pass *p);
	/* After the pass. NULL: nothing is left to do. */
	int (*end)(struct lkst_sql_pass *p);
};

/* To add one: a line here, lkst_sql_known_<name> in one of the sources, and its paragraph in doc/sql.md. */
#define LKST_SQL_KNOWN(T)                                                                          \
	T(threads)                                                                                 \
	T(states)                                                                                  \
	T(waits)                                                                                   \
	T(wakeups)                                                                                 \
	T(syscalls)                                                                                \
	T(irqs)                                                                                    \
	T(faults)                                                                                  \
	T(block_requests)                                                                          \
	T(packets)                                                                                 \
	T(findings)                                                                                \
	T(spans)                                                                                   \
	T(counts)                                                                                  \
	T(incidents)                                                                               \
	T(gaps)                                                                                    \
	T(left_out)                                                                                \
	T(losses)                                                                                  \
	T(symbols)

enum lkst_sql_known_number {
#define T(name) LKST_SQL_##name,
	LKST_SQL_KNOWN(T)
#undef T
		LKST_SQL_NR_KNOWN,
};

#define T(name) extern const struct lkst_sql_known lkst_sql_known_##name;
LKST_SQL_KNOWN(T)
#undef T

/* Table number @i; NULL: there are not so many. */
const struct lkst_sql_known *lkst_sql_known_table(unsigned int i);

/* CREATE TABLE, its name after @prefix, with comments if @has_help; sqlite3_free() frees it. NULL: no memory. */
char *lkst_sql_known_text(const struct lkst_sql_known *table, const char *prefix, bool has_help);

/* Whether columns called so are times, and not lengths of time. */
bool lkst_sql_known_is_time(const char *column);

#endif
