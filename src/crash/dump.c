/* SPDX-License-Identifier: GPL-2.0-only */
/* A memory dump as a row of pages, and the scan over it. */
#include "crash/dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	READ_AT_ONCE = 1 << 20,
	PAGES_BETWEEN_COUNTS = 4096,
	RUNS_MAX = 1 << 20,
};

int lkst_dump_add_run(struct lkst_err *e, struct lkst_dump *d, u64 offset, u64 length, u32 align)
{
	u64 skip = (LKST_PAGE - align % LKST_PAGE) % LKST_PAGE, there, wanted;
	struct lkst_run *grown;

	if (length < skip + LKST_PAGE || offset > UINT64_MAX - skip)
		return 0;
	offset += skip;
	wanted = (length - skip) / LKST_PAGE;
	there = offset < d->file.size ? (d->file.size - offset) / LKST_PAGE : 0;
	if (there < wanted)
		d->nr_missing += wanted - there;
	else
		there = wanted;
	if (!there)
		return 0;
	grown = d->nr_runs < RUNS_MAX ? reallocarray(d->runs, d->nr_runs + 1, sizeof(*grown))
				      : NULL;
	if (!grown)
		return lkst_err_sys(e, -ENOMEM, "its pieces are too many");
	d->runs = grown;
	grown[d->nr_runs++] = (struct lkst_run){ d->nr_pages, there, offset };
	d->nr_pages += there;
	return 0;
}

/* A bare image: all of the file but the holes of a sparse one. */
static int open_raw(struct lkst_err *e, struct lkst_dump *d)
{
	u64 at = lkst_file_data(&d->file, 0);
	int err = 0;

	d->format = LKST_DUMP_RAW;
	while (at < d->file.size && !err) {
		u64 end = lkst_file_hole(&d->file, at), from = at - at % LKST_PAGE;

		/* Pages that are a hole in part have data too. */
		if (d->file.size - end < LKST_PAGE)
			end = d->file.size;
		else
			end += (LKST_PAGE - end % LKST_PAGE) % LKST_PAGE;
		err = lkst_dump_add_run(e, d, from, end - from, 0);
		at = lkst_file_data(&d->file, end);
	}
	return err;
}

int lkst_dump_open(struct lkst_err *e, const char *path, struct lkst_dump *ret_dump)
{
	struct lkst_dump d = { .page_size = LKST_PAGE };
	int err = lkst_file_open(e, path, &d.file);

	if (!err) {
		err = lkst_elf_open(e, &d);
		if (!err)
			err = lkst_kdump_open(e, &d);
		if (!err)
			err = open_raw(e, &d);
	}
	if (err >= 0 && !d.nr_pages)
		err = lkst_err_set(e, -ENODATA, "it holds no page of memory%s",
				   d.nr_missing ? "; it was cut off" : "");
	if (err < 0) {
		lkst_err_add(e, "dump %s", path);
		lkst_dump_close(&d);
		return err;
	}
	*ret_dump = d;
	return 0;
}

void lkst_dump_close(struct lkst_dump *d)
{
	lkst_file_close(&d->file);
	free(d->runs);
	d->runs = NULL;
}

const char *lkst_dump_format_text(const struct lkst_dump *d)
{
	static const char *const text[][2] = {
		[LKST_DUMP_ELF] = { "ELF", "ELF, flattened" },
		[LKST_DUMP_KDUMP] = { "kdump-compressed", "kdump-compressed, flattened" },
		[LKST_DUMP_RAW] = { "image of memory", "image of memory, flattened" },
	};

	return text[d->format][d->file.chunks != NULL];
}

int lkst_dump_reader_new(struct lkst_err *e, const struct lkst_dump *d,
			 struct lkst_dump_reader **ret_reader)
{
	struct lkst_dump_reader *r = calloc(1, sizeof(*r));
	int err = r ? lkst_unpacker_new(e, &r->unpacker)
		    : lkst_err_sys(e, -ENOMEM, "preparing to read a dump");

	if (err) {
		free(r);
		return err;
	}
	r->dump = d;
	*ret_reader = r;
	return 0;
}

