/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a stream, mapped. Private to src/trace. */
#ifndef LKST_TRACE_READ_STREAM_FILE_H
#define LKST_TRACE_READ_STREAM_FILE_H

#include "trace/read/stream_bytes.h"

/* A file of the stream: the directory that it is in, and its name there. */
struct lkst_stream_file {
	unsigned int part; /* of the trace */
	const char *dir;   /* NULL: it is a part of another file, and the only one of its stream */
	const char *name;  /* may end in LKST_ZST_SUFFIX */
	int fd;		   /* of that other file, which may be closed after opening the stream */
	u64 offset, length;
};

/* Maps @files. @b is all zero but for `file`, and to be released even if this fails. */
int lkst_stream_map(struct lkst_err *e, struct lkst_stream_bytes *b,
		    const struct lkst_stream_file *files, unsigned int nr_files);

#endif
