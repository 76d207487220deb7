/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs that have ended leave: kept for some time, so that a recording finds their last marks. */
#ifndef LKST_LIBLKST_MARK_TIDY_H
#define LKST_LIBLKST_MARK_TIDY_H

#include "abi/types.h"

enum {
	LKST_MARK_KEPT_S = 600,	 /* so long after it was noticed that the program has ended */
	LKST_MARK_KEPT_MAX = 32, /* of a user */
};

/* What the name of a file says; a process may have other files of that form there, which cannot be such. */
struct lkst_mark_name {
	u32 uid;
	s32 pid;
};

/* False: it is not the name of a program's memory. */
bool lkst_mark_name_parse(const char *name, struct lkst_mark_name *ret_name);

/*
 * The program of file @name in directory @dir_fd has ended: removes the file if that was noticed long ago, else notes
 * it (mode 0400, and the time when that was set). Returns true if the file is gone.
 */
bool lkst_mark_note_ended(int dir_fd, const char *name);

/*
 * Removes from @dir the files of this user's programs that ended long ago, and the oldest if there are many. Safe in
 * signal handlers.
 */
void lkst_mark_tidy(const char *dir);

#endif
