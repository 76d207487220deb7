/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that do several things to the running recording, each named by a verb: its first argument. */
#ifndef LKST_CMD_RECORDERS_VERBS_H
#define LKST_CMD_RECORDERS_VERBS_H

#include "cmd/frame/cmd.h"
#include "cmd/frame/verb.h"
#include "cmd/recorders/turn.h"
#include "live/session/session.h"
#include "result/notes.h"

/* What a verb works with. */
struct lkst_job {
	struct lkst_err *e;
	const void *options;	 /* the command's */
	struct lkst_session *s;	 /* the running recording; NULL while a verb does without */
	struct lkst_control *c;	 /* its control page */
	struct lkst_notes notes; /* are printed when the verb has done its work */
	struct lkst_turn turn;	 /* while the recording may be changed, or is looked at */
};

/*
 * Runs verb @name of @verbs, which a row without name ends, with @args. It has a turn
 * meanwhile, unless it opens the recording itself. Notes are printed unless @quiet.
 */
int lkst_verbs_run(struct lkst_err *e, const struct lkst_verb *verbs, const char *name,
		   const void *options, bool quiet, char **args, unsigned int nr_args);

/* Takes a turn and opens the recording; ends both, so that others get their turn. */
int lkst_job_open(struct lkst_job *job, enum lkst_turn_kind kind);
void lkst_job_close(struct lkst_job *job);

/* Gives the turn back and keeps the recording open, for what takes long and changes nothing. */
void lkst_job_give_turn(struct lkst_job *job);

/* Takes a turn again. -ENOENT: the recording was stopped meanwhile. */
int lkst_job_take_turn(struct lkst_job *job, enum lkst_turn_kind kind);

#endif
