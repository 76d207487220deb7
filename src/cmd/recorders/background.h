/* SPDX-License-Identifier: GPL-2.0-only */
/* Continuing as a process in the background that keeps nothing of the process that started it. */
#ifndef LKST_CMD_RECORDERS_BACKGROUND_H
#define LKST_CMD_RECORDERS_BACKGROUND_H

#include <sys/types.h>

#include "base/err.h"

/**
 Continues in a new process: a new session, umask 077, no descriptor but the standard
 * ones. Returns 0 there, with a descriptor in *@ret_ready for lkst_background_ready(). The calling process
 * waits until the new one is ready and returns 1, with its number in *@ret_pid; or, if the new process exits, it exits
 * with the same status: the new one has said why.
 */
int lkst_background_enter(struct lkst_err *e, int *ret_ready, pid_t *ret_pid);

/*
 * From here on nobody waits for this process, and nobody reads what it prints; it is in directory /. Paths that it
 * uses later must be absolute.
 */
void lkst_background_ready(int ready);

#endif
