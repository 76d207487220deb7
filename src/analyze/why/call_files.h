/* SPDX-License-Identifier: GPL-2.0-only */
/* What the descriptors of system calls in an excerpt refer to (trace/known/descriptors.h). */
#ifndef LKST_ANALYZE_WHY_CALL_FILES_H
#define LKST_ANALYZE_WHY_CALL_FILES_H

#include "analyze/why/excerpt.h"

struct lkst_call_files;

/*
 * What the descriptor of the call refers to whose entry is moment @i of @w, or the path that it opens; NULL: not known,
 * or it has none. Any bytes: to be escaped. Good until *@files is freed. When *@files is NULL it is made, by a pass
 * from the trace's beginning to the excerpt's end; without memory nothing is known.
 */
const char *lkst_call_files_name(struct lkst_call_files **files, const struct lkst_excerpt *w,
				 u32 i);

void lkst_call_files_free(struct lkst_call_files *files);
LKST_GUARD(lkst_call_files_free, struct lkst_call_files)

#endif
