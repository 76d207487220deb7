/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace directory that gets its name when all of it is on the disk. */
#include "trace/write/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "base/out.h"
#include "trace/format/metadata.h"
#include "trace/format/stream_name.h"

enum {
	UUID_TEXT = 33,
	METADATA_MAX = 64 << 20,
	SAME_NAMES_MAX = 100,
};

struct lkst_publication {
	struct lkst_writer *w;
	int dir_fd, made_fd; /* above it, and itself */
	char *path; /* of the directory while it has no name */
	char name[LKST_PUBLISH_NAME], hidden[LKST_PUBLISH_NAME];
};

static int publish_open_dir(struct lkst_err *e, const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? lkst_err_sys(e, -errno, "directory %s", dir) : fd;
}

/* ---- making one --------------------------------------------------------------------- */

int lkst_publish_open(struct lkst_err *e, const struct lkst_access *access, const char *dir, const char *name,
		      const struct lkst_catalog *c, struct lkst_publication **ret_publication)
{
	_cleanup_free_ struct lkst_publication *p = calloc(1, sizeof(*p));
	_cleanup_close_ int dir_fd = publish_open_dir(e, dir);
	_cleanup_free_ char *path = NULL;
	char uuid[UUID_TEXT];
	int err;

	if (dir_fd < 0)
		return dir_fd;
	if (!p)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	*lkst_put_bytes(uuid, c->uuid, 16) = 0;
	if (snprintf(p->name, sizeof(p->name), "%s", name) >= (int)sizeof(p->name) ||
	    snprintf(p->hidden, sizeof(p->hidden), ".%s.%s", name, uuid) >= (int)sizeof(p->hidden))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", name);
	if (asprintf(&path, "%s/%s", dir, p->hidden) < 0)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	err = lkst_writer_open_copy(e, access, path, c, &p->w);
	if (err) {
		lkst_remove_dir(dir_fd, p->hidden);
		return err;
	}
	p->made_fd = fcntl(lkst_writer_dir(p->w), F_DUPFD_CLOEXEC, 0);
	if (p->made_fd < 0) {
		err = lkst_err_sys(e, -errno, "%s", name);
		lkst_remove_made_dir(lkst_writer_dir(p->w), dir_fd, p->hidden);
		return lkst_writer_close(e, p->w, err);
	}
	p->dir_fd = lkst_take_fd(dir_fd);
	p->path = lkst_take(path);
	*ret_publication = lkst_take(p);
	return 0;
}

struct lkst_writer *lkst_publish_writer(const struct lkst_publication *p)
{
	return p->w;
}

/* An empty directory of that name is replaced. */
static int give_name(struct lkst_err *e, const struct lkst_publication *p,
		     char ret_name[LKST_PUBLISH_NAME])
{
	unsigned int n = 1;
	int err;

	snprintf(ret_name, LKST_PUBLISH_NAME, "%s", p->name);
	while ((err = lkst_rename_dir(p->dir_fd, p->hidden, ret_name)))
		if (err != -EEXIST || ++n > SAME_NAMES_MAX ||
		    snprintf(ret_name, LKST_PUBLISH_NAME, "%s.%u", p->name, n) >= LKST_PUBLISH_NAME)
			return lkst_err_sys(e, err, "cannot rename %s to %s", p->hidden, p->name);
	return fsync(p->dir_fd) ? lkst_err_sys(e, -errno, "cannot bring the name of %s to the disk",
					       ret_name)
				: 0;
}

static void publication_free(struct lkst_publication *p)
{
	close(p->dir_fd);
	close(p->made_fd);
	free(p->path);
	free(p);
}

int lkst_publish_use(struct lkst_err *e, struct lkst_publication *p, int err,
		     lkst_publish_user *use, void *ctx)
{
	err = lkst_writer_close(e, p->w, err);
	if (!err)
		err = use(e, ctx, p->path);
	lkst_remove_made_dir(p->made_fd, p->dir_fd, p->hidden);
	publication_free(p);
	return err;
}

