// SPDX-License-Identifier: GPL-2.0-only
/* The places of a stream's files where blocks begin, and what lies between them. */
#include "trace/read/scan.h"

#include <errno.h>

#include "abi/block.h"

/* The block at @at. @e is NULL where the error is not wanted: most of a damaged file is not worth a sentence. */
static int parse_at(const struct lkst_scan *scan, size_t at, struct lkst_err *e,
		    struct lkst_block *ret_block)
{
	int err =
		lkst_block_parse(e, scan->files->bytes + at, scan->end - at, scan->uuid, ret_block);

	if (!err && scan->has_instance && ret_block->instance != scan->instance)
		err = lkst_err_set(e, -EBADMSG, "the block belongs to another stream");
	return err;
}

/* Bytes from the scan's place to the end of the hole of a sparse file that it is in; 0: it is in none. */
static size_t hole_left(struct lkst_scan *scan)
{
	const struct lkst_stream_bytes *b = scan->files;
	const struct lkst_segment *hole;

	while (scan->hole < b->nr_holes &&
	       b->holes[scan->hole].start + b->holes[scan->hole].length <= scan->at)
		scan->hole++;
	hole = scan->hole < b->nr_holes ? &b->holes[scan->hole] : NULL;
	return hole && hole->start <= scan->at ? hole->start + hole->length - scan->at : 0;
}

static int scan_parse(struct lkst_scan *scan, struct lkst_block *ret_block)
{
	int err = hole_left(scan) ? -EBADMSG : parse_at(scan, scan->at, NULL, ret_block);

	if (!err)
		scan->step = ret_block->size;
	return err;
}

/* Goes on from a place without a block, over as many as lie in the same hole. */
static void scan_step(struct lkst_scan *scan)
{
	size_t left = scan->end - scan->at, skip = hole_left(scan) / scan->step * scan->step;

	skip = skip ?: scan->step;
	scan->at += left < skip ? left : skip;
	lkst_stream_bytes_pass(scan->files, &scan->passed, scan->at);
}

/* Goes to the start of segment @i. False if there is none. */
static bool scan_segment(struct lkst_scan *scan, unsigned int i)
{
	const struct lkst_stream_bytes *b = scan->files;

	if (i >= b->nr_segments)
		return false;
	scan->segment = i;
	scan->at = b->segments[i].start;
	scan->end = scan->at + b->segments[i].length;
	return true;
}

int lkst_scan_next(struct lkst_scan *scan, size_t *ret_at, struct lkst_block *ret_block,
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

void lkst_scan_explain(const struct lkst_scan *scan, size_t at, struct lkst_err *e)
{
	struct lkst_block block;

	parse_at(scan, at, e, &block);
}

struct lkst_scan lkst_scan_begin(const struct lkst_stream_bytes *b, const u8 *uuid)
{
	struct lkst_scan scan = { .files = b, .uuid = uuid, .step = 1 << LKST_BLOCK_SHIFT_MIN };
	struct lkst_block block;
	u64 instance[3] = {};
	struct lkst_scan ahead;
	size_t at, bad;
	int r, nr = 0;

	scan_segment(&scan, 0);
	ahead = scan;

	while (nr < 3 && (r = lkst_scan_next(&ahead, &at, &block, &bad)))
		if (r > 0)
			instance[nr++] = block.instance;
	scan.has_instance = nr > 0;
	scan.instance = instance[nr == 3 && instance[1] == instance[2] ? 1 : 0];
	return scan;
}
