/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers of sound blocks, so that a fuzz target gets as far as their records. */
#ifndef LKST_TESTS_FUZZ_BLOCK_HEADER_H
#define LKST_TESTS_FUZZ_BLOCK_HEADER_H

#include <string.h>

#include "abi/block.h"

/* Puts that of block @number of stream @instance at @bytes: of @size bytes, with @records of them after the header. */
static inline void put_block_header(u8 *bytes, u64 number, u64 instance, u32 size, u32 records)
{
	struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
				       .stream_id = LKST_STREAM_CLASS,
				       .stream_instance_id = instance,
				       .packet_size = size * 8,
				       .content_size = (LKST_BLOCK_HEADER + records) * 8,
				       .packet_seq_num = number,
				       .timestamp_begin = number << LKST_TIME_BITS };

	h.timestamp_end = h.timestamp_begin + LKST_TIME_GAP_MAX - 1;
	memcpy(bytes, &h, sizeof(h));
}

#endif
