/* SPDX-License-Identifier: GPL-2.0-only */
/* How long disks take for requests, and how many wait before them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analysis.h"
#include "analyze/labels.h"

enum {
	OP_MASK = 0xff, /* of a request's flags: what is to be done, include/linux/blk_types.h */
	SECTOR_SHIFT = 9,
	SECTORS_MAX = (1 << 24) - 1,
	DISKS_MAX = 256, /* whose depth is followed */
	MINOR_BITS = 20,
};

/* How many requests a disk has. */
struct disk {
	u32 dev;
	u32 nr_waiting, nr_issued;
};

struct block {
	struct lkst_work work;
	struct lkst_labels names;
	struct disk disks[DISKS_MAX];
	u32 nr_disks;
};

/* What an open request is: disk, operation, and sectors that are not done. */
static u64 pack(u32 dev, u32 flags, u32 bytes)
{
	u32 sectors = bytes >> SECTOR_SHIFT;

	return (u64)dev << 32 | (u64)(flags & OP_MASK) << 24 |
	       (sectors < SECTORS_MAX ? sectors : SECTORS_MAX);
}

/* Disk and operation. */
static u64 key_of(u64 packed)
{
	return packed >> 24;
}

static void put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	static const char *const operations[] = { "read", "write", "flush", "discard" };
	const struct block *b = ctx;
	u32 dev = (u32)(key >> 8), op = key & OP_MASK;
	const char *name = lkst_labels_find(&b->names, LKST_LABEL_DISK, dev);
	char full[LKST_KEY_TEXT], number[24];
	int length;

	snprintf(number, sizeof(number), "%u,%u", dev >> MINOR_BITS, dev & ((1 << MINOR_BITS) - 1));
	if (op < sizeof(operations) / sizeof(operations[0]))
		length =
			snprintf(full, sizeof(full), "%s:%s", name ? name : number, operations[op]);
	else
		length = snprintf(full, sizeof(full), "%s:operation%u", name ? name : number, op);
	lkst_put_key(text, full, (size_t)length);
}

static void fini(struct lkst_work *w)
{
	lkst_labels_fini(&((struct block *)w)->names);
}

/* ---- time ------------------------------------------------------------------------------------ */

static int on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	struct lkst_work *w = ctx;

	return lkst_work_open(w, &w->opens[0], x->rq, r, pack(x->dev, x->flags, x->bytes), false);
}

/* A request may be done in parts: it ends with the last of them. */
static int on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct lkst_work *w = ctx;
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[0], x->rq);

	if (!entry)
		return 0;
	if ((entry->value & SECTORS_MAX) > x->bytes >> SECTOR_SHIFT) {
		entry->value -= x->bytes >> SECTOR_SHIFT;
		return 0;
	}
	return lkst_work_close(w, &w->tallies[0], &w->opens[0], entry, key_of(entry->value), r);
}

static int begin_time(struct lkst_work *w)
{
	struct block *b = (struct block *)w;
	bool has_issue, has_complete;
	int err = lkst_labels_subscribe(&b->names, w->feed);

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "biotime",
						       .title = "Block I/O time",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_key });
	has_issue = lkst_work_want(w, LKST_EV_block_rq_issue, on_issue, &err);
	has_complete = lkst_work_want(w, LKST_EV_block_rq_complete, on_complete, &err);
	return err < 0 ? err : has_issue && has_complete;
}

const struct lkst_analysis lkst_analysis_biotime = {
	.name = "biotime",
	.row = "H07",
	.title = "Block I/O time",
	.help = "how long disks take for a request",
	.measures =
		"from block_rq_issue to the block_rq_complete of its last part, by disk and direction",
	.events = "block_rq_issue block_rq_complete",
	.size = sizeof(struct block),
	.begin = begin_time,
	.fini = fini,
};

/* ---- queue ----------------------------------------------------------------------------------- */

enum tally {
	TALLY_DEPTH,
	TALLY_WAIT,
};

enum open {
	OPEN_WAITING,
	OPEN_ISSUED,
};

static struct disk *disk_of(struct block *b, u32 dev)
{
	u32 i;

	for (i = 0; i < b->nr_disks; i++)
		if (b->disks[i].dev == dev)
			return &b->disks[i];
	if (b->nr_disks == DISKS_MAX)
		return &b->disks[DISKS_MAX - 1];
	b->disks[b->nr_disks].dev = dev;
	return &b->disks[b->nr_disks++];
}

