/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a stream: their names, and their bytes, one file after the other. Private to src/trace and src/crash. */
#ifndef LKST_TRACE_STREAM_FILE_H
#define LKST_TRACE_STREAM_FILE_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

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

/* The files of one stream, mapped. */
struct lkst_stream_bytes {
	const char *file; /* its name, for messages; borrowed */
	const u8 *bytes;  /* the files, one after the other */
	size_t length;
	void *map; /* whole pages around them */
	size_t map_length;

	/* Where each of the files lies in `bytes`: a trace may consist of parts. */
	struct lkst_segment *segments;
	unsigned int nr_segments;
	struct lkst_segment
		*holes; /* of sparse files, in order, as far as they are worth skipping */
	u32 nr_holes;
};

/* Maps @files. @b is all zero but for `file`, and to be released even if this fails. */
int lkst_stream_map(struct lkst_err *e, struct lkst_stream_bytes *b,
		    const struct lkst_stream_file *files, unsigned int nr_files);
void lkst_stream_unmap(struct lkst_stream_bytes *b);

/*
 * A reader that reads in order has come to byte @at: releases the memory before it, from time to time, so
 * that a long trace does not stay in memory. What was released can still be read again. @passed is the
 * reader's, 0 at first.
 */
void lkst_stream_bytes_pass(const struct lkst_stream_bytes *b, size_t *passed, size_t at);

/* Length of a file's name without the suffix of compressed ones. */
size_t lkst_stream_name_length(const char *name);

/* The file name of a stream, and back; false if @name is not one that the writer gives. */
void lkst_stream_name(u64 instance, char ret_name[LKST_STREAM_NAME_MAX]);
bool lkst_stream_name_parse(const char *name, u64 *ret_instance);

#endif