void lkst_dump_reader_free(struct lkst_dump_reader *r)
{
	if (!r)
		return;
	lkst_unpacker_free(r->unpacker);
	free(r);
}

/* The run that holds @page, which there is; most often the one of the page before. */
static const struct lkst_run *find_run(struct lkst_dump_reader *r, u64 page)
{
	const struct lkst_dump *d = r->dump;
	size_t low = 0, high = d->nr_runs - 1;

	if (page - d->runs[r->run].first < d->runs[r->run].nr_pages)
		return &d->runs[r->run];
	while (low < high) {
		size_t middle = high - (high - low) / 2;

		if (d->runs[middle].first > page)
			high = middle - 1;
		else
			low = middle;
	}
	r->run = low;
	return &d->runs[low];
}

const u8 *lkst_dump_page(struct lkst_dump_reader *r, u64 page)
{
	const struct lkst_run *run;
	const u8 *bytes;
	size_t length;

	if (page >= r->dump->nr_pages)
		return NULL;
	if (r->dump->format == LKST_DUMP_KDUMP) {
		bytes = lkst_kdump_page(r, page, r->dump->page_size, &length);
		return bytes && length == r->dump->page_size ? bytes : NULL;
	}
	run = find_run(r, page);
	return lkst_file_at(&r->dump->file, run->offset + (page - run->first) * LKST_PAGE,
			    LKST_PAGE, r->page);
}

/* @nr pages that lie side by side at @bytes, of which @page is the first. */
static int scan_bytes(const u8 *bytes, u64 page, u64 nr, const u32 magics[3],
		      lkst_dump_found *found, void *arg)
{
	u64 i;
	int err;

	for (i = 0; i < nr; i++, bytes += LKST_PAGE)
		if (__builtin_expect(lkst_dump_is_magic(bytes, magics), 0)) {
			err = found(arg, page + i, 0, bytes);
			if (err)
				return err;
		}
	return 0;
}

/* A stretch of the file that cannot be read at once may be readable in part. */
static int scan_page_by_page(struct lkst_dump_reader *r, u64 page, u64 nr, const u32 magics[3],
			     lkst_dump_found *found, void *arg, u64 *unreadable)
{
	u64 i;

	for (i = 0; i < nr; i++) {
		const u8 *bytes = lkst_dump_page(r, page + i);
		int err;

		if (!bytes) {
			++*unreadable;
			continue;
		}
		err = scan_bytes(bytes, page + i, 1, magics, found, arg);
		if (err)
			return err;
	}
	return 0;
}

int lkst_dump_scan(struct lkst_dump_reader *r, u64 from, u64 to, const u32 magics[3],
		   lkst_dump_found *found, void *arg, u64 *done, u64 *ret_unreadable)
{
	const struct lkst_dump *d = r->dump;
	u8 *buffer;
	int err = 0;

	*ret_unreadable = 0;
	if (d->format == LKST_DUMP_KDUMP)
		return lkst_kdump_scan(r, from, to, magics, found, arg, done, ret_unreadable);
	buffer = d->file.map && !d->file.chunks ? NULL : malloc(READ_AT_ONCE);
	while (from < to && !err) {
		const struct lkst_run *run = find_run(r, from);
		u64 within = from - run->first, nr = run->nr_pages - within;
		const u8 *bytes = NULL;

		nr = nr < to - from ? nr : to - from;
		if (nr > READ_AT_ONCE / LKST_PAGE)
			nr = READ_AT_ONCE / LKST_PAGE;
		if (buffer || (d->file.map && !d->file.chunks))
			bytes = lkst_file_at(&d->file, run->offset + within * LKST_PAGE,
					     nr * LKST_PAGE, buffer);
		err = bytes ? scan_bytes(bytes, from, nr, magics, found, arg)
			    : scan_page_by_page(r, from, nr, magics, found, arg, ret_unreadable);
		from += nr;
		__atomic_fetch_add(done, nr, __ATOMIC_RELAXED);
	}
	free(buffer);
	return err;
}
