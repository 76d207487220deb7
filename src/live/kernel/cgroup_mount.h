/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where cgroups are directories: the hierarchy whose cgroups a recording knows, and the paths of its cgroups by their
 * numbers.
 */
#ifndef LKST_LIVE_KERNEL_CGROUP_MOUNT_H
#define LKST_LIVE_KERNEL_CGROUP_MOUNT_H

#include <stddef.h>

#include "abi/program.h"
#include "base/cleanup.h"

enum {
	/* With the NUL: longer paths are left out, since a record's string would be cut. */
	LKST_CGROUP_PATH = LKST_STRING_MAX - 1,
};

struct lkst_cgroup_mount {
	u32 of;		 /* enum lkst_cgroup_of */
	s32 hierarchy;	 /* its number, as in /proc/cgroups; 0: version 2 */
	char point[256]; /* the directory, "": there is none */
};

/*
 * Chooses the hierarchy: version 2 if /sys/fs/cgroup is of that version. Where it has hierarchies of version 1, that
 * of the controllers memory, pids or cpu, the first that there is: those managers of services and of containers use
 * in any case. Else version 2, wherever it is. @mountinfo and @controllers are the texts of /proc/self/mountinfo and
 * /proc/cgroups, which a test gives; they are changed.
 */
void lkst_cgroup_mount_choose(char *mountinfo, char *controllers,
			      struct lkst_cgroup_mount *ret_mount);

/* The same for this machine. */
void lkst_cgroup_mount_find(struct lkst_cgroup_mount *ret_mount);

/* The same two for the hierarchy that has the controller cpu: of version 1 if there is one, else version 2. */
void lkst_cgroup_mount_choose_cpu(char *mountinfo, char *controllers, struct lkst_cgroup_mount *ret_mount);
void lkst_cgroup_mount_find_cpu(struct lkst_cgroup_mount *ret_mount);

/*
 * Puts the path of the cgroup of number @id, "/" for the first of all, into @path. @dir is the open directory of the
 * mount. 0, -ESTALE: there is no such cgroup now, -ENAMETOOLONG, or why the kernel does not say it.
 */
int lkst_cgroup_mount_path(const struct lkst_cgroup_mount *mount, int dir, u64 id,
			   char path[LKST_CGROUP_PATH]);

/* Whether this process may ask so: by number takes CAP_DAC_READ_SEARCH, which a service's sandbox may not have. */
bool lkst_cgroup_mount_is_known_by_number(void);

/*
 * Calls @each with the number and the path of each cgroup below the open directory @dir of the mount, the first of all
 * included, at most 65536. Others are left out whose path is too long, or which may not be read. What @each returns, if
 * it is not 0, ends it and is returned; or -ENOMEM.
 */
int lkst_cgroup_mount_walk(int dir, int (*each)(void *ctx, u64 id, const char *path), void *ctx);

#endif
