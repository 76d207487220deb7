/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sectors of each disk were read and written when, by block_rq_issue and block_rq_complete. */
#include "analyze/maps/disk_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/engine/labels.h"
#include "analyze/engine/request.h"
#include "base/hash.h"

enum {
	OP_READ = 0, /* of a request's flags, include/linux/blk_types.h */
	OP_WRITE = 1,
	ROW_SECTORS = 8,	/* at first: 4 KiB */
	REQUESTS_MAX = 1 << 16, /* under way at a time */
};
/* Sectors beyond are not of a disk: 2^48 are 128 PiB. */
#define SECTORS_MAX (1ULL << 48)

/* A request on its way, by its address. */
struct disk_map_request {
	u64 key;
	u32 flags, left; /* bytes that are not done */
};

struct lkst_disk_requests {
	struct lkst_hash table;
	struct lkst_labels labels;
};

/* ---- the grid ----------------------------------------------------------------------------------- */

static void disk_map_add_cell(struct lkst_disk_cell *to, const struct lkst_disk_cell *from)
{
	to->read_bytes += from->read_bytes;
	to->written_bytes += from->written_bytes;
	to->nr_reads += from->nr_reads;
	to->nr_writes += from->nr_writes;
}

/* Makes rows so long, and puts them so, that sectors from @first to @last are within. */
static int disk_map_widen(const struct lkst_disk_map *m, struct lkst_disk *d, u64 first, u64 last)
{
	u64 row_sectors = d->row_sectors, origin;
	struct lkst_disk_cell *cells;
	u32 row, column;

	if (d->cells && first >= d->origin && last < d->origin + m->nr_rows * d->row_sectors)
		return 0;
	for (;; row_sectors *= 2) {
		origin = first / row_sectors * row_sectors;
		if (last < origin + m->nr_rows * row_sectors)
			break;
	}
	cells = calloc((size_t)m->nr_rows * m->nr_columns, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	/* Rows of now lie within rows of then, but for those after the last sector that is used. */
	for (row = 0; d->cells && row < m->nr_rows && d->origin + row * d->row_sectors <= d->last;
	     row++) {
		u64 sector = d->origin + row * d->row_sectors;
		u64 to = sector > origin ? (sector - origin) / row_sectors : 0;

		for (column = 0; column < m->nr_columns; column++)
			disk_map_add_cell(&cells[to * m->nr_columns + column],
					  &d->cells[(size_t)row * m->nr_columns + column]);
	}
	free(d->cells);
	d->cells = cells;
	d->origin = origin;
	d->row_sectors = row_sectors;
	return 0;
}

/* @nr_sectors from @sector on were read or written at @ns; @is_over: with that a request is done. */
static int disk_map_add(struct lkst_disk_map *m, struct lkst_disk *d, u64 ns, u64 sector, u64 nr_sectors,
			bool is_write, bool is_over)
{
	struct lkst_disk_cell whole = {};
	u64 last = sector + nr_sectors - 1, column;
	bool is_first = !d->cells;
	u64 lowest = is_first || sector < d->first ? sector : d->first;
	u64 highest = is_first || last > d->last ? last : d->last;
	int err = disk_map_widen(m, d, lowest, highest);

	if (err)
		return err;
	d->first = lowest;
	d->last = highest;
	column = ns > m->begin_ns ? (ns - m->begin_ns) / m->step_ns : 0;
	column = column < m->nr_columns ? column : m->nr_columns - 1;
	*(is_write ? &whole.nr_writes : &whole.nr_reads) = is_over;
	while (sector <= last) {
		u64 row = (sector - d->origin) / d->row_sectors,
		    next = d->origin + (row + 1) * d->row_sectors;
		u64 bytes = ((next <= last ? next : last + 1) - sector)
			    << LKST_REQUEST_SECTOR_SHIFT;

		*(is_write ? &whole.written_bytes : &whole.read_bytes) = bytes;
		disk_map_add_cell(&d->cells[row * m->nr_columns + column], &whole);
		disk_map_add_cell(&d->all, &whole);
		whole = (struct lkst_disk_cell){};
		sector = next;
	}
	return 0;
}

/* ---- events ------------------------------------------------------------------------------------- */

static struct lkst_disk *disk_map_disk_of(struct lkst_disk_map *m, u32 dev)
{
	struct lkst_disk *d = m->disks;

	for (; d < m->disks + m->nr_disks; d++)
		if (d->dev == dev)
			return d;
	if (m->nr_disks == LKST_DISKS_MAX)
		return NULL;
	m->nr_disks++;
	*d = (struct lkst_disk){ .dev = dev, .row_sectors = ROW_SECTORS, .next = UINT64_MAX };
	return d;
}

/* One that is sent again, in full, is the same request. */
static int disk_map_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	struct lkst_disk_map *m = ctx;
	struct lkst_hash *h = &m->requests->table;
	struct disk_map_request *request =
		x->rq == LKST_HASH_NONE ? NULL : lkst_hash_find(h, x->rq, sizeof(*request));

	if (!request && x->rq != LKST_HASH_NONE && h->nr < REQUESTS_MAX) {
		if (lkst_hash_reserve(h, sizeof(*request)))
			return -ENOMEM;
		request = lkst_hash_add(h, x->rq, sizeof(*request));
	}
	if (request) {
		request->flags = x->flags;
		request->left = x->bytes;
	}
	return 0;
}

