/* SPDX-License-Identifier: GPL-2.0-only */
/* How a user names events. */
#include "base/glob.h"

#include <fnmatch.h>
#include <stdio.h>

enum { FULL_NAME_MAX = 256 };

bool lkst_glob_matches(const char *pattern, const char *group, const char *name, const char *alias)
{
	char full[FULL_NAME_MAX];

	snprintf(full, sizeof(full), "%s:%s", group, name);
	return !fnmatch(pattern, name, 0) || !fnmatch(pattern, full, 0) ||
	       (alias && !fnmatch(pattern, alias, 0));
}
