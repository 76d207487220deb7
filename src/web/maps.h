/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Physical memory and disks along the time, for the page's pictures of them (analyze/maps). Times are in nanoseconds
 * after the trace's beginning, as numbers of JavaScript have them. What is opened is for one trace, until
 * lkst_web_close_maps().
 */
#ifndef LKST_WEB_MAPS_H
#define LKST_WEB_MAPS_H

#include "abi/types.h"
#include "web/module.h"

struct lkst_web_memory_cell {
	double changed_ns; /* the last change, -1: none since the trace began */
	u32 nr;		   /* pages that are allocated */
	u32 owner;	   /* the place in "owners" of whoever has the most of them; 10: nobody */
};

struct lkst_web_disk_cell {
	double read_bytes, written_bytes;
};

/*
 * Reads the trace, and prints as JSON: {"cells", "cell_pages", "first_pfn", "processes", "further", "owners":
 * [{"name", "pid", "before", "allocated", "freed", "live"}]}. 0 cells: it has no records of pages. 0, or a negative
 * errno and a sentence on standard error.
 */
int lkst_web_open_memory(void) LKST_WEB_EXPORT(lkst_web_open_memory);

/* The cells at a time, as many as there are, go to @ret_cells. -EINVAL: there are none. */
int lkst_web_memory_at(double ns, struct lkst_web_memory_cell *ret_cells)
	LKST_WEB_EXPORT(lkst_web_memory_at);

/*
 * Reads what the disks did between two times, in @columns stretches and at most @rows ranges of sectors, and prints
 * as JSON: {"disks": [{"name", "origin", "row_sectors", "first", "last", "reads", "read_bytes", "writes",
 * "written_bytes", "others", "failed", "jumps"}]}. 0, or a negative errno and a sentence on standard error.
 */
int lkst_web_open_disks(double from_ns, double to_ns, u32 columns, u32 rows)
	LKST_WEB_EXPORT(lkst_web_open_disks);

/*
 * The cells of disk @disk, row by row, go to @ret_cells. -EINVAL: there is no such disk, or it was neither read nor
 * written.
 */
int lkst_web_disk_cells(u32 disk, struct lkst_web_disk_cell *ret_cells)
	LKST_WEB_EXPORT(lkst_web_disk_cells);

void lkst_web_close_maps(void) LKST_WEB_EXPORT(lkst_web_close_maps);

#endif
