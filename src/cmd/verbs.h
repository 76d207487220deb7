/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that do several things to the running recording, each named by a verb: its first argument. */
#ifndef LKST_CMD_VERBS_H
#define LKST_CMD_VERBS_H

#include "base/notes.h"
#include "cmd/cmd.h"
#include "cmd/turn.h"
#include "live/recording/session.h"

/* What a verb works with. */
struct lkst_job {
	struct lkst_err *e;
	const void *options;	 /* the command's */
	struct lkst_session *s;	 /* the running recording; NULL while a verb does without */
	struct lkst_control *c;	 /* its control page */
	struct lkst_notes notes; /* are printed when the verb has done its work */
	struct lkst_turn turn;	 /* while the recording may be changed, or is looked at */
};

/* A row per verb: dispatch, usage and help read it. */
struct lkst_verb {
	const char *name;
	const char *args; /* as the usage shows them; NULL: none */
	const char *help; /* a line break continues in the same column */
	bool is_infix;	  /* it stands within its arguments, as in NAME+=GLOB: `args` shows it */
	unsigned int min_args, max_args;
	/* LKST_TURN_NONE: it calls lkst_job_open(), when it needs the recording. */
	enum lkst_turn_kind turn;
	int (*run)(struct lkst_job *job, char **args, unsigned int nr_args);
};

/* A row, by the names of its fields. In braces the formatter would give each field a line. */
#define LKST_VERB(...)                                                                             \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

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
void lkst_job_let_go(struct lkst_job *job);

/* Takes a turn again. -ENOENT: the recording was stopped meanwhile. */
int lkst_job_take_turn(struct lkst_job *job, enum lkst_turn_kind kind);

#endif
