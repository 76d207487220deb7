/* SPDX-License-Identifier: GPL-2.0-only */
/* The privilege to make functions fail. */
#include "cmd/frame/inject_allowed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "cmd/frame/conf.h"

/* Of all keys only this one matters here. */
static int inject_allowed_take_setting(struct lkst_err *e, void *ctx, char *key, char *value)
{
	return strcmp(key, LKST_INJECT_KEY) ? 0 : lkst_inject_parse_allowed(e, value, ctx);
}

/* Whether nobody but root may write to what @fd refers to. */
static bool is_roots(int fd)
{
	struct stat s;

	return !fstat(fd, &s) && !s.st_uid && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

/* The descriptor of the file's directory; -EPERM: others may write to it or to the file. */
static int open_directory(struct lkst_err *e)
{
	_cleanup_close_ int directory = open("/etc/lkst", O_PATH | O_DIRECTORY | O_CLOEXEC),
			    file = -1;

	if (directory >= 0)
		file = openat(directory, "lkst.conf", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	if (!is_roots(directory) || !is_roots(file))
		return lkst_err_set(e, -EPERM,
				    "others than root may write to " LKST_CONF_PATH
				    ", so what it allows does not count; `chown root` and "
				    "`chmod go-w` it and its directory");
	return lkst_take_fd(directory);
}

int lkst_inject_check_allowed(struct lkst_err *e)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int directory = -1;
	bool is_allowed = false;
	size_t length;
	int err = 0;

	if (geteuid())
		return lkst_err_set(e, -EPERM,
				    "making functions fail needs root; the group lkst may not");
	directory = open_directory(e);
	if (directory == -EPERM)
		return directory;
	if (directory >= 0)
		err = lkst_read_file(e, directory, "lkst.conf", LKST_CONF_BYTES_MAX, &text, &length)
			      ?: lkst_conf_parse(e, text, length, inject_allowed_take_setting, &is_allowed);
	if (err) {
		lkst_err_add(e, LKST_CONF_PATH);
		return err;
	}
	if (is_allowed)
		return 0;
	return lkst_err_set(
		e, -EPERM,
		"this machine does not allow functions to be made to fail: if it may be "
		"damaged by it, write the line \"" LKST_INJECT_KEY " = " LKST_INJECT_ALLOWED
		"\" to " LKST_CONF_PATH);
}
