/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One stream's bytes, indexed. The headers of its blocks decide what is good; what the
 * records say comes later, when they are read.
 */
#include "trace/read/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "abi/block.h"
#include "abi/control.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/format/block_walk.h"
#include "trace/format/stream_name.h"

/* ---- the places where blocks begin, and what lies between them ------------------------------- */

/* A pass over the places of a stream's files where blocks can begin. */
struct block_scan {
	const struct lkst_stream_bytes *files;
	const u8 *uuid;
	unsigned int segment;
	size_t at, end; /* of the segment */
	u32 step;	/* how far to the next place after a bad one */
	bool has_instance;
	u64 instance; /* a file holds one stream */
	u32 hole;     /* the first that does not end before `at` */
	size_t passed;
};

/* The block at @at. @e is NULL where the error is not wanted: most of a damaged file is not worth a sentence. */
static int parse_at(const struct block_scan *scan, size_t at, struct lkst_err *e,
		    struct lkst_block *ret_block)
{
	int err =
		lkst_block_parse(e, scan->files->bytes + at, scan->end - at, scan->uuid, ret_block);

	if (!err && scan->has_instance && ret_block->instance != scan->instance)
		err = lkst_err_set(e, -EBADMSG, "the block belongs to another stream");
	return err;
}

/* Bytes from the scan's place to the end of the hole of a sparse file that it is in; 0: it is in none. */
static size_t hole_left(struct block_scan *scan)
{
	const struct lkst_stream_bytes *b = scan->files;
	const struct lkst_segment *hole;

	while (scan->hole < b->nr_holes &&
	       b->holes[scan->hole].start + b->holes[scan->hole].length <= scan->at)
		scan->hole++;
	hole = scan->hole < b->nr_holes ? &b->holes[scan->hole] : NULL;
	return hole && hole->start <= scan->at ? hole->start + hole->length - scan->at : 0;
}

static int scan_parse(struct block_scan *scan, struct lkst_block *ret_block)
{
	int err = hole_left(scan) ? -EBADMSG : parse_at(scan, scan->at, NULL, ret_block);

	if (!err)
		scan->step = ret_block->size;
	return err;
}

/* Goes on from a place without a block, over as many as lie in the same hole. */
static void scan_step(struct block_scan *scan)
{
	size_t left = scan->end - scan->at, skip = hole_left(scan) / scan->step * scan->step;

	skip = skip ?: scan->step;
	scan->at += left < skip ? left : skip;
	lkst_stream_bytes_pass(scan->files, &scan->passed, scan->at);
}

/* Goes to the start of segment @i. False if there is none. */
static bool scan_segment(struct block_scan *scan, unsigned int i)
{
	const struct lkst_stream_bytes *b = scan->files;

	if (i >= b->nr_segments)
		return false;
	scan->segment = i;
	scan->at = b->segments[i].start;
	scan->end = scan->at + b->segments[i].length;
	return true;
}

/*
 * 1: a good block, which begins at *@ret_at. -1: *@ret_bad_bytes from *@ret_at on hold none. 0: the end. The memory
 * before is released.
 */
static int scan_next(struct block_scan *scan, size_t *ret_at, struct lkst_block *ret_block,
		     size_t *ret_bad_bytes)
{
	struct lkst_block next;

	while (scan->at >= scan->end)
		if (!scan_segment(scan, scan->segment + 1))
			return 0;
	*ret_at = scan->at;
	lkst_stream_bytes_pass(scan->files, &scan->passed, scan->at);
	if (!scan_parse(scan, ret_block)) {
		scan->at += ret_block->size;
		return 1;
	}
	do
		scan_step(scan);
	while (scan->at < scan->end && scan_parse(scan, &next));
	*ret_bad_bytes = scan->at - *ret_at;
	return -1;
}

/* What is wrong at @at, where scan_next() has just found no block. */
static void scan_explain(const struct block_scan *scan, size_t at, struct lkst_err *e)
{
	struct lkst_block block;

	parse_at(scan, at, e, &block);
}

/*
 * A scan of @b, which whoever opens the stream has. Blocks of another trace than @uuid's are bad ones. Two
 * of the first three good blocks decide which stream it is, or else the first.
 */
static struct block_scan scan_begin(const struct lkst_stream_bytes *b, const u8 *uuid)
{
	struct block_scan scan = { .files = b, .uuid = uuid, .step = 1 << LKST_BLOCK_SHIFT_MIN };
	struct lkst_block block;
	u64 instance[3] = {};
	struct block_scan ahead;
	size_t at, bad;
	int r, nr = 0;

