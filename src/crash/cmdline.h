/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a kernel's command line about memory: they decide what an earlier boot leaves there. */
#ifndef LKST_CRASH_CMDLINE_H
#define LKST_CRASH_CMDLINE_H

#include <stdbool.h>

/*
 * True if @line, as /proc/cmdline has it, turns @name off; of several the last one counts. "Off" is what the
 * kernel takes for it (kstrtobool() of lib/kstrtox.c).
 */
bool lkst_cmdline_is_off(const char *line, const char *name);

/* What in @line makes the kernel clear, or test, all memory when it starts; NULL: nothing. */
const char *lkst_cmdline_eraser(const char *line);

#endif
