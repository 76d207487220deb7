/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk over a block's records, inline: the speed of every reader depends on it. Private to
 * src/trace; others call lkst_block_next().
 */
#ifndef LKST_TRACE_FORMAT_BLOCK_WALK_H
#define LKST_TRACE_FORMAT_BLOCK_WALK_H

#include <string.h>

#include "base/bytes.h"
#include "trace/format/block.h"

/* Why a walk ended early; lkst_block_fault_text() has the words. */
enum lkst_block_fault {
	LKST_FAULT_NONE,
	LKST_FAULT_SHORT,
	LKST_FAULT_TIME,
	LKST_FAULT_ID,
	LKST_FAULT_SIZE,
	LKST_FAULT_NR,
};

const char *lkst_block_fault_text(enum lkst_block_fault fault);

/*
 * The size of a record whose fields vary, of which @room bytes may be read; 0: it passes the end.
 * The fixed part is known to fit.
 */
u32 lkst_record_measure(const struct lkst_event_class *event, const u8 *bytes, u32 room);

/* As lkst_block_step(), but what the block's records have in common is left as it is in @ret_record. */
static inline int lkst_block_step_within(struct lkst_block_cursor *cursor,
					 const struct lkst_catalog *catalog,
					 struct lkst_record *ret_record)
{
	const struct lkst_block *b = cursor->block;
	const u64 time_mask = (1ULL << LKST_TIME_BITS) - 1;

	u32 at = (cursor->offset + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
	const struct lkst_event_class *event = NULL;
	const u8 *bytes = b->bytes + at;
	u32 room, size;
	u64 word, ns;
	u16 id;

	if (at >= b->content)
		return 0;
	room = b->content - at;
	if (__builtin_expect(room < sizeof(struct lkst_record_head), 0))
		return -LKST_FAULT_SHORT;
	word = lkst_le64(bytes);
	/* Times of a stream never fall, so a lower value of the 48 bits is a wrap. */
	ns = (cursor->ns & ~time_mask) | word >> 16;
	if (__builtin_expect(ns < cursor->ns, 0))
		ns += 1ULL << LKST_TIME_BITS;
	if (__builtin_expect(ns > b->end_ns, 0))
		return -LKST_FAULT_TIME;
	id = (u16)word;
	if (__builtin_expect(id <= LKST_ID_MAX, 1))
		event = catalog->classes[id];
	if (__builtin_expect(!event, 0))
		return -LKST_FAULT_ID;
	size = event->size;
	if (__builtin_expect(size > room, 0))
		return -LKST_FAULT_SIZE;
	if (!event->is_fixed) {
		size = lkst_record_measure(event, bytes, room);
		if (!size)
			return -LKST_FAULT_SIZE;
	}
	cursor->offset = at + size;
	cursor->ns = ns;
	ret_record->event = event;
	ret_record->ns = ns;
	ret_record->bytes = bytes;
	ret_record->size = size;
	ret_record->tid = (s32)lkst_le32(bytes + 8);
	return 1;
}

/* As lkst_block_next(), but a failure is -(enum lkst_block_fault). */
static inline int lkst_block_step(struct lkst_block_cursor *cursor,
				  const struct lkst_catalog *catalog,
				  struct lkst_record *ret_record)
{
	int r = lkst_block_step_within(cursor, catalog, ret_record);

	if (r > 0) {
		ret_record->cpu = cursor->block->cpu;
		ret_record->buffer = lkst_instance_buffer(cursor->block->instance);
	}
	return r;
}

#endif
