/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of what is known from the records, as Parquet: written row by row as they are found, and never held. */
#ifndef LKST_SQL_KNOWN_EXPORT_H
#define LKST_SQL_KNOWN_EXPORT_H

#include "analyze/model/model.h"
#include "parquet/parquet.h"
#include "trace/reader.h"

enum {
	LKST_SQL_EXPORT_COLUMNS_MAX = 33,
	LKST_SQL_EXPORT_TABLES_MAX = 16,
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

/*
 * Fills the columns of table @name, which there is, and returns how many they are. The first is `time`, the time of day
 * of the column that follows, if that is a time.
 */
unsigned int lkst_sql_known_columns(const char *name, struct lkst_parquet_column *columns);

/* One pass over the trace that writes all rows. 0, -ENOMEM, or what `row` has returned. */
int lkst_sql_known_write(struct lkst_err *e, const struct lkst_sql_known_export *to);

#endif
