/* SPDX-License-Identifier: GPL-2.0-only */
/* Bundles: writing, reading, taking apart. */
#include "bundle/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/ends_in.h"
#include "base/io.h"
#include "bundle/bundle_text.h"
#include "trace/format/metadata.h"
#include "trace/format/stream_name.h"
#include "trace/format/zst.h"
#include "trace/read/reader.h"

enum {
	OTHERS_WRITE = 0022,
	METADATA_MAX = 64 << 20,
	MEMBER_NAME = 64,
};

static const char inner_dir[] = "bundle/", trace_metadata[] = "trace/metadata";

static const struct lkst_choice parts[] = {
#define P(id, name, help) { name, help },
	LKST_BUNDLE_PARTS(P)
#undef P
};

bool lkst_bundle_part_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i >= LKST_BUNDLE_NR_PARTS)
		return false;
	*ret_choice = parts[i];
	return true;
}

const char *lkst_bundle_part_name(enum lkst_bundle_part part)
{
	return parts[part].name;
}

static void format_member(unsigned int part, const char *dir, char name[MEMBER_NAME])
{
	snprintf(name, MEMBER_NAME, "%s%s.txt", dir, parts[part].name);
}

/* ---- reading -------------------------------------------------------------------------------- */

static int bundle_read_text(struct lkst_err *e, int fd, const struct lkst_pack_entry *entry,
			    struct lkst_bundle_text *ret_text)
{
	_cleanup_free_ char *bytes = NULL;

	if (entry->size >= LKST_BUNDLE_TEXT_MAX)
		return lkst_err_set(e, -EFBIG, "%s in it has more than %u bytes", entry->name,
				    LKST_BUNDLE_TEXT_MAX - 1);
	bytes = malloc((size_t)entry->size + 1);
	if (!bytes)
		return lkst_err_sys(e, -ENOMEM, "reading %s", entry->name);
	if (pread(fd, bytes, (size_t)entry->size, (off_t)entry->offset) != (ssize_t)entry->size)
		return lkst_err_sys(e, -EIO, "reading %s", entry->name);
	bytes[entry->size] = 0;
	ret_text->bytes = lkst_take(bytes);
	ret_text->length = (size_t)entry->size;
	return 0;
}

static int check_version(struct lkst_err *e, const struct lkst_bundle *b)
{
	char value[LKST_BUNDLE_VALUE_MAX];
	unsigned long version;
	char *end;

	if (!b->parts[LKST_BUNDLE_ABOUT].bytes)
		return lkst_err_set(
			e, -EBADMSG,
			"it is not a bundle: there is no %sabout.txt in it; `lkst print` "
			"shows a trace",
			inner_dir);
	if (!lkst_bundle_value(&b->parts[LKST_BUNDLE_ABOUT], "bundle", value))
		return lkst_err_set(e, -EBADMSG,
				    "%sabout.txt in it does not say which version it is",
				    inner_dir);
	version = strtoul(value, &end, 10);
	if (end == value || *end || !version)
		return lkst_err_set(e, -EBADMSG, "\"%s\" is not the version of a bundle", value);
	if (version > LKST_BUNDLE_VERSION)
		return lkst_err_set(
			e, -EPROTO,
			"the bundle has version %s, and this program knows those up to %u: "
			"use a later one; `lkst print` shows the trace in it",
			value, LKST_BUNDLE_VERSION);
	return 0;
}

int lkst_bundle_read(struct lkst_err *e, int fd, struct lkst_bundle *ret_bundle)
{
	struct lkst_bundle b = {};
	char name[MEMBER_NAME];
	unsigned int i;
	int err = lkst_pack_list_files(e, fd, &b.pack);

	for (i = 0; i < LKST_BUNDLE_NR_PARTS && !err; i++) {
		const struct lkst_pack_entry *entry;

		format_member(i, inner_dir, name);
		entry = lkst_pack_find(&b.pack, name);
		if (entry)
			err = bundle_read_text(e, fd, entry, &b.parts[i]);
	}
	if (!err)
		err = check_version(e, &b);
	if (err)
		lkst_bundle_fini(&b);
	else
		*ret_bundle = b;
	return err;
}

