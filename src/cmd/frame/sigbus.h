/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens when a mapped file cannot be read any more. */
#ifndef LKST_CMD_FRAME_SIGBUS_H
#define LKST_CMD_FRAME_SIGBUS_H

/*
 * From now on such a file ends the program with a message that names it, and status 1. The kernel sends
 * SIGBUS where a page of it is gone, because another program has cut the file off, or cannot be read from the disk.
 */
void lkst_sigbus_explain(void);

#endif
