/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sectors of each disk were read and written, and when: the disk map as tables. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/timeline.h"
#include "analyze/maps/disk_map.h"

enum { ROWS = 32, MINOR_BITS = 20 };

struct diskmap {
	struct lkst_analysis_state work;
	struct lkst_disk_map *map;
};

static const struct lkst_column disk_columns[] = {
	{ "disk", "disk", LKST_COLUMN_TEXT, "the disk" },
	{ "reads", "reads", LKST_COLUMN_COUNT, "requests that were completed" },
	{ "read", "read", LKST_COLUMN_BYTES, "how much" },
	{ "writes", "writes", LKST_COLUMN_COUNT, "requests that were completed" },
	{ "written", "written", LKST_COLUMN_BYTES, "how much" },
	{ "others", "others", LKST_COLUMN_COUNT, "flushes, discards and the like" },
	{ "failed", "failed", LKST_COLUMN_COUNT, "requests that failed" },
	{ "jumps", "jumps", LKST_COLUMN_COUNT,
	  "reads and writes that did not begin where the one before had ended" },
	{ "first", "first sector", LKST_COLUMN_COUNT, "the first that was used, of 512 bytes" },
	{ "last", "last sector", LKST_COLUMN_COUNT, "the last that was used" },
};

static const struct lkst_column range_columns[] = {
	{ "disk", "disk", LKST_COLUMN_TEXT, "the disk" },
	{ "from", "from sector", LKST_COLUMN_COUNT, "the range's first sector, of 512 bytes" },
	{ "to", "to sector", LKST_COLUMN_COUNT, "its last one" },
	{ "reads", "reads", LKST_COLUMN_COUNT, "requests that begin in it" },
	{ "read", "read", LKST_COLUMN_BYTES, "how much of it" },
	{ "writes", "writes", LKST_COLUMN_COUNT, "requests that begin in it" },
	{ "written", "written", LKST_COLUMN_BYTES, "how much of it" },
	{ "chart", "from the beginning to the end", LKST_COLUMN_TEXT,
	  "bytes in each of 40 equal stretches, the most of the disk being full" },
};

static void diskmap_put_name(struct lkst_table *t, const struct lkst_disk *d)
{
	if (d->name[0])
		lkst_table_str(t, d->name);
	else
		lkst_table_printf(t, "%u,%u", d->dev >> MINOR_BITS,
				  d->dev & ((1 << MINOR_BITS) - 1));
}

static void put_disk(struct lkst_table *t, const struct lkst_disk *d)
{
	lkst_table_row(t);
	diskmap_put_name(t, d);
	lkst_table_u64(t, d->all.nr_reads);
	lkst_table_u64(t, d->all.read_bytes);
	lkst_table_u64(t, d->all.nr_writes);
	lkst_table_u64(t, d->all.written_bytes);
	lkst_table_u64(t, d->nr_others);
	lkst_table_u64(t, d->nr_failed);
	lkst_table_u64(t, d->nr_jumps);
	if (d->cells) {
		lkst_table_u64(t, d->first);
		lkst_table_u64(t, d->last);
	} else {
		lkst_table_none(t);
		lkst_table_none(t);
	}
}

/* A row of the grid over time: bytes in place of nanoseconds. */
static struct lkst_timeline line_of(const struct lkst_disk *d, u32 row, struct lkst_disk_cell *sum,
				    u64 *most)
{
	struct lkst_timeline line = {};
	unsigned int i;

	*sum = (struct lkst_disk_cell){};
	for (i = 0; i < LKST_TIMELINE_SLICES; i++) {
		const struct lkst_disk_cell *cell = &d->cells[row * LKST_TIMELINE_SLICES + i];

		line.ns[i] = cell->read_bytes + cell->written_bytes;
		*most = line.ns[i] > *most ? line.ns[i] : *most;
		sum->read_bytes += cell->read_bytes;
		sum->written_bytes += cell->written_bytes;
		sum->nr_reads += cell->nr_reads;
		sum->nr_writes += cell->nr_writes;
	}
	return line;
}

