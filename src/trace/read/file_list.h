/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of the streams of a trace that is opened, of all its parts, wherever they are. Private to src/trace. */
#ifndef LKST_TRACE_READ_FILE_LIST_H
#define LKST_TRACE_READ_FILE_LIST_H

#include <stddef.h>

#include "base/err.h"

/* All zero is none. */
struct lkst_file_list {
	struct lkst_listed_file {
		unsigned int part;
		char *name;
		const void *bytes; /* if it is in memory, with its length */
		size_t length;
		void *unpacked; /* the same, if it had to be unpacked: the list's own */
	} * files;
	unsigned int nr;
};

/* Adds file @name of part @part, empty. It may be changed until the next is added. */
int lkst_file_list_add(struct lkst_err *e, struct lkst_file_list *l, unsigned int part,
		       const char *name);

/*
 * Sorts them: by stream, then part; and drops compressed files whose plain one is still there: whoever compressed them
 * did not finish.
 */
void lkst_file_list_sort(struct lkst_file_list *l);

/* How many files from @first on are of one stream. */
unsigned int lkst_file_list_stream(const struct lkst_file_list *l, unsigned int first);

void lkst_file_list_fini(struct lkst_file_list *l);

#endif
