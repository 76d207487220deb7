/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A block's header, taken apart and checked once, and the walk over its records.
 */
#ifndef LKST_TRACE_FORMAT_BLOCK_H
#define LKST_TRACE_FORMAT_BLOCK_H

#include "abi/block.h"
#include "base/err.h"
#include "trace/format/catalog.h"

/* Times beyond this (146 years) are damage; sums of two such times do not overflow. */
#define LKST_TIME_MAX (1ULL << 62)

enum {
	LKST_CPUS_MAX = 65536,	    /* a higher CPU number is damage */
	LKST_BUFFER_STATE = 0xffff, /* the buffer number of the state stream, whose CPU is 0 */
	LKST_BUFFER_MARKS = 0xfffe, /* of the streams of programs' marks, which user space writes, too */
};

/*
 * Whether a stream of @buffer has what the kernel programs recorded: where it has a gap, or nothing yet, it is not
 * known what the CPU did.
 */
static inline bool lkst_buffer_is_of_kernel(u32 buffer)
{
	return buffer != LKST_BUFFER_STATE && buffer != LKST_BUFFER_MARKS;
}

/* A checked block. `bytes` is borrowed. */
struct lkst_block {
	const u8 *bytes;
	u32 size;    /* of the whole block, bytes */
	u32 content; /* bytes of it that hold header and records */
	u64 begin_ns, end_ns, seq, discarded, instance;
	u32 cpu;
	s32 tid;
};

/*
 * Checks the header at @bytes, of which @available bytes may be read: magic, stream, sizes (content
 * within packet within what is available, power of two, whole bytes), times. @uuid may be NULL:
 * any. Text says which check failed.
 */
int lkst_block_parse(struct lkst_err *e, const void *bytes, size_t available, const u8 *uuid,
		     struct lkst_block *ret_block);

/* What is missing between two blocks of a stream of which one is read after the other. */
struct lkst_block_missing {
	u64 blocks, events; /* events: that the recorder had to discard */
};

struct lkst_block_missing lkst_block_missing(const struct lkst_block *last,
					     const struct lkst_block *next);

/*
 * Makes a block of its own, of the same size and number, of the bytes of @block from @from, where a
 * record begins, to @to, where one ends. Its records are not older than @begin_ns nor younger than
 * @end_ns. Pieces of a block, one after the other, are read as the block would be.
 */
void lkst_block_piece(const struct lkst_block *block, u32 from, u32 to, u64 begin_ns, u64 end_ns,
		      u8 *ret_bytes);

/* One record, where it lies. Valid as long as the block's memory. */
struct lkst_record {
	const struct lkst_event_class *event;
	u64 ns;		 /* CLOCK_MONOTONIC */
	const u8 *bytes; /* the record's head; fields at the offsets of the class */
	u32 size;	 /* bytes, alignment not counted */
	s32 tid;
	u32 cpu;
	u32 buffer;
};

/* Walks a block. Start with { .block = b, .offset = LKST_BLOCK_HEADER, .ns = b->begin_ns }. */
struct lkst_block_cursor {
	const struct lkst_block *block;
	u32 offset;
	u64 ns;
};

void lkst_block_cursor_init(struct lkst_block_cursor *cursor, const struct lkst_block *block);

/*
 * The next record: 1, 0 at the end, or -EBADMSG: the rest of this block makes no sense (an id
 * that is not declared, a record that passes the end, a string without end, a time outside the
 * block's) and @e says what.
 */
int lkst_block_next(struct lkst_err *e, struct lkst_block_cursor *cursor,
		    const struct lkst_catalog *catalog, struct lkst_record *ret_record);

/*
 * The value of an integer field of a record, sign-extended; 0 for fields that are not integers or
 * whose place varies (lkst_record_field() finds those).
 */
u64 lkst_record_int(const struct lkst_record *r, const struct lkst_field_class *f);

/*
 * Where field number @index lies and how long it is, whatever comes before it (bounds were checked
 * by lkst_block_next). The length of characters (CHARS, STRING) ends before their first NUL. NULL
 * and 0 if there is no such field.
 */
const u8 *lkst_record_field(const struct lkst_record *r, unsigned int index, u32 *ret_length);

#endif
