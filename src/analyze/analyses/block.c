/* SPDX-License-Identifier: GPL-2.0-only */
/* How long disks take for requests, and how many wait before them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/labels.h"
#include "analyze/engine/request.h"
#include "base/vec.h"

enum {
	DISKS_MAX = 256, /* whose depth is followed */
};

/* How many requests a disk has. */
struct block_disk {
	u32 dev;
	u32 nr_waiting, nr_issued;
	u32 nr_told; /* of both together, to whoever wants changes */
};

/* What became of requests of one key on their way. */
struct changes {
	u64 nr_requeued, nr_merged;
};

struct analyses_block {
	struct lkst_analysis_state work;
	struct lkst_labels names;
	struct changes *changes; /* by the first tally's index of keys */
	u32 nr_changes;
	u64 last_ns; /* of the last event, 0: none yet */
	struct block_disk disks[DISKS_MAX];
	u32 nr_disks;
};

static void block_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	lkst_name_request(&((const struct analyses_block *)ctx)->names, key, text);
}

static void block_fini(struct lkst_analysis_state *w)
{
	lkst_labels_fini(&((struct analyses_block *)w)->names);
	free(((struct analyses_block *)w)->changes);
}

/* ---- merges and requeues --------------------------------------------------------------------- */

/* The changes of @key; NULL: *@err, or with that 0, it is not asked for. */
static struct changes *changes_of(struct analyses_block *b, u64 key, const struct lkst_record *r, int *err)
{
	struct lkst_tally *t = &b->work.tallies[0];
	s64 i = lkst_tally_key(t, key);
	struct changes *changes;

	*err = i < 0 ? (int)i : 0;
	if (i < 0 || !t->keys[i].is_wanted ||
	    (t->has_filter && !lkst_tally_passes(t, r->tid, r->cpu)))
		return NULL;
	changes = lkst_vec_reach(b->changes, b->nr_changes, (u32)i);
	*err = changes ? 0 : -ENOMEM;
	return changes;
}

static const struct lkst_column change_columns[] = {
	{ "key", "key", LKST_COLUMN_TEXT, "the disk, and what is done" },
	{ "requeued", "requeued", LKST_COLUMN_COUNT, "how often a request had to wait again" },
	{ "merged", "merged", LKST_COLUMN_COUNT, "requests that became part of another" },
};

/* The table of changes, or a note that the trace has none; merges only @has_merges. */
static int put_changes(struct lkst_analysis_state *w, struct lkst_tables *set, const char *name,
		       const char *title, bool has_merges)
{
	const struct analyses_block *b = (const struct analyses_block *)w;
	struct lkst_table *table;
	u32 i;

	if (!lkst_feed_has(w->feed, LKST_EV_block_rq_requeue))
		lkst_notes_add(&w->notes,
			       "Requeues are not in this trace (block_rq_requeue): of a request "
			       "that was sent more than once only the last time counts.");
	if (has_merges && !lkst_feed_has(w->feed, LKST_EV_block_rq_merge))
		lkst_notes_add(&w->notes, "Merges are not in this trace (block_rq_merge): a "
					  "request that became part of another goes on waiting.");
	if (w->list || !lkst_feed_has(w->feed, LKST_EV_block_rq_requeue))
		return 0;
	table = lkst_tables_add(set, name, title, change_columns, has_merges ? 3 : 2);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < w->tallies[0].nr_keys; i++) {
		const struct changes *c = i < b->nr_changes ? &b->changes[i] : NULL;

		if (!c || (!c->nr_requeued && !(has_merges && c->nr_merged)))
			continue;
		lkst_table_row(table);
		lkst_table_str(table, w->tallies[0].keys[i].text);
		lkst_table_u64(table, c->nr_requeued);
		if (has_merges)
			lkst_table_u64(table, c->nr_merged);
	}
	lkst_table_sort(table, 0, false);
	return table->error;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The time of a request that was sent before begins with the first time. */
static int block_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	struct lkst_analysis_state *w = ctx;
	u64 packed = lkst_request_pack(x->dev, x->flags, x->bytes);
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], x->rq);

	if (entry && lkst_request_is_requeued(entry->value)) {
		entry->value = packed;
		return 0;
	}
	return lkst_analysis_open(w, &w->pending[0], x->rq, r, packed, false);
}

/* A driver may refuse a request before it counts as issued. */
static int block_on_requeue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_requeue *x = record;
	struct analyses_block *b = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&b->work.pending[0], x->rq);
	struct changes *changes;
	int err;

	changes = changes_of(b, lkst_request_key(lkst_request_pack(x->dev, x->flags, x->bytes)), r,
			     &err);
	if (changes)
		changes->nr_requeued++;
	if (entry)
		entry->value = lkst_request_requeue(entry->value);
	return err;
}

