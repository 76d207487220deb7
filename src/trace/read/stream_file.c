/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a stream, mapped. */
#include "trace/read/stream_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/format/block.h"
#include "trace/format/stream_name.h"
#include "trace/format/zst.h"

enum {
	UNIT = 1 << LKST_BLOCK_SHIFT_MIN,
	HOLE_MIN = 1 << 18,
};

/* Opens a file of the stream, unpacked if it is compressed. */
static int stream_file_open_file(struct lkst_err *e, const struct lkst_stream_file *file, int *ret_fd)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	char packed[LKST_STREAM_NAME_MAX + sizeof(LKST_ZST_SUFFIX)];

	if (!file->dir)
		return lkst_zst_unpack_part(e, file->fd, file->offset, file->length, file->name,
					    ret_fd);
	dir_fd = open(file->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return lkst_err_sys(e, -errno, "%s", file->dir);
	if (file->name[lkst_stream_name_length(file->name)])
		return lkst_zst_unpack(e, dir_fd, file->name, ret_fd);
	fd = openat(dir_fd, file->name, O_RDONLY | O_CLOEXEC);
	/* It may have been compressed since it was listed. */
	if (fd < 0 && errno == ENOENT) {
		snprintf(packed, sizeof(packed), "%s" LKST_ZST_SUFFIX, file->name);
		return lkst_zst_unpack(e, dir_fd, packed, ret_fd);
	}
	if (fd < 0)
		return lkst_err_sys(e, -errno, "%s", file->name);
	*ret_fd = lkst_take_fd(fd);
	return 0;
}

static size_t stream_file_round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static int stream_file_add_hole(struct lkst_err *e, struct lkst_stream_bytes *b, size_t from, size_t to)
{
	struct lkst_segment *hole;

	from = stream_file_round_up(from, UNIT);
	to = to / UNIT * UNIT;
	if (to < from + HOLE_MIN)
		return 0;
	hole = lkst_vec_add(b->holes, b->nr_holes);
	if (!hole)
		return lkst_err_sys(e, -ENOMEM, "%s", b->file);
	*hole = (struct lkst_segment){ .start = from, .length = to - from };
	return 0;
}

/*
 * Lists where @length bytes at @offset of a file, which are at @start of the stream, are a hole. Where the file
 * system does not say, there is none.
 */
static int list_holes(struct lkst_err *e, struct lkst_stream_bytes *b, int fd, u64 offset,
		      size_t length, size_t start)
{
	const off_t end = (off_t)(offset + length);
	off_t at = (off_t)offset, hole, data;
	int err = 0;

	for (; !err && at < end; at = data) {
		hole = lseek(fd, at, SEEK_HOLE);
		if (hole < 0 || hole >= end)
			break;
		data = lseek(fd, hole, SEEK_DATA);
		if (data < 0 && errno != ENXIO)
			break;
		data = data < 0 || data > end ? end : data;
		err = stream_file_add_hole(e, b, start + (size_t)(hole - (off_t)offset),
					   start + (size_t)(data - (off_t)offset));
	}
	return err;
}

/* Finds how long each file is and places it. Files start at pages, for they are mapped. */
static int place_files(struct lkst_err *e, struct lkst_stream_bytes *b, const int *fds)
{
	const size_t page =
		(size_t)sysconf(_SC_PAGESIZE) > UNIT ? (size_t)sysconf(_SC_PAGESIZE) : UNIT;
	struct stat st;
	unsigned int i;
	int err = 0;

	for (i = 0; i < b->nr_segments && !err; i++) {
		if (fstat(fds[i], &st))
			return lkst_err_sys(e, -errno, "%s", b->file);
		if ((u64)st.st_size > SIZE_MAX - page - b->length ||
		    (b->length + (u64)st.st_size) / UNIT >= UINT32_MAX - page / UNIT)
			return lkst_err_set(e, -EFBIG, "%s is too large", b->file);
		b->segments[i] =
			(struct lkst_segment){ .start = b->length, .length = (size_t)st.st_size };
		err = list_holes(e, b, fds[i], 0, (size_t)st.st_size, b->length);
		b->length += stream_file_round_up((size_t)st.st_size, page);
	}
	return err;
}