static int disk_map_on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct lkst_disk_map *m = ctx;
	struct disk_map_request *request = lkst_hash_find(&m->requests->table, x->rq, sizeof(*request));
	u32 op = request ? request->flags & LKST_REQUEST_OP_MASK : 0;
	bool is_over = request && x->bytes >= request->left;
	struct lkst_disk *d = disk_map_disk_of(m, x->dev);
	u64 nr_sectors = x->bytes >> LKST_REQUEST_SECTOR_SHIFT;

	m->nr_no_begin += !request;
	m->nr_further += request && !d;
	if (request && !is_over)
		request->left -= x->bytes;
	else if (request)
		lkst_hash_remove(&m->requests->table, request, sizeof(*request));
	if (!request || !d)
		return 0;
	if (x->status) {
		d->nr_failed += is_over;
		return 0;
	}
	if (op > OP_WRITE || !nr_sectors || x->sector >= SECTORS_MAX) {
		d->nr_others += is_over;
		return 0;
	}
	d->nr_jumps += d->next != UINT64_MAX && x->sector != d->next;
	d->next = x->sector + nr_sectors;
	return disk_map_add(m, d, r->ns, x->sector, nr_sectors, op == OP_WRITE, is_over);
}

/* Names are complete when all is read. */
static int disk_map_on_end(void *ctx, u64 end_ns)
{
	struct lkst_disk_map *m = ctx;
	u32 i;

	for (i = 0; i < m->nr_disks; i++) {
		const char *name =
			lkst_labels_find(&m->requests->labels, LKST_LABEL_DISK, m->disks[i].dev);

		snprintf(m->disks[i].name, sizeof(m->disks[i].name), "%s", name ?: "");
	}
	return 0;
}

/* ---- lifetime ----------------------------------------------------------------------------------- */

int lkst_disk_map_subscribe(struct lkst_feed *f, u64 begin_ns, u64 end_ns, u32 nr_columns,
			    u32 nr_rows, struct lkst_disk_map **ret_map)
{
	struct lkst_disk_map *m = calloc(1, sizeof(*m));
	int err, has;

	*ret_map = m;
	if (m)
		m->requests = calloc(1, sizeof(*m->requests));
	if (!m || !m->requests)
		return -ENOMEM;
	m->begin_ns = begin_ns;
	m->step_ns = (end_ns > begin_ns ? end_ns - begin_ns : 0) / nr_columns + 1;
	m->nr_columns = nr_columns;
	m->nr_rows = nr_rows;
	err = lkst_labels_subscribe(&m->requests->labels, f);
	if (err < 0)
		return err;
	/* What is completed in a window may have been sent before it. */
	lkst_feed_always(f, true);
	err = lkst_feed_event(f, LKST_EV_block_rq_issue, disk_map_on_issue, m);
	lkst_feed_always(f, false);
	has = err < 0 ? err : lkst_feed_event(f, LKST_EV_block_rq_complete, disk_map_on_complete, m);
	err = has < 0 ? has : lkst_feed_end(f, disk_map_on_end, m);
	return err < 0 ? err : has;
}

int lkst_disk_map_new(struct lkst_err *e, struct lkst_trace *t, u64 begin_ns, u64 end_ns,
		      u32 nr_columns, u32 nr_rows, struct lkst_disk_map **ret_map)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *feed = NULL;
	_cleanup_(lkst_disk_map_freep) struct lkst_disk_map *m = NULL;
	int err = lkst_feed_new(e, t, &feed);

	if (err)
		return err;
	lkst_feed_limit(feed, begin_ns, end_ns);
	err = lkst_disk_map_subscribe(feed, begin_ns, end_ns, nr_columns, nr_rows, &m);
	if (err < 0)
		return lkst_err_sys(e, err, "drawing disks");
	err = lkst_feed_run(e, feed);
	if (!err)
		*ret_map = lkst_take(m);
	return err;
}

void lkst_disk_map_free(struct lkst_disk_map *m)
{
	u32 i;

	if (!m)
		return;
	for (i = 0; i < m->nr_disks; i++)
		free(m->disks[i].cells);
	if (m->requests) {
		lkst_hash_fini(&m->requests->table);
		lkst_labels_fini(&m->requests->labels);
	}
	free(m->requests);
	free(m);
}