	scan_segment(&scan, 0);
	ahead = scan;

	while (nr < 3 && (r = scan_next(&ahead, &at, &block, &bad)))
		if (r > 0)
			instance[nr++] = block.instance;
	scan.has_instance = nr > 0;
	scan.instance = instance[nr == 3 && instance[1] == instance[2] ? 1 : 0];
	return scan;
}

/* ---- the blocks ------------------------------------------------------------------------------ */

enum {
	UNIT = 1 << LKST_BLOCK_SHIFT_MIN,
	LOOKS = 4096, /* at blocks, until their memory is released */
};

static u64 header_u64(const struct lkst_stream *s, u32 start, size_t at)
{
	return lkst_le64(s->files.bytes + (size_t)start * UNIT + at);
}

static u64 stream_seq_of(const struct lkst_stream *s, u32 start)
{
	return header_u64(s, start, offsetof(struct lkst_block_header, packet_seq_num));
}

static u64 stream_begin_of(const struct lkst_stream *s, u32 start)
{
	return header_u64(s, start, offsetof(struct lkst_block_header, timestamp_begin));
}

static u64 stream_end_of(const struct lkst_stream *s, u32 start)
{
	return header_u64(s, start, offsetof(struct lkst_block_header, timestamp_end));
}

static u64 stream_size_of(const struct lkst_stream *s, u32 start)
{
	return header_u64(s, start, offsetof(struct lkst_block_header, packet_size)) / 8;
}

void lkst_stream_report_bad(const struct lkst_stream *s, const u8 *uuid, lkst_stream_report *report,
			    void *arg)
{
	struct block_scan scan = scan_begin(&s->files, uuid);
	struct lkst_block block;
	struct lkst_err e;
	size_t at, bad;
	u32 i;
	int r;

	while ((r = scan_next(&scan, &at, &block, &bad))) {
		if (r > 0)
			continue;
		scan_explain(&scan, at, &e);
		report(arg, at, bad, e.text);
	}
	for (i = 0; i < s->nr_rejected; i++)
		report(arg, (u64)s->rejected[i] * UNIT, stream_size_of(s, s->rejected[i]),
		       "the block's number and times do not fit its neighbours'");
}

/* ---- the index -------------------------------------------------------------------- */

static int stream_push(struct lkst_err *e, u32 **list, u32 *nr, u32 value)
{
	u32 *added = lkst_vec_add(*list, *nr);

	if (!added)
		return lkst_err_sys(e, -ENOMEM, "the index of blocks");
	*added = value;
	return 0;
}

/* Puts a block aside whose header is sound but contradicts others. */
static int reject(struct lkst_err *e, struct lkst_stream *s, u32 start)
{
	s->info.nr_bad_blocks++;
	s->info.nr_bad_bytes += stream_size_of(s, start);
	return stream_push(e, &s->rejected, &s->nr_rejected, start);
}

/* Counts bytes without a block, once it is known how large the blocks are. */
static void count_bad(struct lkst_stream *s, size_t bytes, u32 block_size)
{
	u64 blocks = (bytes + block_size - 1) / block_size;

	s->info.nr_bad_blocks += blocks;
	s->info.nr_bad_bytes += bytes;
	s->nr_bad_tail += blocks;
}

/*
 * Whether @b may follow @a. Pieces of one block (lkst_block_piece()) have its number and follow each
 * other in time.
 */
static bool is_in_order(const struct lkst_block *a, const struct lkst_block *b)
{
	if (a->seq == b->seq)
		return b->begin_ns >= a->end_ns && b->begin_ns > a->begin_ns;
	return b->seq > a->seq && b->begin_ns >= a->begin_ns;
}

/*
 * Lists the good blocks in the order of the file. *@ret_is_sorted: that is their true order.
 * *@ret_has_long: one covers a long time.
 */