/* Whole pages only. What was there is read again from the file when it is looked at. */
static void stream_file_drop(const struct lkst_stream_bytes *b, size_t from, size_t to)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)b->bytes + from + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)b->bytes + to) / page * page;

	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}

static void unmap(struct lkst_stream_bytes *b)
{
	munmap(b->memory, b->memory_length);
}

static const struct lkst_stream_keeper mapped = { .drop = stream_file_drop, .release = unmap };

static int map_files(struct lkst_err *e, struct lkst_stream_bytes *b, const int *fds)
{
	int err = place_files(e, b, fds);
	unsigned int i;
	void *bytes;

	if (err || !b->length)
		return err;
	/* One stretch of addresses for all, so that a block is found by one number. */
	bytes = mmap(NULL, b->length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		     0);
	if (bytes == MAP_FAILED)
		return lkst_err_sys(e, -errno, "cannot map %s", b->file);
	b->bytes = b->memory = bytes;
	b->keeper = &mapped;
	b->memory_length = b->length;
	for (i = 0; i < b->nr_segments; i++)
		if (b->segments[i].length &&
		    mmap((u8 *)bytes + b->segments[i].start, b->segments[i].length, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, fds[i], 0) == MAP_FAILED)
			return lkst_err_sys(e, -errno, "cannot map %s", b->file);
	/* Blocks are read in order: read far ahead, and release what was read. */
	madvise(bytes, b->length, MADV_SEQUENTIAL);
	return 0;
}

/* Maps a part of a file, which need not begin at a page. */
static int stream_file_map_part(struct lkst_err *e, struct lkst_stream_bytes *b,
				const struct lkst_stream_file *file)
{
	u64 lead = file->offset % (u64)sysconf(_SC_PAGESIZE);
	void *map;

	if (file->length > SIZE_MAX - lead || file->length / UNIT >= UINT32_MAX ||
	    file->offset > INT64_MAX)
		return lkst_err_set(e, -EFBIG, "%s is too large", b->file);
	b->segments[0] = (struct lkst_segment){ .start = 0, .length = (size_t)file->length };
	if (!file->length)
		return 0;
	map = mmap(NULL, (size_t)(file->length + lead), PROT_READ, MAP_PRIVATE, file->fd,
		   (off_t)(file->offset - lead));
	if (map == MAP_FAILED)
		return lkst_err_sys(e, -errno, "cannot map %s", b->file);
	b->memory = map;
	b->keeper = &mapped;
	b->memory_length = (size_t)(file->length + lead);
	b->bytes = (u8 *)map + lead;
	b->length = (size_t)file->length;
	madvise(map, b->memory_length, MADV_SEQUENTIAL);
	return list_holes(e, b, file->fd, file->offset, b->length, 0);
}

int lkst_stream_map(struct lkst_err *e, struct lkst_stream_bytes *b,
		    const struct lkst_stream_file *files, unsigned int nr_files)
{
	_cleanup_free_ int *fds = calloc(nr_files, sizeof(*fds));
	unsigned int i, nr;
	int err = 0;

	b->nr_segments = nr_files;
	b->segments = calloc(nr_files, sizeof(*b->segments));
	if (!fds || !b->segments)
		return lkst_err_sys(e, -ENOMEM, "%s", b->file);
	if (!files[0].dir && !files[0].name[lkst_stream_name_length(files[0].name)])
		return stream_file_map_part(e, b, &files[0]);
	for (nr = 0; nr < b->nr_segments && !err; nr += !err)
		err = stream_file_open_file(e, &files[nr], &fds[nr]);
	if (!err)
		err = map_files(e, b, fds);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	return err;
}
