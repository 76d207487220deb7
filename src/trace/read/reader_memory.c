// SPDX-License-Identifier: GPL-2.0-only
/* Opens traces that are in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/format/metadata_layout.h"
#include "trace/format/pack.h"
#include "trace/format/zstd_decode.h"
#include "trace/read/file_list.h"
#include "trace/read/reader.h"
#include "trace/read/trace.h"

enum {
	/* As for files on the disk (trace/format/zst.c): what grows by more is not a trace. */
	GROWTH_MAX = 128,
	SLACK = 16 << 20,
};

static bool reader_memory_is_named(const struct lkst_memory_file *file, const char *name)
{
	return !strcmp(file->name + lkst_file_name_start(file->name), name);
}

/* The files called metadata, one for each part: indices, in the order in which they were given. */
struct memory_parts {
	unsigned int *list;
	unsigned int nr;
};

static void reader_memory_parts_fini(struct memory_parts *parts)
{
	free(parts->list);
}

static int reader_memory_find_parts(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr,
				    struct memory_parts *parts)
{
	unsigned int i, *part;

	for (i = 0; i < nr; i++) {
		if (!reader_memory_is_named(&files[i], "metadata"))
			continue;
		part = lkst_vec_add(parts->list, parts->nr);
		if (!part)
			return lkst_err_sys(e, -ENOMEM, "%s", files[i].name);
		*part = i;
	}
	return parts->nr ? 0
			 : lkst_err_set(e, -ENOENT, "there is no file called metadata among them");
}

/* The part that a file is of; parts->nr: none. */
static unsigned int reader_memory_part_of(const struct lkst_memory_file *files, const struct memory_parts *parts,
					  const char *path)
{
	size_t length = lkst_file_name_start(path);
	unsigned int i;

	for (i = 0; i < parts->nr; i++) {
		const char *metadata = files[parts->list[i]].name;

		if (lkst_file_name_start(metadata) == length && !memcmp(metadata, path, length))
			break;
	}
	return i;
}

/* Whether the part of the metadata @path has the mark of one that is not complete. */
static bool is_partial(const struct lkst_memory_file *files, unsigned int nr, const char *path)
{
	size_t length = lkst_file_name_start(path);
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (reader_memory_is_named(&files[i], LKST_PARTIAL) &&
		    lkst_file_name_start(files[i].name) == length &&
		    !memcmp(files[i].name, path, length))
			return true;
	return false;
}

static int reader_memory_add_parts(struct lkst_err *e, struct lkst_trace *t, const struct lkst_memory_file *files,
				   unsigned int nr, const struct memory_parts *parts)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < parts->nr && !err; i++) {
		const struct lkst_memory_file *file = &files[parts->list[i]];

		if (file->length > LKST_METADATA_MAX)
			err = lkst_err_set(e, -EFBIG, "%s is too large", file->name);
		else
			err = lkst_trace_add_part(e, t, files[parts->list[0]].name, file->name,
						  file->bytes, file->length,
						  is_partial(files, nr, file->name));
	}
	return err;
}

static int list_streams(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr,
			const struct memory_parts *parts, struct lkst_file_list *l)
{
	unsigned int i, part;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		const char *name = files[i].name + lkst_file_name_start(files[i].name);

		part = reader_memory_part_of(files, parts, files[i].name);
		if (part == parts->nr)
			continue;
		if (!files[i].length || name[0] == '.' || !strcmp(name, "metadata"))
			continue;
		err = lkst_file_list_add(e, l, part, name);
		if (err)
			return err;
		l->files[l->nr - 1].bytes = files[i].bytes;
		l->files[l->nr - 1].length = files[i].length;
	}
	if (!err)
		lkst_file_list_sort(l);
	return err;
}

