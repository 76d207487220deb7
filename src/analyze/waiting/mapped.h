/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What addresses of processes are memory of, along a pass: a file, or nothing but memory, as mmap(2) shows it. What
 * was mapped before the trace is not known.
 */
#ifndef LKST_ANALYZE_WAITING_MAPPED_H
#define LKST_ANALYZE_WAITING_MAPPED_H

#include "abi/types.h"
#include "base/map.h"

/* All zero is where it begins. */
struct lkst_mapped_memory {
	struct lkst_map heads; /* by process: its newest place, plus 1 */
	struct lkst_mapped_place *list;
	u32 nr;
	int error;
};

void lkst_mapped_fini(struct lkst_mapped_memory *m);

/* From now on @size bytes at @from of process @pid are @what, a number of the caller's; 0: not known. */
void lkst_mapped_add(struct lkst_mapped_memory *m, s32 pid, u64 from, u64 size, u32 what);

/* Process @child has the memory that @parent has now; process @pid has a memory of its own, which is empty. */
void lkst_mapped_fork(struct lkst_mapped_memory *m, s32 parent, s32 child);
void lkst_mapped_exec(struct lkst_mapped_memory *m, s32 pid);

/* What is at @address of process @pid; 0: not known. */
u32 lkst_mapped_find(const struct lkst_mapped_memory *m, s32 pid, u64 address);

#endif