static int list_blocks(struct lkst_err *e, struct lkst_stream *s, const u8 *uuid,
		       bool *ret_is_sorted, bool *ret_has_long)
{
	struct block_scan scan = scan_begin(&s->files, uuid);
	struct lkst_block block, last = {};
	size_t at, bad = 0, lead = 0;
	int r, err;

	*ret_is_sorted = true;
	*ret_has_long = false;
	while ((r = scan_next(&scan, &at, &block, &bad))) {
		if (r < 0 && !s->info.nr_blocks) {
			lead = bad;
			continue;
		}
		if (r < 0) {
			count_bad(s, bad, scan.step);
			continue;
		}
		if (s->info.nr_blocks && !is_in_order(&last, &block))
			*ret_is_sorted = false;
		if (block.end_ns - block.begin_ns >= LKST_TIME_GAP_MAX)
			*ret_has_long = true;
		last = block;
		count_bad(s, lead, block.size);
		lead = 0;
		s->nr_bad_tail = 0;
		err = stream_push(e, &s->starts, &s->info.nr_blocks, (u32)(at / UNIT));
		if (err)
			return err;
	}
	count_bad(s, lead, UNIT);
	if (scan.has_instance) {
		s->info.instance = scan.instance;
		s->info.cpu = lkst_instance_cpu(scan.instance);
		s->info.buffer = lkst_instance_buffer(scan.instance);
	}
	return 0;
}

/* Releases the files' memory now and then. @i counts the blocks that are looked at, in whatever order. */
static void stream_drop(const struct lkst_stream *s, u32 i)
{
	if (i % LOOKS == LOOKS - 1)
		lkst_stream_bytes_drop(&s->files);
}

struct stream_numbered {
	u64 first_ns; /* what comes before the number: 0, or of state the time */
	u64 seq, begin_ns;
	u64 end_ns; /* 0: it does not count */
	u32 start;
};

static int stream_by_number(const void *a, const void *b)
{
	const struct stream_numbered *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	/* Pieces of a block by time; of copies of a block the longest, or the first one in the file. */
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * What identifies block @start. Several snapshots of a recording may have a block in common, which was
 * still being filled when the first was saved; and each numbers its state from the beginning.
 */
static struct stream_numbered stream_number_of(const struct lkst_stream *s, u32 start)
{
	struct stream_numbered n = { .seq = stream_seq_of(s, start),
			      .begin_ns = stream_begin_of(s, start),
			      .start = start };

	if (s->files.nr_segments == 1)
		return n;
	n.end_ns = stream_end_of(s, start);
	if (s->info.buffer == LKST_BUFFER_STATE)
		n.first_ns = n.begin_ns;
	return n;
}

static bool is_copy(const struct lkst_stream *s, u32 a, u32 b)
{
	return stream_size_of(s, a) == stream_size_of(s, b) &&
	       !memcmp(s->files.bytes + (size_t)a * UNIT, s->files.bytes + (size_t)b * UNIT,
		       stream_size_of(s, a));
}

/* Whether the block at @b can be a further piece of the one at @a, which has its number. */
static bool is_further_piece(const struct lkst_stream *s, u32 a, u32 b)
{
	return stream_begin_of(s, b) >= stream_end_of(s, a) && !is_copy(s, a, b);
}

static unsigned int segment_of(const struct lkst_stream *s, u32 start)
{
	size_t at = (size_t)start * UNIT;
	unsigned int i = 0;

	while (i + 1 < s->files.nr_segments &&
	       at >= s->files.segments[i].start + s->files.segments[i].length)
		i++;
	return i;
}

/* Whether another file's block at @a has what the one at @b has, which has its number. */
static bool is_covered(const struct lkst_stream *s, u32 a, u32 b)
{
	return stream_begin_of(s, b) >= stream_begin_of(s, a) && stream_end_of(s, b) <= stream_end_of(s, a) &&
	       segment_of(s, a) != segment_of(s, b);
}

/*
 * Sorts the blocks by number; of several with the same number the first stays, unless they are pieces of
 * one block.
 */
static int sort_blocks(struct lkst_err *e, struct lkst_stream *s)
{
	_cleanup_free_ struct stream_numbered *list = calloc(s->info.nr_blocks, sizeof(*list));
	u32 i, nr = 0;
	int err = 0;

	if (!list)
		return lkst_err_sys(e, -ENOMEM, "the index of blocks");
	for (i = 0; i < s->info.nr_blocks; i++) {
		list[i] = stream_number_of(s, s->starts[i]);
		stream_drop(s, i);
	}
	qsort(list, s->info.nr_blocks, sizeof(*list), stream_by_number);
	for (i = 0; i < s->info.nr_blocks && !err; i++) {
		stream_drop(s, i);
		if (!nr || stream_seq_of(s, s->starts[nr - 1]) != list[i].seq ||
		    is_further_piece(s, s->starts[nr - 1], list[i].start))
			s->starts[nr++] = list[i].start;
		else if (!is_copy(s, s->starts[nr - 1], list[i].start) &&
			 !is_covered(s, s->starts[nr - 1], list[i].start))
			err = reject(e, s, list[i].start);
	}
	s->info.nr_blocks = nr;
	return err;
}

/*
 * Two neighbours by number, of which the later one begins earlier: true if it is the first of them
 * that must go. The block before both decides, or else the one after them.
 */
static bool must_drop_first(const struct lkst_stream *s, u32 nr_before, u32 second, u32 third,
			    bool has_third)
{
	u32 first = s->starts[nr_before];

	if (nr_before)
		return stream_end_of(s, s->starts[nr_before - 1]) <= stream_begin_of(s, second);
	return has_third && stream_begin_of(s, first) > stream_begin_of(s, third);
}

/* Drops blocks so that the beginnings of those that remain do not fall. */
static int settle_times(struct lkst_err *e, struct lkst_stream *s)
{
	u32 i, nr = 0, nr_all = s->info.nr_blocks;
	int err = 0;

	for (i = 0; i < nr_all && !err; i++) {
		u32 start = s->starts[i];
		bool keep = true;

		stream_drop(s, i);
		while (keep && nr && stream_begin_of(s, start) < stream_begin_of(s, s->starts[nr - 1]) && !err) {
			u32 third = i + 1 < nr_all ? s->starts[i + 1] : 0;

			if (must_drop_first(s, nr - 1, start, third, i + 1 < nr_all))
				err = reject(e, s, s->starts[--nr]);
			else
				keep = false;
		}
		if (keep)
			s->starts[nr++] = start;
		else if (!err)
			err = reject(e, s, start);
	}
	s->info.nr_blocks = nr;
	return err;
}

/*
 * Whether the block's records reach to its end. If they stop half a turn of the clock's 48 bits short of
 * it, then it is the beginning that is wrong, and with it the time of each record.
 */
static bool stream_is_plausible(const struct lkst_block *block, const struct lkst_catalog *catalog)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	int r;

	if (block->end_ns - block->begin_ns < LKST_TIME_GAP_MAX)
		return true;
	lkst_block_cursor_init(&cursor, block);
	while ((r = lkst_block_step(&cursor, catalog, &record)) > 0)
		;
	return r == 0 && block->end_ns - cursor.ns < LKST_TIME_GAP_MAX;
}

