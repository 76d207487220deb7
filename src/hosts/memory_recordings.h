/* SPDX-License-Identifier: GPL-2.0-only */
/* The same as hosts/recordings.h for traces that are in memory. */
#ifndef LKST_HOSTS_MEMORY_RECORDINGS_H
#define LKST_HOSTS_MEMORY_RECORDINGS_H

#include "hosts/bounds.h"
#include "trace/read/reader.h"

/* The files of one recording. Names and bytes are the caller's. */
struct lkst_memory_recording {
	u8 uuid[16];
	const char *name; /* of its first file */
	struct lkst_memory_file *files;
	unsigned int nr;
};

struct lkst_memory_recordings {
	struct lkst_memory_recording list[LKST_HOSTS_MAX];
	unsigned int nr;
};

/*
 * Sorts files by recording, in the order in which their metadata, or their archives, are among them: those of a
 * directory with metadata are of its recording, and so is a trace in one file. What is of none is not in the list.
 * -E2BIG: they are of more than LKST_HOSTS_MAX.
 */
int lkst_memory_recordings_find(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr_files,
				struct lkst_memory_recordings *ret_recordings);
void lkst_memory_recordings_fini(struct lkst_memory_recordings *r);

#endif
