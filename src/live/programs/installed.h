/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that come with the program: found from the program's own folder, as built and as installed. */
#ifndef LKST_LIVE_PROGRAMS_INSTALLED_H
#define LKST_LIVE_PROGRAMS_INSTALLED_H

#include "base/err.h"

enum { LKST_HANDLER_PATH_MAX = 4096 };

/* Where the handlers' objects are: as built, and as installed. */
extern const char *const lkst_handler_dirs[2];

/* The first of two folders @dirs, relative to the program's own, that has @file. -ENOENT: neither has. */
int lkst_installed_find(struct lkst_err *e, const char *const dirs[2], const char *file,
			char dir[LKST_HANDLER_PATH_MAX]);

/* The object file that @word means: a path, or the name of a handler that comes with the program. */
int lkst_handler_object(struct lkst_err *e, const char *word, char path[LKST_HANDLER_PATH_MAX]);

#endif
