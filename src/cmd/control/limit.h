/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting `lkst limit`, the process that keeps a recording to its cost limit, beside another command. */
#ifndef LKST_CMD_LIMIT_H
#define LKST_CMD_LIMIT_H

#include "base/err.h"

/* Starts it in the background for the pinned recording, unless it has one. The lock must be free. */
int lkst_limit_start(struct lkst_err *e);

#endif