/* It was sent before, and then became part of another, which has its own time. */
static int block_on_merge(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_merge *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], x->rq);
	u64 key;

	if (!entry)
		return 0;
	key = lkst_request_key(entry->value);
	lkst_pending_remove(&w->pending[0], entry);
	return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_MERGED, key, r->tid, r->cpu);
}

/* A request may be done in parts: it ends with the last of them. */
static int block_on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&w->pending[0], x->rq);

	/* Its kind is in the record of the issue only. */
	if (!entry) {
		lkst_tally_leave_out_any(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN, r->tid, r->cpu);
		return 0;
	}
	if (!lkst_request_complete(&entry->value, x->bytes))
		return 0;
	return lkst_analysis_close(w, &w->tallies[0], &w->pending[0], entry,
				   lkst_request_key(entry->value), r);
}

static int block_begin_time(struct lkst_analysis_state *w)
{
	struct analyses_block *b = (struct analyses_block *)w;
	bool has_issue, has_complete;
	int err = lkst_labels_subscribe(&b->names, w->feed);

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "biotime",
							   .title = "Block I/O time",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = block_put_key });
	has_issue = lkst_analysis_want(w, LKST_EV_block_rq_issue, block_on_issue, &err);
	has_complete = lkst_analysis_want(w, LKST_EV_block_rq_complete, block_on_complete, &err);
	lkst_analysis_want(w, LKST_EV_block_rq_requeue, block_on_requeue, &err);
	lkst_analysis_want(w, LKST_EV_block_rq_merge, block_on_merge, &err);
	return err < 0 ? err : has_issue && has_complete;
}

static int block_end_time(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	return put_changes(w, set, "biotime_requeues", "Block I/O requeues: by key", false);
}

