/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads or processes `lkst top` shows, in which order. */
#ifndef LKST_CMD_TOP_ROWS_H
#define LKST_CMD_TOP_ROWS_H

#include "analyze/top/figures.h"
#include "base/choice.h"

/* What the rows may be sorted by, in the order of the columns; the last one has none. */
enum lkst_top_column {
	LKST_TOP_TID,
	LKST_TOP_PID,
	LKST_TOP_CPU,
	LKST_TOP_RUNNING,
	LKST_TOP_READY,
	LKST_TOP_DISK,
	LKST_TOP_LOCK,
	LKST_TOP_SLEEP,
	LKST_TOP_OTHER,
	LKST_TOP_UNKNOWN,
	LKST_TOP_NAME,
	LKST_TOP_WORST_READY,
	LKST_NR_TOP_COLUMNS,
};
bool lkst_top_column_choices(unsigned int i, struct lkst_choice *ret_choice);

/* What is wanted. */
struct lkst_top_wish {
	enum lkst_top_column sort;
	bool is_reversed; /* numbers and names from the end, shares from the least */
	bool is_by_process;
	s32 pid;	  /* only of this process; 0: of all */
	const char *name; /* only of such names: a shell pattern, or a part of it; NULL, "": all */
	const char *cgroup; /* only of threads whose cgroup's path or container this pattern fits; NULL: all */
};

struct lkst_top_rows {
	struct lkst_thread_figures *list;
	u32 nr;
};

/* 0 or -ENOMEM. */
int lkst_top_rows_make(const struct lkst_figures *f, const struct lkst_top_wish *wish,
		       struct lkst_top_rows *ret_rows);
void lkst_top_rows_fini(struct lkst_top_rows *rows);

/* What the column has of a row, if it is a time: ns. */
u64 lkst_top_time(const struct lkst_thread_figures *t, enum lkst_top_column column);

#endif