/* Drops blocks that cover so long a time that their records may be a turn of 48 bits off. */
static int drop_implausible(struct lkst_err *e, struct lkst_stream *s,
			    const struct lkst_catalog *catalog)
{
	struct lkst_block block;
	u32 i, nr = 0;
	int err = 0;

	for (i = 0; i < s->info.nr_blocks && !err; i++) {
		u32 start = s->starts[i];

		stream_drop(s, i);
		lkst_stream_block(s, i, &block);
		if (stream_is_plausible(&block, catalog))
			s->starts[nr++] = start;
		else
			err = reject(e, s, start);
	}
	s->info.nr_blocks = nr;
	return err;
}

/* Fills what the sequence numbers and the writers' own counts say is missing. */
static void stream_count_missing(struct lkst_stream *s)
{
	struct lkst_block first, last;
	size_t passed = 0;
	u64 holes = 0;
	u32 i;

	if (!s->info.nr_blocks)
		return;
	for (i = 1; i < s->info.nr_blocks; i++) {
		u64 seq = stream_seq_of(s, s->starts[i]), before = stream_seq_of(s, s->starts[i - 1]);

		/* It falls only where the state of another snapshot begins. */
		holes += seq > before ? seq - before - 1 : 0;
		lkst_stream_pass(s, &passed, lkst_stream_offset(s, i));
	}
	lkst_stream_block(s, 0, &first);
	lkst_stream_block(s, s->info.nr_blocks - 1, &last);
	s->info.nr_missing_blocks =
		holes > s->info.nr_bad_blocks ? holes - s->info.nr_bad_blocks : 0;
	s->nr_bad_extra = s->info.nr_bad_blocks > holes ? s->info.nr_bad_blocks - holes : 0;
	if (last.discarded > first.discarded)
		s->info.nr_lost_events = last.discarded - first.discarded;
}

/* Finds the times of the first and the last record. */
static void stream_find_range(struct lkst_stream *s, const struct lkst_catalog *catalog)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record = {};
	struct lkst_block block;
	u32 i;

	for (i = 0; i < s->info.nr_blocks && !s->has_records; i++) {
		stream_drop(s, i);
		lkst_stream_block(s, i, &block);
		lkst_block_cursor_init(&cursor, &block);
		s->has_records = lkst_block_step(&cursor, catalog, &record) > 0;
	}
	if (!s->has_records)
		return;
	s->begin_ns = s->end_ns = record.ns;
	for (i = s->info.nr_blocks; i-- > 0;) {
		bool found = false;

		stream_drop(s, i);
		lkst_stream_block(s, i, &block);
		lkst_block_cursor_init(&cursor, &block);
		while (lkst_block_step(&cursor, catalog, &record) > 0)
			found = true;
		if (found) {
			s->end_ns = record.ns;
			return;
		}
	}
}

