/* SPDX-License-Identifier: GPL-2.0-only */
/* What `lkst --version` prints: which lkst this is, and which versions it speaks of what it shares with others. */
#ifndef LKST_CMD_FRAME_VERSION_H
#define LKST_CMD_FRAME_VERSION_H

#include <stdio.h>

/* The parts that this lkst was built without, as the Makefile calls them, with blanks between; "": none. */
const char *lkst_version_left_out(void);

void lkst_version_print(FILE *to);

#endif
