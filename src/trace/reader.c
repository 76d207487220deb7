/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace directory, or several that are parts of one recording, opened for reading. */
#include "trace/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/vec.h"
#include "trace/block_walk.h"
#include "trace/ends.h"
#include "trace/holes.h"
#include "trace/metadata.h"
#include "trace/metadata_layout.h"
#include "trace/pack.h"
#include "trace/trace.h"

enum {
	STREAMS_MAX = 32768, /* a process may have 65530 mappings */
	FILES_MAX = 60000,
	PARTS_MAX = 4096,
};

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int read_metadata(struct lkst_err *e, int dir_fd, struct lkst_catalog **ret_catalog)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err = lkst_read_file(e, dir_fd, "metadata", LKST_METADATA_MAX, &text, &length);

	return err ? err : lkst_metadata_parse(e, text, length, ret_catalog);
}

/* ---- the files ---------------------------------------------------------------------- */

/* The files of all parts, sorted by stream. */
struct files {
	struct file {
		unsigned int part;
		char *name;
	} * list;
	unsigned int nr, room;
};

static void files_fini(struct files *files)
{
	unsigned int i;

	for (i = 0; i < files->nr; i++)
		free(files->list[i].name);
	free(files->list);
}

static int add_file(struct lkst_err *e, struct files *files, unsigned int part, const char *name)
{
	struct file *file;

	if (files->nr == FILES_MAX)
		return lkst_err_set(e, -EFBIG, "there are more than %u files", FILES_MAX);
	file = lkst_vec_add(files->list, files->nr);
	if (!file)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	*file = (struct file){ part, strdup(name) };
	return file->name ? 0 : lkst_err_sys(e, -ENOMEM, "%s", name);
}

/* By stream, then part; a plain file before its compressed copy. */
static int by_stream(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	size_t nx = lkst_stream_name_length(x->name), ny = lkst_stream_name_length(y->name);
	int order = strncmp(x->name, y->name, nx < ny ? nx : ny);

	if (order || nx != ny)
		return order ? order : nx < ny ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_same_stream(const struct file *a, const struct file *b)
{
	size_t n = lkst_stream_name_length(a->name);

	return n == lkst_stream_name_length(b->name) && !strncmp(a->name, b->name, n);
}

/* Drops compressed files whose plain one is still there: whoever compressed them did not finish. */
static void drop_copies(struct files *files)
{
	unsigned int i, nr = 0;

	for (i = 0; i < files->nr; i++)
		if (nr && files->list[nr - 1].part == files->list[i].part &&
		    is_same_stream(&files->list[nr - 1], &files->list[i]))
			free(files->list[i].name);
		else
			files->list[nr++] = files->list[i];
	files->nr = nr;
}

/* Whether directory entry @name is a stream: a file with something in it. */
static bool is_stream(int dir_fd, const char *name)
{
	struct stat st;

	return name[0] != '.' && strcmp(name, "metadata") && !fstatat(dir_fd, name, &st, 0) &&
	       S_ISREG(st.st_mode) && st.st_size > 0;
}

/* Calls @each for what is in directory @path until it fails. */
static int each_entry(struct lkst_err *e, const char *path,
		      int (*each)(struct lkst_err *e, void *ctx, int dir_fd, const char *name),
		      void *ctx)
{
	_cleanup_(closedirp) DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return lkst_err_sys(e, -errno, "%s", path);
	while (!err && (entry = readdir(dir)))
		err = each(e, ctx, dirfd(dir), entry->d_name);
	return err;
}

struct listing {
	struct files *files;
	unsigned int part;
};

static int list_stream(struct lkst_err *e, void *ctx, int dir_fd, const char *name)
{
	struct listing *l = ctx;

	return is_stream(dir_fd, name) ? add_file(e, l->files, l->part, name) : 0;
}

static int list_files(struct lkst_err *e, char *const *parts, unsigned int nr_parts,
		      struct files *files)
{
	struct listing l = { files, 0 };
	int err = 0;

	for (l.part = 0; l.part < nr_parts && !err; l.part++)
		err = each_entry(e, parts[l.part], list_stream, &l);
	if (!err && files->nr)
		qsort(files->list, files->nr, sizeof(*files->list), by_stream);
	if (!err)
		drop_copies(files);
	return err;
}

/* ---- the streams -------------------------------------------------------------------- */

/* Adds @s, which is the trace's from then on, or closed. */
static int take_stream(struct lkst_err *e, struct lkst_trace *t, struct lkst_stream *s)
{
	struct lkst_stream **added =
		t->nr_streams < STREAMS_MAX ? lkst_vec_add(t->streams, t->nr_streams) : NULL;
	int err = 0;

	if (added) {
		*added = s;
		return 0;
	}
	if (t->nr_streams == STREAMS_MAX)
		err = lkst_err_set(e, -EFBIG, "there are more than %u streams", STREAMS_MAX);
	else
		err = lkst_err_sys(e, -ENOMEM, "%s", s->file);
	lkst_stream_close(s);
	return err;
}

/* Opens the stream of @nr files at @files. */
static int add_stream(struct lkst_err *e, struct lkst_trace *t,
		      const struct lkst_stream_file *files, unsigned int nr)
{
	struct lkst_stream *s;
	int err;

	err = lkst_stream_open(e, files, nr, t->catalog, &s);
	return err ? err : take_stream(e, t, s);
}

int lkst_trace_add_missing(struct lkst_err *e, struct lkst_trace *t, u64 instance)
{
	struct lkst_stream *s;
	int err;

	err = lkst_stream_open_missing(e, instance, &s);
	return err ? err : take_stream(e, t, s);
}

/* Opens the stream of @nr files at @first, each in a directory of @parts. */
static int add_files(struct lkst_err *e, struct lkst_trace *t, char *const *parts,
		     const struct file *first, unsigned int nr)
{
	_cleanup_free_ struct lkst_stream_file *files = calloc(nr, sizeof(*files));
	unsigned int i;

	if (!files)
		return lkst_err_sys(e, -ENOMEM, "%s", first->name);
	for (i = 0; i < nr; i++)
		files[i] = (struct lkst_stream_file){ .dir = parts[first[i].part],
						      .name = first[i].name };
	return add_stream(e, t, files, nr);
}

static int by_cpu(const void *a, const void *b)
{
	const struct lkst_stream *x = *(struct lkst_stream *const *)a;
	const struct lkst_stream *y = *(struct lkst_stream *const *)b;

	if (x->info.cpu != y->info.cpu)
		return x->info.cpu < y->info.cpu ? -1 : 1;
	if (x->info.buffer != y->info.buffer)
		return x->info.buffer < y->info.buffer ? -1 : 1;
	if (x->info.instance != y->info.instance)
		return x->info.instance < y->info.instance ? -1 : 1;
	return strcmp(x->file, y->file);
}

static void find_range(struct lkst_trace *t)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++) {
		const struct lkst_stream *s = t->streams[i];

		if (!s->has_records || s->info.buffer == LKST_BUFFER_STATE)
			continue;
		if (!any || s->begin_ns < t->begin_ns)
			t->begin_ns = s->begin_ns;
		if (!any || s->end_ns > t->end_ns)
			t->end_ns = s->end_ns;
		any = true;
	}
}

