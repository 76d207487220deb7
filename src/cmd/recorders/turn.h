/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands take turns at the running recording, by a lock (live/hooks/pins.h). A turn is short: nothing is written to a
 * terminal, pipe or file while it lasts. What is printed to stdout meanwhile is kept in memory, and written when the
 * turn has been given back.
 */
#ifndef LKST_CMD_RECORDERS_TURN_H
#define LKST_CMD_RECORDERS_TURN_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/frame/verb.h"

struct lkst_turn {
	int lock;  /* -1: there is no turn */
	FILE *out; /* what stdout was before; NULL: it still is */
	char *text;
	size_t length;
};

/* Takes one. Needs root. On failure @t need not be given back, but may be. */
int lkst_turn_take(struct lkst_err *e, enum lkst_turn_kind kind, struct lkst_turn *t);

/* Gives it back, if there is one, and writes what was printed. */
void lkst_turn_give(struct lkst_turn *t);

#endif
