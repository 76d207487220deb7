/* SPDX-License-Identifier: GPL-2.0-only */
/* A dump's bytes, mapped or read. */
#include "crash/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bsearch.h"
#include "base/cleanup.h"

/*
 * The size of the memory of a character device, if it is device DAX: memory that the kernel does not use and that
 * can be mapped. 0: it is not.
 */
static u64 dax_size(const struct stat *st)
{
	char path[64], target[256] = "";
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long size;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/subsystem", major(st->st_rdev),
		 minor(st->st_rdev));
	if (readlink(path, target, sizeof(target) - 1) < 0 || !strstr(target, "/dax"))
		return 0;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/size", major(st->st_rdev),
		 minor(st->st_rdev));
	f = fopen(path, "re");
	return f && fscanf(f, "%llu", &size) == 1 ? size : 0;
}

/* The size of the file that @fd refers to; /proc/kcore claims more than there could be, devices nothing. */
static int find_size(struct lkst_err *e, int fd, u64 *ret_size)
{
	struct stat st;
	off_t end;

	if (fstat(fd, &st))
		return lkst_err_sys(e, -errno, "cannot look at it");
	if (S_ISDIR(st.st_mode))
		return lkst_err_set(e, -EISDIR, "it is a directory; a dump is a file");
	if (S_ISCHR(st.st_mode) && dax_size(&st)) {
		*ret_size = dax_size(&st);
		return 0;
	}
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode) || S_ISSOCK(st.st_mode))
		return lkst_err_set(e, -ESPIPE,
				    "it cannot be read in any order; save it in a file%s",
				    S_ISCHR(st.st_mode)
					    ? ", or name /proc/kcore for this machine's memory"
					    : "");
	end = S_ISBLK(st.st_mode) ? lseek(fd, 0, SEEK_END) : st.st_size;
	if (end < 0)
		return lkst_err_sys(e, -errno, "cannot ask for its size");
	*ret_size = (u64)end;
	return 0;
}

/*
 * /proc/vmcore is as large as the machine's memory, and the kernel makes the page tables for all that is
 * mapped of it at once (mmap_vmcore() in fs/proc/vmcore.c): 2 MiB for each GiB, of the little memory that a
 * capture kernel has.
 */
static bool is_in_proc(int fd)
{
	struct statfs st;

	return !fstatfs(fd, &st) && st.f_type == PROC_SUPER_MAGIC;
}

int lkst_file_open(struct lkst_err *e, const char *path, struct lkst_file *ret_file)
{
	_cleanup_(lkst_file_close) struct lkst_file f = { .fd = -1 };
	void *map = MAP_FAILED;
	int err;

	/* Opening a pipe that nobody writes to would wait, only to be refused then. */
	f.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f.fd < 0)
		return lkst_err_sys(e, -errno, "cannot open it");
	err = find_size(e, f.fd, &f.file_size);
	if (err)
		return err;
	if (!f.file_size)
		return lkst_err_set(e, -ENODATA, "it is empty");
	f.is_memory = is_in_proc(f.fd);
	if (f.file_size <= SIZE_MAX && !f.is_memory)
		map = mmap(NULL, f.file_size, PROT_READ, MAP_SHARED, f.fd, 0);
	if (map != MAP_FAILED)
		f.map = map;
	f.size = f.file_size;
	err = lkst_flat_index(e, &f);
	if (err)
		return err;
	*ret_file = f;
	f = (struct lkst_file){ .fd = -1 };
	return 0;
}

void lkst_file_close(struct lkst_file *f)
{
	if (f->map)
		munmap((void *)f->map, f->file_size);
	if (f->fd >= 0)
		close(f->fd);
	free(f->chunks);
	*f = (struct lkst_file){ .fd = -1 };
}

