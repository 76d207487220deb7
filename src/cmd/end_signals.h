/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that ask a command to end, for those that wait for other things, too. */
#ifndef LKST_CMD_END_SIGNALS_H
#define LKST_CMD_END_SIGNALS_H

#include "base/err.h"

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, and returns a descriptor, which the caller closes, that can be read once one of
 * them has come (signalfd(2)).
 */
int lkst_end_signals_open(struct lkst_err *e);

#endif
