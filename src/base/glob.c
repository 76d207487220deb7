/* SPDX-License-Identifier: GPL-2.0-only */
/* How a user names events. */
#include "base/glob.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { FULL_NAME_MAX = 256 };

bool lkst_glob_matches(const char *pattern, const char *group, const char *name, const char *alias)
{
	char full[FULL_NAME_MAX];

	if (!fnmatch(pattern, name, 0) || (alias && !fnmatch(pattern, alias, 0)))
		return true;
	/* Most patterns are names, which cannot match one with a colon: that is not made for them. */
	if (!strpbrk(pattern, ":*?["))
		return false;
	snprintf(full, sizeof(full), "%s:%s", group, name);
	return !fnmatch(pattern, full, 0);
}
