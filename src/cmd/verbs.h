/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that do several things to the running recording, each named by a verb: its first argument. */
#ifndef LKST_CMD_VERBS_H
#define LKST_CMD_VERBS_H

#include "base/notes.h"
#include "cmd/cmd.h"
#include "live/session.h"

/* What a verb works with. */
struct lkst_job {
	struct lkst_err *e;
	const void *options;	 /* the command's */
	struct lkst_session *s;	 /* the running recording; NULL while a verb does without */
	struct lkst_control *c;	 /* its control page */
	struct lkst_notes notes; /* are printed when the verb has done its work */
	int lock;		 /* of live/pins.h, -1: not held */
};

struct lkst_verb {
	const char *name;
	unsigned int min_args, max_args;
	bool opens_itself; /* it calls lkst_job_open(), when it needs the recording */
	int (*run)(struct lkst_job *job, char **args, unsigned int nr_args);
};

/*
 * Runs verb @name of @verbs, which a row without name ends, with @args. It holds the lock meanwhile, for
 * commands take turns, unless it opens the recording itself. Notes are printed unless @quiet.
 */
int lkst_verbs_run(struct lkst_err *e, const struct lkst_verb *verbs, const char *name,
		   const void *options, bool quiet, char **args, unsigned int nr_args);

/* Takes the lock and opens the recording; gives both back, so that others get their turn. */
int lkst_job_open(struct lkst_job *job);
void lkst_job_close(struct lkst_job *job);

#endif
