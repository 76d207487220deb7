/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that come with the program. */
#include "live/programs/installed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const lkst_handler_dirs[2] = { "handlers", "../lib/lkst/handlers" };

int lkst_installed_find(struct lkst_err *e, const char *const dirs[2], const char *file,
			char dir[LKST_HANDLER_PATH_MAX])
{
	char self[PATH_MAX], path[PATH_MAX + 128];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	unsigned int i;

	if (length < 0)
		return lkst_err_sys(e, -errno, "finding the program's own folder");
	self[length] = 0;
	*strrchr(self, '/') = 0;
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s/%.80s", self, dirs[i], file);
		if (access(path, R_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s", self, dirs[i]);
		return realpath(path, dir) ? 0 : lkst_err_sys(e, -errno, "%s", path);
	}
	return lkst_err_set(e, -ENOENT, "%s is neither in %s/%s nor in %s/%s", file, self, dirs[0],
			    self, dirs[1]);
}

int lkst_handler_object(struct lkst_err *e, const char *word, char path[LKST_HANDLER_PATH_MAX])
{
	size_t length = strlen(word);
	char dir[LKST_HANDLER_PATH_MAX], file[64];
	int err;

	if (strchr(word, '/') || (length > 2 && !strcmp(word + length - 2, ".o"))) {
		if (length >= LKST_HANDLER_PATH_MAX)
			return lkst_err_sys(e, -ENAMETOOLONG, "%.40s", word);
		memcpy(path, word, length + 1);
		return 0;
	}
	snprintf(file, sizeof(file), "%.60s.o", word);
	err = lkst_installed_find(e, lkst_handler_dirs, file, dir);
	if (err) {
		lkst_err_add(e, "no handler \"%s\" comes with the program", word);
		return err;
	}
	length = strlen(dir);
	if (length + strlen(file) + 2 > LKST_HANDLER_PATH_MAX)
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", dir);
	memcpy(path, dir, length);
	path[length] = '/';
	memcpy(path + length + 1, file, strlen(file) + 1);
	return 0;
}
