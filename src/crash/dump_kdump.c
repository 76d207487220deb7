/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The compressed format of makedumpfile and QEMU ("kdump-compressed"): a header, two bitmaps that say
 * which pages there are, a table with a descriptor for each page, and the pages, each packed by
 * itself. Formats: diskdump_mod.h, IMPLEMENTATION of makedumpfile. Offsets below are those of 64-bit
 * machines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "crash/dump.h"

enum {
	AT_RELEASE = 12 + 2 * 65, /* struct new_utsname: sysname, nodename, release ... */
	AT_BLOCK_SIZE = 428,
	AT_SUB_HEADER_BLOCKS = 432,
	AT_BITMAP_BLOCKS = 436,
	HEADER = 464,

	/* In the second header, which begins a block after the first. */
	AT_SPLIT = 12,
	AT_START_PFN = 80, /* these three since version 6; before, 32 bits wide elsewhere */
	AT_END_PFN = 88,
	SUB_HEADER = 104,

	DESCRIPTOR = 24,
	DESCRIPTORS_AT_ONCE = 512,
	BITMAP_AT_ONCE = 4096,

	FLAG_ZLIB = 1,
	FLAG_LZO = 2,
	FLAG_SNAPPY = 4,
	FLAG_INCOMPLETE = 8,
	FLAG_ZSTD = 0x20,
	FLAGS_PACKED = FLAG_ZLIB | FLAG_LZO | FLAG_SNAPPY | FLAG_ZSTD,

	PREFIX = 4, /* of a page, enough to see that it is not ours */

	/*
	 * All pages together have the file's size. A page that many descriptors share is not
	 * unpacked for each of them.
	 */
	SPENT_MAX = 2,
	GROWTH_MAX = 256, /* of a page; one that grows more is taken for a larger one */
};

/* Bits that are set from @from to @to in the bitmap of @length bytes at @offset. */
static u64 count_bits(const struct lkst_file *f, u64 offset, u64 length, u64 from, u64 to)
{
	u8 scratch[BITMAP_AT_ONCE];
	const u8 *bytes = NULL;
	u64 at, nr = 0, begin = 0;

	to = to < length * 8 ? to : length * 8;
	for (at = from / 8; at * 8 < to; at++) {
		u32 bits;

		if (!bytes || at - begin == BITMAP_AT_ONCE) {
			u64 data = lkst_file_data(f, offset + at) - offset;

			/* Where nothing was written no bit is set. */
			if (data >= length || data * 8 >= to)
				break;
			begin = at = data;
			bytes = lkst_file_at(f, offset + at,
					     length - at < BITMAP_AT_ONCE ? length - at
									  : BITMAP_AT_ONCE,
					     scratch);
			if (!bytes)
				break;
		}
		bits = bytes[at - begin];
		if (at == from / 8)
			bits &= 0xffu << from % 8;
		if (to - at * 8 < 8)
			bits &= (1u << (to - at * 8)) - 1;
		nr += (u64)__builtin_popcount(bits & 0xff);
	}
	return nr;
}

/* One file of several that makedumpfile --split made has the descriptors of its share only. */
static void find_share(const struct lkst_file *f, u32 block_size, u32 version, u64 *ret_from,
		       u64 *ret_to)
{
	u8 scratch[SUB_HEADER];
	const u8 *sub = lkst_file_at(f, block_size, sizeof(scratch), scratch);

	*ret_from = 0;
	*ret_to = UINT64_MAX;
	if (sub && version >= 6 && lkst_le32(sub + AT_SPLIT) == 1) {
		*ret_from = lkst_le64(sub + AT_START_PFN);
		*ret_to = lkst_le64(sub + AT_END_PFN);
	}
}

static int dump_kdump_check(struct lkst_err *e, const u8 *h)
{
	u32 block = lkst_le32(h + AT_BLOCK_SIZE);

	if (block < LKST_PAGE || block > LKST_DUMP_PAGE_MAX || (block & (block - 1)))
		return lkst_err_set(e, -EBADMSG,
				    "its header says that pages have %u bytes, which is impossible",
				    block);
	return 0;
}

int lkst_kdump_open(struct lkst_err *e, struct lkst_dump *d)
{
	struct lkst_file *f = &d->file;
	u64 bitmap, bitmap_bytes, from, to, there;
	u8 scratch[HEADER];
	const u8 *h = lkst_file_at(f, 0, HEADER, scratch);
	int err;

	if (!h || (memcmp(h, "KDUMP   ", 8) != 0 && memcmp(h, "DISKDUMP", 8) != 0))
		return 0;
	err = dump_kdump_check(e, h);
	if (err)
		return err;
	d->format = LKST_DUMP_KDUMP;
	d->page_size = lkst_le32(h + AT_BLOCK_SIZE);
	memcpy(d->machine, h + AT_RELEASE, sizeof(d->machine) - 1);
	/* The first half of the bitmaps says which memory exists, the second which is in the file. */
	bitmap = (1 + (u64)lkst_le32(h + AT_SUB_HEADER_BLOCKS)) * d->page_size;
	bitmap_bytes = (u64)lkst_le32(h + AT_BITMAP_BLOCKS) * d->page_size / 2;
	d->descriptors = bitmap + 2 * bitmap_bytes;
	if (d->descriptors >= f->size)
		return lkst_err_set(e, -EBADMSG, "it was cut off within its headers");
	find_share(f, d->page_size, lkst_le32(h + 8), &from, &to);
	d->spent = calloc(1, sizeof(*d->spent));
	if (!d->spent)
		return lkst_err_sys(e, -ENOMEM, "preparing to read it");
	d->nr_pages = count_bits(f, bitmap + bitmap_bytes, bitmap_bytes, from, to);
	there = (f->size - d->descriptors) / DESCRIPTOR;
	if (there < d->nr_pages) {
		d->nr_missing = d->nr_pages - there;
		d->nr_pages = there;
	}
	return 1;
}

