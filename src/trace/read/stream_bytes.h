/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of a stream's files, one file after the other, wherever they come from. Private to src/trace. */
#ifndef LKST_TRACE_READ_STREAM_BYTES_H
#define LKST_TRACE_READ_STREAM_BYTES_H

#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"
#include "trace/read/memory_file.h"

struct lkst_segment {
	size_t start, length;
	unsigned int part; /* of the trace, which a file is of */
};

struct lkst_stream_bytes;

/* What whoever provided the bytes does with them. */
struct lkst_stream_keeper {
	/* Releases memory from byte @from on, before @to, which may be read again; it may do nothing. NULL: nothing. */
	void (*drop)(const struct lkst_stream_bytes *b, size_t from, size_t to);
	void (*release)(struct lkst_stream_bytes *b); /* for good */
};

/* All zero is none. */
struct lkst_stream_bytes {
	const char *file; /* its name, for messages; borrowed */
	const u8 *bytes;  /* the files, one after the other */
	size_t length;
	const struct lkst_stream_keeper
		*keeper; /* NULL: they are the caller's, who keeps them as they are */
	void *memory;	 /* the keeper's: what is around them */
	size_t memory_length;

	/* Where each of the files lies in `bytes`: a trace may consist of parts. */
	struct lkst_segment *segments;
	unsigned int nr_segments;
	struct lkst_segment
		*holes; /* of sparse files, in order, as far as they are worth skipping */
	u32 nr_holes;
};

/*
 * Takes @nr_files files that are in memory as the bytes of a stream. Where it is one, they stay where they are; where
 * there are several, they are copied, since a block is found by one number. @b is all zero but for `file`, and to be
 * released even if this fails.
 */
int lkst_stream_bytes_take(struct lkst_err *e, struct lkst_stream_bytes *b,
			   const struct lkst_memory_file *files, unsigned int nr_files);

/* Has @b free @memory, of malloc(3), which are the bytes of its only file. */
void lkst_stream_bytes_keep(struct lkst_stream_bytes *b, void *memory);

void lkst_stream_bytes_fini(struct lkst_stream_bytes *b);

/*
 * A reader that reads in order has come to byte @at: releases the memory before it, from time to time, so
 * that a long trace does not stay in memory. What was released can still be read again. @passed is the
 * reader's, 0 at first.
 */
void lkst_stream_bytes_pass(const struct lkst_stream_bytes *b, size_t *passed, size_t at);

/* Releases all of it, to be read again. */
void lkst_stream_bytes_drop(const struct lkst_stream_bytes *b);

#endif
