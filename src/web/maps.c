/* SPDX-License-Identifier: GPL-2.0-only */
/* Physical memory and disks along the time, for the page. */
#include "web/maps.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/maps/disk_map.h"
#include "analyze/maps/memory_map.h"
#include "web/open.h"

static struct lkst_memory_map *memory;
static struct lkst_disk_map *disks;

void lkst_web_close_maps(void)
{
	lkst_memory_map_free(memory);
	lkst_disk_map_free(disks);
	memory = NULL;
	disks = NULL;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static int read_memory(struct lkst_err *e, struct lkst_trace *t, const struct lkst_web_opening *o)
{
	lkst_memory_map_free(memory);
	memory = NULL;
	return lkst_memory_map_new(e, t, &memory);
}

static void describe_memory(struct lkst_json *j)
{
	u32 i;

	lkst_json_u64(j, "cells", memory->nr_cells);
	lkst_json_u64(j, "cell_pages", memory->cell_pages);
	lkst_json_u64(j, "first_pfn", memory->first_pfn);
	lkst_json_u64(j, "processes", memory->nr_processes);
	lkst_json_u64(j, "further", memory->nr_further);
	lkst_json_array(j, "owners");
	for (i = 0; i < LKST_MEMORY_OWNERS; i++) {
		const struct lkst_memory_owner *owner = &memory->owners[i];

		lkst_json_object(j, NULL);
		lkst_json_str(j, "name",
			      i == LKST_MEMORY_BEFORE	? "before the trace"
			      : i == LKST_MEMORY_OTHERS ? "others"
							: owner->comm);
		lkst_json_s64(j, "pid", owner->pid);
		lkst_json_u64(j, "before", owner->pages.nr_before);
		lkst_json_u64(j, "allocated", owner->pages.nr_allocated);
		lkst_json_u64(j, "freed", owner->pages.nr_freed);
		lkst_json_u64(j, "live", owner->pages.nr_now);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

int lkst_web_open_memory(void)
{
	return lkst_web_open(
		&(struct lkst_web_opening){ .read = read_memory, .describe = describe_memory });
}

int lkst_web_memory_at(double ns, struct lkst_web_memory_cell *ret_cells)
{
	const struct lkst_memory_cell *cells;
	u32 i;

	if (!memory || !(ns >= 0 && ns <= (double)(1ULL << 53)))
		return -EINVAL;
	cells = lkst_memory_map_at(memory, memory->begin_ns + (u64)ns);
	if (!cells)
		return -EINVAL;
	for (i = 0; i < memory->nr_cells; i++) {
		struct lkst_web_memory_cell *cell = &ret_cells[i];

		cell->owner = lkst_memory_cell_owner(&cells[i], &cell->nr);
		cell->changed_ns =
			cells[i].changed_ns ? (double)(cells[i].changed_ns - memory->begin_ns) : -1;
	}
	return 0;
}

/* ---- disks -------------------------------------------------------------------------------------- */

static int read_disks(struct lkst_err *e, struct lkst_trace *t, const struct lkst_web_opening *o)
{
	u64 begin_ns, end_ns;

	lkst_disk_map_free(disks);
	disks = NULL;
	lkst_trace_range(t, &begin_ns, &end_ns);
	return lkst_disk_map_new(e, t, begin_ns + (u64)o->from_ns, begin_ns + (u64)o->to_ns,
				 o->columns, o->rows, &disks);
}

static void describe_disks(struct lkst_json *j)
{
	u32 i;

	lkst_json_array(j, "disks");
	for (i = 0; i < disks->nr_disks; i++) {
		const struct lkst_disk *d = &disks->disks[i];

		lkst_json_object(j, NULL);
		lkst_json_str(j, "name", d->name);
		lkst_json_u64(j, "dev", d->dev);
		lkst_json_u64(j, "origin", d->origin);
		lkst_json_u64(j, "row_sectors", d->row_sectors);
		lkst_json_u64(j, "first", d->first);
		lkst_json_u64(j, "last", d->last);
		lkst_json_u64(j, "reads", d->all.nr_reads);
		lkst_json_u64(j, "read_bytes", d->all.read_bytes);
		lkst_json_u64(j, "writes", d->all.nr_writes);
		lkst_json_u64(j, "written_bytes", d->all.written_bytes);
		lkst_json_u64(j, "others", d->nr_others);
		lkst_json_u64(j, "failed", d->nr_failed);
		lkst_json_u64(j, "jumps", d->nr_jumps);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

int lkst_web_open_disks(double from_ns, double to_ns, u32 columns, u32 rows)
{
	const double most = 1ULL << 53;

	if (!(from_ns >= 0 && from_ns < to_ns && to_ns <= most) || !columns || !rows ||
	    columns > LKST_DISK_COLUMNS_MAX || rows > LKST_DISK_ROWS_MAX)
		return -EINVAL;
	return lkst_web_open(&(struct lkst_web_opening){ .read = read_disks,
							 .describe = describe_disks,
							 .from_ns = from_ns,
							 .to_ns = to_ns,
							 .columns = columns,
							 .rows = rows });
}

int lkst_web_disk_cells(u32 disk, struct lkst_web_disk_cell *ret_cells)
{
	const struct lkst_disk_cell *cells =
		disks && disk < disks->nr_disks ? disks->disks[disk].cells : NULL;
	u32 i;

	if (!cells)
		return -EINVAL;
	for (i = 0; i < disks->nr_rows * disks->nr_columns; i++)
		ret_cells[i] = (struct lkst_web_disk_cell){ (double)cells[i].read_bytes,
							    (double)cells[i].written_bytes };
	return 0;
}
