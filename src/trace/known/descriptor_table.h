/* SPDX-License-Identifier: GPL-2.0-only */
/* The descriptors of all processes, and their names: a bounded number of each. */
#ifndef LKST_TRACE_KNOWN_DESCRIPTOR_TABLE_H
#define LKST_TRACE_KNOWN_DESCRIPTOR_TABLE_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/hash.h"
#include "base/map.h"

enum { LKST_DESCRIPTORS_OF_PROCESS = 4096 }; /* beyond: not known */

/* A descriptor. */
struct lkst_descriptor_file {
	const char *name;   /* NULL: not known */
	u64 changed_ns;	    /* when a call last began or ended that changes it */
	bool stays_at_exec; /* that is known */
};

struct lkst_descriptor_process {
	struct lkst_descriptor_file *files;
	u32 nr_files;
	bool is_untracked; /* others may change its descriptors unseen */
	u64 since_ns;	   /* when it began, or was no longer that */
};

struct lkst_descriptor_table {
	struct lkst_descriptor_process *processes;
	u32 nr_processes, nr_entries;
	struct lkst_map by_pid; /* places in `processes` */
	u32 *free_places;
	u32 nr_free;
	struct lkst_hash names;
	size_t name_bytes;
	bool is_full; /* there were more descriptors or processes than are kept */
};

void lkst_descriptor_table_init(struct lkst_descriptor_table *t);
void lkst_descriptor_table_fini(struct lkst_descriptor_table *t);

/* The one copy of @text, good as long as the table; NULL: there are too many. -ENOMEM or 0. */
int lkst_descriptor_name(struct lkst_descriptor_table *t, const char *text, const char **ret_name);

/* NULL: it is not there. Good until one is made. */
struct lkst_descriptor_process *lkst_descriptor_find(const struct lkst_descriptor_table *t,
						     s32 pid);

/* The process, made if it is not there; NULL in @ret_process: there are too many. -ENOMEM or 0. */
int lkst_descriptor_get(struct lkst_descriptor_table *t, s32 pid,
			struct lkst_descriptor_process **ret_process);

/* The process is gone; its number may be given out again. -ENOMEM or 0. */
int lkst_descriptor_drop(struct lkst_descriptor_table *t, s32 pid);

/* The place of descriptor @fd, made if it is not there; NULL in @ret_file: beyond what is kept. -ENOMEM or 0. */
int lkst_descriptor_at(struct lkst_descriptor_table *t, struct lkst_descriptor_process *p, s64 fd,
		       struct lkst_descriptor_file **ret_file);

#endif