/* The same as lkst_file_at() in the file as it is. */
static const u8 *raw_at(const struct lkst_file *f, u64 offset, size_t length, void *scratch)
{
	size_t done = 0;

	if (offset > f->file_size || length > f->file_size - offset)
		return NULL;
	if (f->map)
		return f->map + offset;
	while (done < length) {
		ssize_t got =
			pread(f->fd, (u8 *)scratch + done, length - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return NULL;
		done += (size_t)got;
	}
	return scratch;
}

/* The chunk that holds byte @offset, or the next one after it; nr_chunks: there is none. */
static size_t find_chunk(const struct lkst_file *f, u64 offset)
{
	return lkst_lower_bound(i, f->nr_chunks,
				f->chunks[i].offset + f->chunks[i].length <= offset);
}

const u8 *lkst_file_at(const struct lkst_file *f, u64 offset, size_t length, void *scratch)
{
	size_t i, done = 0;

	if (!f->chunks)
		return raw_at(f, offset, length, scratch);
	i = find_chunk(f, offset);
	if (i < f->nr_chunks && offset >= f->chunks[i].offset &&
	    length <= f->chunks[i].length - (offset - f->chunks[i].offset))
		return raw_at(f, f->chunks[i].at + (offset - f->chunks[i].offset), length, scratch);
	while (done < length) {
		const struct lkst_chunk *c = &f->chunks[i];
		u64 within = i < f->nr_chunks ? offset + done - c->offset : 0;
		size_t part = length - done;
		const u8 *bytes;

		if (i >= f->nr_chunks || offset + done < c->offset)
			return NULL;
		if (part > c->length - within)
			part = c->length - within;
		bytes = raw_at(f, c->at + within, part, (u8 *)scratch + done);
		if (!bytes)
			return NULL;
		if (bytes != (u8 *)scratch + done)
			memcpy((u8 *)scratch + done, bytes, part);
		done += part;
		i++;
	}
	return scratch;
}

const u8 *lkst_file_window(const struct lkst_file *f, u64 offset, size_t length, void *scratch,
			   struct lkst_mapping *ret_window)
{
	const u64 within = offset % (u64)sysconf(_SC_PAGESIZE);
	void *map;

	*ret_window = (struct lkst_mapping){ .length = length + within };
	if (f->is_memory && !f->chunks && offset <= f->file_size &&
	    length <= f->file_size - offset) {
		map = mmap(NULL, ret_window->length, PROT_READ, MAP_SHARED, f->fd,
			   (off_t)(offset - within));
		if (map != MAP_FAILED) {
			ret_window->map = map;
			return (const u8 *)map + within;
		}
	}
	/* /proc/kcore cannot be mapped, and is faster to read. */
	return lkst_file_at(f, offset, length, scratch);
}

void lkst_mapping_close(struct lkst_mapping *w)
{
	if (w->map)
		munmap(w->map, w->length);
	w->map = NULL;
}

u64 lkst_file_data(const struct lkst_file *f, u64 offset)
{
	off_t found;
	size_t i;

	if (offset >= f->size)
		return f->size;
	if (f->chunks) {
		i = find_chunk(f, offset);
		if (i == f->nr_chunks)
			return f->size;
		return f->chunks[i].offset > offset ? f->chunks[i].offset : offset;
	}
	found = lseek(f->fd, (off_t)offset, SEEK_DATA);
	/* ENXIO: nothing but a hole follows. Where the file system does not report holes, all is data. */
	if (found < 0)
		return errno == ENXIO ? f->size : offset;
	return (u64)found < f->size ? (u64)found : f->size;
}

u64 lkst_file_hole(const struct lkst_file *f, u64 offset, u64 limit)
{
	off_t found;
	size_t i;

	if (offset >= f->size)
		return f->size;
	if (f->chunks) {
		for (i = find_chunk(f, offset); i < f->nr_chunks && f->chunks[i].offset <= offset;
		     i++)
			offset = f->chunks[i].offset + f->chunks[i].length;
		return offset;
	}
	found = lseek(f->fd, (off_t)offset, SEEK_HOLE);
	return found > (off_t)offset && (u64)found < f->size ? (u64)found : f->size;
}