/* What is to be done when all streams are there. */
static int order_streams(struct lkst_err *e, struct lkst_trace *t)
{
	int err = lkst_ends_find(e, t);

	if (t->nr_streams)
		qsort(t->streams, t->nr_streams, sizeof(*t->streams), by_cpu);
	find_range(t);
	err = err ?: lkst_holes_find(e, t) ?: lkst_ends_add_holes(e, t);
	lkst_holes_unite(&t->holes);
	return err;
}

static int open_streams(struct lkst_err *e, struct lkst_trace *t, char *const *parts,
			unsigned int nr_parts)
{
	_cleanup_(files_fini) struct files files = {};
	int err = list_files(e, parts, nr_parts, &files);
	unsigned int i, nr;

	for (i = 0; i < files.nr && !err; i += nr) {
		for (nr = 1; i + nr < files.nr; nr++)
			if (!is_same_stream(&files.list[i], &files.list[i + nr]))
				break;
		err = add_files(e, t, parts, &files.list[i], nr);
	}
	return err ? err : order_streams(e, t);
}

/* ---- the parts ---------------------------------------------------------------------- */

/* Reads the metadata of every part; one recording has the same catalogue in all. */
static int read_catalog(struct lkst_err *e, struct lkst_trace *t, char *const *parts,
			unsigned int nr_parts)
{
	struct lkst_catalog *c = NULL;
	unsigned int i;
	bool is_same;
	int err;

	for (i = 0; i < nr_parts; i++) {
		_cleanup_close_ int fd = open(parts[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		err = fd < 0 ? lkst_err_sys(e, -errno, "%s", parts[i])
			     : read_metadata(e, fd, i ? &c : &t->catalog);
		t->is_partial |= fd >= 0 && !faccessat(fd, LKST_PARTIAL, F_OK, 0);
		if (err && nr_parts > 1)
			lkst_err_add(e, "%s", parts[i]);
		if (err)
			return err;
		if (!i)
			continue;
		is_same = !memcmp(c->uuid, t->catalog->uuid, sizeof(c->uuid));
		lkst_catalog_free(c);
		if (!is_same)
			return lkst_err_set(e, -EINVAL,
					    "%s and %s are of different recordings: name the parts "
					    "of one",
					    parts[0], parts[i]);
	}
	return 0;
}

static int open_traces(struct lkst_err *e, char *const *paths, unsigned int nr_paths,
		       bool has_parts, struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return lkst_err_sys(e, -ENOMEM, "%s", paths[0]);
	t->has_parts = has_parts;
	err = read_catalog(e, t, paths, nr_paths) ?: open_streams(e, t, paths, nr_paths);
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

static void parts_fini(struct parts *parts)
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
static int open_dir(struct lkst_err *e, const char *path, int dir_fd, struct lkst_trace **ret_trace)
{
	_cleanup_(parts_fini) struct parts parts = { .path = path };
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
				struct lkst_catalog **ret_catalog)
{
	_cleanup_free_ char *text = NULL;

	if (entry->size > LKST_METADATA_MAX)
		return lkst_err_set(e, -EFBIG, "its metadata is too large");
	text = malloc((size_t)entry->size + 1);
	if (!text)
		return lkst_err_sys(e, -ENOMEM, "reading its metadata");
	if (pread(fd, text, (size_t)entry->size, (off_t)entry->offset) != (ssize_t)entry->size)
		return lkst_err_sys(e, -EIO, "reading its metadata");
	return lkst_metadata_parse(e, text, (size_t)entry->size, ret_catalog);
}

static int open_packed_streams(struct lkst_err *e, struct lkst_trace *t, int fd,
			       const struct lkst_pack *pack)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < pack->nr && !err; i++) {
		const struct lkst_pack_entry *entry = &pack->entries[i];
		struct lkst_stream_file file = { .name = entry->name,
						 .fd = fd,
						 .offset = entry->offset,
						 .length = entry->size };

		if (!entry->size || entry->name[0] == '.' || !strcmp(entry->name, "metadata"))
			continue;
		if (entry->name[lkst_stream_name_length(entry->name)])
			return lkst_err_set(e, -EINVAL,
					    "%s in it is compressed: take it apart with tar",
					    entry->name);
		err = add_stream(e, t, &file, 1);
	}
	return err ? err : order_streams(e, t);
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
	err = read_packed_metadata(e, fd, lkst_pack_find(&pack, "metadata"), &t->catalog);
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
		return open_dir(e, path, fd, ret_trace);
	if (!S_ISREG(st.st_mode))
		return lkst_err_sys(e, -ENOTDIR, "cannot open the trace %s", path);
	err = open_packed(e, fd, ret_trace);
	if (err)
		lkst_err_add(e, "cannot read the trace %s", path);
	return err;
}

void lkst_trace_close(struct lkst_trace *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < t->nr_streams; i++)
		lkst_stream_close(t->streams[i]);
	free(t->streams);
	lkst_holes_fini(&t->holes);
	lkst_ends_fini(&t->ends);
	lkst_catalog_free(t->catalog);
	free(t);
}

