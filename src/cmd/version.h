/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lkst this is, and which versions it speaks of what it shares with others. */
#ifndef LKST_CMD_VERSION_H
#define LKST_CMD_VERSION_H

#include <stdio.h>

#define LKST_VERSION "0.9"

void lkst_version_print(FILE *to);

#endif