/* A page of the table. */
struct descriptor {
	u64 offset;
	u32 size, flags;
};

static struct descriptor parse_descriptor(const u8 *bytes)
{
	return (struct descriptor){ lkst_le64(bytes), lkst_le32(bytes + 8),
				    lkst_le32(bytes + 12) };
}

/* The first @room bytes of the page that @at describes; *@ret_length: how many came out. */
static const u8 *dump_kdump_unpack(struct lkst_dump_reader *r, struct descriptor at, size_t room,
				   size_t *ret_length)
{
	const u8 *packed;
	enum lkst_packing packing;

	*ret_length = 0;
	if (!at.size || at.size > sizeof(r->packed) || at.flags & FLAG_INCOMPLETE)
		return NULL;
	packed = lkst_file_at(&r->dump->file, at.offset, at.size, r->packed);
	if (!packed)
		return NULL;
	switch (at.flags & FLAGS_PACKED) {
	case 0:
		*ret_length = at.size < room ? at.size : room;
		return packed;
	case FLAG_ZLIB:
		packing = LKST_PACKING_ZLIB;
		break;
	case FLAG_LZO:
		packing = LKST_PACKING_LZO;
		break;
	case FLAG_SNAPPY:
		packing = LKST_PACKING_SNAPPY;
		break;
	case FLAG_ZSTD:
		packing = LKST_PACKING_ZSTD;
		break;
	default:
		return NULL;
	}
	*ret_length = lkst_unpack(r->unpacker, packing, packed, at.size, r->page, room);
	return r->page;
}

const u8 *lkst_kdump_page(struct lkst_dump_reader *r, u64 page, size_t room, size_t *ret_length)
{
	u8 scratch[DESCRIPTOR];
	const u8 *at = lkst_file_at(&r->dump->file, r->dump->descriptors + page * DESCRIPTOR,
				    DESCRIPTOR, scratch);

	*ret_length = 0;
	return at ? dump_kdump_unpack(r, parse_descriptor(at), room, ret_length) : NULL;
}

/* Whether the page that @at describes may still be unpacked: the file is not larger than that. */
static bool spend(const struct lkst_dump *d, struct descriptor at)
{
	u64 least = d->page_size / GROWTH_MAX, cost = at.size > least ? at.size : least;

	return __atomic_add_fetch(d->spent, cost, __ATOMIC_RELAXED) / SPENT_MAX <= d->file.size;
}

static int scan_page(struct lkst_dump_reader *r, struct descriptor at, u64 page,
		     const u32 magics[LKST_DUMP_MAGICS], lkst_dump_found *found, void *arg, u64 *unreadable)
{
	/* Only the first part of a page that is larger than ours is seen in its first bytes. */
	size_t want = r->dump->page_size == LKST_PAGE ? PREFIX : r->dump->page_size, length;
	const u8 *bytes;
	int err = 0;
	u32 part;

	r->holds = false;
	bytes = spend(r->dump, at) ? dump_kdump_unpack(r, at, want, &length) : NULL;
	if (bytes && want == PREFIX && length == PREFIX) {
		if (!lkst_dump_is_magic(bytes, magics))
			return 0;
		bytes = dump_kdump_unpack(r, at, LKST_PAGE, &length);
	}
	if (!bytes || length != r->dump->page_size) {
		++*unreadable;
		return 0;
	}
	for (part = 0; part < r->dump->page_size / LKST_PAGE && !err; part++)
		if (lkst_dump_is_magic(bytes + part * LKST_PAGE, magics))
			err = found(arg, page, part, bytes + part * LKST_PAGE);
	return err;
}

int lkst_kdump_scan(struct lkst_dump_reader *r, u64 from, u64 to, const u32 magics[LKST_DUMP_MAGICS],
		    lkst_dump_found *found, void *arg, u64 *done, u64 *ret_unreadable)
{
	u8 scratch[DESCRIPTORS_AT_ONCE * DESCRIPTOR];
	u64 last = 0, shared = UINT64_MAX;
	int err = 0;

	while (from < to && !err) {
		u64 nr = to - from < DESCRIPTORS_AT_ONCE ? to - from : DESCRIPTORS_AT_ONCE, i;
		const u8 *table =
			lkst_file_at(&r->dump->file, r->dump->descriptors + from * DESCRIPTOR,
				     nr * DESCRIPTOR, scratch);

		if (!table)
			*ret_unreadable += nr;
		for (i = 0; table && i < nr && !err; i++) {
			struct descriptor at = parse_descriptor(table + i * DESCRIPTOR);

			/* Pages follow each other in the file, but that of zeros is shared by many. */
			if (at.offset == shared)
				continue;
			if (at.offset <= last)
				shared = at.offset;
			last = at.offset;
			err = scan_page(r, at, from + i, magics, found, arg, ret_unreadable);
		}
		from += nr;
		__atomic_fetch_add(done, nr, __ATOMIC_RELAXED);
	}
	return err;
}
