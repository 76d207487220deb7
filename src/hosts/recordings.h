/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of some traces are of one recording, and which of others, as of other hosts. */
#ifndef LKST_HOSTS_RECORDINGS_H
#define LKST_HOSTS_RECORDINGS_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

struct lkst_one_recording {
	u8 uuid[16];
	char **paths;
	unsigned int nr;
};

/* In the order in which they were named. */
struct lkst_recording_list {
	struct lkst_one_recording *list;
	unsigned int nr;
	const char *stray; /* the first path that has no trace, one of those that were given; NULL: each has */
};

/*
 * Sorts @paths, each a trace, a trace in one file, the directory of a recording's parts or a directory of traces, by
 * recording. What is not a trace is not in the list: only the beginnings of metadata are read.
 */
int lkst_recording_list_find(struct lkst_err *e, char *const *paths, unsigned int nr_paths,
			     struct lkst_recording_list *ret_recordings);
void lkst_recording_list_fini(struct lkst_recording_list *r);

#endif
