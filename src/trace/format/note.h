/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes (abi/note.h): documents cut into pages that carry a signature, and put together again. The
 * recorder writes them to kernel memory; commands read them there, and crash dumps are searched
 * for them.
 */
#ifndef LKST_TRACE_FORMAT_NOTE_H
#define LKST_TRACE_FORMAT_NOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/note.h"
#include "base/err.h"

enum {
	LKST_NOTE_PARTS_MAX = 1 << 16, /* a document of 256 MiB */
};

/* How many pages a document of @length bytes takes: at least one. */
u32 lkst_note_pages(size_t length);

/*
 * Fills one page: part @part of @nr_parts, with @length bytes, at most LKST_NOTE_ROOM. At every
 * moment the page is either a whole note or not a note.
 */
void lkst_note_fill(struct lkst_note *page, const u8 *memory_id, enum lkst_note_kind kind, u64 ns,
		    u32 part, u32 nr_parts, const void *bytes, size_t length);

/* Fills lkst_note_pages(@length) pages with a document. */
void lkst_note_fill_all(struct lkst_note *pages, const u8 *memory_id, enum lkst_note_kind kind, u64 ns,
			const void *bytes, size_t length);

/* True if @page is a note, whole and unharmed. */
bool lkst_note_is_good(const struct lkst_note *page);

/* Puts notes in order of kind, the latest writing first, then by part. For qsort() of pointers. */
int lkst_note_compare(const void *a, const void *b);

/*
 * The latest document of @kind that is whole, out of @nr good notes of one trace in the order of
 * lkst_note_compare(); the caller frees it. -ENOENT: there is none.
 */
int lkst_note_gather(const struct lkst_note *const *notes, size_t nr, enum lkst_note_kind kind,
		     u8 **ret_bytes, size_t *ret_length);

/* Metadata packed and unpacked; the caller frees it. The text has a NUL after it. */
int lkst_note_pack(struct lkst_err *e, const char *text, u8 **ret_bytes, size_t *ret_length);
int lkst_note_unpack(struct lkst_err *e, const u8 *bytes, size_t length, char **ret_text,
		     size_t *ret_length);

#endif
