/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The block: the unit that the kernel programs fill, that a file holds and that a dump is
 * scanned for. It is a CTF 1.8 packet, header and all (doc/format.md). Little-endian.
 *
 * "open" fields are written when the block is entered, "closed" ones when it is left; until then
 * they are 0 (src/bpf/ring.h holds the order). A block whose timestamp_end is below its
 * timestamp_begin is still open: its content ends where the state page's `done` says.
 */
#ifndef LKST_ABI_BLOCK_H
#define LKST_ABI_BLOCK_H

#include "abi/types.h"

enum {
	LKST_BLOCK_MAGIC = 0xC1FC1FC1, /* CTF 1.8.3, section 5.1: packet magic */
	LKST_BLOCK_SHIFT_MIN = 12,     /* one page: decodes from a dump without translation */
	LKST_BLOCK_SHIFT_MAX = 20,
	LKST_BLOCK_HEADER = 88,
	LKST_BLOCK_ROOM = 4000, /* the longest record: it must fit a block of the smallest size */
	LKST_STREAM_CLASS = 0,	/* CTF stream id: there is one stream class */
};

/* Sizes are in bits, as CTF wants them. */
struct lkst_block_header {
	u32 magic;		/* open; 0 while the header is being filled */
	u8 uuid[16];		/* open; of the trace; in memory lkst_control.memory_id */
	u32 stream_id;		/* open; LKST_STREAM_CLASS */
	u64 stream_instance_id; /* open; lkst_stream_instance() */
	u64 timestamp_begin;	/* open; ns, CLOCK_MONOTONIC; no record of the block is older */
	u64 timestamp_end;	/* closed; no record of the block is younger */
	u64 content_size;   /* closed; bits from the start of the header to the last record's end */
	u64 packet_size;    /* open; bits */
	u64 packet_seq_num; /* open; counts the blocks of this stream from 0 */
	u64 events_discarded; /* open; of this stream since its start */
	u32 cpu_id;	      /* open */
	s32 tid;	      /* open; the thread that ran when the block was opened */
};
_Static_assert(sizeof(struct lkst_block_header) == LKST_BLOCK_HEADER, "the header is fixed");

/*
 * The CTF stream of a ring: of one CPU, in one buffer, at one level of nesting (src/abi/state.h). Both
 * buffer and CPU are below 2^16.
 */
static inline u64 lkst_stream_instance(u32 cpu, u32 buffer, u32 level)
{
	return (u64)level << 48 | (u64)buffer << 32 | cpu;
}

static inline u32 lkst_instance_cpu(u64 instance)
{
	return (u32)instance;
}

static inline u32 lkst_instance_buffer(u64 instance)
{
	return (instance >> 32) & 0xffff;
}

static inline u32 lkst_instance_level(u64 instance)
{
	return instance >> 48;
}

/*
 * The start of every record: `id` in bits 0..15 and the low 48 bits of the time in 16..63 of the
 * first word, then the thread. It begins at a multiple of 8 bytes from the block's start; fields
 * follow, each at a multiple of 4. Between reserve and commit the id is LKST_ID_NONE.
 */
struct lkst_record_head {
	u64 id_time;
	s32 tid;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct lkst_record_head) == 12, "the record head is fixed");

enum {
	LKST_ID_NONE = 0,   /* no event has it */
	LKST_ID_MAX = 4095, /* LKST's own event space was 12 bits wide too (row A05 of doc/heritage.md) */
	LKST_RECORD_ALIGN = 8,
	LKST_TIME_BITS = 48,
};
_Static_assert(LKST_BLOCK_HEADER + LKST_BLOCK_ROOM + LKST_RECORD_ALIGN == 1 << LKST_BLOCK_SHIFT_MIN,
	       "no block is filled to its last byte");

/* Beyond this distance a new block is opened: a reader sees at most one wrap of the 48 bits. */
#define LKST_TIME_GAP_MAX (1ULL << (LKST_TIME_BITS - 1))

#endif
