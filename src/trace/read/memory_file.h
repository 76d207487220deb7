/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that is in memory: its files. */
#ifndef LKST_TRACE_READ_MEMORY_FILE_H
#define LKST_TRACE_READ_MEMORY_FILE_H

#include <stddef.h>

/* A file of a trace that is in memory. */
struct lkst_memory_file {
	const char *name; /* with a directory, if it is of a part */
	const void *bytes;
	size_t length;
};

#endif
