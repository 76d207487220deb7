/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `lkst maskset` does, a function per verb, for `lkstm` to do the same under its own spelling.
 */
#ifndef LKST_CMD_MASKSET_H
#define LKST_CMD_MASKSET_H

#include "cmd/cmd.h"
#include "live/maskset.h"

struct lkst_maskset_options {
	bool json, quiet, armed;
	const char *handler, *buffer;
	const char *name; /* of a maskset that is written; NULL: as its text says */
};

/* One command on the recording's masksets. */
struct lkst_maskset_job {
	struct lkst_err *e;
	const struct lkst_maskset_options *o;
	struct lkst_session *s; /* the running recording; NULL while a verb does without */
	struct lkst_control *c;
	struct lkst_notes notes;
};

struct lkst_maskset_verb {
	const char *name;
	unsigned int min_args, max_args;
	bool opens_itself; /* it opens the recording by lkst_maskset_job_open(), when it needs it */
	int (*run)(struct lkst_maskset_job *job, char **args, unsigned int nr_args);
};

/* Runs the verb @name of @verbs, which a row without name ends, on the running recording. */
int lkst_maskset_run(struct lkst_err *e, const struct lkst_maskset_verb *verbs,
		     const struct lkst_maskset_options *o, const char *name, char **args,
		     unsigned int nr_args);

/* Opens the recording, and lets go of it; every command takes turns with others in between. */
int lkst_maskset_job_open(struct lkst_maskset_job *job, int *ret_lock);
void lkst_maskset_job_close(struct lkst_maskset_job *job, int *lock);

/* NAME; NAME [FILE]; NAME EVENT HANDLER [BUFFER]; FROM TO; NAME; NAME */
int lkst_maskset_verb_read(struct lkst_maskset_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_write(struct lkst_maskset_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_config(struct lkst_maskset_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_copy(struct lkst_maskset_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_delete(struct lkst_maskset_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_set(struct lkst_maskset_job *job, char **args, unsigned int nr_args);

#endif
