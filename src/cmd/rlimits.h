/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits that whoever starts a command has set for its process (setrlimit(2), the shell's ulimit). */
#ifndef LKST_CMD_RLIMITS_H
#define LKST_CMD_RLIMITS_H

#include <stdbool.h>

#include "base/err.h"

/* Has a file that becomes too large fail the write, and not kill this process; those that it starts are as before. */
void lkst_rlimits_prepare(void);

/* Adds to the text of @err which limit may be why, if there is one. */
void lkst_rlimits_explain(struct lkst_err *e, int err);

/* Whether files may not be as large as the disk allows. */
bool lkst_rlimits_has_file_size(void);

#endif
