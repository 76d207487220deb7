/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory dump as a row of pages, whatever its format: an ELF core (also /proc/vmcore and
 * /proc/kcore), makedumpfile's and QEMU's compressed format, both also flattened, or a bare image of
 * memory. No byte of it is trusted; pages that its headers promise and the file lacks are counted.
 */
#ifndef LKST_CRASH_DUMP_H
#define LKST_CRASH_DUMP_H

#include "crash/file.h"
#include "crash/unpack.h"

enum {
	LKST_PAGE = 4096, /* what is ours begins at a multiple of it, whatever the machine's page */
	LKST_DUMP_PAGE_MAX = 1 << 16,
	LKST_DUMP_MAGICS = 4, /* kinds of pages that are looked for */
};

enum lkst_dump_format {
	LKST_DUMP_ELF,
	LKST_DUMP_KDUMP,
	LKST_DUMP_RAW,
};

/* Pages that follow each other in the file. */
struct lkst_dump_run {
	u64 first; /* number of its first page in the dump */
	u64 nr_pages;
	u64 offset; /* of that page in the file */
};

struct lkst_dump {
	struct lkst_file file;
	enum lkst_dump_format format;
	u64 nr_pages;	/* of `page_size` bytes */
	u32 page_size;	/* LKST_PAGE, or what the machine had if the pages are packed one by one */
	u64 nr_missing; /* pages that the headers promise and that the file does not have */
	char machine[65]; /* the kernel's release, if the dump says */
	const char *packer; /* what seems to have compressed it as a whole, or NULL */

	struct lkst_dump_run *runs; /* ELF, raw */
	size_t nr_runs;

	u64 descriptors; /* compressed: offset of the table of pages */
	u64 *spent;	 /* compressed: bytes of packed pages that were scanned, by all threads */
};

int lkst_dump_open(struct lkst_err *e, const char *path, struct lkst_dump *ret_dump);
void lkst_dump_close(struct lkst_dump *d);

/* "ELF", "kdump-compressed, flattened" ... */
const char *lkst_dump_format_text(const struct lkst_dump *d);

/* What a thread needs to look at pages. */
struct lkst_dump_reader {
	const struct lkst_dump *dump;
	struct lkst_unpacker *unpacker;
	size_t run; /* where the last page was found */
	bool holds; /* compressed: page `held` is at `held_bytes` */
	u64 held;
	const u8 *held_bytes;
	u8 packed[2 * LKST_DUMP_PAGE_MAX];
	u8 page[LKST_DUMP_PAGE_MAX];
};

int lkst_dump_reader_new(struct lkst_err *e, const struct lkst_dump *d,
			 struct lkst_dump_reader **ret_reader);
void lkst_dump_reader_free(struct lkst_dump_reader *r);

/* Page @page, all of its page_size bytes, until the next call; NULL: it cannot be read. */
const u8 *lkst_dump_page(struct lkst_dump_reader *r, u64 page);

/*
 * Calls @found for each LKST_PAGE bytes of the pages from @from to @to (not included) whose first
 * four bytes are one of @magics, until it returns other than 0, which is passed on. @bytes are
 * valid until it returns. Counts pages that cannot be read in *@ret_unreadable, and the pages done
 * in *@done as it goes, for others to look at.
 */
typedef int lkst_dump_found(void *arg, u64 page, u32 part, const u8 *bytes);
int lkst_dump_scan(struct lkst_dump_reader *r, u64 from, u64 to, const u32 magics[LKST_DUMP_MAGICS],
		   lkst_dump_found *found, void *arg, u64 *done, u64 *ret_unreadable);

/* ---- between the files of this folder ---------------------------------------------------- */

/* Each takes the dump if it is of its format: 1; 0: it is not; or -errno. */
int lkst_elf_open(struct lkst_err *e, struct lkst_dump *d);
int lkst_kdump_open(struct lkst_err *e, struct lkst_dump *d);

/* Adds @length bytes of memory at @offset of the file; @align: their address modulo LKST_PAGE. */
int lkst_dump_add_run(struct lkst_err *e, struct lkst_dump *d, u64 offset, u64 length, u32 align);

/* The page or its first @room bytes, in @r->page or the map; *@ret_length: how many came out. */
const u8 *lkst_kdump_page(struct lkst_dump_reader *r, u64 page, size_t room, size_t *ret_length);
int lkst_kdump_scan(struct lkst_dump_reader *r, u64 from, u64 to, const u32 magics[LKST_DUMP_MAGICS],
		    lkst_dump_found *found, void *arg, u64 *done, u64 *ret_unreadable);

static inline bool lkst_dump_is_magic(const u8 *bytes, const u32 magics[LKST_DUMP_MAGICS])
{
	u32 word = (u32)bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 | (u32)bytes[3] << 24;

	return word == magics[0] || word == magics[1] || word == magics[2] || word == magics[3];
}

#endif
