/* SPDX-License-Identifier: GPL-2.0-only */
/* A memory dump as a row of pages, and the scan over it. */
#include "crash/dump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/vec.h"

enum {
	READ_AT_ONCE = 1 << 20,
	RUNS_MAX = 1 << 20,
	HOLE_MIN = 1 << 18,
};

static int add_run(struct lkst_err *e, struct lkst_dump *d, u64 offset, u64 nr_pages)
{
	struct lkst_dump_run *run = d->nr_runs < RUNS_MAX ? lkst_vec_add(d->runs, d->nr_runs) : NULL;

	if (!run)
		return lkst_err_sys(e, -ENOMEM, "its pieces are too many");
	*run = (struct lkst_dump_run){ .nr_pages = nr_pages, .offset = offset };
	return 0;
}

/* Where the data at @from ends, at most @limit; holes that are not worth a run of their own count as data. */
static u64 end_of_data(const struct lkst_file *f, u64 from, u64 limit)
{
	u64 end = lkst_file_hole(f, from, limit);

	while (end < limit) {
		u64 next = lkst_file_data(f, end);

		if (next >= limit || next - end > HOLE_MIN)
			break;
		end = lkst_file_hole(f, next, limit);
	}
	return end < limit ? end : limit;
}

int lkst_dump_add_run(struct lkst_err *e, struct lkst_dump *d, u64 offset, u64 length, u32 align)
{
	u64 skip = (LKST_PAGE - align % LKST_PAGE) % LKST_PAGE, page, end, there, wanted;
	int err = 0;

	if (length < skip + LKST_PAGE || offset > UINT64_MAX - skip)
		return 0;
	offset += skip;
	wanted = (length - skip) / LKST_PAGE;
	there = offset < d->file.size ? (d->file.size - offset) / LKST_PAGE : 0;
	if (there < wanted)
		d->nr_missing += wanted - there;
	else
		there = wanted;
	for (page = 0; page < there && !err; page = end) {
		u64 limit = offset + there * LKST_PAGE;
		u64 data = lkst_file_data(&d->file, offset + page * LKST_PAGE);

		if (data >= limit)
			break;
		/* Pages that are a hole in part have data too. */
		page = (data - offset) / LKST_PAGE;
		end = (end_of_data(&d->file, data, limit) - offset + LKST_PAGE - 1) / LKST_PAGE;
		err = add_run(e, d, offset + page * LKST_PAGE, end - page);
	}
	return err;
}

