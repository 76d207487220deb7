/* SPDX-License-Identifier: GPL-2.0-only */
/* A pass over the places of a stream's files where blocks can begin. Private to the stream. */
#ifndef LKST_TRACE_READ_SCAN_H
#define LKST_TRACE_READ_SCAN_H

#include "trace/format/block.h"
#include "trace/read/stream_bytes.h"

struct lkst_scan {
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

/*
 * A scan of @b, which whoever opens the stream has. Blocks of another trace than @uuid's are bad ones. Two
 * of the first three good blocks decide which stream it is, or else the first.
 */
struct lkst_scan lkst_scan_begin(const struct lkst_stream_bytes *b, const u8 *uuid);

/*
 * 1: a good block, which begins at *@ret_at. -1: *@ret_bad_bytes from *@ret_at on hold none. 0: the end. The memory
 * before is released.
 */
int lkst_scan_next(struct lkst_scan *scan, size_t *ret_at, struct lkst_block *ret_block,
		   size_t *ret_bad_bytes);

/* What is wrong at @at, where lkst_scan_next() has just found no block. */
void lkst_scan_explain(const struct lkst_scan *scan, size_t at, struct lkst_err *e);

#endif
