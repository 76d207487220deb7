/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings that dumps hold: what was found, sorted by trace, and what is needed to read its
 * blocks. Pages of recordings that ended long ago may still be in memory.
 */
#ifndef LKST_CRASH_RECORDING_H
#define LKST_CRASH_RECORDING_H

#include "abi/note.h"
#include "base/cleanup.h"
#include "crash/dump_ring.h"
#include "crash/hits.h"
#include "crash/ids.h"
#include "trace/format/catalog.h"

struct lkst_recording {
	u8 id[16];	/* of its pages; to be shown to nobody */
	u8 uuid[16];	/* of its trace; all zero: not known */
	bool is_proven; /* its id is one that the kernel's side was given: no program of a user could know it */
	bool is_overridden; /* another one has the same UUID and more blocks, or this has it for its id, as copies */
	unsigned int nr_overridden; /* recordings that it takes precedence over */
	const struct lkst_hit *blocks; /* in order of stream and number; borrowed */
	size_t nr_blocks;

	struct lkst_dump_ring *rings; /* in order of stream instance, one of each */
	unsigned int nr_rings;
	u64 rivals; /* state pages that say something else than the one that is believed */

	struct lkst_catalog *catalog; /* NULL: not found; then nothing can be decoded */
	bool has_start;
	struct lkst_note_start start;

	struct lkst_note **notes; /* good ones, in order of lkst_note_compare(), no two the same */
	size_t nr_notes;

	u64 newest_ns; /* the latest time that a state page or a block's opening shows */
};

struct lkst_recordings {
	struct lkst_recording *items; /* the one to be taken first, else the latest */
	unsigned int nr;
	unsigned int nr_dropped; /* further ones: never a proven one as long as there is another */
};

/*
 * Sorts @hits, which were made of @dumps and must outlive the result. The ones that @known proves come first, NULL:
 * nothing is known. Of several that say to be the same, the one that has the most blocks comes before the others.
 */
int lkst_recordings_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
			const struct lkst_hits *hits, const struct lkst_memory_ids *known,
			struct lkst_recordings *ret_recordings);
/* Drops the recordings that their catalogues say were made in boot @boot_id, and those with is_overridden. */
void lkst_recordings_drop_boot(struct lkst_recordings *r, const u8 boot_id[16]);
void lkst_recordings_free(struct lkst_recordings *r);

/* The ring of stream @instance, or NULL: its state page was not found. */
const struct lkst_dump_ring *lkst_recording_ring(const struct lkst_recording *r, u64 instance);

/* Gives @r the catalogue of @trace, the directory of an earlier trace of the same recording. */
int lkst_recording_borrow_catalog(struct lkst_err *e, const char *trace, struct lkst_recording *r);

/* What is to be added to CLOCK_MONOTONIC for the time of day; 0: not known. */
u64 lkst_recording_offset_ns(const struct lkst_recording *r);

enum { LKST_UUID_TEXT = 37 };
void lkst_uuid_format(const u8 *uuid, char ret_text[LKST_UUID_TEXT]);

/* A reader for each of some dumps, for pages that were found. */
struct lkst_pages;
int lkst_pages_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		   struct lkst_pages **ret_pages);
void lkst_pages_free(struct lkst_pages *p);
LKST_GUARD(lkst_pages_free, struct lkst_pages)

/*
 * Copies what was found and what follows it in the dump, @nr_parts times LKST_PAGE bytes, to @bytes.
 * Returns how many of them could be read.
 */
unsigned int lkst_pages_copy(struct lkst_pages *p, const struct lkst_hit *find,
			     unsigned int nr_parts, u8 *bytes);

#endif
