/* SPDX-License-Identifier: GPL-2.0-only */
/* The hierarchy of cgroups that a recording knows, and paths in it. */
#include "live/kernel/cgroup_mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"

enum {
	FILEID_KERNFS = 0xfe, /* include/linux/exportfs.h */
	TEXT_MAX = 4 << 20,
	WALK_MAX = 65536, /* cgroups that a walk looks at */
};

/* The controllers of version 1 that are looked for, in this order. */
static const struct {
	u32 of;
	const char *controller;
} controllers_of[] = {
	{ LKST_CGROUP_MEMORY, "memory" },
	{ LKST_CGROUP_PIDS, "pids" },
	{ LKST_CGROUP_CPU, "cpu" },
};
enum { NR_CONTROLLERS = sizeof(controllers_of) / sizeof(controllers_of[0]) };

/* What a line of mountinfo says of a file system that has cgroups. */
struct cgroup_mount_line {
	const char *root, *point, *type, *options;
};

/* A blank, a tab, a newline, a backslash and a # are \ooo there (mangle(), fs/proc_namespace.c); so in place. */
static void cgroup_mount_decode(char *word)
{
	char *to = word;
	unsigned int i, value;

	for (; *word; word++, to++) {
		value = 0;
		for (i = 1; *word == '\\' && i <= 3 && word[i] >= '0' && word[i] <= '7'; i++)
			value = value * 8 + (unsigned int)(word[i] - '0');
		*to = *word;
		/* Nothing but these is written so: all else is as it is. */
		if (i > 3 && value && value <= 0x7f) {
			*to = (char)value;
			word += 3;
		}
	}
	*to = 0;
}

/* "31 23 0:28 ROOT POINT rw,relatime shared:1 - TYPE SOURCE OPTIONS" (proc_pid_mountinfo(5)). */
static bool cgroup_mount_parse_line(char *text, struct cgroup_mount_line *ret)
{
	char *word, *rest = NULL;
	unsigned int i = 0, dash = 0;

	*ret = (struct cgroup_mount_line){};
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest), i++) {
		if (i == 4)
			cgroup_mount_decode(word);
		if (i == 3)
			ret->root = word;
		else if (i == 4)
			ret->point = word;
		else if (i > 5 && !dash && !strcmp(word, "-"))
			dash = i;
		else if (dash && i == dash + 1)
			ret->type = word;
		else if (dash && i == dash + 3)
			ret->options = word;
	}
	/* What is not the hierarchy's own root, as in a container, gives no whole paths. */
	return ret->options && !strcmp(ret->root, "/");
}

/* Whether @options, "rw,memory", have @word. */
static bool has_option(const char *options, const char *word)
{
	size_t length = strlen(word);

	for (; options; options = strchr(options, ',') ? strchr(options, ',') + 1 : NULL)
		if (!strncmp(options, word, length) && (!options[length] || options[length] == ','))
			return true;
	return false;
}

/* The preference among mounts, 0 first; below 0: it is none that can be chosen. */
static int rank_of(const struct cgroup_mount_line *line, u32 *ret_of)
{
	unsigned int i;

	if (!strcmp(line->type, "cgroup2")) {
		*ret_of = LKST_CGROUP_UNIFIED;
		return !strcmp(line->point, "/sys/fs/cgroup") ? 0 : NR_CONTROLLERS + 1;
	}
	for (i = 0; i < NR_CONTROLLERS && !strcmp(line->type, "cgroup"); i++)
		if (has_option(line->options, controllers_of[i].controller)) {
			*ret_of = controllers_of[i].of;
			return (int)i + 1;
		}
	return -1;
}

/* The number of the hierarchy that has @controller: "memory<tab>4<tab>105<tab>1". -1: not known. */
static s32 hierarchy_of(const char *controllers, const char *controller)
{
	const size_t length = strlen(controller);
	const char *line;

	for (line = controllers; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, controller, length) && line[length] == '\t')
			return atoi(line + length);
	return -1;
}

/* The same of mounts that may have the controller cpu. */
static int rank_of_cpu(const struct cgroup_mount_line *line, u32 *ret_of)
{
	const bool is_unified = !strcmp(line->type, "cgroup2");

	*ret_of = is_unified ? LKST_CGROUP_UNIFIED : LKST_CGROUP_CPU;
	if (is_unified)
		return 1;
	return !strcmp(line->type, "cgroup") && has_option(line->options, "cpu") ? 0 : -1;
}

static void cgroup_mount_choose(char *mountinfo, char *controllers,
				int (*rank_of_line)(const struct cgroup_mount_line *line, u32 *ret_of),
				struct lkst_cgroup_mount *ret_mount)
{
	char *text, *rest = NULL;
	int best = INT_MAX;
	unsigned int i;

