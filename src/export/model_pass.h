/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass with the state model over the part of a trace that is exported: what formats of states begin with. */
#ifndef LKST_EXPORT_MODEL_PASS_H
#define LKST_EXPORT_MODEL_PASS_H

#include "analyze/engine/labels.h"
#include "analyze/model/model.h"
#include "export/export_format.h"

/* All zero is one that has not begun. */
struct lkst_model_pass {
	struct lkst_feed *feed;
	struct lkst_model *model; /* gets each event before those who subscribe to `feed` */
	struct lkst_threads *threads; /* of the same, for the cgroups that they are in */
	struct lkst_labels labels;
};

/*
 * Makes ready for the pass: limited to the window of @x, whose gaps are counted, and which ends when @x is to end. The
 * caller subscribes to what it wants, and has lkst_feed_run() run.
 */
int lkst_model_pass_begin(struct lkst_err *e, struct lkst_export *x, struct lkst_model_pass *pass);
void lkst_model_pass_fini(struct lkst_model_pass *pass);

/* A number for each process, by the number of the life of a thread: what its first thread is called. */
struct lkst_process_names {
	u32 *leaders; /* by life: the life of the thread that gives the process its name, LKST_LIFE_NONE: unknown */
	u32 nr;
};

/* Of all threads that @model has shown by now. 0 or -ENOMEM. */
int lkst_process_names_find(struct lkst_process_names *names, const struct lkst_model *model);

/* The process's name: 16 bytes, with a NUL or not; "": not known. */
const char *lkst_process_name(const struct lkst_process_names *names,
			      const struct lkst_model *model, const struct lkst_thread_life *life);
void lkst_process_names_fini(struct lkst_process_names *names);

#endif