const struct lkst_catalog *lkst_trace_catalog(const struct lkst_trace *t)
{
	return t->catalog;
}

bool lkst_trace_is_partial(const struct lkst_trace *t)
{
	return t->is_partial;
}

void lkst_trace_range(const struct lkst_trace *t, u64 *ret_begin_ns, u64 *ret_end_ns)
{
	*ret_begin_ns = t->begin_ns;
	*ret_end_ns = t->end_ns;
}

unsigned int lkst_trace_nr_streams(const struct lkst_trace *t)
{
	return t->nr_streams;
}

const struct lkst_stream_info *lkst_trace_stream(const struct lkst_trace *t, unsigned int i)
{
	return &t->streams[i]->info;
}

const struct lkst_block *lkst_trace_block(const struct lkst_trace *t, unsigned int stream,
					  unsigned int block)
{
	struct lkst_stream *s = t->streams[stream];

	/* A caller that walks all blocks must not have the whole file in memory. */
	lkst_stream_pass(s, &s->passed, lkst_stream_offset(s, block));
	lkst_stream_block(s, block, &s->block);
	return &s->block;
}

/* ---- check ------------------------------------------------------------------------ */

struct check {
	const struct lkst_stream *stream;
	lkst_trace_report *report;
	void *arg;
	u64 nr;
};

static void report_bad(void *arg, u64 offset, u64 bytes, const char *text)
{
	struct check *check = arg;

	check->nr++;
	check->report(check->arg, &check->stream->info, offset, bytes, text);
}

static void check_records(struct check *check, const struct lkst_catalog *catalog)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	size_t passed = 0;
	u32 i;
	int r;

	for (i = 0; i < check->stream->info.nr_blocks; i++) {
		lkst_stream_pass(check->stream, &passed, lkst_stream_offset(check->stream, i));
		lkst_stream_block(check->stream, i, &block);
		lkst_block_cursor_init(&cursor, &block);
		while ((r = lkst_block_step(&cursor, catalog, &record)) > 0)
			;
		if (r < 0)
			report_bad(check, lkst_stream_offset(check->stream, i) + cursor.offset,
				   block.content - cursor.offset,
				   lkst_block_fault_text((enum lkst_block_fault) - r));
	}
}

u64 lkst_trace_check(const struct lkst_trace *t, lkst_trace_report *report, void *arg)
{
	struct check check = { .report = report, .arg = arg };
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++) {
		check.stream = t->streams[i];
		if (!check.stream->files.nr_segments)
			continue;
		lkst_stream_report_bad(check.stream, t->catalog->uuid, report_bad, &check);
		check_records(&check, t->catalog);
	}
	return check.nr;
}
