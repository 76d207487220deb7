/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Physical memory along the time of a trace, for a picture of it: a cell for each of many equal ranges of page
 * frames, with whose the pages are that are allocated there. It can be asked for any moment; the next one is found
 * from there or from the nearest of some moments that are kept. What is kept is bounded, whatever the trace has.
 */
#ifndef LKST_ANALYZE_MAPS_MEMORY_MAP_H
#define LKST_ANALYZE_MAPS_MEMORY_MAP_H

#include "analyze/maps/page_owners.h"
#include "base/cleanup.h"

enum {
	LKST_MEMORY_OWNERS = 10, /* that cells distinguish */
	LKST_MEMORY_BEFORE = 0,	 /* the first: whoever had it when the trace began */
	LKST_MEMORY_OTHERS =
		LKST_MEMORY_OWNERS - 1, /* the last: all processes that are not among the others */
	LKST_MEMORY_CELLS_MAX = 8192,
};

struct lkst_memory_owner {
	s32 pid;       /* -1: of BEFORE and OTHERS */
	char comm[16]; /* its last name, "": not known */
	struct lkst_page_owner pages;
};

struct lkst_memory_cell {
	u32 nr[LKST_MEMORY_OWNERS]; /* pages that are allocated, by owner */
	u64 changed_ns;		    /* the last change up to then; 0: none since the trace began */
};

struct lkst_memory_map {
	u64 begin_ns, end_ns;
	u64 first_pfn;
	u32 nr_cells, cell_pages; /* 0 cells: the trace has no such records */
	struct lkst_memory_owner owners
		[LKST_MEMORY_OWNERS]; /* those between the first and the last by pages allocated */
	u32 nr_processes;
	u64 nr_further;	  /* pages that are not in the picture: they lie in too many places */
	u64 precision_ns; /* times of changes are right to this */

	/* Private. */
	struct lkst_memory_change *changes;
	u32 nr_changes;
	u64 step_ns;
	struct lkst_memory_cell *kept, *now; /* moments, and the one that was asked for last */
	u32 nr_kept, changes_per_kept, at;   /* at: changes that `now` includes */
};

/* One pass over @t. -ENOMEM. */
int lkst_memory_map_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_memory_map **ret_map);
void lkst_memory_map_free(struct lkst_memory_map *m);
LKST_GUARD(lkst_memory_map_free, struct lkst_memory_map)

/* The cells as they were at @ns, nr_cells of them, until it is asked again. NULL: there are none. */
const struct lkst_memory_cell *lkst_memory_map_at(struct lkst_memory_map *m, u64 ns);

/* The owner with the most pages of a cell; LKST_MEMORY_OWNERS: nobody has any. *@ret_nr: how many pages all have. */
u32 lkst_memory_cell_owner(const struct lkst_memory_cell *cell, u32 *ret_nr);

#endif
