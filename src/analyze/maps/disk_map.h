/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which sectors of each disk were read and written when: a grid for each disk, of stretches of time and ranges of
 * sectors. The ranges grow with what is used of the disk, so that the memory is bounded.
 */
#ifndef LKST_ANALYZE_MAPS_DISK_MAP_H
#define LKST_ANALYZE_MAPS_DISK_MAP_H

#include "analyze/engine/feed.h"
#include "base/cleanup.h"

enum {
	LKST_DISKS_MAX = 32,
	LKST_DISK_COLUMNS_MAX = 2048,
	LKST_DISK_ROWS_MAX = 512,
	LKST_DISK_NAME = 64,
};

/* What was done in a range of sectors in a stretch of time. A request is counted where its first sector is. */
struct lkst_disk_cell {
	u64 read_bytes, written_bytes;
	u32 nr_reads, nr_writes;
};

struct lkst_disk {
	u32 dev;
	char name[LKST_DISK_NAME]; /* "" until the pass is over, or if it is not known */
	struct lkst_disk_cell all;
	u64 nr_others; /* requests that neither read nor write: flushes, discards */
	u64 nr_failed;
	u64 nr_jumps;		 /* reads and writes that do not begin where the one before ended */
	u64 first, last;	 /* sectors of 512 bytes that were used, if any was */
	u64 origin, row_sectors; /* row i: row_sectors from origin + i * row_sectors on */
	struct lkst_disk_cell
		*cells; /* row by row, nr_columns each; NULL: neither read nor written */

	/* Private. */
	u64 next; /* the sector after the last request */
};

struct lkst_disk_map {
	u64 begin_ns, step_ns;
	u32 nr_columns, nr_rows;
	struct lkst_disk disks[LKST_DISKS_MAX];
	u32 nr_disks;
	u64 nr_no_begin; /* completions of requests that were sent before the trace, or a window, began */
	u64 nr_further;			     /* of disks beyond the last */
	struct lkst_disk_requests *requests; /* private */
};

/*
 * Subscribes to @f for a map of @nr_columns stretches from @begin_ns to @end_ns, and at most @nr_rows ranges of
 * sectors; both at least 1 and at most the numbers above. A request counts when it is completed. The map is for
 * lkst_disk_map_free() in any case. 1, 0: the trace can have no such events, or -ENOMEM.
 */
int lkst_disk_map_subscribe(struct lkst_feed *f, u64 begin_ns, u64 end_ns, u32 nr_columns,
			    u32 nr_rows, struct lkst_disk_map **ret_map);

/* The same with a pass of its own over @t, within the given times. */
int lkst_disk_map_new(struct lkst_err *e, struct lkst_trace *t, u64 begin_ns, u64 end_ns,
		      u32 nr_columns, u32 nr_rows, struct lkst_disk_map **ret_map);
void lkst_disk_map_free(struct lkst_disk_map *m);
LKST_GUARD(lkst_disk_map_free, struct lkst_disk_map)

#endif