static void put_ranges(struct lkst_table *t, const struct lkst_disk *d)
{
	char text[LKST_TIMELINE_TEXT];
	struct lkst_disk_cell sum;
	u64 most = 0;
	u32 row;

	for (row = 0; d->cells && row < ROWS; row++)
		line_of(d, row, &sum, &most);
	for (row = 0; d->cells && row < ROWS; row++) {
		struct lkst_timeline line = line_of(d, row, &sum, &most);

		if (!sum.read_bytes && !sum.written_bytes)
			continue;
		lkst_timeline_put(&line, most, text);
		lkst_table_row(t);
		diskmap_put_name(t, d);
		lkst_table_u64(t, d->origin + row * d->row_sectors);
		lkst_table_u64(t, d->origin + (row + 1) * d->row_sectors - 1);
		lkst_table_u64(t, sum.nr_reads);
		lkst_table_u64(t, sum.read_bytes);
		lkst_table_u64(t, sum.nr_writes);
		lkst_table_u64(t, sum.written_bytes);
		lkst_table_str(t, text);
	}
}

static int diskmap_end(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	const struct lkst_disk_map *m = ((struct diskmap *)w)->map;
	struct lkst_table *disks, *ranges;
	u32 i;

	if (w->list) {
		lkst_notes_add(&w->notes, "It has no single values to list.");
		return 0;
	}
	disks = lkst_tables_add(set, "diskmap", "Disks", disk_columns,
				sizeof(disk_columns) / sizeof(disk_columns[0]));
	ranges = lkst_tables_add(set, "diskmap_ranges", "Disks: by range of sectors", range_columns,
				 sizeof(range_columns) / sizeof(range_columns[0]));
	if (!disks || !ranges)
		return -ENOMEM;
	for (i = 0; i < m->nr_disks; i++) {
		put_disk(disks, &m->disks[i]);
		put_ranges(ranges, &m->disks[i]);
	}
	lkst_table_leave_out(disks, "no_begin", "without a begin in the trace", m->nr_no_begin);
	if (m->nr_further)
		lkst_notes_add(
			&disks->notes,
			"There are more than %d disks: %llu requests of others are not counted.",
			LKST_DISKS_MAX, (unsigned long long)m->nr_further);
	return disks->error ?: ranges->error;
}

static int diskmap_begin(struct lkst_analysis_state *w)
{
	u64 begin_ns, end_ns, from_ns, to_ns;

	lkst_trace_range(lkst_feed_trace(w->feed), &begin_ns, &end_ns);
	lkst_feed_window(w->feed, &from_ns, &to_ns);
	return lkst_disk_map_subscribe(w->feed, from_ns > begin_ns ? from_ns : begin_ns,
				       end_ns < to_ns ? end_ns : to_ns, LKST_TIMELINE_SLICES, ROWS,
				       &((struct diskmap *)w)->map);
}

static void diskmap_fini(struct lkst_analysis_state *w)
{
	lkst_disk_map_free(((struct diskmap *)w)->map);
}

const struct lkst_analysis lkst_analysis_diskmap = {
	.name = "diskmap",
	.heritage = "F09",
	.title = "Disks",
	.help = "which sectors of each disk were read and written, and when",
	.measures =
		"the sectors of block_rq_complete, of requests that block_rq_issue has sent; jumps: "
		"requests that do not "
		"begin where the one before ended",
	.events = "block_rq_issue block_rq_complete",
	.ignores = LKST_IGNORES_TID | LKST_IGNORES_COMM | LKST_IGNORES_CPU | LKST_IGNORES_KEY,
	.size = sizeof(struct diskmap),
	.begin = diskmap_begin,
	.end = diskmap_end,
	.fini = diskmap_fini,
};
