/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: reads and writes that finish what they begin, whole small files. */
#include "base/io.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

		/* One byte above the ceiling distinguishes a file that fits from one that does not. */
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

/* ---- processes ------------------------------------------------------------------------------- */

/* Whether thread @tid is there and has not ended: the letter behind the name in proc_pid_stat(5). */
static bool is_alive(pid_t tid)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], text[256] = "", *after;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	f = fopen(path, "re");
	after = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
	return after && after[1] == ' ' && after[2] && !strchr("ZXx", after[2]);
}

pid_t lkst_living_thread(pid_t pid)
{
	struct dirent *entry;
	pid_t found = pid;
	char path[64];
	DIR *tasks;

	if (pid <= 0 || is_alive(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && found == pid && (entry = readdir(tasks))) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && is_alive(tid))
			found = tid;
	}
	if (tasks)
		closedir(tasks);
	return found;
}
