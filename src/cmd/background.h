/* SPDX-License-Identifier: GPL-2.0-only */
/* Going on as a process in the background that keeps nothing of who started it. */
#ifndef LKST_CMD_BACKGROUND_H
#define LKST_CMD_BACKGROUND_H

#include <sys/types.h>

#include "base/err.h"

/*
 * Goes on in a process of its own: a session of its own, umask 077, no descriptor but the standard
 * ones. Returns 0 there, with a descriptor in *@ret_ready for lkst_background_ready(). Where it was called
 * it waits until that process is ready and returns 1, its number in *@ret_pid; or it exits as that
 * process has, which has said why.
 */
int lkst_background_enter(struct lkst_err *e, int *ret_ready, pid_t *ret_pid);

/*
 * From here on nobody waits for this process, and nobody reads what it prints; it is in directory /. Paths that it
 * is to use later are absolute.
 */
void lkst_background_ready(int ready);

#endif