/* ---- opening ---------------------------------------------------------------------- */

/* Counts the good blocks of the earliest file, whichever that is. */
static void count_first(struct lkst_stream *s)
{
	size_t at = s->info.nr_blocks ? (size_t)s->starts[0] * UNIT : 0;
	unsigned int i = 0;

	while (at >= s->files.segments[i].start + s->files.segments[i].length &&
	       i + 1 < s->files.nr_segments)
		i++;
	while (s->nr_first < s->info.nr_blocks &&
	       (size_t)s->starts[s->nr_first] * UNIT - s->files.segments[i].start <
		       s->files.segments[i].length)
		s->nr_first++;
}

int lkst_stream_open(struct lkst_err *e, const char *name, struct lkst_stream_bytes *bytes,
		     const struct lkst_catalog *catalog, struct lkst_stream **ret_stream)
{
	_cleanup_(lkst_stream_closep) struct lkst_stream *s = calloc(1, sizeof(*s));
	bool is_sorted, has_long;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	snprintf(s->file, sizeof(s->file), "%.*s", (int)lkst_stream_name_length(name), name);
	s->files = *bytes;
	*bytes = (struct lkst_stream_bytes){};
	s->info.file = s->files.file = s->file;
	s->info.lost_from_ns = s->covered_ns = UINT64_MAX;
	/* The first good block overrides what the name says. */
	lkst_stream_name_parse(s->file, &s->info.instance);
	s->info.cpu = lkst_instance_cpu(s->info.instance);
	s->info.buffer = lkst_instance_buffer(s->info.instance);
	err = list_blocks(e, s, catalog->uuid, &is_sorted, &has_long);
	if (err)
		return err;
	if (!is_sorted)
		err = sort_blocks(e, s) ?: settle_times(e, s);
	if (err)
		return err;
	if (has_long)
		err = drop_implausible(e, s, catalog);
	if (err)
		return err;
	s->nr_bad_extra = s->info.nr_bad_blocks;
	stream_count_missing(s);
	count_first(s);
	stream_find_range(s, catalog);
	*ret_stream = lkst_take(s);
	return 0;
}

int lkst_stream_open_missing(struct lkst_err *e, u64 instance, struct lkst_stream **ret_stream)
{
	struct lkst_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "a stream that is missing");
	lkst_stream_name(instance, s->file);
	s->info = (struct lkst_stream_info){ .file = s->file,
					     .instance = instance,
					     .cpu = lkst_instance_cpu(instance),
					     .buffer = lkst_instance_buffer(instance),
					     .lost_from_ns = UINT64_MAX };
	s->covered_ns = UINT64_MAX;
	*ret_stream = s;
	return 0;
}

void lkst_stream_close(struct lkst_stream *s)
{
	if (!s)
		return;
	lkst_stream_bytes_fini(&s->files);
	free(s->starts);
	free(s->rejected);
	free(s);
}

void lkst_stream_pass(const struct lkst_stream *s, size_t *passed, size_t at)
{
	lkst_stream_bytes_pass(&s->files, passed, at);
}

u64 lkst_stream_offset(const struct lkst_stream *s, u32 i)
{
	return (u64)s->starts[i] * UNIT;
}

u64 lkst_stream_begin(const struct lkst_stream *s, u32 i)
{
	return stream_begin_of(s, s->starts[i]);
}

void lkst_stream_block(const struct lkst_stream *s, u32 i, struct lkst_block *ret_block)
{
	size_t at = (size_t)s->starts[i] * UNIT;

	/*
	 * It was good when the file was opened; should another process have changed the file since, then
	 * an empty block is what is left of it.
	 */
	if (lkst_block_parse(NULL, s->files.bytes + at, s->files.length - at, NULL, ret_block))
		*ret_block = (struct lkst_block){ .bytes = s->files.bytes + at };
	/* A damaged end would lend its time to damaged records. Several traces' states may overlap. */
	if (s->info.buffer != LKST_BUFFER_STATE && i + 1 < s->info.nr_blocks &&
	    lkst_stream_begin(s, i + 1) < ret_block->end_ns)
		ret_block->end_ns = lkst_stream_begin(s, i + 1);
}
