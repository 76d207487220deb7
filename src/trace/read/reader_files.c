// SPDX-License-Identifier: GPL-2.0-only
/* Opens traces on the disk: a directory, several that are parts of one recording, one file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/vec.h"
#include "trace/format/metadata_layout.h"
#include "trace/format/pack.h"
#include "trace/read/file_list.h"
#include "trace/read/reader.h"
#include "trace/read/stream_file.h"
#include "trace/read/trace.h"

enum {
	PARTS_MAX = 4096,
	/* As for a compressed file (trace/format/zst.c), of all in an archive together: there may be many. */
	PACKED_GROWTH_MAX = 1000,
	PACKED_SLACK = 64 << 20,
};

static void reader_files_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Calls @each for what is in directory @path until it fails. */
static int each_entry(struct lkst_err *e, const char *path,
		      int (*each)(struct lkst_err *e, void *ctx, int dir_fd, const char *name),
		      void *ctx)
{
	_cleanup_(reader_files_closedirp) DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return lkst_err_sys(e, -errno, "%s", path);
	while (!err && (entry = readdir(dir)))
		err = each(e, ctx, dirfd(dir), entry->d_name);
	return err;
}

/* ---- the streams of directories --------------------------------------------------------------- */

/* Whether directory entry @name is a stream: a file with something in it. */
static bool is_stream(int dir_fd, const char *name)
{
	struct stat st;

	return name[0] != '.' && strcmp(name, "metadata") && !fstatat(dir_fd, name, &st, 0) &&
	       S_ISREG(st.st_mode) && st.st_size > 0;
}

struct reader_files_listing {
	struct lkst_file_list *files;
	unsigned int part;
};

static int list_stream(struct lkst_err *e, void *ctx, int dir_fd, const char *name)
{
	struct reader_files_listing *l = ctx;

	return is_stream(dir_fd, name) ? lkst_file_list_add(e, l->files, l->part, name) : 0;
}

static int list_files(struct lkst_err *e, char *const *parts, unsigned int nr_parts,
		      struct lkst_file_list *files)
{
	struct reader_files_listing l = { files, 0 };
	int err = 0;

	for (l.part = 0; l.part < nr_parts && !err; l.part++)
		err = each_entry(e, parts[l.part], list_stream, &l);
	if (!err)
		lkst_file_list_sort(files);
	return err;
}

/* Opens the stream of @nr_files files at @files. */
static int reader_files_add_stream(struct lkst_err *e, struct lkst_trace *t,
				   const struct lkst_stream_file *files, unsigned int nr_files)
{
	_cleanup_(
		lkst_stream_bytes_fini) struct lkst_stream_bytes bytes = { .file = files[0].name };
	int err = lkst_stream_map(e, &bytes, files, nr_files);
	unsigned int i;

	if (err)
		return err;
	for (i = 0; i < nr_files; i++)
		bytes.segments[i].part = files[i].part;
	return lkst_trace_add_stream(e, t, files[0].name, &bytes);
}

/* Opens the stream of @nr files at @first, each in a directory of @parts. */
static int reader_files_add_files(struct lkst_err *e, struct lkst_trace *t, char *const *parts,
				  const struct lkst_listed_file *first, unsigned int nr)
{
	_cleanup_free_ struct lkst_stream_file *files = calloc(nr, sizeof(*files));
	unsigned int i;

	if (!files)
		return lkst_err_sys(e, -ENOMEM, "%s", first->name);
	for (i = 0; i < nr; i++)
		files[i] = (struct lkst_stream_file){ .part = first[i].part,
						      .dir = parts[first[i].part],
						      .name = first[i].name };
	return reader_files_add_stream(e, t, files, nr);
}

static int open_streams(struct lkst_err *e, struct lkst_trace *t, char *const *parts,
			unsigned int nr_parts)
{
	_cleanup_(lkst_file_list_fini) struct lkst_file_list l = {};
	int err = list_files(e, parts, nr_parts, &l);
	unsigned int i, nr;

	for (i = 0; i < l.nr && !err; i += nr) {
		nr = lkst_file_list_stream(&l, i);
		err = reader_files_add_files(e, t, parts, &l.files[i], nr);
	}
	return err ? err : lkst_trace_order(e, t);
}

/* ---- the parts ---------------------------------------------------------------------- */

/* Reads the metadata of part @path, and what else its directory says of it. */
static int reader_files_add_part(struct lkst_err *e, struct lkst_trace *t, const char *first, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err;

	if (fd < 0)
		return lkst_err_sys(e, -errno, "%s", path);
	err = lkst_read_file(e, fd, "metadata", LKST_METADATA_MAX, &text, &length);
	return err ? err
		   : lkst_trace_add_part(e, t, first, path, text, length,
					 !faccessat(fd, LKST_PARTIAL, F_OK, 0));
}

static int reader_files_add_parts(struct lkst_err *e, struct lkst_trace *t, char *const *parts,
				  unsigned int nr_parts)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_parts && !err; i++) {
		err = reader_files_add_part(e, t, parts[0], parts[i]);
		if (err && err != -EINVAL && nr_parts > 1)
			lkst_err_add(e, "%s", parts[i]);
	}
	return err;
}

static int open_traces(struct lkst_err *e, char *const *paths, unsigned int nr_paths,
		       bool has_parts, struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return lkst_err_sys(e, -ENOMEM, "%s", paths[0]);
	t->has_parts = has_parts;
	err = reader_files_add_parts(e, t, paths, nr_paths) ?: open_streams(e, t, paths, nr_paths);
	if (err) {
		lkst_err_add(e, "cannot read the trace %s", paths[0]);
		return err;
	}
	*ret_trace = lkst_take(t);
	return 0;
}

