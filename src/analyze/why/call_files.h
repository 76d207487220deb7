/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the descriptors of system calls refer to (trace/known/descriptors.h), in stretches of time that are known
 * before: those of excerpts. It is found by one pass over the trace, when it is first asked for.
 */
#ifndef LKST_ANALYZE_WHY_CALL_FILES_H
#define LKST_ANALYZE_WHY_CALL_FILES_H

#include "base/cleanup.h"
#include "trace/read/reader.h"

struct lkst_call_files;

/* @t must stay. NULL: no memory. */
struct lkst_call_files *lkst_call_files_new(struct lkst_trace *t);

/* Calls from @from_ns to @to_ns will be asked for, too. Before the first is asked for. 0 or -ENOMEM. */
int lkst_call_files_want(struct lkst_call_files *files, u64 from_ns, u64 to_ns);

/*
 * What the descriptor of the call refers to that thread @tid entered at @entry_ns, or the path that it opens; NULL: not
 * known, or it has none. Any bytes: to be escaped. Good as long as @files. Without memory nothing is known.
 */
const char *lkst_call_files_name(struct lkst_call_files *files, s32 tid, u64 entry_ns);

/* Whoever else needs @files holds it, and frees it as well. Returns @files. Not for several threads. */
struct lkst_call_files *lkst_call_files_hold(struct lkst_call_files *files);
void lkst_call_files_free(struct lkst_call_files *files);
LKST_GUARD(lkst_call_files_free, struct lkst_call_files)

#endif
