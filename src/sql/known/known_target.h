/* SPDX-License-Identifier: GPL-2.0-only */
/* Where rows of tables of what is known go that do not go into a database. */
#ifndef LKST_SQL_KNOWN_KNOWN_TARGET_H
#define LKST_SQL_KNOWN_KNOWN_TARGET_H

#include "analyze/model/model.h"
#include "parquet/parquet.h"
#include "trace/read/reader.h"

enum {
	LKST_SQL_EXPORT_COLUMNS_MAX = 33,
	LKST_SQL_EXPORT_TABLES_MAX = 17,
};

/* What to write, and where. All is borrowed. */
struct lkst_sql_known_export {
	struct lkst_trace *trace;
	u64 from_ns, to_ns; /* what is outside is not written; both are included */
	unsigned int nr_tables;
	const char *tables[LKST_SQL_EXPORT_TABLES_MAX]; /* their names, as in lkst sql */
	struct lkst_parquet *files[LKST_SQL_EXPORT_TABLES_MAX];
	/* Whether rows about this thread are wanted. @model knows the cgroups of threads. */
	bool (*wants)(const void *ctx, const struct lkst_model *model,
		      const struct lkst_thread_life *life);
	/* Ends a row of table number @table, whose time is @ns. A negative errno ends the pass. */
	int (*row)(void *ctx, unsigned int table, u64 ns);
	void *ctx;
};

#endif
