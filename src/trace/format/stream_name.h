/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of a stream's files. Private to src/trace, src/crash and src/bundle. */
#ifndef LKST_TRACE_FORMAT_STREAM_NAME_H
#define LKST_TRACE_FORMAT_STREAM_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"

/* A file in a trace directory that lacks something because the copying that made it was broken off. */
#define LKST_PARTIAL ".partial"

enum {
	/* The file names of the writer's streams, with their NUL. */
	LKST_STREAM_NAME_MAX = 256,
};

/* Where the name of the file at @path begins after its directory. */
size_t lkst_file_name_start(const char *path);

/* Length of a file's name without the suffix of compressed ones. */
size_t lkst_stream_name_length(const char *name);

/* The file name of a stream, and back; false if @name is not one that the writer gives. */
void lkst_stream_name(u64 instance, char ret_name[LKST_STREAM_NAME_MAX]);
bool lkst_stream_name_parse(const char *name, u64 *ret_instance);

#endif
