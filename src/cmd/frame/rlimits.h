/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits that the caller of a command has set for its process (setrlimit(2), the shell's ulimit). */
#ifndef LKST_CMD_FRAME_RLIMITS_H
#define LKST_CMD_FRAME_RLIMITS_H

#include <stdbool.h>

#include "base/err.h"

/* Makes writes to a file that becomes too large fail, and not kill this process; its children are not affected. */
void lkst_rlimits_prepare(void);

/* Adds to the text of @err which limit may be why, if there is one. */
void lkst_rlimits_explain(struct lkst_err *e, int err);

/* Whether files may not be as large as the disk allows. */
bool lkst_rlimits_has_file_size(void);

#endif