/* Takes the request off @o, if it is there: whatever became of it, it is not where it was. */
static void leave(struct block *b, struct lkst_open *o, u64 rq, bool is_waiting)
{
	struct lkst_open_entry *entry = lkst_open_find(o, rq);
	struct disk *d;

	if (!entry)
		return;
	d = disk_of(b, (u32)(entry->value >> 32));
	if (is_waiting)
		d->nr_waiting -= d->nr_waiting > 0;
	else
		d->nr_issued -= d->nr_issued > 0;
	lkst_open_remove(o, entry);
}

/* A request comes in: how many there are with it. */
static int note_depth(struct block *b, const struct disk *d, u64 packed,
		      const struct lkst_record *r)
{
	return lkst_tally_add(&b->work.tallies[TALLY_DEPTH], key_of(packed),
			      d->nr_waiting + d->nr_issued, r->ns, r->tid, r->cpu);
}

static int on_queue_insert(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_insert *x = record;
	struct block *b = ctx;
	u64 packed = pack(x->dev, x->flags, x->bytes);
	struct disk *d = disk_of(b, x->dev);
	int err;

	leave(b, &b->work.opens[OPEN_WAITING], x->rq, true);
	leave(b, &b->work.opens[OPEN_ISSUED], x->rq, false);
	d->nr_waiting++;
	err = lkst_work_open(&b->work, &b->work.opens[OPEN_WAITING], x->rq, r, packed, false);
	return err ? err : note_depth(b, d, packed, r);
}

static int on_queue_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	struct block *b = ctx;
	struct lkst_work *w = &b->work;
	u64 packed = pack(x->dev, x->flags, x->bytes);
	struct disk *d = disk_of(b, x->dev);
	struct lkst_open_entry *entry = lkst_open_find(&w->opens[OPEN_WAITING], x->rq);
	int err;

	leave(b, &w->opens[OPEN_ISSUED], x->rq, false);
	d->nr_issued++;
	if (entry) {
		d->nr_waiting -= d->nr_waiting > 0;
		err = lkst_work_close(w, &w->tallies[TALLY_WAIT], &w->opens[OPEN_WAITING], entry,
				      key_of(packed), r);
	} else {
		/* Past the scheduler, or it was inserted before the trace. */
		err = note_depth(b, d, packed, r);
	}
	return err ? err : lkst_work_open(w, &w->opens[OPEN_ISSUED], x->rq, r, packed, false);
}

static int on_queue_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct block *b = ctx;
	struct lkst_open_entry *entry = lkst_open_find(&b->work.opens[OPEN_ISSUED], x->rq);

	if (entry && (entry->value & SECTORS_MAX) > x->bytes >> SECTOR_SHIFT)
		entry->value -= x->bytes >> SECTOR_SHIFT;
	else
		leave(b, &b->work.opens[OPEN_ISSUED], x->rq, false);
	return 0;
}

static int begin_queue(struct lkst_work *w)
{
	struct block *b = (struct block *)w;
	int err = lkst_labels_subscribe(&b->names, w->feed);
	bool has_issue;

	lkst_work_tally(w, (struct lkst_tally_config){ .name = "bioqueue",
						       .title = "Block I/O queue depth",
						       .type = LKST_COLUMN_COUNT,
						       .put_key = put_key });
	lkst_work_tally(w, (struct lkst_tally_config){ .name = "bioqueue_wait",
						       .title = "Block I/O queue wait",
						       .type = LKST_COLUMN_DURATION,
						       .put_key = put_key });
	lkst_work_want(w, LKST_EV_block_rq_insert, on_queue_insert, &err);
	has_issue = lkst_work_want(w, LKST_EV_block_rq_issue, on_queue_issue, &err);
	lkst_work_want(w, LKST_EV_block_rq_complete, on_queue_complete, &err);
	return err < 0 ? err : has_issue;
}

const struct lkst_analysis lkst_analysis_bioqueue = {
	.name = "bioqueue",
	.row = "H08",
	.title = "Block I/O queue",
	.help = "how many requests a disk has when one comes in, and how long they wait",
	.measures =
		"requests between block_rq_insert (or issue) and block_rq_complete of the disk when "
		"one is added; from block_rq_insert to block_rq_issue",
	.events = "block_rq_insert block_rq_issue block_rq_complete",
	.size = sizeof(struct block),
	.begin = begin_queue,
	.fini = fini,
};
