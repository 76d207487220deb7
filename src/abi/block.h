/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The block: the unit that the kernel programs fill, that a file holds and that a dump is
 * scanned for. It is a CTF 1.8 packet, header and all (doc/format.md). Little-endian.
 *
 * Who writes what (src/bpf/ring.h holds the order):
 *   the writer whose compare-and-swap moved the head across a block boundary writes the
 *   "closed" fields of the block it left and the "open" fields of the block it entered;
 *   no field has two writers, although writers nest.
 *
 * A block whose timestamp_end is below its timestamp_begin is still open: its "closed" fields are
 * left over from the lap before, and its content ends where the state page's `done` says.
 */
#ifndef LKST_ABI_BLOCK_H
#define LKST_ABI_BLOCK_H

#include "abi/types.h"

enum {
	LKST_BLOCK_MAGIC = 0xC1FC1FC1, /* CTF 1.8.3, section 5.1: packet magic */
	LKST_BLOCK_SHIFT_MIN = 12,     /* one page: decodes from a dump without translation */
	LKST_BLOCK_SHIFT_MAX = 20,
	LKST_BLOCK_HEADER = 88,
	LKST_STREAM_CLASS = 0, /* CTF stream id: there is one stream class */
};

/* Sizes are in bits, as CTF wants them. */
struct lkst_block_header {
	u32 magic;		/* open; 0 while the header is being filled */
	u8 uuid[16];		/* open; of the trace */
	u32 stream_id;		/* open; LKST_STREAM_CLASS */
	u64 stream_instance_id; /* open; lkst_stream_instance() */
	u64 timestamp_begin;	/* open; ns, CLOCK_MONOTONIC; no record of the block is older */
	u64 timestamp_end;	/* closed; no record of the block is younger */
	u64 content_size;	/* closed; bits from the start of the header to the last record's end */
	u64 packet_size;	/* open; bits */
	u64 packet_seq_num;	/* open; counts the blocks of this stream from 0 */
	u64 events_discarded;	/* open; of this stream since its start */
	u32 cpu_id;		/* open */
	s32 tid;		/* open; the thread that ran when the block was opened */
};
_Static_assert(sizeof(struct lkst_block_header) == LKST_BLOCK_HEADER, "the header is fixed");

/* The CTF stream of one CPU's ring in one buffer. */
static inline u64 lkst_stream_instance(u32 cpu, u32 buffer)
{
	return (u64)buffer << 32 | cpu;
}

/*
 * The start of every record: `id` in bits 0..15 and the low 48 bits of the time in 16..63 of the
 * first word, then the thread. It stands at a multiple of 8 bytes from the block's start; fields
 * follow, each at a multiple of 4. Between reserve and commit the id is LKST_ID_PAD and the first
 * field's place holds the number of bytes that follow it, so that an unfinished record can be
 * stepped over.
 */
struct lkst_record_head {
	u64 id_time;
	s32 tid;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct lkst_record_head) == 12, "the record head is fixed");

enum {
	LKST_ID_PAD = 0,
	LKST_ID_MAX = 4095, /* LKST's own event space was 12 bits wide too (row A05) */
	LKST_RECORD_ALIGN = 8,
	LKST_PAD_MIN = 16, /* head and length of a padding record */
	LKST_TIME_BITS = 48,
};

/* Beyond this distance a new block is opened: a reader sees at most one wrap of the 48 bits. */
#define LKST_TIME_GAP_MAX (1ULL << (LKST_TIME_BITS - 1))

#endif
