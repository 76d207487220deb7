/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of cgroups: their paths, which anybody who makes one chooses, and the lists of mounts and controllers.
 * What comes out is a text of limited length in which a path's bytes come back.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "live/kernel/cgroup_mount.h"
#include "trace/known/container.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void name_container(const char *path)
{
	char text[LKST_CONTAINER_TEXT];
	size_t length;

	memset(text, 'x', sizeof(text));
	lkst_container_of(path, text);
	length = strnlen(text, sizeof(text));
	if (length == sizeof(text) || (length && !strchr(text, ':')))
		abort();
	printed_names((const char *const[]){ path, text }, 2);
}

static void choose_mount(const char *text)
{
	_cleanup_free_ char *mountinfo = strdup(text), *controllers = strdup(text);
	struct lkst_cgroup_mount mount;

	if (!mountinfo || !controllers)
		abort();
	lkst_cgroup_mount_choose(mountinfo, controllers, &mount);
	if (strnlen(mount.point, sizeof(mount.point)) == sizeof(mount.point) ||
	    mount.of > LKST_CGROUP_CPU || !mount.point[0] != !mount.of)
		abort();
	printed_name(mount.point, strlen(mount.point));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_free_ char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	name_container(text);
	choose_mount(text);
	return 0;
}
