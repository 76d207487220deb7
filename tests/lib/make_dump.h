/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes memory dumps for tests: an image of memory in which the blocks of a trace (make_trace.h), its
 * state pages and notes lie scattered, and that image in the formats that dumps come in.
 */
#ifndef LKST_TESTS_MAKE_DUMP_H
#define LKST_TESTS_MAKE_DUMP_H

#include <elf.h>
#include <endian.h>
#include <zlib.h>
#include <zstd.h>

#include "abi/note.h"
#include "abi/state.h"
#include "lib/make_trace.h"
#include "trace/format/metadata.h"
#include "trace/format/note.h"

enum { MAKE_PAGE = 4096 };

struct make_memory {
	u8 *pages;
	u32 nr;
	u8 *taken; /* a flag for each page */
	u64 random;
	u8 secret; /* by what an id in memory differs from the trace's UUID, byte by byte (exclusive or) */
};

/* The id that pages in memory have of the trace @uuid. */
void make_id(const struct make_memory *m, const u8 *uuid, u8 *ret_id);

u64 make_random(u64 *state);

/* @nr pages: zeros, text and noise by turns. */
struct make_memory *make_memory(u32 nr);

void make_memory_free(struct make_memory *m);

/* The first of @nr free pages side by side, somewhere. */
u8 *make_pages(struct make_memory *m, u32 nr);

/* Where the blocks of @s went: one pointer each; the caller frees the list. */
u8 **make_place(struct make_memory *m, const struct make_stream *s, bool scattered);

/* The state page of a CPU and buffer, with no ring yet. */
struct lkst_state *make_state(struct make_memory *m, const struct lkst_catalog *c, u32 cpu,
			      u32 buffer, u32 block_size);

/* What the state page says of the ring that wrote @s, whose last block is still open. */
void make_ring(struct lkst_state *st, const struct make_stream *s, u32 nr_blocks);

/* The metadata, as it is kept at @ns. */
void make_metadata_note(struct make_memory *m, const struct lkst_catalog *c, u64 ns);

/* Metadata, start, and a thread, as the recorder keeps them. */
void make_notes(struct make_memory *m, const struct lkst_catalog *c);

/* ---- files ------------------------------------------------------------------------------ */

struct make_file {
	u8 *bytes;
	size_t length, room;
};

/* Puts @length bytes at @at, which may be past the end. */
void make_put(struct make_file *f, size_t at, const void *bytes, size_t length);

struct make_file make_raw(const struct make_memory *m);

/* An ELF core of @nr_loads pieces, the last one first, at offsets that are no multiple of a page. */
struct make_file make_elf(const struct make_memory *m, u32 nr_loads);

enum make_packing { MAKE_STORED, MAKE_ZLIB, MAKE_LZO, MAKE_SNAPPY, MAKE_ZSTD };

/* The compressed format of makedumpfile, version 6: every page, those of zeros once. */
struct make_file make_kdump(const struct make_memory *m, enum make_packing packing);

/* The same in makedumpfile's flattened form: pieces of odd sizes, the first ones written twice. */
struct make_file make_flat(const struct make_file *in);

#endif
