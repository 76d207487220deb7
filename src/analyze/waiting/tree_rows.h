/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree of the waiting as rows for people and programs, down to a depth: each before what is below it, the greatest
 * first. The times of the rows that are leaves are together those of the roots.
 */
#ifndef LKST_ANALYZE_WAITING_TREE_ROWS_H
#define LKST_ANALYZE_WAITING_TREE_ROWS_H

#include "analyze/waiting/tree.h"

enum lkst_tree_row_is {
	LKST_TREE_ROW_NODE,
	LKST_TREE_ROW_UNKNOWN, /* of the node above: what ended it, or who had the CPU, is not known */
	LKST_TREE_ROW_SMALL,   /* of the node above, or of the roots: `count` nodes that are too small to be shown */
};

enum {
	LKST_TREE_SMALL_PART = 1000, /* of all: for people, what is less is no row of its own */
	LKST_TREE_DEPTH_MAX = 32,
};

struct lkst_tree_row {
	u32 node; /* NODE */
	u32 depth; /* 0: a root */
	u8 is;	   /* enum lkst_tree_row_is */
	bool is_leaf;
	u64 ns, count;
};

struct lkst_tree_rows {
	struct lkst_tree_row *list;
	u32 nr;
	u64 whole_ns; /* of all roots */
};

/*
 * All zero before. @depth: levels of nodes, 1: the roots. @small_part: what is less than such a part of all is no row
 * of its own; 0: everything is one. Roots of kind 0 come last. 0 or -ENOMEM.
 */
int lkst_tree_rows_make(struct lkst_tree_rows *r, const struct lkst_tree *t, unsigned int depth,
			unsigned int small_part);
void lkst_tree_rows_fini(struct lkst_tree_rows *r);

#endif
