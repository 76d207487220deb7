/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a user names events, the same wherever one is asked for: by a shell pattern (fnmatch(3)).
 */
#ifndef LKST_BASE_GLOB_H
#define LKST_BASE_GLOB_H

#include <stdbool.h>

/* True if @pattern matches @name, "@group:@name", or @alias, which may be NULL. */
bool lkst_glob_matches(const char *pattern, const char *group, const char *name, const char *alias);

#endif
