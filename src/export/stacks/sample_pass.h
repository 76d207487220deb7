/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass over the part of a trace that is exported, which counts its samples: what formats of these begin with. */
#ifndef LKST_EXPORT_STACKS_SAMPLE_PASS_H
#define LKST_EXPORT_STACKS_SAMPLE_PASS_H

#include "analyze/engine/samples.h"
#include "export/export_format.h"

/*
 * Counts the samples and waits of the threads that @x asks for. An error, with a sentence, if the trace can have none.
 * Free them with lkst_samples_free(), also after an error.
 */
int lkst_sample_pass(struct lkst_err *e, struct lkst_export *x, struct lkst_samples **ret_samples);

enum { LKST_SAMPLE_NAME = 128 };

/* "db-1234": the thread of a path, as a frame may be written. Returns @text. */
char *lkst_sample_who(const struct lkst_samples *s, const struct lkst_samples_path *path,
		      char text[LKST_SAMPLE_NAME]);

/* Name number @name as a frame may be written: without what separates frames. Returns @text. */
char *lkst_sample_function(const struct lkst_samples *s, u32 name, char text[LKST_CODE_TEXT]);

#endif