int lkst_publish_close(struct lkst_err *e, struct lkst_publication *p, int err,
		       char ret_name[LKST_PUBLISH_NAME])
{
	if (!err)
		err = lkst_writer_sync(e, p->w);
	err = lkst_writer_close(e, p->w, err);
	if (!err)
		err = give_name(e, p, ret_name);
	if (err)
		lkst_remove_made_dir(p->made_fd, p->dir_fd, p->hidden);
	publication_free(p);
	return err;
}

/* ---- finding one -------------------------------------------------------------------- */

static bool is_published(int dir_fd, const char *name, const u8 uuid[16])
{
	_cleanup_close_ int fd = -1;
	struct lkst_catalog *c = NULL;
	_cleanup_free_ char *text = NULL;
	size_t length;
	bool is_it;

	/*
	 * A trace that has its name and is marked as partial was copied by other means, and the
	 * copy was interrupted.
	 */
	if (lkst_open_own_dir(NULL, dir_fd, name, &fd) ||
	    !faccessat(fd, LKST_PARTIAL, F_OK, AT_SYMLINK_NOFOLLOW) ||
	    lkst_read_file(NULL, fd, "metadata", METADATA_MAX, &text, &length) ||
	    lkst_metadata_parse(NULL, text, length, &c))
		return false;
	is_it = !memcmp(c->uuid, uuid, sizeof(c->uuid));
	lkst_catalog_free(c);
	return is_it;
}

/* Whether @name is .PREFIX...UUID: what lkst_publish_open() makes. @uuid: NULL: of any trace. */
static bool publish_is_left_over(const char *name, const char *prefix, const u8 uuid[16])
{
	static const char digits[] = "0123456789abcdef";
	size_t length = strlen(name), before = strlen(prefix);
	const char *end;
	char text[UUID_TEXT];

	if (length < 1 + before + UUID_TEXT || name[0] != '.' || strncmp(name + 1, prefix, before))
		return false;
	end = name + length - UUID_TEXT;
	if (end[0] != '.')
		return false;
	if (!uuid)
		return strspn(end + 1, digits) == UUID_TEXT - 1;
	*lkst_put_bytes(text, uuid, 16) = 0;
	return !strcmp(end + 1, text);
}

int lkst_publish_find(struct lkst_err *e, const char *path, const char *prefix, const u8 uuid[16],
		      char ret_name[LKST_PUBLISH_NAME])
{
	_cleanup_close_ int fd = publish_open_dir(e, path);
	int list_fd = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = 0;
	DIR *list = list_fd < 0 ? NULL : fdopendir(list_fd);
	struct dirent *entry;

	if (fd < 0)
		return fd;
	if (!list) {
		int err = lkst_err_sys(e, -errno, "cannot list directory %s", path);

		lkst_closep(&list_fd);
		return err;
	}
	while ((entry = readdir(list)))
		if (publish_is_left_over(entry->d_name, prefix, uuid))
			lkst_remove_dir(fd, entry->d_name);
		else if (!found && !strncmp(entry->d_name, prefix, strlen(prefix)) &&
			 is_published(fd, entry->d_name, uuid)) {
			snprintf(ret_name, LKST_PUBLISH_NAME, "%s", entry->d_name);
			found = 1;
		}
	closedir(list);
	/* The call that made it may have been killed before it had done this. */
	if (found && fsync(fd))
		return lkst_err_sys(e, -errno, "cannot bring the name of %s to the disk", ret_name);
	return found;
}

void lkst_publish_remove_left(const char *path, const char *prefix)
{
	_cleanup_close_ int fd = publish_open_dir(NULL, path);
	int list_fd = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = list_fd < 0 ? NULL : fdopendir(list_fd);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (publish_is_left_over(entry->d_name, prefix, NULL))
			lkst_remove_dir(fd, entry->d_name);
	if (list)
		closedir(list);
	else
		lkst_closep(&list_fd);
}
