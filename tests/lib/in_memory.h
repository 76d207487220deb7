/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests: the files of a trace's directory, read into memory, as lkst_trace_open_memory() takes them. */
#ifndef LKST_TESTS_IN_MEMORY_H
#define LKST_TESTS_IN_MEMORY_H

#include "trace/read/reader.h"

enum { IN_MEMORY_FILES = 64 };

struct in_memory {
	struct lkst_memory_file files[IN_MEMORY_FILES];
	unsigned int nr;
};

/* Adds the files in directory @dir, with @prefix before their names. Ends the test if it can't. */
void in_memory_add(struct in_memory *m, const char *dir, const char *prefix);
void in_memory_fini(struct in_memory *m);

#endif