int lkst_bundle_open(struct lkst_err *e, const char *path, struct lkst_bundle *ret_bundle)
{
	/* Not to wait for a writer, should it be a FIFO. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return lkst_err_sys(e, -errno, "cannot open the bundle %s", path);
	if (!S_ISREG(st.st_mode))
		return lkst_err_set(
			e, -EBADMSG,
			"%s is not a file, as a bundle is; `lkst print` shows a trace directory",
			path);
	err = lkst_bundle_read(e, fd, ret_bundle);
	if (err)
		lkst_err_add(e, "cannot read the bundle %s", path);
	return err;
}

void lkst_bundle_fini(struct lkst_bundle *b)
{
	lkst_bundle_texts_fini(&b->parts);
	lkst_pack_fini(&b->pack);
	*b = (struct lkst_bundle){};
}

bool lkst_bundle_value(const struct lkst_bundle_text *text, const char *key,
		       char ret_value[LKST_BUNDLE_VALUE_MAX])
{
	const size_t length = strlen(key);
	const char *line = text->bytes, *end;

	for (; line && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if ((size_t)(end - line) < length + 2 || memcmp(line, key, length) ||
		    memcmp(line + length, ": ", 2))
			continue;
		line += length + 2;
		snprintf(ret_value, LKST_BUNDLE_VALUE_MAX, "%.*s", (int)(end - line), line);
		return true;
	}
	return false;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void bundle_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Compresses the streams in directory @path. */
static int compress(struct lkst_err *e, const struct lkst_access *access, const char *path)
{
	const atomic_bool never = false;
	_cleanup_(bundle_closedirp) DIR *dir = NULL;
	struct dirent *entry;
	u64 instance;
	int fd, err = lkst_open_own_dir(e, AT_FDCWD, path, &fd);

	if (err)
		return err;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	}
	while (!err && (entry = readdir(dir)))
		if (lkst_stream_name_parse(entry->d_name, &instance))
			err = lkst_zst_pack(e, access, dirfd(dir), entry->d_name, &never);
	return err;
}

int lkst_bundle_write(struct lkst_err *e, const struct lkst_access *access,
		      const struct lkst_bundle_text from[LKST_BUNDLE_NR_PARTS], const char *dir, const char *file)
{
	struct lkst_pack_text texts[LKST_BUNDLE_NR_PARTS];
	char names[LKST_BUNDLE_NR_PARTS][MEMBER_NAME];
	unsigned int i, nr = 0;
	int err;

	for (i = 0; i < LKST_BUNDLE_NR_PARTS; i++) {
		if (!from[i].bytes)
			continue;
		if (from[i].length >= LKST_BUNDLE_TEXT_MAX)
			return lkst_err_set(e, -EFBIG, "there is too much to say of \"%s\"",
					    parts[i].name);
		format_member(i, inner_dir, names[nr]);
		texts[nr] = (struct lkst_pack_text){ names[nr], from[i].bytes, from[i].length };
		nr++;
	}
	err = compress(e, access, dir);
	if (err) {
		lkst_err_add(e, "cannot write %s", file);
		return err;
	}
	return lkst_pack_write_with(e, access, texts, nr, time(NULL), dir, file);
}

/* ---- taking apart --------------------------------------------------------------------------- */

/* A directory that is filled, and who may read what is in it. */
struct bundle_place {
	const struct lkst_access *access;
	int fd;
};

static int bundle_write_file(struct lkst_err *e, const struct bundle_place *to, const char *name, const void *bytes,
			     size_t length)
{
	_cleanup_close_ int fd = -1;
	int err = lkst_create_file(e, to->access, to->fd, name, &fd);

	if (err)
		return err;
	err = lkst_write_all(fd, bytes, length);
	return err ? lkst_err_sys(e, err, "writing %s", name) : 0;
}

/* Writes a file of the trace under a name of ours: it is metadata, or a stream's. */
static int write_trace_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	const struct bundle_place *to = ctx;
	char name[LKST_STREAM_NAME_MAX] = "metadata";
	u64 instance;

	if (strcmp(file->name, "metadata")) {
		if (!lkst_stream_name_parse(file->name, &instance))
			return lkst_err_set(e, -EBADMSG,
					    "a file in it is called as no stream of a trace is");
		lkst_stream_name(instance, name);
	}
	return bundle_write_file(e, to, name, file->bytes, file->length);
}

