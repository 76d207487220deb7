/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording on file: the names of its parts, how many are kept, and their compression. */
#include "trace/write/parts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/size.h"
#include "base/time.h"
#include "base/vec.h"
#include "trace/format/stream_name.h"
#include "trace/write/packer.h"

enum {
	DIGITS = 6,	      /* of a part's number */
	SAME_NAME_MAX = 1000, /* parts begun in one second, or in the time that the name distinguishes */
	KEEP_MIN = 2,
	HEAD_BYTES = 64, /* of metadata, that tell it from another file */
};

struct parts_part {
	char *path; /* relative to the parts' directory */
	u64 order; /* number, or time and "-N" */
};

struct lkst_parts {
	const struct lkst_access *access;
	char *name;
	int dir_fd; /* of numbered parts, or AT_FDCWD */
	struct lkst_rotation rotation;
	bool has_times; /* names have strftime conversions */
	struct lkst_packer *packer;
	u64 next_number;
	struct parts_part *list; /* oldest first; those that are there */
	u32 nr;
	char path[PATH_MAX]; /* of the newest */
	size_t dir_length;   /* so much of it is the parts' directory */
};

/* ---- the option --------------------------------------------------------------------- */

static bool parts_is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static int parse_item(struct lkst_err *e, const char *item, struct lkst_rotation *r)
{
	unsigned long keep;

	if (parts_is_number(item)) {
		errno = 0;
		keep = strtoul(item, NULL, 10);
		if (errno || r->keep || keep < KEEP_MIN || keep > 1000000)
			return lkst_err_set(e, -EINVAL,
					    "\"%s\" is not a count of parts to keep (one, from %d to "
					    "1000000); sizes have a K, M or G",
					    item, KEEP_MIN);
		r->keep = (u32)keep;
		return 0;
	}
	if (!r->ns && !lkst_duration_parse(NULL, item, &r->ns) && r->ns)
		return 0;
	if (!r->bytes && !lkst_size_parse(NULL, item, &r->bytes) && r->bytes)
		return 0;
	return lkst_err_set(e, -EINVAL,
			    "\"%s\" is neither a size like 64M, nor a time like 5min, nor a count "
			    "of parts to keep, or the second of its kind",
			    item);
}

int lkst_rotation_parse(struct lkst_err *e, const char *text, struct lkst_rotation *ret_rotation)
{
	_cleanup_free_ char *copy = strdup(text);
	struct lkst_rotation r = { .is_on = true };
	char *rest = copy, *item;
	int err = 0;

	if (!copy)
		return lkst_err_sys(e, -ENOMEM, "%s", text);
	while (!err && (item = strsep(&rest, ",")))
		err = parse_item(e, item, &r);
	if (!err)
		*ret_rotation = r;
	return err;
}

/* ---- the list ----------------------------------------------------------------------- */

