/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings that dumps hold: what was found, sorted by trace, and what is needed to read its
 * blocks. Pages of recordings that ended long ago may still lie in memory.
 */
#ifndef LKST_CRASH_RECORDING_H
#define LKST_CRASH_RECORDING_H

#include "abi/note.h"
#include "crash/find.h"
#include "crash/ring.h"
#include "trace/catalog.h"

struct lkst_recording {
	u8 uuid[16];
	const struct lkst_find *blocks; /* in order of stream and number; borrowed */
	size_t nr_blocks;

	struct lkst_dump_ring *rings; /* in order of stream instance, one of each */
	unsigned int nr_rings;

	struct lkst_catalog *catalog; /* NULL: not found; then nothing can be decoded */
	bool has_start;
	struct lkst_note_start start;

	struct lkst_note **notes; /* good ones, in order of lkst_note_compare(), no two the same */
	size_t nr_notes;

	u64 newest_ns; /* the latest time that a state page or a block's opening tells */
};

struct lkst_recordings {
	struct lkst_recording *items; /* the latest first */
	unsigned int nr;
};

/* Sorts @finds, which were made of @dumps and must outlive the result. */
int lkst_recordings_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
			const struct lkst_finds *finds, struct lkst_recordings *ret_recordings);
/* Drops the recordings that were made in boot @boot_id, as far as their catalogues tell. */
void lkst_recordings_drop_boot(struct lkst_recordings *r, const u8 boot_id[16]);
void lkst_recordings_free(struct lkst_recordings *r);

/* The ring of stream @instance, or NULL: its state page was not found. */
const struct lkst_dump_ring *lkst_recording_ring(const struct lkst_recording *r, u64 instance);

/* What is to be added to CLOCK_MONOTONIC for the time of day; 0: not known. */
u64 lkst_recording_offset_ns(const struct lkst_recording *r);

enum { LKST_UUID_TEXT = 37 };
void lkst_uuid_format(const u8 *uuid, char ret_text[LKST_UUID_TEXT]);

/* A reader for each of some dumps, for pages that were found. */
struct lkst_pages;
int lkst_pages_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		   struct lkst_pages **ret_pages);
void lkst_pages_free(struct lkst_pages *p);
void lkst_pages_freep(struct lkst_pages **p);

/*
 * Copies what was found and what follows it in the dump, @nr_parts times LKST_PAGE bytes, to @bytes.
 * Returns how many of them could be read.
 */
unsigned int lkst_pages_copy(struct lkst_pages *p, const struct lkst_find *find,
			     unsigned int nr_parts, u8 *bytes);

#endif