const struct lkst_analysis lkst_analysis_biotime = {
	.name = "biotime",
	.heritage = "H07",
	.title = "Block I/O time",
	.help = "how long disks take for a request",
	.measures =
		"from the first block_rq_issue, also of a request that block_rq_requeue sends back, to "
		"the block_rq_complete of its last part, by disk and direction",
	.events = "block_rq_issue block_rq_complete block_rq_requeue block_rq_merge",
	.size = sizeof(struct analyses_block),
	.begin = block_begin_time,
	.end = block_end_time,
	.fini = block_fini,
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

/* NULL: there are too many. */
static struct block_disk *block_disk_of(struct analyses_block *b, u32 dev)
{
	u32 i;

	for (i = 0; i < b->nr_disks; i++)
		if (b->disks[i].dev == dev)
			return &b->disks[i];
	if (b->nr_disks == DISKS_MAX)
		return NULL;
	b->disks[b->nr_disks].dev = dev;
	return &b->disks[b->nr_disks++];
}

/* The disk of a request that is open: it is known. */
static u32 *block_count_of(struct analyses_block *b, const struct lkst_pending_entry *entry, bool is_waiting)
{
	struct block_disk *d = block_disk_of(b, (u32)(entry->value >> 32));

	return is_waiting ? &d->nr_waiting : &d->nr_issued;
}

/*
 * Takes the request off those that wait, or that are issued, if it is there: whatever happened to it,
 * it is no longer there. True: it was there.
 */
static bool block_leave(struct analyses_block *b, enum open which, u64 rq)
{
	struct lkst_pending *o = &b->work.pending[which];
	struct lkst_pending_entry *entry = lkst_pending_find(o, rq);

	if (!entry)
		return false;
	--*block_count_of(b, entry, which == OPEN_WAITING);
	lkst_pending_remove(o, entry);
	return true;
}

/* What became of the requests in a gap, or while such events were left out, is not known: they are forgotten. */
static int mind_gap(struct analyses_block *b, const struct lkst_record *r)
{
	u64 since_ns = b->last_ns;
	struct lkst_pending *waiting = &b->work.pending[OPEN_WAITING];
	const struct lkst_pending_entry *entry;
	u32 i = 0;
	enum lkst_left_out why = LKST_LEFT_OUT_GAP;
	int err = 0;

	b->last_ns = r->ns;
	if (!since_ns)
		return 0;
	if (!lkst_gap_test_crosses(b->work.gap_test, LKST_GAP_TEST_ANY, r->buffer, since_ns, r->ns))
		why = lkst_analysis_is_lacking(&b->work, since_ns, r->ns) ? LKST_LEFT_OUT_LIMIT : LKST_NR_LEFT_OUT;
	if (why == LKST_NR_LEFT_OUT)
		return 0;
	while (!err && (entry = lkst_pending_next(waiting, &i)))
		err = lkst_tally_leave_out(&b->work.tallies[TALLY_WAIT], why,
					   lkst_request_key(entry->value), entry->tid, entry->cpu);
	lkst_pending_fini(waiting);
	lkst_pending_fini(&b->work.pending[OPEN_ISSUED]);
	for (i = 0; i < b->nr_disks; i++)
		b->disks[i].nr_waiting = b->disks[i].nr_issued = 0;
	return err;
}

/* A request comes in: how many there are with it. */
static int note_depth(struct analyses_block *b, const struct block_disk *d, u64 packed,
		      const struct lkst_record *r)
{
	return lkst_tally_add(&b->work.tallies[TALLY_DEPTH], lkst_request_key(packed),
			      d->nr_waiting + d->nr_issued, r->ns, r->tid, r->cpu);
}

/* Puts a request among those that wait or are issued, if there is room. */
static int block_enter(struct analyses_block *b, enum open which, u64 rq, u64 packed, const struct lkst_record *r)
{
	struct lkst_pending *o = &b->work.pending[which];
	int err = lkst_analysis_open(&b->work, o, rq, r, packed, false);
	struct lkst_pending_entry *entry = err ? NULL : lkst_pending_find(o, rq);

	if (entry)
		++*block_count_of(b, entry, which == OPEN_WAITING);
	return err;
}

static int too_many_disks(struct analyses_block *b, u64 packed, const struct lkst_record *r)
{
	return lkst_tally_leave_out(&b->work.tallies[TALLY_DEPTH], LKST_LEFT_OUT_FULL,
				    lkst_request_key(packed), r->tid, r->cpu);
}

static int on_queue_insert(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_insert *x = record;
	struct analyses_block *b = ctx;
	u64 packed = lkst_request_pack(x->dev, x->flags, x->bytes);
	struct block_disk *d = block_disk_of(b, x->dev);
	struct lkst_pending_entry *entry;
	int err = mind_gap(b, r);

	if (err || !d)
		return err ? err : too_many_disks(b, packed, r);
	entry = lkst_pending_find(&b->work.pending[OPEN_WAITING], x->rq);
	/* It has waited since it was requeued, and has not come in again. */
	if (entry && lkst_request_is_requeued(entry->value))
		return 0;
	block_leave(b, OPEN_WAITING, x->rq);
	block_leave(b, OPEN_ISSUED, x->rq);
	err = block_enter(b, OPEN_WAITING, x->rq, packed, r);
	return err ? err : note_depth(b, d, packed, r);
}

static int on_queue_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	struct analyses_block *b = ctx;
	struct lkst_analysis_state *w = &b->work;
	u64 packed = lkst_request_pack(x->dev, x->flags, x->bytes);
	struct block_disk *d = block_disk_of(b, x->dev);
	struct lkst_pending_entry *entry;
	int err = mind_gap(b, r);

	if (err || !d)
		return err ? err : too_many_disks(b, packed, r);
	entry = lkst_pending_find(&w->pending[OPEN_WAITING], x->rq);
	block_leave(b, OPEN_ISSUED, x->rq);
	if (entry) {
		--*block_count_of(b, entry, true);
		err = lkst_analysis_close(w, &w->tallies[TALLY_WAIT], &w->pending[OPEN_WAITING],
					  entry, lkst_request_key(packed), r);
		return err ? err : block_enter(b, OPEN_ISSUED, x->rq, packed, r);
	}
	/* Past the scheduler, or it was inserted before the trace. */
	err = block_enter(b, OPEN_ISSUED, x->rq, packed, r);
	/* Or unseen, or forgotten: then it came in before. */
	if (!err && lkst_analysis_is_lacking(w, 0, r->ns))
		return lkst_tally_leave_out(&w->tallies[TALLY_DEPTH], LKST_LEFT_OUT_LIMIT, lkst_request_key(packed),
					    r->tid, r->cpu);
	return err ? err : note_depth(b, d, packed, r);
}

/* The driver gives it back, or has not even taken it: then it goes on waiting. */
static int on_queue_requeue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_requeue *x = record;
	struct analyses_block *b = ctx;
	u64 packed = lkst_request_pack(x->dev, x->flags, x->bytes);
	int err = mind_gap(b, r);
	struct changes *changes;

	if (err)
		return err;
	changes = changes_of(b, lkst_request_key(packed), r, &err);
	if (changes)
		changes->nr_requeued++;
	if (err || !block_leave(b, OPEN_ISSUED, x->rq))
		return err;
	return block_enter(b, OPEN_WAITING, x->rq, lkst_request_requeue(packed), r);
}