	*ret_mount = (struct lkst_cgroup_mount){ .of = LKST_CGROUP_NONE, .hierarchy = -1 };
	for (text = strtok_r(mountinfo, "\n", &rest); text; text = strtok_r(NULL, "\n", &rest)) {
		struct cgroup_mount_line line;
		u32 of = LKST_CGROUP_NONE;
		int rank = cgroup_mount_parse_line(text, &line) ? rank_of_line(&line, &of) : -1;

		if (rank < 0 || rank >= best || strlen(line.point) >= sizeof(ret_mount->point))
			continue;
		best = rank;
		ret_mount->of = of;
		strcpy(ret_mount->point, line.point);
	}
	if (ret_mount->of == LKST_CGROUP_UNIFIED)
		ret_mount->hierarchy = 0;
	for (i = 0; i < NR_CONTROLLERS; i++)
		if (ret_mount->of == controllers_of[i].of)
			ret_mount->hierarchy =
				hierarchy_of(controllers, controllers_of[i].controller);
}

void lkst_cgroup_mount_choose(char *mountinfo, char *controllers, struct lkst_cgroup_mount *ret_mount)
{
	cgroup_mount_choose(mountinfo, controllers, rank_of, ret_mount);
}

void lkst_cgroup_mount_choose_cpu(char *mountinfo, char *controllers, struct lkst_cgroup_mount *ret_mount)
{
	cgroup_mount_choose(mountinfo, controllers, rank_of_cpu, ret_mount);
}

/* Has one of the two choose on this machine. */
static void cgroup_mount_find(void (*chooser)(char *mountinfo, char *controllers, struct lkst_cgroup_mount *ret_mount),
			      struct lkst_cgroup_mount *ret_mount)
{
	_cleanup_free_ char *mountinfo = NULL, *controllers = NULL;
	size_t length;

	*ret_mount = (struct lkst_cgroup_mount){ .of = LKST_CGROUP_NONE, .hierarchy = -1 };
	if (lkst_read_file(NULL, AT_FDCWD, "/proc/self/mountinfo", TEXT_MAX, &mountinfo, &length))
		return;
	if (lkst_read_file(NULL, AT_FDCWD, "/proc/cgroups", TEXT_MAX, &controllers, &length))
		controllers = strdup("");
	if (controllers)
		chooser(mountinfo, controllers, ret_mount);
}

void lkst_cgroup_mount_find(struct lkst_cgroup_mount *ret_mount)
{
	cgroup_mount_find(lkst_cgroup_mount_choose, ret_mount);
}

void lkst_cgroup_mount_find_cpu(struct lkst_cgroup_mount *ret_mount)
{
	cgroup_mount_find(lkst_cgroup_mount_choose_cpu, ret_mount);
}

int lkst_cgroup_mount_path(const struct lkst_cgroup_mount *mount, int dir, u64 id,
			   char path[LKST_CGROUP_PATH])
{
	union {
		struct file_handle handle;
		u8 bytes[sizeof(struct file_handle) + sizeof(u64)];
	} of = { .handle = { .handle_bytes = sizeof(id), .handle_type = FILEID_KERNFS } };
	const size_t skip = strlen(mount->point);
	char link[64], target[PATH_MAX];
	struct stat st;
	_cleanup_close_ int fd = -1;
	ssize_t length;

	/* kernfs_fh_to_dentry(), fs/kernfs/mount.c: the handle is the number. */
	memcpy(of.bytes + offsetof(struct file_handle, f_handle), &id, sizeof(id));
	fd = open_by_handle_at(dir, &of.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = 0;
	if ((size_t)length < skip || strncmp(target, mount->point, skip))
		return -ESTALE;
	if ((size_t)length >= skip + LKST_CGROUP_PATH)
		return -ENAMETOOLONG;
	/* Of a cgroup that is removed meanwhile, the link is another text. */
	if (stat(target, &st) || st.st_ino != id)
		return -ESTALE;
	strcpy(path, target[skip] ? target + skip : "/");
	return 0;
}

bool lkst_cgroup_mount_is_known_by_number(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, caps) &&
	       caps[CAP_TO_INDEX(CAP_DAC_READ_SEARCH)].effective & CAP_TO_MASK(CAP_DAC_READ_SEARCH);
}

struct cgroup_mount_walk {
	int (*each)(void *ctx, u64 id, const char *path);
	void *ctx;
	u32 nr;
	char path[LKST_CGROUP_PATH];
};

/* The cgroups in directory @fd, which it closes; its own path is the first @length characters of the walk's. */
static int walk_in(struct cgroup_mount_walk *w, int fd, size_t length)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int err = 0, below;

	if (!dir) {
		err = -errno;
		close(fd);
		return err == -ENOMEM ? err : 0;
	}
	while (!err && w->nr < WALK_MAX && (entry = readdir(dir))) {
		size_t more = strlen(entry->d_name) + 1;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, "..") || length + more >= sizeof(w->path))
			continue;
		w->nr++;
		w->path[length] = '/';
		strcpy(w->path + length + 1, entry->d_name);
		err = w->each(w->ctx, entry->d_ino, w->path);
		below = err ? -1
			    : openat(dirfd(dir), entry->d_name,
				     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			err = walk_in(w, below, length + more);
	}
	closedir(dir);
	return err;
}

int lkst_cgroup_mount_walk(int dir, int (*each)(void *ctx, u64 id, const char *path), void *ctx)
{
	struct cgroup_mount_walk w = { .each = each, .ctx = ctx };
	struct stat st;
	int fd, err;

	if (fstat(dir, &st))
		return 0;
	err = each(ctx, st.st_ino, "/");
	if (err)
		return err;
	fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? 0 : walk_in(&w, fd, 0);
}
