/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that is run while something is recorded: it is held until recording has begun, and asked to end after. */
#ifndef LKST_CMD_RECORDERS_CHILD_H
#define LKST_CMD_RECORDERS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct lkst_streaming;

/* All zero, with `go` -1, is none. */
struct lkst_child {
	pid_t pid;  /* 0: none */
	int go;	    /* written to, it starts */
	int status; /* as wait(2) gives it */
	bool has_ended;
};

/* Makes the process of @args, with the signals @mask blocked; it waits. @called: who runs it, for errors. */
int lkst_child_prepare(struct lkst_err *e, const char *called, char **args, const sigset_t *mask,
		       struct lkst_child *ret_child);

/* Lets it run. */
int lkst_child_release(struct lkst_err *e, struct lkst_child *child);

/* Whether there is one, and it has ended. */
bool lkst_child_has_ended(struct lkst_child *child);

/* One that still runs is asked to end; one that waits ends without having run. */
void lkst_child_ask_to_end(struct lkst_child *child);

/* Waits for it, and kills it when it takes too long or @st is told to end once more. */
void lkst_child_end(struct lkst_child *child, struct lkst_streaming *st);

/* Like env(1) and time(1): the status of what was run; 0: nothing was. */
int lkst_child_result(const struct lkst_child *child);

#endif