static int parts_by_order(const void *a, const void *b)
{
	const struct parts_part *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static int parts_add_part(struct lkst_err *e, struct lkst_parts *p, const char *path, u64 order)
{
	_cleanup_free_ char *copy = strdup(path);
	struct parts_part *part = copy ? lkst_vec_add(p->list, p->nr) : NULL;

	if (!part)
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	*part = (struct parts_part){ .path = lkst_take(copy), .order = order };
	return 0;
}

/* Whether a part has a file of this name: a stream, plain, compressed, or only begun to be. */
static bool is_own_file(const char *name)
{
	char stream[LKST_STREAM_NAME_MAX];
	u64 instance;

	if (name[0] == '.')
		return strstr(name, ".partial") != NULL;
	snprintf(stream, sizeof(stream), "%.*s", (int)lkst_stream_name_length(name), name);
	return lkst_stream_name_parse(stream, &instance);
}

/*
 * Removes the part at @path, relative to @at: first its metadata, so that what is left at any moment is not a trace.
 * Should somebody have put something else into it, that stays.
 */
static void remove_part(int at, const char *path)
{
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (lkst_open_own_dir(NULL, at, path, &fd))
		return;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	unlinkat(fd, "metadata", 0);
	while ((entry = readdir(dir)))
		if (is_own_file(entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	/* If the packer makes a file at this moment, it removes file and directory itself. */
	unlinkat(at, path, AT_REMOVEDIR);
}

static void remove_oldest(struct lkst_parts *p)
{
	remove_part(p->dir_fd, p->list[0].path);
	free(p->list[0].path);
	p->nr--;
	memmove(p->list, p->list + 1, p->nr * sizeof(*p->list));
}

/* ---- parts that are there already --------------------------------------------------- */

/* Whether @name in @at is a trace that this user has written with this program: only such may be removed. */
static bool is_own_trace(int at, const char *name)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	char head[HEAD_BYTES + 1] = "";

	if (lkst_open_own_dir(NULL, at, name, &dir_fd))
		return false;
	fd = openat(dir_fd, "metadata", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd >= 0 && read(fd, head, HEAD_BYTES) > 0 && !strncmp(head, "/* CTF 1.8 */", 13);
}

/* The order of a part called @name after @pattern; false if it is not called so. */
static bool parts_parse_name(const char *name, const char *pattern, u64 *ret_order)
{
	struct tm tm = { .tm_isdst = -1, .tm_mday = 1, .tm_year = 70 };
	const char *end;
	u64 same = 1;
	time_t at;

	if (!pattern) {
		*ret_order = strtoull(name, NULL, 10);
		return parts_is_number(name) && strlen(name) >= DIGITS;
	}
	end = strptime(name, pattern, &tm);
	if (end && *end == '-' && parts_is_number(end + 1)) {
		same = strtoull(end + 1, NULL, 10);
		end += strlen(end);
	}
	at = end && !*end ? mktime(&tm) : (time_t)-1;
	*ret_order = (u64)at * SAME_NAME_MAX + same;
	return at != (time_t)-1 && same < SAME_NAME_MAX;
}

/* Lists the parts in directory @dir_path, relative to the parts', whose names are like @pattern (NULL: numbers). */
static int write_parts_find_parts(struct lkst_err *e, struct lkst_parts *p, const char *dir_path,
				  const char *pattern)
{
	int fd = openat(p->dir_fd, dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char path[PATH_MAX];
	u64 order;

	if (fd < 0)
		return errno == ENOENT ? 0 : lkst_err_sys(e, -errno, "%s", dir_path);
	if (!dir) {
		close(fd);
		return lkst_err_sys(e, -ENOMEM, "%s", dir_path);
	}
	while (!err && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !parts_parse_name(entry->d_name, pattern, &order) ||
		    !is_own_trace(dirfd(dir), entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s%s%s", pattern ? dir_path : "", pattern ? "/" : "",
			 entry->d_name);
		err = parts_add_part(e, p, path, order);
	}
	closedir(dir);
	if (p->nr)
		qsort(p->list, p->nr, sizeof(*p->list), parts_by_order);
	return err;
}

/* Of a name with times: the directory before the last "/", and what follows it. */
static const char *parts_split(char *name, const char **ret_dir)
{
	char *slash = strrchr(name, '/');

	*ret_dir = slash == name ? "/" : slash ? name : ".";
	if (!slash)
		return name;
	*slash = 0;
	return slash + 1;
}

static int adopt(struct lkst_err *e, struct lkst_parts *p)
{
	_cleanup_free_ char *copy = strdup(p->name);
	const char *dir, *pattern;
	int err;

	if (!copy)
		return lkst_err_sys(e, -ENOMEM, "%s", p->name);
	if (!p->has_times) {
		err = lkst_create_parents(e, p->access, p->name)
			      ?: lkst_create_dir(e, p->access, AT_FDCWD, p->name, &p->dir_fd)
			      ?: write_parts_find_parts(e, p, ".", NULL);
		if (err)
			return err;
		p->dir_length = (size_t)snprintf(p->path, sizeof(p->path), "%s/", p->name);
		p->next_number = p->nr ? p->list[p->nr - 1].order + 1 : 1;
		return 0;
	}
	pattern = parts_split(copy, &dir);
	/* If the directories' names contain times too, parts of earlier recordings are not looked for. */
	return strchr(dir, '%') || !p->rotation.keep ? 0 : write_parts_find_parts(e, p, dir, pattern);
}

/* ---- the next part ------------------------------------------------------------------ */

static int expand_name(struct lkst_err *e, struct lkst_parts *p, u64 day_ns)
{
	time_t at = (time_t)(day_ns / LKST_NS_PER_S);
	struct tm tm;
	size_t length;
	unsigned int same;

	localtime_r(&at, &tm);
	length = strftime(p->path, sizeof(p->path) - 16, p->name, &tm);
	if (!length)
		return lkst_err_set(e, -ENAMETOOLONG, "\"%s\" gives no name, or too long a one",
				    p->name);
	for (same = 2; p->rotation.is_on && !access(p->path, F_OK); same++) {
		if (same == SAME_NAME_MAX)
			return lkst_err_set(e, -EEXIST,
					    "there are %u parts of the name %.*s already", same,
					    (int)length, p->path);
		snprintf(p->path + length, sizeof(p->path) - length, "-%u", same);
	}
	return p->rotation.is_on ? lkst_create_parents(e, p->access, p->path) : 0;
}

int lkst_parts_next(struct lkst_err *e, struct lkst_parts *p, const struct lkst_catalog *c,
		    u64 day_ns, u64 state_number, struct lkst_writer **ret_writer)
{
	char *path = p->path + p->dir_length;
	struct lkst_writer *w;
	int err = 0;

	/* First, so that there are never more. */
	while (p->rotation.keep && p->nr >= p->rotation.keep)
		remove_oldest(p);
	if (p->has_times)
		err = expand_name(e, p, day_ns);
	else if (p->rotation.is_on)
		snprintf(path, sizeof(p->path) - p->dir_length, "%0*llu", DIGITS,
			 (unsigned long long)p->next_number);
	else
		snprintf(p->path, sizeof(p->path), "%s", p->name);
	if (err)
		return err;
	err = lkst_writer_open_at(e, p->access, p->dir_fd, path, c, &w);
	if (err) {
		/* Half a part would be in the way of the next try. */
		if (p->rotation.is_on && err != -ENOTEMPTY)
			remove_part(p->dir_fd, path);
		return err;
	}
	err = parts_add_part(e, p, path, 0);
	if (err)
		return lkst_writer_close(e, w, err);
	lkst_writer_set_state_number(w, state_number);
	p->next_number++;
	*ret_writer = w;
	return 0;
}

int lkst_parts_done(struct lkst_err *e, struct lkst_parts *p)
{
	return p->packer ? lkst_packer_add(e, p->packer, p->path) : 0;
}

const char *lkst_parts_path(const struct lkst_parts *p)
{
	return p->path;
}

const char *lkst_parts_name(const struct lkst_parts *p)
{
	return p->rotation.is_on && !p->has_times ? p->name : p->path;
}

/* ---- lifetime ----------------------------------------------------------------------- */

int lkst_parts_open(struct lkst_err *e, const struct lkst_access *access, const char *name,
		    const struct lkst_rotation *rotation, bool compress, struct lkst_parts **ret_parts)
{
	struct lkst_parts *p = calloc(1, sizeof(*p));
	int err = 0;

	if (p)
		p->name = strdup(name);
	if (!p || !p->name) {
		free(p);
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	}
	p->access = access;
	p->rotation = *rotation;
	p->dir_fd = AT_FDCWD;
	p->has_times = strchr(name, '%') != NULL;
	if (rotation->is_on)
		err = adopt(e, p);
	if (!err && compress)
		err = lkst_packer_new(e, access, &p->packer);
	if (err) {
		lkst_parts_close(NULL, p);
		return err;
	}
	*ret_parts = p;
	return 0;
}

bool lkst_parts_is_busy(const struct lkst_parts *p)
{
	return p->packer && lkst_packer_is_busy(p->packer);
}

int lkst_parts_close(struct lkst_err *e, struct lkst_parts *p)
{
	int err;
	u32 i;

	if (!p)
		return 0;
	err = lkst_packer_close(e, p->packer);
	if (p->dir_fd >= 0)
		close(p->dir_fd);
	for (i = 0; i < p->nr; i++)
		free(p->list[i].path);
	free(p->list);
	free(p->name);
	free(p);
	return err;
}
