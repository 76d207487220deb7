/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State pages as a dump has them: the one place of this folder that knows struct lkst_state.
 */
#ifndef LKST_CRASH_RING_H
#define LKST_CRASH_RING_H

#include <stdbool.h>

#include "abi/state.h"

/* What a state page says about one ring. Positions count bytes since recording began. */
struct lkst_dump_ring {
	u64 instance; /* of the stream, as its blocks have it */
	u32 cpu, buffer;
	u32 shift; /* log2 of the block size */
	u64 nr_blocks;
	u64 head; /* end of the last reserved record */
	u64 done; /* records that end at or before it are complete */
	u64 lost[LKST_LOSS_NR];
};

enum { LKST_DUMP_RINGS_MAX = 1 }; /* of a state page */

/* The rings of the state page at @page; 0: it makes no sense. */
unsigned int lkst_dump_rings(const u8 *page, struct lkst_dump_ring ret_rings[LKST_DUMP_RINGS_MAX]);

/* Number of the block that holds the last complete byte; of the one that has the last byte reserved. */
u64 lkst_dump_ring_open_block(const struct lkst_dump_ring *r);
u64 lkst_dump_ring_last_block(const struct lkst_dump_ring *r);

/* Number of the oldest block that is not overwritten. */
u64 lkst_dump_ring_oldest(const struct lkst_dump_ring *r);

#endif
