/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ids of pages in memory (lkst_control.memory_id) that recordings of this machine had. Pages with such an id were
 * written by the kernel or by root: no program of a user can know it, and no trace has it. The ids are kept in a file
 * of root, a line for each recording, the latest last.
 */
#ifndef LKST_CRASH_IDS_H
#define LKST_CRASH_IDS_H

#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"

#define LKST_MEMORY_IDS "/var/lib/lkst/memory-ids"

struct lkst_memory_id {
	u8 id[16];
	u8 uuid[16]; /* of the trace */
};

enum { LKST_MEMORY_IDS_MAX = 32 };

struct lkst_memory_ids {
	struct lkst_memory_id items[LKST_MEMORY_IDS_MAX];
	size_t nr;
};

/* Reads file @path. -ENOENT: there is none. */
int lkst_memory_ids_read(struct lkst_err *e, const char *path, struct lkst_memory_ids *ret_ids);

/* Adds @id to file @path, unless it is there. Only root can read the file. If it is full the oldest one goes. */
int lkst_memory_ids_add(struct lkst_err *e, const char *path, const struct lkst_memory_id *id);

#endif