static int dump_by_offset(const void *a, const void *b)
{
	const struct lkst_dump_run *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Numbers the pages in the order of the file. A part of it that several runs show is looked at once. */
static void number_pages(struct lkst_dump *d)
{
	size_t i, nr = 0;
	u64 end = 0;

	if (d->nr_runs)
		qsort(d->runs, d->nr_runs, sizeof(*d->runs), dump_by_offset);
	for (i = 0; i < d->nr_runs; i++) {
		struct lkst_dump_run r = d->runs[i];
		u64 over = r.offset < end ? (end - r.offset + LKST_PAGE - 1) / LKST_PAGE : 0;

		if (over >= r.nr_pages)
			continue;
		r.offset += over * LKST_PAGE;
		r.nr_pages -= over;
		r.first = d->nr_pages;
		end = r.offset + r.nr_pages * LKST_PAGE;
		d->nr_pages += r.nr_pages;
		d->runs[nr++] = r;
	}
	d->nr_runs = nr;
}

/* The program that compresses files so that they begin like this one. */
static const char *find_packer(const struct lkst_file *f)
{
	static const struct {
		const char *name, *begin;
	} packers[] = { { "gzip", "\x1f\x8b\x08" },
			{ "xz", "\xfd"
				"7zXZ" },
			{ "zstd", "\x28\xb5\x2f\xfd" },
			{ "bzip2", "BZh" },
			{ "lz4", "\x04\x22\x4d\x18" } };
	u8 scratch[8];
	const u8 *begin = lkst_file_at(f, 0, sizeof(scratch), scratch);
	size_t i;

	for (i = 0; begin && i < sizeof(packers) / sizeof(packers[0]); i++)
		if (!memcmp(begin, packers[i].begin, strlen(packers[i].begin)))
			return packers[i].name;
	return NULL;
}

/* Finds out of which format the dump is, and where its pages are. */
static int find_runs(struct lkst_err *e, struct lkst_dump *d)
{
	int err = lkst_elf_open(e, d) ?: lkst_kdump_open(e, d);

	if (!err) {
		/* A bare image. */
		d->format = LKST_DUMP_RAW;
		d->packer = find_packer(&d->file);
		err = lkst_dump_add_run(e, d, 0, d->file.size, 0);
	}
	if (err < 0)
		return err;
	number_pages(d);
	if (!d->nr_pages)
		return lkst_err_set(e, -ENODATA, "it holds no page of memory%s",
				    d->nr_missing ? "; it was cut off" : "");
	return 0;
}

int lkst_dump_open(struct lkst_err *e, const char *path, struct lkst_dump *ret_dump)
{
	struct lkst_dump d = { .page_size = LKST_PAGE };
	int err = lkst_file_open(e, path, &d.file) ?: find_runs(e, &d);

	if (err) {
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
	free(d->spent);
	d->runs = NULL;
	d->spent = NULL;
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

/* The run that holds @page, which must exist; most often that of the page before. */
static const struct lkst_dump_run *dump_find_run(struct lkst_dump_reader *r, u64 page)
{
	const struct lkst_dump *d = r->dump;

	if (page - d->runs[r->run].first >= d->runs[r->run].nr_pages)
		r->run = lkst_lower_bound(i, d->nr_runs, d->runs[i].first <= page) - 1;
	return &d->runs[r->run];
}

const u8 *lkst_dump_page(struct lkst_dump_reader *r, u64 page)
{
	const struct lkst_dump_run *run;
	const u8 *bytes;
	size_t length;

	if (page >= r->dump->nr_pages)
		return NULL;
	if (r->holds && r->held == page)
		return r->held_bytes;
	if (r->dump->format == LKST_DUMP_KDUMP) {
		bytes = lkst_kdump_page(r, page, r->dump->page_size, &length);
		/* It may have many parts, which are asked for one by one. */
		r->holds = bytes && length == r->dump->page_size;
		r->held = page;
		r->held_bytes = bytes;
		return r->holds ? bytes : NULL;
	}
	run = dump_find_run(r, page);
	return lkst_file_at(&r->dump->file, run->offset + (page - run->first) * LKST_PAGE,
			    LKST_PAGE, r->page);
}

static bool is_mapped(const struct lkst_dump *d)
{
	return d->file.map && !d->file.chunks;
}

/* @nr pages that lie side by side at @bytes, of which @page is the first. */
static int scan_bytes(const u8 *bytes, u64 page, u64 nr, const u32 magics[LKST_DUMP_MAGICS],
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
static int scan_page_by_page(struct lkst_dump_reader *r, u64 page, u64 nr, const u32 magics[LKST_DUMP_MAGICS],
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

int lkst_dump_scan(struct lkst_dump_reader *r, u64 from, u64 to, const u32 magics[LKST_DUMP_MAGICS],
		   lkst_dump_found *found, void *arg, u64 *done, u64 *ret_unreadable)
{
	const struct lkst_dump *d = r->dump;
	u8 *buffer;
	int err = 0;

	*ret_unreadable = 0;
	if (d->format == LKST_DUMP_KDUMP)
		return lkst_kdump_scan(r, from, to, magics, found, arg, done, ret_unreadable);
	/* Without a map and without room to read into, the pages are read one by one. */
	buffer = is_mapped(d) ? NULL : malloc(READ_AT_ONCE);
	while (from < to && !err) {
		const struct lkst_dump_run *run = dump_find_run(r, from);
		u64 within = from - run->first, nr = run->nr_pages - within;
		u64 offset = run->offset + within * LKST_PAGE;
		struct lkst_mapping window = {};
		const u8 *bytes = NULL;

		nr = nr < to - from ? nr : to - from;
		if (nr > READ_AT_ONCE / LKST_PAGE)
			nr = READ_AT_ONCE / LKST_PAGE;
		if (buffer || is_mapped(d))
			bytes = lkst_file_window(&d->file, offset, nr * LKST_PAGE, buffer, &window);
		err = bytes ? scan_bytes(bytes, from, nr, magics, found, arg)
			    : scan_page_by_page(r, from, nr, magics, found, arg, ret_unreadable);
		lkst_mapping_close(&window);
		from += nr;
		__atomic_fetch_add(done, nr, __ATOMIC_RELAXED);
	}
	free(buffer);
	return err;
}
