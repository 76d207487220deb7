/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables that `lkst report` and `lkst analyze` answer with, for those who show them in another way than they do. */
#ifndef LKST_CMD_READ_TABLES_H
#define LKST_CMD_READ_TABLES_H

#include "analyze/analyses/analysis.h"
#include "analyze/analyses/between.h"
#include "base/vec.h"
#include "cmd/read/analyze_along.h"

/* A table, and how many of its rows text shows, 0: all. */
struct lkst_shown_table {
	const struct lkst_table *table;
	u64 max_rows;
};

/* All zero is an empty answer. */
struct lkst_shown_tables {
	struct lkst_shown_table *items;
	unsigned int nr;

	/* What the tables are of. */
	struct lkst_analysis_run *run;
	struct lkst_between between;
	struct lkst_analyze_along *along;
	struct lkst_table along_table;
};

/* Frees all but the struct. */
void lkst_shown_tables_fini(struct lkst_shown_tables *shown);

/* Adds @table. 0 or -ENOMEM. */
int lkst_shown_tables_add(struct lkst_shown_tables *shown, const struct lkst_table *table,
			  u64 max_rows);

/*
 * Answers of @t, which must stay open, by a command's @options as lkst_options_parse() has made them. The caller calls
 * lkst_shown_tables_fini() in any case.
 */
int lkst_report_tables(struct lkst_err *e, const void *options, struct lkst_trace *t,
		       struct lkst_shown_tables *shown);

/* @names: the analyses, the first argument of `lkst analyze`. Of a list or a picture there are no tables: -EINVAL. */
int lkst_analyze_tables(struct lkst_err *e, const void *options, const char *names,
			struct lkst_trace *t, struct lkst_shown_tables *shown);

#endif