static int on_queue_merge(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_merge *x = record;
	struct analyses_block *b = ctx;
	u64 key = lkst_request_key(lkst_request_pack(x->dev, x->flags, x->bytes));
	int err = mind_gap(b, r);
	struct changes *changes;

	if (err)
		return err;
	changes = changes_of(b, key, r, &err);
	if (changes)
		changes->nr_merged++;
	block_leave(b, OPEN_ISSUED, x->rq);
	if (err || !block_leave(b, OPEN_WAITING, x->rq))
		return err;
	return lkst_tally_leave_out(&b->work.tallies[TALLY_WAIT], LKST_LEFT_OUT_MERGED, key, r->tid,
				    r->cpu);
}

static int on_queue_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct analyses_block *b = ctx;
	struct lkst_pending_entry *entry;
	u64 key;
	int err = mind_gap(b, r);

	if (err)
		return err;
	entry = lkst_pending_find(&b->work.pending[OPEN_ISSUED], x->rq);
	if (entry && !lkst_request_complete(&entry->value, x->bytes))
		return 0;
	if (block_leave(b, OPEN_ISSUED, x->rq))
		return 0;
	/* It was ended without being sent. */
	entry = lkst_pending_find(&b->work.pending[OPEN_WAITING], x->rq);
	if (!entry)
		return 0;
	key = lkst_request_key(entry->value);
	block_leave(b, OPEN_WAITING, x->rq);
	return lkst_tally_leave_out(&b->work.tallies[TALLY_WAIT], LKST_LEFT_OUT_NO_END, key, r->tid,
				    r->cpu);
}

/* After each of the others: a request may be known by another disk than it names. */
static int tell_depths(void *ctx, const struct lkst_record *r, const void *record)
{
	struct analyses_block *b = ctx;
	u32 i;
	int err = 0;

	for (i = 0; i < b->nr_disks && !err; i++) {
		struct block_disk *d = &b->disks[i];

		if (d->nr_told == d->nr_waiting + d->nr_issued)
			continue;
		d->nr_told = d->nr_waiting + d->nr_issued;
		err = lkst_analysis_tell(&b->work, d->dev, r->ns, d->nr_told);
	}
	return err;
}

static int want_depths(struct lkst_analysis_state *w)
{
	static const enum lkst_event_index events[] = {
		LKST_EV_block_rq_insert, LKST_EV_block_rq_issue,   LKST_EV_block_rq_complete,
		LKST_EV_block_rq_merge,	 LKST_EV_block_rq_requeue,
	};
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		lkst_analysis_want(w, events[i], tell_depths, &err);
	return err;
}

static int begin_queue(struct lkst_analysis_state *w)
{
	struct analyses_block *b = (struct analyses_block *)w;
	int err = lkst_labels_subscribe(&b->names, w->feed);
	bool has_issue;

	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "bioqueue",
							   .title = "Block I/O queue depth",
							   .type = LKST_COLUMN_COUNT,
							   .put_key = block_put_key });
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "bioqueue_wait",
							   .title = "Block I/O queue wait",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = block_put_key });
	lkst_analysis_want(w, LKST_EV_block_rq_insert, on_queue_insert, &err);
	has_issue = lkst_analysis_want(w, LKST_EV_block_rq_issue, on_queue_issue, &err);
	lkst_analysis_want(w, LKST_EV_block_rq_complete, on_queue_complete, &err);
	lkst_analysis_want(w, LKST_EV_block_rq_merge, on_queue_merge, &err);
	lkst_analysis_want(w, LKST_EV_block_rq_requeue, on_queue_requeue, &err);
	w->tally_of[OPEN_WAITING] = TALLY_WAIT;
	w->tally_of[OPEN_ISSUED] = LKST_ANALYSIS_NO_TALLY;
	if (err >= 0 && w->options->change)
		err = want_depths(w);
	return err < 0 ? err : has_issue;
}

static int end_queue(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	return put_changes(w, set, "bioqueue_changes", "Block I/O requeues and merges: by key",
			   true);
}

const struct lkst_analysis lkst_analysis_bioqueue = {
	.name = "bioqueue",
	.heritage = "H08",
	.title = "Block I/O queue",
	.help = "how many requests a disk has when one comes in, and how long they wait",
	.measures =
		"requests between block_rq_insert (or issue) and block_rq_complete of the disk when "
		"one is added; from block_rq_insert or block_rq_requeue to block_rq_issue; a request "
		"that block_rq_merge makes part of another waits no longer",
	.events =
		"block_rq_insert block_rq_issue block_rq_complete block_rq_merge block_rq_requeue",
	.size = sizeof(struct analyses_block),
	.begin = begin_queue,
	.end = end_queue,
	.fini = block_fini,
};
