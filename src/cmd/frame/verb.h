/* SPDX-License-Identifier: GPL-2.0-only */
/* A verb of a command, its first argument, as the command lists it. cmd/recorders/verbs.h runs one. */
#ifndef LKST_CMD_FRAME_VERB_H
#define LKST_CMD_FRAME_VERB_H

#include <stdbool.h>

struct lkst_job;

/* How a command takes its turn at the running recording (cmd/recorders/turn.h). */
/* After a second of waiting each of them says on stderr which command has the turn. */
enum lkst_turn_kind {
	LKST_TURN_NONE,	  /* none is taken */
	LKST_TURN_CHANGE, /* nobody else's turn; waits as long as it takes */
	LKST_TURN_SOON,	  /* the same; after 5 s it fails with -EAGAIN */
	LKST_TURN_LOOK,	  /* beside others that look; after 5 s it goes on without */
	LKST_TURN_URGENT, /* nobody else's turn; after 5 s it goes on without */
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

#endif
