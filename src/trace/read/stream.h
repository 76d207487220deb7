/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One stream of a trace: its bytes, with an index of its good blocks in order of sequence
 * number and time. Private to the reader.
 */
#ifndef LKST_TRACE_READ_STREAM_H
#define LKST_TRACE_READ_STREAM_H

#include "base/cleanup.h"
#include "trace/format/block.h"
#include "trace/format/stream_name.h"
#include "trace/read/stream_bytes.h"
#include "trace/read/stream_info.h"

struct lkst_stream {
	struct lkst_stream_info info;
	char file[LKST_STREAM_NAME_MAX];
	struct lkst_stream_bytes files;
	u32 nr_first; /* good blocks that come first and are in one file */

	/*
	 * The good blocks: where each starts, in units of the smallest block size. Four bytes for
	 * each, and no parsed header, for a trace may have many million blocks.
	 */
	u32 *starts;

	/* Blocks with a sound header that contradicts the others', in the same units. */
	u32 *rejected;
	u32 nr_rejected;

	u64 nr_bad_tail;  /* unreadable blocks after the last good one */
	u64 nr_bad_extra; /* unreadable blocks that explain no hole in the numbers */
	bool has_records;
	u64 begin_ns, end_ns; /* of the first and last record, if there is one */
	u64 covered_ns; /* until then it has all that was recorded, but for gaps; UINT64_MAX: not known */
	struct lkst_block block; /* what lkst_trace_block() gave out last */
	size_t passed;		 /* and how far it has come, for lkst_stream_pass() */
};

/* Called with each unreadable block or part of one: its place, size and what is wrong. */
typedef void lkst_stream_report(void *arg, u64 offset, u64 bytes, const char *text);

/*
 * Indexes the stream in @bytes, which holds parts of one stream, the files of which are called @name but for their
 * suffix. It takes over what @bytes has; the caller releases what is left there. A file without one good block is a
 * stream too: its damage counts.
 */
int lkst_stream_open(struct lkst_err *e, const char *name, struct lkst_stream_bytes *bytes,
		     const struct lkst_catalog *catalog, struct lkst_stream **ret_stream);
void lkst_stream_close(struct lkst_stream *s);
LKST_GUARD(lkst_stream_close, struct lkst_stream)

/* Stream @instance, of which there is nothing. */
int lkst_stream_open_missing(struct lkst_err *e, u64 instance, struct lkst_stream **ret_stream);

/* Good block number @i, which is below info.nr_blocks. Its end_ns is at most the next one's begin. */
void lkst_stream_block(const struct lkst_stream *s, u32 i, struct lkst_block *ret_block);

/* As lkst_stream_bytes_pass(). */
void lkst_stream_pass(const struct lkst_stream *s, size_t *passed, size_t at);

/* Where block @i starts, with the files one after the other. */
u64 lkst_stream_offset(const struct lkst_stream *s, u32 i);

/* When good block @i begins, ns. */
u64 lkst_stream_begin(const struct lkst_stream *s, u32 i);

/* Reports what holds no good block, in order of its place; then the blocks that were rejected. */
void lkst_stream_report_bad(const struct lkst_stream *s, const u8 *uuid, lkst_stream_report *report,
			    void *arg);

#endif
