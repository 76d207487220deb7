// SPDX-License-Identifier: GPL-2.0-only
/* Opens files that processes have mapped. */
#include "live/state/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { TRIED_MAX = 16 }; /* mounts of one file system that are looked into for a file */

static u64 mapped_file_ctime_of(const struct stat *st)
{
	return (u64)st->st_ctim.tv_sec * 1000000000 + (u64)st->st_ctim.tv_nsec;
}

/* ---- mounts ----------------------------------------------------------------------------------- */

/* "\040" stands for a blank. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; to++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
		    text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to = *text++;
		}
	}
	*to = 0;
}

/* "31 23 0:28 ROOT POINT rw,relatime shared:1 - TYPE SOURCE OPTIONS" (proc_pid_mountinfo(5)). */
bool lkst_mount_parse(char *line, struct lkst_mount *ret_mount)
{
	char *type = strstr(line, " - "), *root, *point, *end;
	struct lkst_mount mount = {};
	int at = 0;

	if (!type || sscanf(line, "%*d %*d %u:%u %n", &mount.major, &mount.minor, &at) < 2 || !at)
		return false;
	*type = 0;
	type += strlen(" - ");
	type[strcspn(type, " \n")] = 0;
	root = line + at;
	point = strchr(root, ' ');
	if (!point || !*type)
		return false;
	*point++ = 0;
	end = strchr(point, ' ');
	if (end)
		*end = 0;
	unescape(root);
	unescape(point);
	mount.root = root;
	mount.point = point;
	mount.type = type;
	*ret_mount = mount;
	return root[0] == '/' && point[0] == '/';
}

bool lkst_mount_is_local(const char *type)
{
	static const char *const others[] = { "fuse", "nfs", "cifs",   "smb",
					      "ceph", "afs", "autofs", "ncp" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(type, others[i], strlen(others[i])))
			return false;
	return true;
}

/* 0: this process. */
static FILE *open_mounts(pid_t pid)
{
	char path[64];

	if (!pid)
		return fopen("/proc/self/mountinfo", "re");
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", pid);
	return fopen(path, "re");
}

static bool is_local_for(u32 major, u32 minor, pid_t pid)
{
	_cleanup_fclose_ FILE *f = open_mounts(pid);
	_cleanup_free_ char *line = NULL;
	struct lkst_mount mount;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		if (lkst_mount_parse(line, &mount) && mount.major == major && mount.minor == minor)
			return lkst_mount_is_local(mount.type);
	return false;
}

bool lkst_mapped_may_open(u32 major, u32 minor, pid_t pid)
{
	return is_local_for(major, minor, 0) || is_local_for(major, minor, pid);
}

/* ---- files ------------------------------------------------------------------------------------ */

u64 lkst_mapped_ctime(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) ? mapped_file_ctime_of(&st) : 0;
}

/* Opens for reading what @fd, of O_PATH, is, if that is a regular file. */
static int open_regular(int fd)
{
	struct stat st;
	char path[64];
	int file;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return file < 0 ? -errno : file;
}

int lkst_mapped_open_at(int directory, const char *path)
{
	_cleanup_close_ int fd = openat(directory, path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : open_regular(fd);
}

/* Whether @fd is the file of @f. A file of an overlay may have the number of another inode than the kernel says. */
static bool mapped_file_is_same(const struct lkst_mapped_file *f, const struct lkst_mount *mount, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && mapped_file_ctime_of(&st) == f->ctime &&
	       ((u64)st.st_ino == f->inode || !strcmp(mount->type, "overlay"));
}

/* The part of @path below @mount, without a '/' before it; NULL: it is not there. */
static const char *below(const struct lkst_mount *mount, const char *path)
{
	size_t length = strcmp(mount->root, "/") ? strlen(mount->root) : 0;

	return !strncmp(path, mount->root, length) && path[length] == '/' && path[length + 1]
		       ? path + length + 1
		       : NULL;
}

static int open_in(const struct lkst_mapped_file *f, const struct lkst_mount *mount,
		   const char *rest, pid_t pid)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
						 RESOLVE_NO_XDEV };
	_cleanup_close_ int point = -1, fd = -1;
	char path[PATH_MAX];

	if (!pid)
		snprintf(path, sizeof(path), "%s", mount->point);
	else if (snprintf(path, sizeof(path), "/proc/%d/root%s", pid, mount->point) >= PATH_MAX)
		return -ENOENT;
	point = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (point < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, point, rest, &how, sizeof(how));
	if (fd < 0)
		return -errno;
	return mapped_file_is_same(f, mount, fd) ? open_regular(fd) : -ENOENT;
}

/* By the mounts of process @pid, 0: this one. */
static int open_by(const struct lkst_mapped_file *f, const char *path, pid_t pid,
		   char ret_path[PATH_MAX])
{
	_cleanup_fclose_ FILE *mounts = open_mounts(pid);
	_cleanup_free_ char *line = NULL;
	unsigned int nr_tried = 0;
	struct lkst_mount mount;
	const char *rest;
	size_t size = 0;
	int fd;

	while (mounts && nr_tried < TRIED_MAX && getline(&line, &size, mounts) > 0) {
		if (!lkst_mount_parse(line, &mount) || mount.major != f->major ||
		    mount.minor != f->minor || !lkst_mount_is_local(mount.type))
			continue;
		rest = below(&mount, path);
		if (!rest)
			continue;
		nr_tried++;
		fd = open_in(f, &mount, rest, pid);
		if (fd < 0)
			continue;
		snprintf(ret_path, PATH_MAX, "%s/%s", strcmp(mount.point, "/") ? mount.point : "",
			 rest);
		return fd;
	}
	return -ENOENT;
}

int lkst_mapped_file_open(const struct lkst_mapped_file *f, const char *path, pid_t pid,
			  char ret_path[PATH_MAX])
{
	int fd = open_by(f, path, 0, ret_path);

	return fd >= 0 || pid <= 0 ? fd : open_by(f, path, pid, ret_path);
}