/* Unpacks the file, if it is compressed. */
static int reader_memory_unpack(struct lkst_err *e, struct lkst_listed_file *file)
{
	size_t max = file->length > (SIZE_MAX / 2 - SLACK) / GROWTH_MAX
			     ? SIZE_MAX / 2
			     : file->length * GROWTH_MAX + SLACK;
	uint8_t *bytes;
	int err;

	if (!file->name[lkst_stream_name_length(file->name)])
		return 0;
	err = lkst_zstd_decode(file->bytes, file->length, max, &bytes, &file->length);
	if (err)
		return err == -EBADMSG ? lkst_err_set(e, err, "%s is damaged", file->name)
				       : lkst_err_sys(e, err, "unpacking %s", file->name);
	file->bytes = file->unpacked = bytes;
	return 0;
}

/* Opens the stream of @nr files at @first. */
static int reader_memory_add_stream(struct lkst_err *e, struct lkst_trace *t, struct lkst_listed_file *first,
				    unsigned int nr)
{
	_cleanup_free_ struct lkst_memory_file *files = calloc(nr, sizeof(*files));
	_cleanup_(lkst_stream_bytes_fini) struct lkst_stream_bytes bytes = { .file = first->name };
	unsigned int i;
	int err = 0;

	if (!files)
		return lkst_err_sys(e, -ENOMEM, "%s", first->name);
	for (i = 0; i < nr && !err; i++) {
		err = reader_memory_unpack(e, &first[i]);
		files[i] =
			(struct lkst_memory_file){ first[i].name, first[i].bytes, first[i].length };
	}
	if (!err)
		err = lkst_stream_bytes_take(e, &bytes, files, nr);
	if (err)
		return err;
	if (nr == 1 && first->unpacked)
		lkst_stream_bytes_keep(&bytes, lkst_take(first->unpacked));
	for (i = 0; i < nr; i++)
		bytes.segments[i].part = first[i].part;
	return lkst_trace_add_stream(e, t, first->name, &bytes);
}

static int open_listed(struct lkst_err *e, struct lkst_trace *t,
		       const struct lkst_memory_file *files, unsigned int nr_files)
{
	_cleanup_(reader_memory_parts_fini) struct memory_parts parts = {};
	_cleanup_(lkst_file_list_fini) struct lkst_file_list l = {};
	int err = reader_memory_find_parts(e, files, nr_files, &parts);
	unsigned int i, nr;

	if (err)
		return err;
	t->has_parts = parts.nr > 1;
	err = reader_memory_add_parts(e, t, files, nr_files, &parts);
	if (err)
		return err;
	err = list_streams(e, files, nr_files, &parts, &l);
	for (i = 0; i < l.nr && !err; i += nr) {
		nr = lkst_file_list_stream(&l, i);
		err = reader_memory_add_stream(e, t, &l.files[i], nr);
	}
	return err ? err : lkst_trace_order(e, t);
}

/* The files of an archive, which are one trace's. */
static int open_archive(struct lkst_err *e, struct lkst_trace *t,
			const struct lkst_memory_file *archive)
{
	_cleanup_(lkst_pack_fini) struct lkst_pack pack = {};
	_cleanup_free_ struct lkst_memory_file *files = NULL;
	unsigned int i;
	int err;

	err = lkst_pack_list_memory(e, archive->bytes, archive->length, &pack);
	if (err)
		return err;
	files = calloc(pack.nr, sizeof(*files));
	if (!files)
		return lkst_err_sys(e, -ENOMEM, "%s", archive->name);
	for (i = 0; i < pack.nr; i++)
		files[i] = (struct lkst_memory_file){
			.name = pack.entries[i].name,
			.bytes = (const u8 *)archive->bytes + pack.entries[i].offset,
			.length = (size_t)pack.entries[i].size,
		};
	return open_listed(e, t, files, pack.nr);
}

int lkst_trace_open_memory(struct lkst_err *e, const struct lkst_memory_file *files,
			   unsigned int nr_files, struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return lkst_err_sys(e, -ENOMEM, "opening a trace");
	if (nr_files == 1 && !reader_memory_is_named(&files[0], "metadata"))
		err = open_archive(e, t, &files[0]);
	else
		err = open_listed(e, t, files, nr_files);
	if (err) {
		lkst_err_add(e, "cannot read the trace");
		return err;
	}
	*ret_trace = lkst_take(t);
	return 0;
}
