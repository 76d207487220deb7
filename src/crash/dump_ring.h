/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State pages as a dump has them: the one place of this folder that knows struct lkst_state.
 */
#ifndef LKST_CRASH_DUMP_RING_H
#define LKST_CRASH_DUMP_RING_H

#include <stdbool.h>

#include "abi/state.h"

/* What a state page says about one ring. */
struct lkst_dump_ring {
	u64 instance; /* of the stream, as its blocks have it */
	u32 shift;    /* log2 of the block size */
	u64 nr_blocks;
	u64 first; /* number of the first block that was not cleared */
	u64 done;	 /* position after the last complete record; 0: there is none */
	u64 opened;	 /* blocks so far */
	u64 last;	 /* time of the last record, finished or not */
	bool is_writing; /* a writer had begun and not ended */
	/* What was lost; only in the ring of level 0, for the CPU's and buffer's others too. */
	u64 lost[LKST_LOSS_NR];
	struct lkst_marks marks; /* of the CPU and buffer */
	u64 present; /* how many of the blocks that the ring should have were found */
};

enum { LKST_DUMP_RINGS_MAX = LKST_LEVELS }; /* of a state page */

/* The rings of the state page at @page; 0: it makes no sense. */
unsigned int lkst_dump_rings(const u8 *page, struct lkst_dump_ring ret_rings[LKST_DUMP_RINGS_MAX]);

/* The UUID of the trace that the state page at @page is of; false: it does not say. */
bool lkst_dump_uuid(const u8 *page, u8 ret_uuid[16]);

/* Number of the oldest block that is neither overwritten nor cleared, and of the one after the last. */
u64 lkst_dump_ring_oldest(const struct lkst_dump_ring *r);
u64 lkst_dump_ring_end(const struct lkst_dump_ring *r);

#endif
