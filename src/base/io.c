/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: reads and writes that finish what they begin, whole small files, directories. */
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

int lkst_write_all(int fd, const void *bytes, size_t length)
{
	const char *p = bytes;

	while (length) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		length -= (size_t)n;
	}
	return 0;
}

int lkst_pwrite_all(int fd, const void *bytes, size_t length, uint64_t offset)
{
	const char *p = bytes;

	while (length) {
		ssize_t n = pwrite(fd, p, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		length -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Reads to the end or until @room bytes are there; the number read, or a negative errno. */
static ssize_t read_up_to(int fd, char *bytes, size_t room)
{
	size_t used = 0;

	while (used < room) {
		ssize_t n = read(fd, bytes + used, room - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

int lkst_read_file(struct lkst_err *e, int dir_fd, const char *name, size_t ceiling,
		   char **ret_bytes, size_t *ret_length)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *bytes = NULL;
	size_t room = 0, used = 0;

	if (fd < 0)
		return lkst_err_sys(e, -errno, "%s", name);
	do {
		ssize_t n;
		char *grown;

		/* One byte above the ceiling tells a file that fits from one that does not. */
		room = room ? room * 2 : 16384;
		if (room > ceiling + 1)
			room = ceiling + 1;
		grown = realloc(bytes, room + 1);
		if (!grown)
			return lkst_err_sys(e, -ENOMEM, "%s", name);
		bytes = grown;
		n = read_up_to(fd, bytes + used, room - used);
		if (n < 0)
			return lkst_err_sys(e, (int)n, "%s", name);
		used += (size_t)n;
	} while (used == room && used <= ceiling);
	if (used > ceiling)
		return lkst_err_set(e, -EFBIG, "%s: larger than %zu bytes", name, ceiling);
	bytes[used] = 0;
	*ret_length = used;
	*ret_bytes = lkst_take(bytes);
	return 0;
}

/* 1 if the directory behind @fd has no entry, 0 if it has, or a negative errno. */
static int is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	int empty = 1;
	DIR *dir;

	if (copy < 0)
		return -errno;
	dir = fdopendir(copy);
	if (!dir) {
		int code = -errno;

		close(copy);
		return code;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = 0;
	closedir(dir);
	return empty;
}

int lkst_mkdir_empty(struct lkst_err *e, const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int code;

	if (mkdir(path, 0777) && errno != EEXIST)
		return lkst_err_sys(e, -errno, "cannot create directory %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return lkst_err_sys(e, -errno, "cannot open directory %s", path);
	code = is_empty(fd);
	if (code < 0)
		return lkst_err_sys(e, code, "cannot list directory %s", path);
	if (!code)
		return lkst_err_set(e, -ENOTEMPTY, "%s exists and is not empty", path);
	*ret_fd = lkst_take_fd(fd);
	return 0;
}

int lkst_mkdir_all(struct lkst_err *e, const char *path, mode_t mode)
{
	_cleanup_free_ char *part = strdup(path);
	struct stat st;
	char *p;

	if (!part)
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	for (p = part + 1; *part && *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		if (mkdir(part, mode) && errno != EEXIST)
			return lkst_err_sys(e, -errno, "cannot create directory %s", part);
		*p = '/';
	}
	if (mkdir(path, mode) && errno != EEXIST)
		return lkst_err_sys(e, -errno, "cannot create directory %s", path);
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return lkst_err_set(e, -ENOTDIR, "%s is not a directory", path);
	return 0;
}