static int extract_texts(struct lkst_err *e, const struct lkst_bundle *b, const struct bundle_place *to)
{
	char name[MEMBER_NAME];
	unsigned int i;
	int err = 0;

	for (i = 0; i < LKST_BUNDLE_NR_PARTS && !err; i++) {
		if (!b->parts[i].bytes)
			continue;
		format_member(i, "", name);
		err = bundle_write_file(e, to, name, b->parts[i].bytes, b->parts[i].length);
	}
	return err;
}

int lkst_bundle_extract(struct lkst_err *e, const struct lkst_access *access, const char *path, const char *dir)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_bundle_fini) struct lkst_bundle b = {};
	_cleanup_close_ int dir_fd = -1, trace_fd = -1;
	struct bundle_place to = { .access = access };
	int err = lkst_bundle_open(e, path, &b) ?: lkst_trace_open(e, path, &t)
		  ?: lkst_create_empty_dir(e, access, AT_FDCWD, dir, &dir_fd);

	if (err)
		return err;
	to.fd = dir_fd;
	err = extract_texts(e, &b, &to) ?: lkst_create_empty_dir(e, access, dir_fd, "trace", &trace_fd);
	to.fd = trace_fd;
	err = err ?: lkst_trace_each_file(e, t, write_trace_file, &to);
	if (!err)
		return 0;
	lkst_remove_made_dir(dir_fd, AT_FDCWD, dir);
	lkst_err_add(e, "cannot take %s apart into %s", path, dir);
	return err;
}

/* ---- finding one ---------------------------------------------------------------------------- */

static bool is_bundle_of(int dir_fd, const char *name, const u8 uuid[16])
{
	_cleanup_(lkst_bundle_fini) struct lkst_bundle b = {};
	_cleanup_close_ int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const struct lkst_pack_entry *metadata;
	_cleanup_free_ char *text = NULL;
	struct lkst_catalog *c = NULL;
	struct stat st;
	bool is_it;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & OTHERS_WRITE || lkst_bundle_read(NULL, fd, &b))
		return false;
	metadata = lkst_pack_find(&b.pack, trace_metadata);
	if (!metadata || metadata->size > METADATA_MAX)
		return false;
	text = malloc((size_t)metadata->size + 1);
	if (!text || pread(fd, text, (size_t)metadata->size, (off_t)metadata->offset) !=
			     (ssize_t)metadata->size)
		return false;
	text[metadata->size] = 0;
	if (lkst_metadata_parse(NULL, text, (size_t)metadata->size, &c))
		return false;
	is_it = !memcmp(c->uuid, uuid, sizeof(c->uuid));
	lkst_catalog_free(c);
	return is_it;
}

/* Whether @name is what lkst_new_file_open() calls a bundle while it is made. */
static bool bundle_is_left_over(const char *name, const char *prefix)
{
	return name[0] == '.' && !strncmp(name + 1, prefix, strlen(prefix)) &&
	       strstr(name, LKST_BUNDLE_SUFFIX ".") && lkst_text_ends_in(name, ".partial");
}

int lkst_bundle_find(struct lkst_err *e, const char *path, const char *prefix, const u8 uuid[16],
		     char ret_name[LKST_BUNDLE_NAME_MAX])
{
	_cleanup_(bundle_closedirp) DIR *dir = opendir(path);
	struct dirent *entry;
	int found = 0;

	if (!dir)
		return lkst_err_sys(e, -errno, "directory %s", path);
	while ((entry = readdir(dir))) {
		if (bundle_is_left_over(entry->d_name, prefix)) {
			unlinkat(dirfd(dir), entry->d_name, 0);
		} else if (!found && !strncmp(entry->d_name, prefix, strlen(prefix)) &&
			   lkst_text_ends_in(entry->d_name, LKST_BUNDLE_SUFFIX) &&
			   is_bundle_of(dirfd(dir), entry->d_name, uuid)) {
			snprintf(ret_name, LKST_BUNDLE_NAME_MAX, "%s", entry->d_name);
			found = 1;
		}
	}
	/* The call that made it may have been killed before it had done this. */
	if (found && fsync(dirfd(dir)))
		return lkst_err_sys(e, -errno, "cannot bring the name of %s to the disk", ret_name);
	return found;
}
