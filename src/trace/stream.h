/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One stream of a trace, its files mapped, with an index of its good blocks in order of sequence
 * number and time. Private to the reader.
 */
#ifndef LKST_TRACE_STREAM_H
#define LKST_TRACE_STREAM_H

#include "base/cleanup.h"
#include "trace/reader.h"

/* A file in a trace directory that lacks something because the copying that made it was broken off. */
#define LKST_PARTIAL ".partial"

enum {
	/* The file names of the writer's streams, with their NUL. */
	LKST_STREAM_NAME_MAX = 256,
};

/* A file of the stream: the directory that it is in, and its name there. */
struct lkst_stream_file {
	const char *dir;  /* NULL: it is a part of another file, and the only one of its stream */
	const char *name; /* may end in LKST_ZST_SUFFIX, if it is a file of its own */
	int fd;		  /* of that other file, which may be closed after opening the stream */
	u64 offset, length;
};

struct lkst_segment {
	size_t start, length;
};

struct lkst_stream {
	struct lkst_stream_info info;
	char file[LKST_STREAM_NAME_MAX];
	const u8 *bytes; /* the files, mapped one after the other */
	size_t length;
	void *map; /* whole pages around them */
	size_t map_length;

	/* Where each of the files lies in `bytes`: a trace may consist of parts. */
	struct lkst_segment *segments;
	unsigned int nr_segments;
	struct lkst_segment *holes; /* of sparse files, in order, as far as they are worth skipping */
	u32 nr_holes;
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
	u64 begin_ns, end_ns;	 /* of the first and last record, if there is one */
	u64 covered_ns; /* until then it has all that was recorded, but for gaps; UINT64_MAX: not known */
	struct lkst_block block; /* what lkst_trace_block() gave out last */
	size_t passed;		 /* and how far it has come, for lkst_stream_pass() */
};

/* Called with each unreadable block or part of one: its place, size and what is wrong. */
typedef void lkst_stream_report(void *arg, u64 offset, u64 bytes, const char *text);

/*
 * Maps @files, which hold parts of one stream and have the same name but for the suffix, and indexes
 * them. A file without one good block is a stream too: its damage counts.
 */
int lkst_stream_open(struct lkst_err *e, const struct lkst_stream_file *files,
		     unsigned int nr_files, const struct lkst_catalog *catalog,
		     struct lkst_stream **ret_stream);
void lkst_stream_close(struct lkst_stream *s);
LKST_GUARD(lkst_stream_close, struct lkst_stream)

/* Stream @instance, of which there is nothing. */
int lkst_stream_open_missing(struct lkst_err *e, u64 instance, struct lkst_stream **ret_stream);

/* Maps @files into @s, which has room for so many segments. Private to lkst_stream_open(). */
int lkst_stream_map(struct lkst_err *e, struct lkst_stream *s,
		    const struct lkst_stream_file *files);

/* Good block number @i, which is below info.nr_blocks. Its end_ns is at most the next one's begin. */
void lkst_stream_block(const struct lkst_stream *s, u32 i, struct lkst_block *ret_block);

/*
 * A reader that reads in order has come to byte @at: releases the memory before it, from time to time, so
 * that a long trace does not stay in memory. What was released can still be read again. @passed is the
 * reader's, 0 at first.
 */
void lkst_stream_pass(const struct lkst_stream *s, size_t *passed, size_t at);

/* Where block @i starts, with the files one after the other. */
u64 lkst_stream_offset(const struct lkst_stream *s, u32 i);

/* When good block @i begins, ns. */
u64 lkst_stream_begin(const struct lkst_stream *s, u32 i);

/* Reports what holds no good block, in order of its place; then the blocks that were rejected. */
void lkst_stream_report_bad(const struct lkst_stream *s, const u8 *uuid, lkst_stream_report *report,
			    void *arg);

/* Length of a file's name without the suffix of compressed ones. */
size_t lkst_stream_name_length(const char *name);

/* The file name of a stream, and back; false if @name is not one that the writer gives. */
void lkst_stream_name(u64 instance, char ret_name[LKST_STREAM_NAME_MAX]);
bool lkst_stream_name_parse(const char *name, u64 *ret_instance);

#endif
