/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The note: a page of kernel memory with what is needed to read the blocks found in a crash dump:
 * the metadata, the machine's threads and clocks as they were, when recording began. User space writes
 * notes; the pages of an array map hold them. Little-endian.
 *
 * A document is cut into parts, a page each, that carry its kind and `written_ns`. When a document is
 * written again, it goes to other pages than the one before, so that there is always a whole one; the
 * latest that is whole counts.
 */
#ifndef LKST_ABI_NOTE_H
#define LKST_ABI_NOTE_H

#include "abi/types.h"

enum {
	LKST_NOTE_MAGIC = 0x4e54534b, /* "KSTN" */
	LKST_NOTE_VERSION = 1,
	LKST_NOTE_SIZE = 4096,
	LKST_NOTE_HEADER = 64,
	LKST_NOTE_ROOM = LKST_NOTE_SIZE - LKST_NOTE_HEADER,
};

enum lkst_note_kind {
	LKST_NOTE_START = 1,	/* struct lkst_note_start */
	LKST_NOTE_METADATA = 2, /* the metadata text, packed as zlib does (RFC 1950) */
	LKST_NOTE_STATE = 3,	/* records of the state stream, see struct lkst_note_record */
};

struct lkst_note {
	u32 magic;   /* written last */
	u8 memory_id[16]; /* as of the recording's blocks: lkst_control.memory_id */
	u32 version;
	u32 kind;
	u32 part; /* from 0 */
	u32 nr_parts;
	u32 length;	/* of `bytes` */
	u64 written_ns; /* CLOCK_MONOTONIC; the same in all parts of one writing */
	u32 sum; /* CRC-32 (that of zlib) of kind, part, nr_parts, length, written_ns, bytes */
	u8 pad[12];
	u8 bytes[LKST_NOTE_ROOM];
};
_Static_assert(sizeof(struct lkst_note) == LKST_NOTE_SIZE, "one page");
_Static_assert(offsetof(struct lkst_note, bytes) == LKST_NOTE_HEADER, "no holes");

/* When and where recording began, and how the pages are divided. */
struct lkst_note_start {
	u64 monotonic_ns, boottime_ns, realtime_ns; /* the same moment on three clocks */
	u32 nr_cpus;				    /* possible ones */
	u32 block_shift;
	char hostname[65], release[65], machine[65];
	u8 pad;
	u32 state_page; /* the first page after those of start and metadata, which may grow */
};
_Static_assert(sizeof(struct lkst_note_start) == 232, "no holes");

/*
 * A record of the state stream in a part of LKST_NOTE_STATE: its length, then the record, whose
 * id_time holds the id alone; the next one begins at a multiple of 4. No record is split between parts,
 * so that each part can be read alone.
 */
struct lkst_note_record {
	u32 length;
	u8 bytes[];
};

#endif