int lkst_trace_open_parts(struct lkst_err *e, char *const *paths, unsigned int nr_paths,
			  struct lkst_trace **ret_trace)
{
	return open_traces(e, paths, nr_paths, true, ret_trace);
}

/* What a directory without metadata holds. */
struct parts {
	const char *path;
	char **list;
	unsigned int nr;
};

static void reader_files_parts_fini(struct parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		free(parts->list[i]);
	free(parts->list);
}

static int list_part(struct lkst_err *e, void *ctx, int dir_fd, const char *name)
{
	struct parts *parts = ctx;
	char file[LKST_STREAM_NAME_MAX + 16], **part;

	snprintf(file, sizeof(file), "%s/metadata", name);
	if (name[0] == '.' || faccessat(dir_fd, file, F_OK, 0))
		return 0;
	if (parts->nr == PARTS_MAX)
		return lkst_err_set(e, -EFBIG, "there are more than %u parts", PARTS_MAX);
	part = lkst_vec_add(parts->list, parts->nr);
	if (part && asprintf(part, "%s/%s", parts->path, name) >= 0)
		return 0;
	if (part)
		*part = NULL;
	return lkst_err_sys(e, -ENOMEM, "%s", name);
}

/* The trace in directory @path, or the parts in it. */
static int reader_files_open_dir(struct lkst_err *e, const char *path, int dir_fd, struct lkst_trace **ret_trace)
{
	_cleanup_(reader_files_parts_fini) struct parts parts = { .path = path };
	char *one = (char *)path;
	int err;

	if (!faccessat(dir_fd, "metadata", F_OK, 0))
		return open_traces(e, &one, 1, false, ret_trace);
	err = each_entry(e, path, list_part, &parts);
	if (err) {
		lkst_err_add(e, "cannot read the trace %s", path);
		return err;
	}
	/* If there is no part, this says that there is no metadata. */
	return open_traces(e, parts.nr ? parts.list : &one, parts.nr ?: 1, true, ret_trace);
}

/* ---- a trace in one file --------------------------------------------------------------- */

static int read_packed_metadata(struct lkst_err *e, int fd, const struct lkst_pack_entry *entry,
				struct lkst_trace *t)
{
	_cleanup_free_ char *text = NULL;

	if (entry->size > LKST_METADATA_MAX)
		return lkst_err_set(e, -EFBIG, "its metadata is too large");
	text = malloc((size_t)entry->size + 1);
	if (!text)
		return lkst_err_sys(e, -ENOMEM, "reading its metadata");
	if (pread(fd, text, (size_t)entry->size, (off_t)entry->offset) != (ssize_t)entry->size)
		return lkst_err_sys(e, -EIO, "reading its metadata");
	return lkst_trace_add_part(e, t, entry->name, entry->name, text, (size_t)entry->size,
				   false);
}

/* How much the streams of an archive may have together. */
static u64 unpacked_max(const struct lkst_pack *pack)
{
	const struct lkst_pack_entry *last = &pack->entries[pack->nr - 1];
	const u64 end = last->offset + last->size;

	return end > (UINT64_MAX - PACKED_SLACK) / PACKED_GROWTH_MAX
		       ? UINT64_MAX
		       : end * PACKED_GROWTH_MAX + PACKED_SLACK;
}

static int open_packed_streams(struct lkst_err *e, struct lkst_trace *t, int fd,
			       const struct lkst_pack *pack)
{
	const u64 max = unpacked_max(pack);
	unsigned int i, before;
	u64 unpacked = 0;
	int err = 0;

	for (i = 0; i < pack->nr && !err; i++) {
		const struct lkst_pack_entry *entry = &pack->entries[i];
		struct lkst_stream_file file = { .name = entry->name,
						 .fd = fd,
						 .offset = entry->offset,
						 .length = entry->size };

		if (!entry->size || entry->name[0] == '.' || !strcmp(entry->name, "metadata"))
			continue;
		before = t->nr_streams;
		err = reader_files_add_stream(e, t, &file, 1);
		if (t->nr_streams > before)
			unpacked += t->streams[before]->files.length;
		if (!err && unpacked > max)
			err = lkst_err_set(e, -EFBIG, "it unpacks to more than records do");
	}
	return err ? err : lkst_trace_order(e, t);
}

static int open_packed(struct lkst_err *e, int fd, struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = calloc(1, sizeof(*t));
	_cleanup_(lkst_pack_fini) struct lkst_pack pack = {};
	int err;

	if (!t)
		return lkst_err_sys(e, -ENOMEM, "reading");
	err = lkst_pack_list(e, fd, &pack);
	if (err)
		return err;
	err = read_packed_metadata(e, fd, lkst_pack_find(&pack, "metadata"), t);
	if (err)
		return err;
	err = open_packed_streams(e, t, fd, &pack);
	if (err)
		return err;
	*ret_trace = lkst_take(t);
	return 0;
}

int lkst_trace_open(struct lkst_err *e, const char *path, struct lkst_trace **ret_trace)
{
	/* Not to wait for a writer, should it be a FIFO. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return lkst_err_sys(e, -errno, "cannot open the trace %s", path);
	if (S_ISDIR(st.st_mode))
		return reader_files_open_dir(e, path, fd, ret_trace);
	if (!S_ISREG(st.st_mode))
		return lkst_err_sys(e, -ENOTDIR, "cannot open the trace %s", path);
	err = open_packed(e, fd, ret_trace);
	if (err)
		lkst_err_add(e, "cannot read the trace %s", path);
	return err;
}
