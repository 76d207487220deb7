/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `lkst maskset` does, a function per verb, for `lkstm` to do the same under its own spelling.
 */
#ifndef LKST_CMD_MASKSET_H
#define LKST_CMD_MASKSET_H

#include "cmd/frame/answer.h"
#include "cmd/recorders/verbs.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/masksets.h"

struct lkst_maskset_options {
	struct lkst_answer_form form;
	bool quiet, armed;
	const char *handler, *buffer;
	const char *name; /* of a maskset that is written; NULL: as its text says */
};

static inline const struct lkst_maskset_options *lkst_maskset_options(const struct lkst_job *job)
{
	return job->options;
}

/*
 * Opens the recording of @job to read the maskset that @word names, beside other commands that look; only a
 * maskset that has to be made first takes a turn alone, and fails with -EAGAIN when none comes. The recording is
 * closed with the job, on failure too.
 */
int lkst_maskset_open(struct lkst_job *job, const char *word, u32 *ret_set);

/* NAME; NAME [FILE]; NAME EVENT HANDLER [BUFFER]; FROM TO; NAME; NAME */
int lkst_maskset_verb_read(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_write(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_config(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_copy(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_delete(struct lkst_job *job, char **args, unsigned int nr_args);
int lkst_maskset_verb_set(struct lkst_job *job, char **args, unsigned int nr_args);

#endif
