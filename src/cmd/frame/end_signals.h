/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The signals that ask a command to end: as a descriptor, for those that wait for other things, too; and as a flag, for
 * work that looks at it now and then.
 */
#ifndef LKST_CMD_FRAME_END_SIGNALS_H
#define LKST_CMD_FRAME_END_SIGNALS_H

#include <signal.h>

#include "base/err.h"

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, and returns a descriptor, which the caller closes, that can be read once one of
 * them has come (signalfd(2)).
 */
int lkst_end_signals_open(struct lkst_err *e);

/*
 * The number of the signal that has come, 0: none has. It is one for the process, since all that a signal's handler
 * gets is that number.
 */
const volatile sig_atomic_t *lkst_end_flag(void);

/* From now on signal @number sets the flag. @flags: of sigaction(2); with SA_RESETHAND only the first one does. */
void lkst_end_flag_by(int number, int flags);
void lkst_end_flag_clear(void);

#endif
